"""`clew ask`: one question, one answer; what is piped in beside the question is the document that it is asked of."""

import sys
import threading
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click

from clew.memory.errors import Cancelled
from clew.ui import options
from clew.ui.models import with_models
from clew.ui.piped import over_document, piped_before
from clew.ui.plain import one_line, typed

if TYPE_CHECKING:
    from rich.console import Console

    from clew.agent.assistant import Assistant
    from clew.agent.state import Turn, TurnEvent


ANSWER, FULL = "answer", "full"


class Ask(click.Command):
    """`--json` alone is `--json=answer`: click would take the question for its value."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        end = args.index("--") if "--" in args else len(args)
        flags = [f"--json={ANSWER}" if one == "--json" else one for one in args[:end]]
        return super().parse_args(ctx, [*flags, *args[end:]])


@click.command(cls=Ask)
@click.argument("question", nargs=-1, metavar="QUESTION...")
@options.library
@options.thread
@click.option("--no-log", is_flag=True, help="Do not keep this question and its answer.")
@options.tool
@options.llm
@options.language
@options.given
@options.num_sentences
@options.today
@click.option(
    "--json",
    "form",
    type=click.Choice([ANSWER, FULL]),
    help="Print the answer as a JSON object, or with =full every step and the whole turn, one per line.",
)
@options.quiet
def ask(
    question: tuple[str, ...],
    thread: str | None,
    go_on: bool,
    no_log: bool,
    today: str | None,
    form: str | None,
    quiet: bool,
    **chosen: Any,
) -> None:
    """Ask one question of the library.

    If you pipe a document in, the question is asked of that document: cat FILE | clew ask QUESTION. In a loop that
    reads its own input, add < /dev/null. With - or without a QUESTION, what you pipe in is the question. A question is
    not listed by 'clew threads' until you continue it.
    """
    text, document = _question(question)
    if no_log and (thread or go_on):
        raise click.UsageError("--no-log keeps nothing, and so goes on with no conversation")
    from clew.agent.assistant import Assistant
    from clew.agent.settings import note_used, read_settings
    from clew.memory.dialogue.threads import ONCE
    from clew.ui.console import messages

    settings = read_settings(**chosen)
    with TemporaryDirectory(prefix="clew-") if no_log else nullcontext() as nowhere:
        if nowhere:
            settings = settings.model_copy(update={"home": Path(nowhere)})
        before = b"" if document or chosen["library"] else piped_before(settings, thread, go_on)
        if document or before:
            settings = over_document(settings, document or before, Path(nowhere or settings.cache), quiet)
            if not quiet:
                when, other = ("before ", "--library DIR") if before else ("", "< /dev/null")
                said = f"asked of what was piped in {when}({len(document or before):,} bytes); of the library: {other}"
                messages().print(said, style="dim", highlight=False)
        elif not nowhere:
            note_used(settings.library)
        with with_models(settings, Assistant.open) as assistant:
            name = options.chosen_thread(assistant.threads, thread, go_on, owner=ONCE)
            turn = _take_turn(assistant, name, text, options.day(today), form, quiet)
    if turn.answer.outcome == "stopped":
        back = options.way_back("chat", settings, name)
        raise KeyboardInterrupt("" if nowhere else f"stopped; to have the whole answer: {back}, and there /resume")
    if not (quiet or form or nowhere):
        messages().print(f"to ask on: {options.way_back('ask', settings, name)} QUESTION", style="dim")


def _question(words: tuple[str, ...]) -> tuple[str, bytes]:
    """The question, and what is piped in beside it."""
    given = typed("" if words == ("-",) else " ".join(words))
    piped = b"" if sys.stdin is None or sys.stdin.isatty() else sys.stdin.buffer.read()
    if given:
        return given, piped.strip() and piped
    if not (text := typed(piped.decode("utf-8", "replace"))):
        raise click.UsageError("there is no question: name it, or pipe it in")
    return text, b""


def _take_turn(assistant: "Assistant", thread: str, text: str, today: str, form: str | None, quiet: bool) -> "Turn":
    """Raises `KeyboardInterrupt` where Ctrl-C came before there was anything to keep."""
    from clew.ui.console import messages, output
    from clew.ui.live_turn import TurnPrinter, stoppable

    begun = threading.Event()
    out, err = output(), messages()
    cut_off = assistant.interrupted(thread)
    with stoppable(begun.is_set) as stopped:
        events = _noticing(assistant.ask(thread, text, today=today, cancel=stopped), begun)
        try:
            if form:
                turn = _print_events(events, form)
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


def _print_events(events: "Iterator[TurnEvent]", form: str) -> "Turn | None":
    """All of them; or of the last turn, at its end, the answer."""
    from clew.agent.state import Turn
    from clew.ui.console import print_json
    from clew.ui.transcript import answer_object, event_object

    turn: Turn | None = None
    for event in events:
        if form == FULL:
            print_json(event_object(event))
        turn = event if isinstance(event, Turn) else turn
    if turn and form == ANSWER:
        print_json(answer_object(turn))
    return turn
