"""The slash commands of the chat: a function each, and a line in the table below."""

from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from rich.text import Text

from clew.agent.search.rounds import AUTO, POLICY
from clew.memory.errors import BadInput
from clew.memory.json_lines import replace_file
from clew.ui.options import threads_path
from clew.ui.plain import near, one_line, plain
from clew.ui.rendering import DIM, MARKS, indented, ledger_lines, source_line, unfolded, walk_lines
from clew.ui.terminal.session import Session, take_turn
from clew.ui.transcript import as_json, as_markdown, known_thread, stored_turns


@dataclass(frozen=True, slots=True)
class Command:
    """`argument` is how its argument is called in the help; empty where it takes none."""

    name: str
    argument: str
    help: str
    run: Callable[[Session, str], None]


class Leave(Exception):
    """The person wants to go."""


def run_command(session: Session, line: str) -> None:
    """Raises `BadInput` for what is no command, and `Leave`."""
    name, _, argument = line.partition(" ")
    command = next((command for command in COMMANDS if command.name == name), None)
    if command is None:
        close = get_close_matches(name, [command.name for command in COMMANDS], 1)
        raise BadInput(f"there is no command {name}", f"{close[0]}" if close else "/help")
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
    lines = walk_lines(session.last_turn())
    if not lines:
        raise BadInput("nothing was walked for the last answer", "/steps")
    for line in lines:
        session.output.print(line)


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
    raise Leave


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
