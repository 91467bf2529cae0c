"""The loop of the chat: read a line, run a command or a turn, until the person leaves."""

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.formatted_text import HTML, FormattedText
from prompt_toolkit.history import FileHistory
from prompt_toolkit.styles import Style
from rich.text import Text

from clew.agent.assistant import Assistant
from clew.memory.errors import BadInput, Cancelled, ClewError, NotSetUp
from clew.ui.console import messages, output
from clew.ui.models import with_models
from clew.ui.options import chosen_thread, way_back
from clew.ui.plain import cut, one_line, typed
from clew.ui.rendering import DIM
from clew.ui.terminal.session import Session, show_earlier, take_turn
from clew.ui.terminal.slash_commands import COMMANDS, Leave, run_command

if TYPE_CHECKING:
    from clew.agent.settings import Settings

STYLE = Style.from_dict({"bottom-toolbar": "noreverse fg:ansibrightblack", "prompt": "bold ansicyan"})


class Lines(Protocol):
    def read(self) -> str:
        """Raises `EOFError` at the end, and `KeyboardInterrupt` where the line was given up."""

    def redraw(self) -> None:
        """What is shown beside the line has changed; may be called from any thread."""


class LineEditor:
    """Line editing, a history in `folder`, completion of commands, and a line below that says where one is."""

    def __init__(self, folder: Path, choices: Callable[[], Mapping[str, Sequence[str]]], below: Callable[[], str]):
        folder.mkdir(parents=True, exist_ok=True)
        self._below = below
        self._session: PromptSession[str] = PromptSession(
            history=FileHistory(str(folder / "history")),
            completer=CommandCompleter(choices),
            style=STYLE,
            bottom_toolbar=self._toolbar,
            reserve_space_for_menu=6,
        )

    def read(self) -> str:
        return typed(self._session.prompt(HTML("<prompt>&gt; </prompt>")))

    def redraw(self) -> None:
        self._session.app.invalidate()

    def _toolbar(self) -> FormattedText:
        return FormattedText([("class:bottom-toolbar", self._below())])


class Piped:
    """The lines of standard input, as they come; empty ones are left out."""

    def read(self) -> str:
        while line := sys.stdin.buffer.readline():
            if text := typed(line.decode("utf-8", "replace")):
                return text
        raise EOFError

    def redraw(self) -> None: ...


class CommandCompleter(Completer):
    """Slash commands, and what can follow them: `choices` maps a command to its arguments."""

    def __init__(self, choices: Callable[[], Mapping[str, Sequence[str]]]) -> None:
        self._choices = choices

    def get_completions(
        self,
        document: Document,
        complete_event: CompleteEvent,  # noqa: ARG002 the signature is prompt_toolkit's
    ) -> Iterable[Completion]:
        line = document.text_before_cursor
        if not line.startswith("/"):
            return
        name, space, argument = line.partition(" ")
        choices = self._choices()
        yield from _beginning(choices.get(name, ()), argument) if space else _beginning(choices, name)


def _beginning(words: Iterable[str], typed_so_far: str) -> Iterator[Completion]:
    return (Completion(word, start_position=-len(typed_so_far)) for word in words if word.startswith(typed_so_far))


_COMMAND = re.compile(r"/[a-z]*(\s|$)")


def run_chat(
    settings: "Settings",
    thread: str | None,
    go_on: bool,
    open_assistant: "Callable[[Settings], Assistant]" = Assistant.open,
) -> None:
    """Raises what opening the library raises; without a terminal also what a turn raises."""
    out, err = output(), messages()
    at_terminal = sys.stdin.isatty() and out.is_terminal

    def opening(settings: "Settings") -> Assistant:
        with err.status("opening the library…") if at_terminal else nullcontext():
            return open_assistant(settings)

    with with_models(settings, opening) as assistant:
        name, _ = chosen_thread(assistant.threads, thread, go_on)
        # In a terminal everything is one conversation on one screen, steps and messages too.
        session = Session(assistant, settings, name, out, out if at_terminal else err)
        lines = _line_editor(session) if at_terminal else Piped()
        session.loading.begin(then=lines.redraw)
        try:
            _converse(session, lines, at_terminal)
        finally:
            _say_how_to_come_back(session)


def _converse(session: Session, lines: Lines, at_terminal: bool) -> None:
    if at_terminal:
        _welcome(session)
    _finish_what_was_cut_off(session)
    while True:
        try:
            line = lines.read()
            if line:
                _handle(session, line)
        except (EOFError, Leave):
            return
        except KeyboardInterrupt:
            if not at_terminal:
                raise
        except NotSetUp:
            raise
        except ClewError as error:
            if not at_terminal:
                raise
            _complain(session, error)


def _handle(session: Session, line: str) -> None:
    """A path such as `/etc/hosts` begins a question, not a command."""
    if _COMMAND.match(line):
        run_command(session, line)
    else:
        ask = session.assistant.ask
        take_turn(session, lambda stop: ask(session.thread, line, tool=session.tool, cancel=stop))


def _finish_what_was_cut_off(session: Session) -> None:
    question = session.assistant.interrupted(session.thread)
    if not question:
        return
    session.messages.print(Text(f"  cut off last time, finishing it now: {one_line(question)}", DIM))
    take_turn(session, lambda stop: session.assistant.resume(session.thread, cancel=stop))


def _welcome(session: Session) -> None:
    manifest = session.assistant.services.library.manifest
    count = f"{manifest.documents} document{'' if manifest.documents == 1 else 's'}"
    parts = [f"{count} in {session.settings.library}", session.model, "/help, Ctrl-D leaves"]
    session.output.print(Text.assemble(("Clew", "bold"), (" · ".join(["", *filter(None, parts)]), DIM)))
    if session.turn:
        session.output.print(Text(f"going on with {session.thread}, turn {session.turn.turn + 1}", DIM))
        show_earlier(session.turn, session.output)


def _line_editor(session: Session) -> LineEditor:
    tools = tuple(session.assistant.services.tools)
    choices = {command.name: tools if command.name == "/tool" else () for command in COMMANDS}

    def below() -> str:
        title = cut(one_line(session.turn.question), 40) if session.turn else "a new conversation"
        loading = "" if session.loading.ended else "loading the encoder…"
        return "  " + " · ".join(filter(None, (session.thread, title, session.shown_tool, session.model, loading)))

    return LineEditor(session.settings.home, lambda: choices, below)


def _complain(session: Session, error: ClewError) -> None:
    if isinstance(error, Cancelled):
        session.output.print(Text("  stopped", DIM))
        return
    did_you_mean = isinstance(error, BadInput) and error.hint.startswith("/")
    hint = f"; did you mean {error.hint}?" if did_you_mean else f"; try: {error.hint}" if error.hint else ""
    session.output.print(Text(f"  {one_line(error.message)}{hint}", "red"))


def _say_how_to_come_back(session: Session) -> None:
    if session.turn:
        session.messages.print(Text(f"to come back: {way_back('chat', session.settings, session.thread)}", DIM))
