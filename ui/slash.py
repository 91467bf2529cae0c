"""The slash commands of the terminal and of the page: each is a function, and a line of `COMMANDS`."""

import os
import re
import sys
import threading
from abc import ABC, abstractmethod
from base64 import b64encode
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from difflib import get_close_matches
from pathlib import Path

import click
from rich.console import Console
from rich.text import Text

from clew.agent.assistant import Assistant
from clew.agent.nodes import GIVEN
from clew.agent.search.rounds import AUTO, POLICY
from clew.agent.settings import indexed_here
from clew.agent.state import Answer, Turn, TurnEvent
from clew.agent.talk.lines import languages
from clew.agent.talk.offers import next_questions
from clew.memory.dialogue.threads import UNDO, Thread
from clew.memory.errors import BadInput, ClewError
from clew.memory.knowledge.cluster.connection import Place
from clew.memory.knowledge.library import file_of, open_library
from clew.memory.knowledge.walking.walk_paths import told
from clew.memory.text import number_of, unaccented
from clew.ui.options import day
from clew.ui.plain import cut, near, one_line, plain, when
from clew.ui.rendering import (
    BOLD,
    DIM,
    answer_text,
    cited_numbers,
    copied,
    indented,
    ledger_lines,
    pieces,
    place_of,
    print_indented,
    source_line,
    unfolded,
)
from clew.ui.transcript import LIKED, exported, known_thread

LISTED = 20
"""Conversations that a list shows."""

PREVIEW = 3
"""Lines of an earlier answer that remind a person of it."""


@dataclass(frozen=True, slots=True)
class Asking:
    """A question to be answered, as `Assistant.ask` takes it. `today` is the day that it counts from; None: the real
    one."""

    question: str
    tool: str = ""
    today: str | None = None
    parent: int | None = None
    understood: str = ""
    llm: str = ""

    def events(self, assistant: Assistant, thread: str, cancel: threading.Event) -> Generator[TurnEvent, None, None]:
        return assistant.ask(thread, **{**asdict(self), "today": day(self.today)}, cancel=cancel)


class Session(ABC):
    """A conversation that commands are typed in. `turn` is its last one; None where nothing was said. `tool` is the one
    that the person chose here; empty: the policy's. `owner` is a user of the page; empty: the person of this machine.
    `draft` is what the line that is typed next begins with, `taken_out` the thread that was deleted last."""

    def __init__(self, assistant: Assistant, thread: str, output: Console, owner: str = "", tool: str = "") -> None:
        self.assistant = assistant
        self.output = output
        self.owner = owner
        self.tool = tool
        self.today: str | None = None
        self.draft = ""
        self.taken_out = ""
        self.begin(thread)

    @abstractmethod
    def take_turn(self, asking: Asking) -> None:
        """Have it answered."""

    @abstractmethod
    def resume(self) -> None:
        """Have the question answered whose answer was stopped."""

    @abstractmethod
    def hand_out(self, name: str, text: str) -> None:
        """Give the person a file, which may have been named."""

    @property
    def commands(self) -> list["Command"]:
        return [command for command in COMMANDS if not command.on_page]

    @property
    def tools(self) -> dict[str, str]:
        """What can be searched with, each with what it does, in a sentence."""
        tools = self.assistant.services.tools
        return {AUTO: POLICY} | {name: tool.description.partition(". ")[0] for name, tool in tools.items()}

    @property
    def shown_tool(self) -> str:
        return self.tool or self.assistant.services.default_tool

    def take_out(self, thread: str) -> None:
        self.assistant.take_out(thread)

    def begin(self, thread: str) -> None:
        """Use this thread from now on; it may be new."""
        self.thread = thread
        self.turns = self.assistant.turns(thread)

    @property
    def turn(self) -> Turn | None:
        return self.turns[-1] if self.turns else None

    def last_turn(self) -> Turn:
        if self.turn is None:
            raise BadInput("nothing was asked yet", "type a question")
        return self.turn

    def of(self, argument: str) -> tuple[Turn, str]:
        """The turn that `#2 ...` names, by default the last, and the rest of the argument."""
        last = self.last_turn()
        name, _, rest = argument.partition(" ")
        if not name.startswith("#"):
            return last, argument
        if not name[1:].isdecimal() or not 1 <= int(name[1:]) <= len(self.turns):
            raise BadInput(f"there is no turn {name}", f"#{last.turn} is the last one")
        return self.turns[int(name[1:]) - 1], rest.strip()

    def asking(self, question: str) -> Asking:
        return Asking(question, self.tool, self.today)

    def moved(self, said: str, turns: Sequence[Turn]) -> None:
        """Say that it goes on from another turn, behind these."""
        self.say(said)
        for turn in turns:
            show_earlier(turn, self.output)

    def say(self, line: str) -> None:
        self.output.print(Text(f"  {line}", DIM))

    def listed(self) -> list[Thread]:
        """The person's conversations: those that are pinned, then the newest, then those over other libraries."""
        threads = self.assistant.threads
        shown = sorted(threads.over_library(self.owner), key=lambda thread: not thread.pinned)
        return [*shown, *threads.over_others(self.owner)]


