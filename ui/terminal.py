"""`clew chat`: a conversation in the terminal, or line by line through a pipe.

The loop reads a line and runs a command or a turn, until the person leaves. A slash command is a function and a line of
`COMMANDS`.
"""

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import WordCompleter
from prompt_toolkit.formatted_text import HTML, FormattedText
from prompt_toolkit.history import FileHistory
from prompt_toolkit.styles import Style
from rich.console import Console
from rich.text import Text

from clew.agent.assistant import Assistant
from clew.agent.search.rounds import AUTO, POLICY
from clew.agent.settings import Settings
from clew.agent.state import Answer, Turn, TurnEvent
from clew.memory.errors import BadInput, Cancelled, ClewError, NotSetUp
from clew.memory.files import private_file, private_folder
from clew.memory.json_lines import replace_file
from clew.memory.text import number_of
from clew.ui.console import messages, output
from clew.ui.live_turn import TurnPrinter, stoppable
from clew.ui.models import Loading, with_models
from clew.ui.options import chosen_thread, day, threads_path, way_back
from clew.ui.plain import cut, near, one_line, plain, typed
from clew.ui.rendering import (
    DIM,
    MARKS,
    STOPPED,
    answer_text,
    indented,
    ledger_lines,
    model_of,
    source_line,
    source_lines,
    unfolded,
    walk_trees,
)
from clew.ui.transcript import as_json, as_markdown, known_thread, stored_turns


class Session:
    """`turn` is the last turn of the thread; None where nothing was said. `tool` is the one that the person chose here;
    empty: the policy's. `today` is the day that questions count from; None: the real one."""

    def __init__(
        self, assistant: Assistant, settings: Settings, thread: str, output: Console, messages: Console
    ) -> None:
        self.assistant = assistant
        self.settings = settings
        self.loading = Loading(assistant)
        self.tool = ""
        self.today: str | None = None
        self.output = output
        self.messages = messages
        self.begin(thread)

    @property
    def shown_tool(self) -> str:
        return self.tool or self.settings.tool

    @property
    def model(self) -> str:
        """The language model's name; empty where there is none."""
        return model_of(self.assistant.services.writers)

    def begin(self, thread: str) -> None:
        """Use this thread from now on; it may be new."""
        self.thread = thread
        turns = self.assistant.turns(thread)
        self.turn: Turn | None = turns[-1] if turns else None

    def last_turn(self) -> Turn:
        if self.turn is None:
            raise BadInput("nothing was asked yet", "type a question")
        return self.turn


EARLIER, PREVIEW = 3, 3
"""Turns of a thread that is gone on with, and lines of each answer, that remind a person of it."""


def take_turn(session: Session, events: Callable[[threading.Event], Iterator[TurnEvent]]) -> None:
    """Run a turn and print it. Raises what the turn raises, and `KeyboardInterrupt` where it was stopped and there is
    no terminal."""
    output, messages, loading = session.output, session.messages, session.loading
    with stoppable() as stopped:
        if not loading.ended:
            with messages.status("loading the encoder…") if messages.is_terminal else nullcontext():
                loading.wait(stopped)
        session.turn = ChatPrinter(output, messages).show(events(stopped)) or session.turn
    if session.turn and session.turn.answer.outcome == "stopped":
        if not output.is_terminal:
            raise KeyboardInterrupt("stopped")
        messages.print(Text(f"  {STOPPED}", DIM))


class ChatPrinter(TurnPrinter):
    """At a terminal the sources are set in; else there is a line for each, and an empty one behind them."""

    def print_sources(self, answer: Answer) -> None:
        terminal = self.output.is_terminal
        lines = source_lines(answer, self.output.width - 2 if terminal else None)
        if lines and terminal:
            self.output.print()
        for line in lines:
            self.output.print(Text("  " if terminal else "").append_text(line))
        if not terminal:
            self.output.print()

    def set_off(self) -> None:
        if self.output.is_terminal:
            self.output.print()


def show_earlier(turn: Turn, console: Console) -> None:
    """Print a question of a thread that is opened again, and how its answer began."""
    console.print(Text(f"  > {cut(one_line(turn.question), console.width - 4)}", DIM))
    lines = indented(Text(answer_text(turn.answer).plain, DIM), 4, console)
    for line in lines[:PREVIEW]:
        console.print(line)
    if len(lines) > PREVIEW:
        console.print(Text("    …", DIM))
    if turn.answer.outcome == "stopped":
        console.print(Text(f"  {STOPPED}", DIM))


