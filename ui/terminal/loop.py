"""The loop of the chat: read a line, run a command or a turn, until the person leaves."""

import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.formatted_text import HTML, FormattedText
from prompt_toolkit.history import FileHistory
from prompt_toolkit.styles import Style
from rich.text import Text

from clew.agent.assistant import Assistant
from clew.agent.settings import Settings
from clew.memory.errors import BadInput, Cancelled, ClewError, NotSetUp
from clew.memory.files import private_file, private_folder
from clew.ui.console import messages, output
from clew.ui.models import with_models
from clew.ui.options import chosen_thread, day, way_back
from clew.ui.plain import cut, one_line, typed
from clew.ui.rendering import DIM
from clew.ui.terminal.session import Session, show_earlier, take_turn
from clew.ui.terminal.slash_commands import COMMANDS, Leave, run_command

STYLE = Style.from_dict({"bottom-toolbar": "noreverse fg:ansibrightblack", "prompt": "bold ansicyan"})


def _piped_line() -> str:
    """The next line of standard input that is not empty. Raises `EOFError` at the end."""
    while line := sys.stdin.buffer.readline():
        if text := typed(line.decode("utf-8", "replace")):
            return text
    raise EOFError


class CommandCompleter(Completer):
    """Slash commands, and what can follow them: `choices` maps a command to its arguments."""

    def __init__(self, choices: Mapping[str, Sequence[str]]) -> None:
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
        words, begun = (self._choices.get(name, ()), argument) if space else (self._choices, name)
        yield from (Completion(word, start_position=-len(begun)) for word in words if word.startswith(begun))


_COMMAND = re.compile(r"/[a-z]*(\s|$)")


def run_chat(
    settings: Settings,
    thread: str | None,
    go_on: bool,
    open_assistant: Callable[[Settings], Assistant] = Assistant.open,
    today: str | None = None,
) -> None:
    """Raises what opening the library raises; without a terminal also what a turn raises."""
    out, err = output(), messages()
    at_terminal = sys.stdin.isatty() and out.is_terminal

    def opening(settings: Settings) -> Assistant:
        with err.status("opening the library…") if at_terminal else nullcontext():
            return open_assistant(settings)

    with with_models(settings, opening) as assistant:
        name, _ = chosen_thread(assistant.threads, thread, go_on)
        # In a terminal everything is one conversation on one screen, steps and messages too.
        session = Session(assistant, settings, name, out, out if at_terminal else err)
        session.today = today
        editor = _line_editor(session) if at_terminal else None
        session.loading.begin(then=editor.app.invalidate if editor else lambda: None)
        try:
            _converse(session, editor)
        finally:
            _say_how_to_come_back(session)


def _converse(session: Session, editor: "PromptSession[str] | None") -> None:
    """Until the person leaves; without `editor`, the lines of standard input."""
    if editor:
        _welcome(session)
    _finish_what_was_cut_off(session)
    while True:
        try:
            if line := typed(editor.prompt(HTML("<prompt>&gt; </prompt>"))) if editor else _piped_line():
                _handle(session, line)
        except (EOFError, Leave):
            return
        except KeyboardInterrupt:
            if not editor:
                raise
        except ClewError as error:
            if not editor or isinstance(error, NotSetUp):
                raise
            _complain(session, error)


def _handle(session: Session, line: str) -> None:
    """A path such as `/etc/hosts` begins a question, not a command."""
    if _COMMAND.match(line):
        run_command(session, line)
    else:
        ask, today = session.assistant.ask, day(session.today)
        take_turn(session, lambda stop: ask(session.thread, line, tool=session.tool, today=today, cancel=stop))


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


def _line_editor(session: Session) -> "PromptSession[str]":
    """Line editing, a history, completion of commands, and a line below that says where one is."""
    tools = ("auto", *session.assistant.services.tools)
    choices = {command.name: tools if command.name == "/tool" else () for command in COMMANDS}

    def below() -> FormattedText:
        title = cut(one_line(session.turn.question), 40) if session.turn else "a new conversation"
        loading = "" if session.loading.ended else "loading the encoder…"
        parts = filter(None, (session.thread, title, session.shown_tool, session.model, loading))
        return FormattedText([("class:bottom-toolbar", "  " + " · ".join(parts))])

    home = session.settings.home
    private_folder(home)
    return PromptSession(
        history=FileHistory(str(private_file(home / "history"))),
        completer=CommandCompleter(choices),
        style=STYLE,
        bottom_toolbar=below,
        reserve_space_for_menu=6,
    )


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
