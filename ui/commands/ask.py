"""`clew ask`: one question, one answer; the words of standard input are part of the question."""

import sys
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from clew.memory.errors import Cancelled
from clew.ui import options
from clew.ui.models import with_models
from clew.ui.plain import one_line, typed

if TYPE_CHECKING:
    from rich.console import Console

    from clew.agent.assistant import Assistant
    from clew.agent.state import Turn, TurnEvent


@click.command()
@click.argument("question", nargs=-1, metavar="QUESTION...")
@options.library
@options.thread
@options.tool
@options.llm
@options.given
@options.num_sentences
@options.today
@options.as_json("Print what happens, then the whole turn, as JSON objects, a line each (docs/ask-json.md).")
@options.quiet
def ask(
    question: tuple[str, ...],
    thread: str | None,
    go_on: bool,
    today: str | None,
    as_json: bool,
    quiet: bool,
    **chosen: Any,
) -> None:
    """Ask one question of the library.

    What is piped in is joined with the question; with - or without QUESTION it is the question.
    """
    text = _question(question)
    from clew.agent.assistant import Assistant
    from clew.agent.settings import read_settings
    from clew.ui.console import messages

    settings = read_settings(**chosen)
    with with_models(settings, Assistant.open) as assistant:
        name, _ = options.chosen_thread(assistant.threads, thread, go_on)
        turn = _take_turn(assistant, name, text, options.day(today), as_json, quiet)
        if turn.answer.outcome == "stopped":
            back = options.way_back("chat", settings, name)
            raise KeyboardInterrupt(f"stopped; to have the whole answer: {back}, and there /resume")
        if not quiet and not as_json:
            messages().print(f"to ask on: {options.way_back('ask', settings, name)} QUESTION", style="dim")


def _question(words: tuple[str, ...]) -> str:
    given = "" if words == ("-",) else " ".join(words)
    piped = "" if sys.stdin is None or sys.stdin.isatty() else sys.stdin.buffer.read().decode("utf-8", "replace")
    text = "\n\n".join(part for part in (typed(given), typed(piped)) if part)
    if not text:
        raise click.UsageError("there is no question: name it, or pipe it in")
    return text


def _take_turn(assistant: "Assistant", thread: str, text: str, today: str, as_json: bool, quiet: bool) -> "Turn":
    """Raises `KeyboardInterrupt` where Ctrl-C came before there was anything to keep."""
    from clew.ui.console import messages, output
    from clew.ui.live_turn import TurnPrinter, stoppable

    begun = threading.Event()
    out, err = output(), messages()
    cut_off = assistant.interrupted(thread)
    with stoppable(begun.is_set) as stopped:
        events = _noticing(assistant.ask(thread, text, today=today, cancel=stopped), begun)
        try:
            if as_json:
                turn = _print_events(events)
            else:
                if cut_off:
                    _finish_first(events, cut_off, err, quiet)
                turn = TurnPrinter(out, err, quiet).show(events)
        except Cancelled:
            raise KeyboardInterrupt from None
    assert turn is not None, "the assistant hands out a turn or raises"
    return turn


def _noticing(events: "Iterator[TurnEvent]", begun: threading.Event) -> "Iterator[TurnEvent]":
    """Sets `begun` as the first words of an answer come: from there on, what is stopped is kept."""
    from clew.agent.state import Piece

    for event in events:
        if isinstance(event, Piece):
            begun.set()
        yield event


def _finish_first(events: "Iterator[TurnEvent]", question: str, console: "Console", quiet: bool) -> None:
    """The turn that was cut off before: its answer is in its thread, and is not what is asked for."""
    from clew.agent.state import Turn

    next(event for event in events if isinstance(event, Turn))
    if not quiet:
        console.print(f"finished first, as it was cut off: {one_line(question)}")


def _print_events(events: "Iterator[TurnEvent]") -> "Turn | None":
    from clew.agent.state import Turn
    from clew.ui.console import print_json
    from clew.ui.transcript import event_object

    turn: Turn | None = None
    for event in events:
        print_json(event_object(event))
        turn = event if isinstance(event, Turn) else turn
    return turn