@dataclass(frozen=True, slots=True)
class Command:
    """`argument` is how its argument is called in the help; empty where it takes none."""

    name: str
    argument: str
    help: str
    run: Callable[[Session, str], None]


def run_command(session: Session, line: str) -> None:
    """Run a slash command. Raises `BadInput` for an unknown one, and `EOFError` for /quit."""
    name, _, argument = line.partition(" ")
    commands = {command.name: command for command in COMMANDS}
    if (command := commands.get(name)) is None:
        raise BadInput(f"there is no command {name}", next(iter(get_close_matches(name, commands, 1)), "/help"))
    if argument.strip() and not command.argument:
        raise BadInput(f"{name} stands alone", name)
    command.run(session, argument.strip())


def _help(session: Session, _: str) -> None:
    for command in COMMANDS:
        usage = f"{command.name} {command.argument}".strip()
        session.output.print(Text.assemble(f"  {usage:16}", (command.help, DIM)))
    session.output.print(Text("  Ctrl-C stops an answer or clears the line, Ctrl-D leaves.", DIM))


def _sources(session: Session, argument: str) -> None:
    answer = session.last_turn().answer
    if not answer.sources:
        raise BadInput("the last answer has no sources")
    numbers = range(1, len(answer.sources) + 1)
    if argument:
        numbers = range(_source_number(argument, len(answer.sources)), int(argument) + 1)
    width = session.output.width - 2 if session.output.is_terminal else None
    for number in numbers:
        session.output.print(Text("  ").append_text(source_line(answer, number, width)))
        if argument:
            passage = Text(plain(answer.sources[number - 1].text).strip())
            for line in indented(passage, 6, session.output):
                session.output.print(line)


def _source_number(argument: str, known: int) -> int:
    if not argument.isdecimal() or not 1 <= int(argument) <= known:
        raise BadInput(f"the last answer has no source {argument}", f"/sources {known}")
    return int(argument)


def _steps(session: Session, _: str) -> None:
    turn = session.last_turn()
    for step in turn.steps:
        for line in unfolded(step):
            session.output.print(line)
    for prompted in ledger_lines(turn.ledger):
        session.output.print(Text(f"  {prompted}", DIM))
    for claim in turn.answer.claims:
        if claim.verdict in MARKS:
            session.output.print(Text(f"  {claim.verdict}: {one_line(claim.text)}", MARKS[claim.verdict][1]))


def _walk(session: Session, _: str) -> None:
    trees = walk_trees(session.last_turn())
    if not trees:
        raise BadInput("nothing was walked for the last answer", "/steps")
    for tree in trees:
        session.output.print(tree)


def _resume(session: Session, _: str) -> None:
    if session.turn is None or session.turn.answer.outcome != "stopped":
        raise BadInput("no answer was stopped here", "type a question")
    take_turn(session, lambda stop: session.assistant.resume(session.thread, cancel=stop))


def _thread(session: Session, _: str) -> None:
    known = session.assistant.threads.get(session.thread)
    rows = {
        "thread": session.thread,
        "title": known.title if known else "(nothing was said yet)",
        "turns": str(known.turns if known else 0),
        "kept in": near(str(threads_path(session.settings))),
    }
    for name, value in rows.items():
        session.output.print(Text.assemble((f"  {name:8} ", DIM), value))


def _new(session: Session, _: str) -> None:
    left = f" (the last one was {session.thread})" if session.turn else ""
    session.begin(session.assistant.threads.new_id())
    session.output.print(Text(f"  a new conversation: {session.thread}{left}", DIM))


def _tool(session: Session, argument: str) -> None:
    tools = {AUTO: POLICY} | {name: tool.description for name, tool in session.assistant.services.tools.items()}
    for name in argument.split("+") if argument and argument not in tools else ():
        if name not in tools or name == AUTO:  # several are of tools that there are
            close = get_close_matches(name, tools, 1)
            raise BadInput(f"there is no tool {name}", f"/tool {close[0] if close else next(iter(tools))}")
    if argument:
        session.tool = argument
        session.output.print(Text(f"  searching with {argument} from now on", DIM))
        return
    for name, description in tools.items():
        mark = "*" if name in session.shown_tool.split("+") else " "
        session.output.print(Text.assemble(f"  {mark} {name:12}", (description, DIM)))