@dataclass(frozen=True, slots=True)
class Command:
    """`argument` is how its argument is called in the help; empty where it takes none. One that is only the
    terminal's has what is done `on_page` instead of it."""

    name: str
    argument: str
    help: str
    run: Callable[[Session, str], None]
    on_page: str = ""


def is_command(line: str) -> bool:
    """A path such as `/etc/hosts` begins a question, not a command."""
    return line.startswith("/") and line.split()[0][1:].isalpha()


def run_command(session: Session, line: str) -> None:
    """Run a slash command. Raises `BadInput` for an unknown one, and `EOFError` for /quit."""
    name, _, argument = line.partition(" ")
    commands = {command.name: command for command in session.commands}
    if (command := commands.get(name)) is None:
        if on_page := next((one.on_page for one in COMMANDS if one.name == name), ""):
            raise BadInput(f"{name} is for the terminal", on_page)
        raise BadInput(f"there is no command {name}", next(iter(get_close_matches(name, commands, 1)), "/help"))
    if argument.strip() and not command.argument:
        raise BadInput(f"{name} stands alone", name)
    command.run(session, argument.strip())


def show_earlier(turn: Turn, console: Console) -> None:
    """Print a question that was asked before, and how its answer began."""
    console.print(Text(f"  > {cut(one_line(turn.question), console.width - 4)}", DIM))
    lines = indented(Text(answer_text(turn.answer).plain, DIM), 4, console)
    for line in lines[:PREVIEW]:
        console.print(line)
    if len(lines) > PREVIEW:
        console.print(Text("    …", DIM))


def _help(session: Session, _: str) -> None:
    for command in session.commands:
        usage = f"{command.name} {command.argument}".strip()
        session.output.print(Text.assemble(f"  {usage:26}", (command.help, DIM)))
    session.say("#2 before an argument names the second turn; without it the last one is meant.")
    if any(command.on_page for command in session.commands):
        session.say("Tab completes commands, and names behind an @. Alt+Enter begins a new line.")
        session.say("Ctrl-C stops an answer or clears, and Ctrl-D leaves.")


# The last answer ------------------------------------------------------------------------------------------------------


def _sources(session: Session, argument: str) -> None:
    answer, named = _with_source(session, argument)
    width = session.output.width - 2 if session.output.is_terminal else None
    for number in [named] if named else range(1, len(answer.sources) + 1):
        session.output.print(Text("  ").append_text(source_line(answer, number, width)))
        if named:
            print_indented(Text(plain(answer.sources[number - 1].text).strip()), 6, session.output)


def _with_source(session: Session, argument: str) -> tuple[Answer, int]:
    """The last answer, and the number of its source that is named; 0 where none is."""
    answer = session.last_turn().answer
    known = len(answer.sources)
    if not known:
        raise BadInput("the last answer has no sources")
    if argument and (not argument.isdecimal() or not 1 <= int(argument) <= known):
        raise BadInput(f"the last answer has no source {argument}", f"/sources {known}")
    return answer, int(argument or 0)


def _open(session: Session, argument: str) -> None:
    """In the system's own program, if the file is as it was read; without a display its passage is printed."""
    answer, named = _with_source(session, argument)
    number = named or next(iter(cited_numbers(answer)), 1)
    passage = answer.sources[number - 1]
    file = _file_of(session.assistant.services.library.path, passage.document) if _has_display() else None
    if file and click.launch(str(file)) == 0:
        said = " · ".join(filter(None, (f"opened {near(str(file))}", place_of(passage))))
        print_indented(Text(said, DIM), 2, session.output)
        return
    cited = [claim.text for claim in answer.claims if number in claim.cites]
    quoted = (Text(piece, BOLD if is_quoted else "") for piece, is_quoted in pieces(plain(passage.text), cited))
    print_indented(source_line(answer, number, None), 2, session.output)
    print_indented(Text.assemble(*quoted), 2, session.output)


