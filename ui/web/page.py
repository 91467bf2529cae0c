"""The page's layout, and what happens where a person clicks. Imported only where the page is made: Gradio is heavy."""

import json
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import gradio as gr

from clew.agent.models import to_choose_from
from clew.agent.search.rounds import AUTO
from clew.agent.talk.offers import next_questions, shown_off
from clew.memory.errors import ClewError
from clew.ui.plain import typed
from clew.ui.rendering import model_of
from clew.ui.web.markup import Markup
from clew.ui.web.shelf import Shelf
from clew.ui.web.views import Conversations, PageSession, View

Update = dict[Any, Any]
"""Component -> its new value or properties."""

NOTHING: Update = gr.skip()
"""What an event yields that changes nothing; one that yields not at all would empty the page."""

STILL_THERE = 5.0
"""Seconds after which a tab is sent something although nothing happened: so it is found out that it was closed."""

FOLLOWED = 500
"""Tabs that are shown something at the same time, and of which Gradio keeps what they show. Of Gradio's own 40 places
turns that wait would hold every one, and nobody could even open the page."""


class PageBlocks(gr.Blocks):
    """Gradio's blocks without the making of output components. Our outputs are strings and visibility flags, which can
    be sent as they are; Gradio makes a component anew for each output, in a thread, and keeps them all, which is half
    of a page's work."""

    async def postprocess_data(self, block_fn: Any, predictions: Any, state: Any) -> list[Any]:
        if not isinstance(predictions, dict):  # what an event returns that has no outputs, or the end of one
            return list(await super().postprocess_data(block_fn, predictions, state))
        return [predictions.get(one, dict(NOTHING)) for one in block_fn.outputs]


