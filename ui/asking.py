"""`clew ask`: one question, one answer; the words of standard input are part of the question."""

import sys
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ui import options
from ui.plain import one_line, typed

if TYPE_CHECKING:
    from rich.console import Console

    from agent.state import Turn, TurnEvent


@click.command()
@click.argument("question", nargs=-1, metavar="QUESTION...")
@options.library
@options.thread
@options.tool
@options.as_json("Print each step, then the whole turn, as JSON objects, a line each.")
@options.quiet
def ask(
    question: tuple[str, ...],
    library: Path | None,
    thread: str | None,
    go_on: bool,
    tool: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Ask one question of the library.

    What is piped in is joined with the question; with - or without QUESTION it is the question.
    """
    text = _question(question)
    from agent.assistant import Assistant
    from agent.settings import read_settings
    from ui.streams import messages

    settings = read_settings(library=library, tool=tool)
    with Assistant.open(settings) as assistant:
        name, _ = options.chosen_thread(assistant.threads, thread, go_on)
        events = assistant.ask(name, text)
        if as_json:
            _print_events(events)
            return
        console = messages()
        apart = console.is_terminal and not quiet  # on one screen, an empty line sets the answer off
        turn = _watch(events, text, console, quiet)
        console.print(end="\n" if apart else "")
        _print_answer(turn)
        console.print(end="\n" if apart else "")
        if not quiet:
            console.print(f"to ask on: {options.way_back('ask', settings, name)} QUESTION", style="dim")


def _question(words: tuple[str, ...]) -> str:
    given = "" if words == ("-",) else " ".join(words)
    piped = "" if sys.stdin is None or sys.stdin.isatty() else sys.stdin.buffer.read().decode("utf-8", "replace")
    text = "\n\n".join(part for part in (typed(given), typed(piped)) if part)
    if not text:
        raise click.UsageError("there is no question: name it, or pipe it in")
    return text


def _watch(events: "Iterator[TurnEvent]", question: str, console: "Console", quiet: bool) -> "Turn":
    """The steps as they happen, and the last turn: before it comes one that a crash cut off, where there is one."""
    from agent.state import Step, Turn
    from ui.rendering import step_line

    turn: Turn | None = None
    width = console.width if console.is_terminal else None
    with _status(console, quiet):
        for event in events:
            if isinstance(event, Turn):
                turn = event
            elif isinstance(event, Step) and not quiet:
                console.print(step_line(event, width))
            if turn and turn is event and turn.question != question and not quiet:
                console.print(f"finished first, as it was cut off: {one_line(turn.question)}")
    assert turn is not None, "the assistant hands out a turn or raises"
    return turn


def _status(console: "Console", quiet: bool) -> AbstractContextManager[object]:
    return console.status("working…") if console.is_terminal and not quiet else nullcontext()


def _print_answer(turn: "Turn") -> None:
    from ui.rendering import answer_text, source_lines
    from ui.streams import output

    console = output()
    console.print(answer_text(turn.answer))
    sources = source_lines(turn.answer, console.width if console.is_terminal else None)
    if sources:
        console.print()
    for line in sources:
        console.print(line)


def _print_events(events: "Iterable[TurnEvent]") -> None:
    from agent.state import Step, Turn
    from ui.exporting import turn_object
    from ui.streams import print_json

    for event in events:
        if isinstance(event, Step):
            print_json({"event": "step", **asdict(event)})
        elif isinstance(event, Turn):
            print_json({"event": "answer", **turn_object(event)})