def _file_of(place: Place, document: str) -> Path | None:
    """None for one that is not there any more, or is another now."""
    with suppress(ClewError, LookupError), open_library(place, None) as library:
        return file_of(library, document, indexed_here(library.manifest.id))
    return None


def _has_display() -> bool:
    return sys.platform != "linux" or any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))


def _copy(session: Session, _: str) -> None:
    """Copies by OSC 52, which most terminals take, also over SSH."""
    code = b64encode(copied(session.last_turn()).encode()).decode()
    if not session.output.is_terminal:
        raise BadInput("there is no terminal to copy in", "/sources")
    session.output.file.write(f"\x1b]52;c;{code}\a")
    session.say("copied, with its sources, where the terminal allows it")


def _steps(session: Session, _: str) -> None:
    turn = session.last_turn()
    for step in turn.steps:
        for line in unfolded(step):
            session.output.print(line)
    for prompted in ledger_lines(turn.ledger):
        session.say(prompted)


def _walk(session: Session, _: str) -> None:
    turn = session.last_turn()
    if not turn.walk or not turn.walk.nodes:
        raise BadInput("nothing was walked for the last answer", "/steps")
    session.say(one_line(told(turn.walk)))
    for way in turn.paths:
        session.say(one_line(way))


def _context(session: Session, _: str) -> None:
    """What the last question was understood with."""
    turn = session.last_turn()
    recalled = sorted(turn.recalled.selected, key=lambda sentence: (sentence.turn, sentence.speaker != "user"))
    session.say(f"understood as: {one_line(turn.rewritten)}")
    before = number_of(len(turn.recalled.extracted), "sentence")
    session.say(f"of {before} said before, it was read with {'these:' if recalled else 'none'}")
    for one in recalled:
        who = "you" if one.speaker == "user" else "answer"
        session.say(cut(f"  {one.turn}, {who}: {one_line(one.text)}", max(session.output.width - 2, 60)))


# Turns asked anew -----------------------------------------------------------------------------------------------------


def _resume(session: Session, _: str) -> None:
    if session.assistant.stopped(session.thread) is None:
        raise BadInput("no answer was stopped here", "type a question")
    session.resume()


def _again(session: Session, argument: str) -> None:
    """A name that is no tool's is a language model's."""
    turn, name = session.of(argument)
    is_tool = bool(name) and set(name.split("+")) <= session.tools.keys()
    if name and not is_tool and (session.owner or (name != "none" and ":" not in name)):  # a server's models may cost
        raise _no_tool(session, name, "/again")
    given = turn.rewritten if any(wording.name == GIVEN for wording in turn.wordings) else ""
    asking = replace(session.asking(turn.question), parent=turn.parent, understood=given)
    session.take_turn(replace(asking, tool=name) if is_tool else replace(asking, llm=name))


def _edit(session: Session, argument: str) -> None:
    turn, question = session.of(argument)
    if question:
        session.take_turn(replace(session.asking(question), parent=turn.parent))
    else:
        session.draft = f"/edit #{turn.turn} {one_line(turn.question)}"


def _meant(session: Session, argument: str) -> None:
    turn, understood = session.of(argument)
    if understood:
        session.take_turn(replace(session.asking(turn.question), parent=turn.parent, understood=understood))
    else:
        session.draft = f"/meant #{turn.turn} {one_line(turn.rewritten)}"


def _branch(session: Session, argument: str) -> None:
    turn, rest = session.of(argument)
    if rest or not argument:
        raise BadInput("name the turn to go on from, and nothing else", f"/branch #{turn.turn}")
    session.assistant.threads.go_to(session.thread, turn.id)
    session.begin(session.thread)
    session.moved(f"going on from turn {turn.turn}; what was said behind it is kept: /versions #{turn.turn + 1}", ())


def _versions(session: Session, argument: str) -> None:
    """Without a number those of a turn are listed; with one, the conversation goes on with it. Those of the turn behind
    the last one are what was said behind it."""
    tree, threads = session.assistant.threads.tree(session.thread), session.assistant.threads
    behind = argument.partition(" ")[0] == f"#{len(session.turns) + 1}"
    turn, rest = (session.last_turn(), argument.partition(" ")[2].strip()) if behind else session.of(argument)
    versions = tree.after(turn.id) if behind else tree.versions(turn.id)
    if rest and (not rest.isdecimal() or not 1 <= int(rest) <= len(versions)):
        raise BadInput(f"there is no version {rest}", f"/versions #{turn.turn + behind}")
    if rest:
        threads.go_to(session.thread, tree.newest_below(versions[int(rest) - 1]))
        session.begin(session.thread)
        session.moved(f"going on with version {rest}", session.turns[-1:])
        return
    for number, version in enumerate(versions, 1):
        own = session.assistant.turns(session.thread, version)[-1]
        tools = ", ".join(dict.fromkeys(call.tool for call in own.calls))
        said = cut(one_line(f"{own.question}  {own.answer.text}"), 60)
        mark = "*" if version == turn.id else " "
        session.say(f"{mark} {number}  {said}  {tools}{f', {own.model}' if own.model else ''}")