def _export(session: Session, argument: str) -> None:
    path = Path(argument or f"clew-{session.thread}.md").expanduser()
    if argument and path.exists():
        raise BadInput(f"{path} is there already", "name another file")
    thread = known_thread(session.assistant.threads, session.thread) if session.turn else None
    if thread is None:
        raise BadInput("there is nothing to export yet", "ask something first")
    form = as_json if path.suffix == ".json" else as_markdown
    replace_file(path, form(thread, stored_turns(session.assistant.threads, thread.id)))
    session.output.print(Text(f"  wrote {near(str(path))}", DIM))


def _quit(_: Session, __: str) -> None:
    raise EOFError


COMMANDS = (
    Command("/help", "", "what can be typed here", _help),
    Command("/sources", "[N]", "the sources of the last answer; N: the whole passage", _sources),
    Command("/steps", "", "what the last turn did, in detail", _steps),
    Command("/walk", "", "what the last turn walked through: landings, and the steps from each", _walk),
    Command("/resume", "", "answer the question whose answer was stopped", _resume),
    Command("/thread", "", "this conversation: id, title, where it is kept", _thread),
    Command("/new", "", "begin another conversation", _new),
    Command("/clear", "", "clear the screen", lambda session, _: session.output.clear()),
    Command("/tool", "[NAME]", "choose the retrieval method; without NAME: list them", _tool),
    Command("/export", "[FILE]", "write this conversation to a file (.md or .json)", _export),
    Command("/quit", "", "leave", _quit),
)


STYLE = Style.from_dict({"bottom-toolbar": "noreverse fg:ansibrightblack", "prompt": "bold ansicyan"})


def _piped_line() -> str:
    """The next line of standard input that is not empty. Raises `EOFError` at the end."""
    while line := sys.stdin.buffer.readline():
        if text := typed(line.decode("utf-8", "replace")):
            return text
    raise EOFError


def run_chat(settings: Settings, thread: str | None, go_on: bool, today: str | None = None) -> None:
    """Converse until the person leaves. `thread` names a conversation to go on with; with `go_on` it is the last one.

    Raises what opening the library raises; without a terminal also what a turn raises.
    """
    out, err = output(), messages()
    at_terminal = sys.stdin.isatty() and out.is_terminal

    def opening(settings: Settings) -> Assistant:
        with err.status("opening the library…") if at_terminal else nullcontext():
            return Assistant.open(settings)

    with with_models(settings, opening) as assistant:
        name = chosen_thread(assistant.threads, thread, go_on)
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
    """Answer lines until the person leaves: from `editor`, or from standard input where that is None."""
    if editor:
        _welcome(session)
    _finish_what_was_cut_off(session)
    while True:
        try:
            if line := typed(editor.prompt(HTML("<prompt>&gt; </prompt>"))) if editor else _piped_line():
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


def _handle(session: Session, line: str) -> None:
    """Run a command or ask a question. A path such as `/etc/hosts` begins a question, not a command."""
    if line.startswith("/") and line.split()[0][1:].isalpha():
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
    count = number_of(manifest.documents, "document")
    parts = [f"{count} in {session.settings.library}", session.model, "/help, Ctrl-D leaves"]
    session.output.print(Text.assemble(("Clew", "bold"), (" · ".join(["", *filter(None, parts)]), DIM)))
    if session.turn:
        session.output.print(Text(f"going on with {session.thread}, turn {session.turn.turn + 1}", DIM))
        for turn in session.assistant.turns(session.thread)[-EARLIER:]:
            show_earlier(turn, session.output)


def _line_editor(session: Session) -> "PromptSession[str]":
    """An editor with a history, completion of commands and a status line below."""
    tools = [f"/tool {name}" for name in (AUTO, *session.assistant.services.tools)]

    def below() -> FormattedText:
        title = cut(one_line(session.turn.question), 40) if session.turn else "a new conversation"
        loading = "" if session.loading.ended else "loading the encoder…"
        parts = filter(None, (session.thread, title, session.shown_tool, session.model, loading))
        return FormattedText([("class:bottom-toolbar", "  " + " · ".join(parts))])

    home = session.settings.home
    private_folder(home)
    return PromptSession(
        history=FileHistory(str(private_file(home / "history"))),
        completer=WordCompleter([*(command.name for command in COMMANDS), *tools], sentence=True),
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
