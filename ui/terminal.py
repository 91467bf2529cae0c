"""`clew chat`: a conversation in the terminal, or line by line through a pipe.

The loop reads a line and runs a command (`slash.py`) or a turn, until the person leaves.
"""

import re
import sys
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, nullcontext
from functools import partial
from pathlib import Path

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.formatted_text import HTML, FormattedText
from prompt_toolkit.history import FileHistory
from prompt_toolkit.key_binding import KeyBindings
from prompt_toolkit.patch_stdout import patch_stdout
from prompt_toolkit.styles import Style
from rich.console import Console
from rich.text import Text

from clew.agent.assistant import Assistant, Loading
from clew.agent.models import to_choose_from
from clew.agent.settings import Settings
from clew.agent.state import TurnEvent
from clew.agent.talk.lines import languages
from clew.memory.errors import BadInput, Cancelled, ClewError, NotSetUp
from clew.memory.files import private_file, private_folder
from clew.memory.json_lines import replace_file
from clew.memory.text import number_of
from clew.ui.console import messages, output
from clew.ui.following import following
from clew.ui.live_turn import TurnPrinter, stoppable
from clew.ui.options import chosen_thread, way_back
from clew.ui.plain import cut, near, one_line, typed
from clew.ui.rendering import DIM, STOPPED, model_of
from clew.ui.slash import COMMANDS, PREVIEW, Asking, Command, Session, is_command, run_command, show_earlier


class TerminalSession(Session):
    """`messages` are where a turn says what it does."""

    loading: Loading

    def __init__(
        self, assistant: Assistant, settings: Settings, thread: str, output: Console, messages: Console
    ) -> None:
        super().__init__(assistant, thread, output)
        self.settings = settings
        self.messages = messages

    @property
    def commands(self) -> list[Command]:
        return list(COMMANDS)

    @property
    def model(self) -> str:
        """The language model's name; empty where there is none."""
        return model_of(self.assistant.services.writers)

    def take_turn(self, asking: Asking) -> None:
        """Run a turn and print it. Raises what the turn raises, and `KeyboardInterrupt` where it was stopped and there
        is no terminal."""
        self._run(lambda stop: asking.events(self.assistant, self.thread, stop))

    def resume(self) -> None:
        self._run(lambda stop: self.assistant.resume(self.thread, stop, self.tool))

    def hand_out(self, name: str, text: str) -> None:
        path = Path(name)
        if path.exists():
            raise BadInput(f"{path} is there already", "name another file")
        replace_file(path, text)
        self.say(f"wrote {near(str(path))}")

    def _run(self, events: Callable[[threading.Event], Generator[TurnEvent, None, None]]) -> None:
        output, messages, loading = self.output, self.messages, self.loading
        with stoppable() as stopped:
            if not loading.ended:
                with messages.status("loading the encoder…") if messages.is_terminal else nullcontext():
                    loading.wait(stopped)
            with closing(events(stopped)) as shown:
                TurnPrinter(output, messages, chat=True).show(shown)
        self.begin(self.thread)
        if self.turn and self.turn.answer.outcome == "stopped":
            if not output.is_terminal:
                raise KeyboardInterrupt("stopped")
            messages.print(Text(f"  {STOPPED}", DIM))


AT = re.compile(r'(?<!\S)@"?([^@"]*)$')