def _liked(liked: int) -> Callable[[Session, str], None]:
    """What is said twice of an answer is taken back."""

    def keep(session: Session, argument: str) -> None:
        turn, rest = session.of(argument)
        if rest:
            raise BadInput("name the turn, and nothing else", f"#{turn.turn}")
        taken_back = turn.liked == liked
        session.assistant.threads.like(session.thread, turn.id, 0 if taken_back else liked)
        session.begin(session.thread)
        said = "nothing is kept of it any more" if taken_back else f"kept, and exported, as a {LIKED[liked]} answer"
        session.say(f"answer {turn.turn}: {said}")

    return keep


def _next(session: Session, argument: str) -> None:
    with session.assistant.library_now() as services:
        offered = next_questions(session.turns, services.library.store)
    if not offered or argument not in ("", *map(str, range(1, len(offered) + 1))):
        raise BadInput(f"no question{f' {argument}' if argument else ''} is offered here", "type a question")
    if argument:
        session.take_turn(session.asking(offered[int(argument) - 1]))
    for number, question in enumerate(() if argument else offered, 1):
        session.say(f"{number}  {one_line(question)}")


# Conversations --------------------------------------------------------------------------------------------------------


def _threads(session: Session, words: str) -> None:
    """Each by the number that other commands name it by."""
    kept = session.assistant.threads.holding(words)
    listed = [(number, one) for number, one in enumerate(session.listed(), 1) if one.id in kept]
    if not listed:
        raise BadInput(f"nothing was said of {words}" if words else "there are no conversations yet", "/threads")
    for number, one in listed[:LISTED]:
        mark = "*" if one.id == session.thread else "^" if one.pinned else " "
        facts = f"{number_of(one.turns, 'turn')} · {when(one.updated)}"
        session.output.print(Text.assemble(f"  {mark} {number:2}  {one_line(one.title)}  ", (facts, DIM)))
    if len(listed) > LISTED:
        session.say(f"and {len(listed) - LISTED} more: /threads WORDS finds those where all of the words were said")


def _chosen(session: Session, argument: str) -> Thread:
    """The conversation with this number in the list or this id; without an argument this one."""
    listed = session.listed()
    if argument.isdecimal() and 1 <= int(argument) <= len(listed):
        return listed[int(argument) - 1]
    if not argument:
        session.last_turn()
    if own := [one for one in listed if one.id == (argument or session.thread)]:
        return own[0]
    raise BadInput(f"there is no conversation {argument}: name it by its number or its id", "/threads")


def _switch(session: Session, argument: str) -> None:
    session.begin(_chosen(session, argument).id)
    session.moved(f"going on with {session.thread}", session.turns[-PREVIEW:])


def _new(session: Session, _: str) -> None:
    left = f" (the last one was {session.thread})" if session.turn else ""
    session.begin(session.assistant.threads.new_id(session.owner))
    session.moved(f"a new conversation: {session.thread}{left}", ())


def _named(session: Session, argument: str) -> tuple[Thread, str]:
    """The conversation whose id the argument begins with, by default this one, and the rest of it."""
    name, _, rest = argument.partition(" ")
    is_named = any(one.id == name for one in session.listed())
    return (_chosen(session, name), rest.strip()) if is_named else (_chosen(session, ""), argument)


def _rename(session: Session, argument: str) -> None:
    one, name = _named(session, argument)
    session.assistant.threads.rename(one.id, name)
    session.say(f"it is called {known_thread(session.assistant.threads, one.id).title} now")


def _pin(session: Session, argument: str) -> None:
    one = _chosen(session, argument)
    session.assistant.threads.pin(one.id, not one.pinned)
    session.say(f"{one.title}: {'no longer' if one.pinned else 'now'} at the top of the list")


def _delete(session: Session, argument: str) -> None:
    one = _chosen(session, argument)
    session.take_out(one.id)
    session.taken_out = one.id
    if one.id == session.thread:
        session.begin(session.assistant.threads.new_id(session.owner))
    session.say(f"deleted: {one.title}; /undo within {UNDO.seconds} s brings it back")