class BrowserPage:
    """The components of the page and their events. What a tab shows belongs to the tab; all tabs share the
    assistant."""

    def __init__(self, conversations: Conversations, command: str = "clew ui", shelf: Shelf | None = None) -> None:
        """Lay out the page. `command` is what the server was started with, for hints. Without a `shelf` the documents
        shown are those of the assistant's library."""
        self._assistant, self._conversations, self._shelf = conversations.assistant, conversations, shelf
        services = self._assistant.services
        tools = (AUTO, *services.tools, *to_choose_from(services.writers))
        documents, examples = services.library.manifest.documents, shown_off(services.library)
        self.markup = Markup(documents, examples, model_of(services.writers), tools)
        self._finds: dict[str, str] = {}
        self._looks: dict[str, object] = {}
        self._chosen: dict[str, str] = {}  # the method of a conversation
        self.blocks: gr.Blocks = PageBlocks(title="Clew", analytics_enabled=False, fill_width=True, fill_height=True)
        with self.blocks:
            self._lay_out(command)
            self._connect()
        self.blocks.max_threads = self.blocks.state_session_capacity = FOLLOWED
        self.blocks.queue(default_concurrency_limit=None)

    def _lay_out(self, command: str) -> None:
        names = ("thread", "pick", "open", "say", "find", "tool")
        hidden = [gr.Textbox(visible="hidden", elem_id=name) for name in names]
        self._thread, self._pick, self._open, self._said, self._find, self._tool = hidden
        self._file = gr.Button("", elem_id="file", elem_classes="as-data")
        with gr.Row(elem_id="page"):
            with gr.Column(elem_id="foot", min_width=0):  # the first that Tab comes to
                self._ask_row()
            with gr.Column(elem_id="side", min_width=0):
                _html("header", self.markup.render("header"))
                self._new = gr.Button("New conversation", elem_id="new", size="sm")
                _html("search", self.markup.render("search"))
                self._threads = _html("threads")
            with gr.Column(elem_id="middle", min_width=0):
                _html("bar", self.markup.render("header"))
                with gr.Column(elem_id="chat", min_width=0):
                    self._past = _html("past")
                    self._now = _html("now")
                    _html("gone", self.markup.render("gone", command=command))
            with gr.Column(elem_id="aside", min_width=0):
                self._sources = _html("sources")
        _html("keys-list", self.markup.render("keys"))

    def _ask_row(self) -> None:
        with gr.Row(elem_id="ask"):
            self._box = gr.Textbox(
                placeholder="Ask your documents…",
                show_label=False,
                container=False,
                autofocus=True,
                max_lines=6,
                elem_id="question",
                interactive=True,
                label="Question",
            )
            self._method = _html("method")
            self._send = gr.Button("Send", variant="primary", elem_id="send", min_width=0, scale=0)
            self._stop = gr.Button("Stop", variant="stop", visible=False, elem_id="stop", min_width=0, scale=0)

    def _connect(self) -> None:
        shown = [self._thread, self._past, self._now, self._sources, self._threads, self._box, self._send, self._stop]
        of = [self._thread, self._tool]
        private: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}
        quiet: dict[str, Any] = {"outputs": [*shown, self._tool, self._method, self._file], **private}
        always: dict[str, Any] = {**quiet, "trigger_mode": "multiple"}  # also while a turn is in progress
        self.blocks.load(self._load, **quiet)
        self._pick.submit(self._picked, [*of, self._pick], **quiet, trigger_mode="once")
        self._said.submit(self._picked, [*of, self._said], **always)
        self._find.submit(self._found, [self._thread, self._find], **always)
        self._open.submit(self._opened, self._open, **always)
        self._new.click(self._begin, **quiet)
        self._stop.click(self._stopped, self._thread, **private)

    def _load(self, request: gr.Request) -> Iterator[Update]:
        """Show the conversation that the page's address names, also when the page is loaded again."""
        yield from self._opened(str(request.query_params.get("thread", "")), request)

    def _stopped(self, thread: str, request: gr.Request) -> None:
        self._conversations.stop(thread, owner_of(request))

    def _begin(self, request: gr.Request) -> Iterator[Update]:
        yield from self._show(request, self._conversations.open(""), {self._box: ""})

    def _opened(self, thread: str, request: gr.Request) -> Iterator[Update]:
        yield from self._show(request, self._conversations.open(thread, owner_of(request)))

    def _picked(self, thread: str, tool: str, pick: str, request: gr.Request) -> Iterator[Update]:
        """Handle what was typed in the box (page.js empties it), an offered question, or a button."""
        yield from self._show(request, self._conversations.say(thread, typed(pick), owner_of(request), tool), tool=tool)

    def _found(self, thread: str, words: str, request: gr.Request) -> Update:
        self._finds[str(request.session_hash)] = words
        return {self._threads: self._thread_list(thread, request)}

    def _show(
        self, request: gr.Request, views: Iterator[View], update: Update | None = None, tool: str = ""
    ) -> Iterator[Update]:
        """Send the pieces of the page that changed, view by view, until the tab shows another conversation."""
        if self._shelf and (listing := self._shelf.seen).state:  # it may have been indexed since the page was made
            self.markup.know(listing.documents, listing.examples)
        session = str(request.session_hash)
        look = self._looks[session] = object()
        before: View | None = None
        sent = time.monotonic()
        for view in views:
            if self._looks.get(session) is not look:
                yield NOTHING
                return
            if view != before or time.monotonic() - sent > STILL_THERE:
                method = self._method_of(view, tool) if before is None else {}
                yield (update or {}) | method | self._changes(before, view, request)
                before, update, sent = view, None, time.monotonic()
        if self._looks.get(session) is look:
            del self._looks[session]

    def _changes(self, before: View | None, view: View, request: gr.Request) -> Update:
        changes: Update = {self._now: self.markup.now(view)}
        fresh = before is None or before.turns is not view.turns
        if fresh or not view.turns:  # a welcome makes way for the first question
            changes[self._past] = self.markup.past(view, self._offered(view))
        if before is None or fresh or _answering(before) != _answering(view):
            changes[self._sources] = self.markup.sources(view)
        if before is None or before.busy != view.busy:
            changes[self._threads] = self._thread_list(view.thread, request)
        return changes | self._buttons(view) | (self._left(view.said) if view.said and before is None else {})

    def _method_of(self, view: View, tool: str) -> Update:
        """Return the chosen method: that of a command, else of the conversation, else of the tab."""
        told = view.said.tool if view.said else tool
        chosen = told if told != tool else self._chosen.get(view.thread, tool)
        if view.thread:
            self._chosen[view.thread] = chosen
        return {self._tool: chosen, self._method: self.markup.render("method", tool=chosen)}

    def _offered(self, view: View) -> list[str]:
        """Return the questions that can be asked after the last answer."""
        with suppress(ClewError), self._assistant.library_now() as services:
            return [] if view.busy else next_questions(view.turns, services.library.store)
        return []

    def _left(self, said: PageSession) -> Update:
        """Return the updates that a command causes beside its output."""
        name, text = said.file
        file = {self._file: json.dumps({"name": name, "text": text, "at": time.time()})} if name else {}
        return {**({self._box: said.draft} if said.draft else {}), **file}

    def _buttons(self, view: View) -> Update:
        """Return the updates of the buttons and of what they stop. They are sent each time, as updates of another event
        may overtake these. A question that is sent during a turn waits for its end."""
        send = gr.update(value="Queue" if view.busy else "Send")
        return {self._thread: view.thread, self._send: send, self._stop: gr.update(visible=view.busy)}

    def _thread_list(self, thread: str, request: gr.Request) -> str:
        threads, owner = self._assistant.threads, owner_of(request)
        find = self._finds.get(str(request.session_hash), "")
        try:
            kept, lists = threads.holding(find), (threads.over_library(owner), threads.over_others(owner))
            own, others = ([one for one in some if one.id in kept] for some in lists)
            return self.markup.threads(sorted(own, key=lambda one: not one.pinned), thread, others, find)
        except ClewError:  # a database that cannot be read: the conversation says so
            return self.markup.threads([], thread)


def owner_of(request: gr.Request) -> str:
    """Return the user whom the guard let in."""
    return str(request.username or "")


def _html(name: str, value: str = "") -> gr.Button:
    """Return HTML as the label of a hidden button; page.js shows it in its place. Gradio's own component for HTML
    compiles text to functions, which the page's policy forbids."""
    return gr.Button(value, elem_id=f"{name}-html", elem_classes="as-html")


def _answering(view: View) -> bool:
    return view.now is not None and view.now.answer is not None