class CommandCompleter(Completer):
    """Offers commands, tools and conversations, each with what it is, and behind an @ what that may name."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._models = to_choose_from(session.assistant.services.writers)

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterator[Completion]:  # noqa: ARG002
        text = document.text_before_cursor
        for line, description in self._offered() if text.startswith("/") else ():
            if line.startswith(text):
                yield Completion(line, -len(text), display_meta=description)
        if begun := AT.search(text):
            for name in self._session.assistant.names(begun[1]):
                yield Completion(f'@"{name}" ' if " " in name else f"@{name} ", -len(begun[0]), display=f"@{name}")

    def _offered(self) -> Iterator[tuple[str, str]]:
        yield from ((command.name, command.help) for command in COMMANDS)
        tools = self._session.tools
        yield from ((f"{command} {name}", tools[name]) for command in ("/tool", "/again") for name in tools)
        yield from ((f"/language {name}", said) for name, said in languages().items())
        yield from ((f"/again {model}", "with this language model") for model in self._models)
        yield from ((f"/switch {one.id}", one_line(one.title)) for one in self._session.listed())


KEYS = KeyBindings()
KEYS.add("escape", "enter")(lambda event: event.current_buffer.insert_text("\n"))
"""Alt+Enter, or Esc and Enter behind it."""

STYLE = Style.from_dict({"bottom-toolbar": "noreverse fg:ansibrightblack", "prompt": "bold ansicyan"})


def _piped_line() -> str:
    """The next line of standard input that is not empty. Raises `EOFError` at the end."""
    while line := sys.stdin.buffer.readline():
        if text := typed(line.decode("utf-8", "replace")):
            return text
    raise EOFError


def run_chat(
    settings: Settings, thread: str | None, go_on: bool, today: str | None = None, watch: bool = False
) -> None:
    """Converse until the person leaves. `thread` names a conversation to go on with; with `go_on` it is the last one.
    With `watch` the library follows its folders.

    Raises what opening the library raises; without a terminal also what a turn raises.
    """
    out, err = output(), messages()
    at_terminal = sys.stdin.isatty() and out.is_terminal
    with err.status("opening the library…") if at_terminal else nullcontext():
        opened = Assistant.open(settings)
    with opened as assistant:
        name = chosen_thread(assistant.threads, thread, go_on)
        # In a terminal everything is one conversation on one screen, steps and messages too.
        session = TerminalSession(assistant, settings, name, out, out if at_terminal else err)
        session.today = today
        editor = _line_editor(session) if at_terminal else None
        session.loading = Loading(assistant, then=editor.app.invalidate if editor else lambda: None)
        try:
            with following(assistant, settings, partial(session.messages.print, style=DIM)) if watch else nullcontext():
                _converse(session, editor)
        finally:
            if session.turn:
                back = way_back("chat", session.settings, session.thread)
                session.messages.print(Text(f"to come back: {back}", DIM))


def _converse(session: TerminalSession, editor: "PromptSession[str] | None") -> None:
    """Answer lines until the person leaves: from `editor`, or from standard input where that is None."""
    if editor:
        _welcome(session)
    if question := session.assistant.interrupted(session.thread):
        session.messages.print(Text(f"  cut off last time, finishing it now: {one_line(question)}", DIM))
        session.resume()
    while True:
        try:
            if line := typed(_prompted(session, editor)) if editor else _piped_line():
                _handle(session, line)
        except EOFError:
            return
        except KeyboardInterrupt:
            if not editor:
                raise
        except ClewError as error:
            if not editor or isinstance(error, NotSetUp):
                raise
            _complain(session, error)


def _prompted(session: TerminalSession, editor: "PromptSession[str]") -> str:
    draft, session.draft = session.draft, ""
    with patch_stdout(raw=True):  # news of the library are printed above the prompt
        return editor.prompt(HTML("<prompt>&gt; </prompt>"), default=draft)


def _handle(session: TerminalSession, line: str) -> None:
    if line == "o" or (line.startswith("o ") and line[2:].isdecimal()):
        line = f"/open{line[1:]}"
    if is_command(line):
        run_command(session, line)
    else:
        session.take_turn(session.asking(line))


def _welcome(session: TerminalSession) -> None:
    manifest = session.assistant.services.library.manifest
    count = number_of(manifest.documents, "document")
    parts = [f"{count} in {session.settings.library}", session.model, "/help, Ctrl-D leaves"]
    session.output.print(Text.assemble(("Clew", "bold"), (" · ".join(["", *filter(None, parts)]), DIM)))
    if session.turn:
        session.output.print(Text(f"going on with {session.thread}, turn {session.turn.turn + 1}", DIM))
        for turn in session.turns[-PREVIEW:]:
            show_earlier(turn, session.output)
        if session.turn.answer.outcome == "stopped":
            session.say(STOPPED)


def _line_editor(session: TerminalSession) -> "PromptSession[str]":
    """An editor with a history, completion of commands and a status line below."""

    def below() -> FormattedText:
        known = session.assistant.threads.get(session.thread) if session.turn else None
        title = cut(one_line(known.title), 40) if known else "a new conversation"
        loading = "" if session.loading.ended else "loading the encoder…"
        parts = filter(None, (session.thread, title, session.shown_tool, session.model, loading))
        return FormattedText([("class:bottom-toolbar", "  " + " · ".join(parts))])

    home = session.settings.home
    private_folder(home)
    return PromptSession(
        history=FileHistory(str(private_file(home / "history"))),
        completer=CommandCompleter(session),
        key_bindings=KEYS,
        style=STYLE,
        bottom_toolbar=below,
        reserve_space_for_menu=6,
    )


def _complain(session: TerminalSession, error: ClewError) -> None:
    if isinstance(error, Cancelled):
        session.output.print(Text("  stopped", DIM))
        return
    did_you_mean = isinstance(error, BadInput) and error.hint.startswith("/")
    hint = f"; did you mean {error.hint}?" if did_you_mean else f"; try: {error.hint}" if error.hint else ""
    session.output.print(Text(f"  {one_line(error.message)}{hint}", "red"))