def _undo(session: Session, argument: str) -> None:
    thread, threads = argument or session.assistant.threads.taken_out(session.owner), session.assistant.threads
    if threads.owner(thread) != session.owner or not threads.bring_back(thread):
        raise BadInput("there is nothing to bring back", "/threads")
    session.begin(thread)
    session.say(f"{known_thread(threads, thread).title} is back")


def _export(session: Session, argument: str) -> None:
    one, name = _named(session, argument)
    title = re.sub(r"\W+", "-", unaccented(one.title)).strip("-") or "conversation"
    path = Path(f"{title}{name or '.md'}" if name in ("", ".md", ".html", ".json") else name).expanduser()
    session.hand_out(str(path), exported(one, session.assistant.turns(one.id), path.suffix))


# The method -----------------------------------------------------------------------------------------------------------


def _no_tool(session: Session, name: str, command: str) -> BadInput:
    meant = next(iter(get_close_matches(name, session.tools, 1)), AUTO)
    return BadInput(f"there is no tool {name}", f"{command} {meant}")


def _tool(session: Session, argument: str) -> None:
    if not argument:
        _choices(session, session.tools, session.shown_tool.split("+"))
        return
    for name in argument.split("+") if argument not in session.tools else ():
        if name not in session.tools or name == AUTO:  # several are of tools that there are
            raise _no_tool(session, name, "/tool")
    session.tool = argument
    session.say(f"searching with {argument} from now on")


def _language(session: Session, argument: str) -> None:
    """The list says which one is spoken from now on."""
    session.assistant.change(language=argument)
    _choices(session, languages(), [session.assistant.settings.language])


def _choices(session: Session, known: Mapping[str, str], chosen: Sequence[str]) -> None:
    for name, description in known.items():
        session.output.print(Text.assemble(f"  {'*' if name in chosen else ' '} {name:12}", (description, DIM)))


def _quit(_: Session, __: str) -> None:
    raise EOFError


COMMANDS = (
    Command("/help", "", "what can be typed here", _help),
    Command("/sources", "[N]", "the sources of the last answer; N: the whole passage", _sources),
    Command("/open", "[N]", "open the file of source N, or print the passage; or: o N", _open, "click a source's path"),
    Command("/copy", "", "copy the last answer with its sources", _copy, "click Copy under the answer"),
    Command("/steps", "", "what the last turn did, in detail", _steps),
    Command("/walk", "", "what the last turn walked through", _walk),
    Command("/context", "", "what of the conversation the question was understood with", _context),
    Command("/resume", "", "answer the question whose answer was stopped", _resume),
    Command("/again", "[#N] [TOOL]", "answer it again, with a tool or ollama:NAME; both are kept", _again),
    Command("/next", "[N]", "questions to ask on, of what the documents have; N: ask that one", _next),
    Command("/edit", "[#N] [QUESTION]", "ask it in other words, in its place", _edit),
    Command("/meant", "[#N] [QUESTION]", "say how it is to be understood, and have it answered so", _meant),
    Command("/branch", "#N", "go on from turn N; what was said behind it is kept", _branch),
    Command("/versions", "[#N] [K]", "the answers to one question; K: go on with that one", _versions),
    Command("/good", "[#N]", "keep with the answer that it is good; again: take it back", _liked(1)),
    Command("/bad", "[#N]", "keep with the answer that it is bad; again: take it back", _liked(-1)),
    Command("/threads", "[WORDS]", "the conversations, or those where all these words were said", _threads),
    Command("/switch", "N or ID", "go on with another conversation", _switch),
    Command("/new", "", "begin another conversation", _new),
    Command("/rename", "[ID] [TITLE]", "call a conversation so; without TITLE: as at first", _rename),
    Command("/pin", "[N or ID]", "keep it at the top of the list, or no longer", _pin),
    Command("/delete", "[N or ID]", f"delete a conversation; /undo brings it back for {UNDO.seconds} s", _delete),
    Command("/undo", "[ID]", "bring back the conversation that was deleted last", _undo),
    Command("/export", "[ID] [FILE]", "a conversation as a file (.md, .json or .html)", _export),
    Command("/tool", "[NAME]", "choose the retrieval method; without NAME: list them", _tool),
    Command("/language", "[NAME]", "choose what Clew speaks; without NAME: list them", _language, "click ⚙"),
    Command("/quit", "", "leave", _quit, "close the tab"),
)
