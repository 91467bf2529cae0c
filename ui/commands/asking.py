"""`clew ask`: one question, one answer; `clew chat`: a conversation in the terminal.

What is piped in beside a question is the document that it is asked of, in a library of its own."""

import csv
import sys
import threading
from collections.abc import Generator, Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click

from clew.agent.settings import Settings, note_used, read_settings
from clew.agent.state import Piece, Turn, TurnEvent
from clew.memory.dialogue.threads import ONCE
from clew.memory.errors import BadInput, Cancelled
from clew.ui import options
from clew.ui.console import messages, output, print_json, shown
from clew.ui.plain import PIPED, one_line, typed

if TYPE_CHECKING:
    from clew.agent.assistant import Assistant

ANSWER, FULL = "answer", "full"

LINES = 20
"""That are looked at to tell a table."""


class Ask(click.Command):
    """`--json` alone is `--json=answer`: click would take the question for its value."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        end = args.index("--") if "--" in args else len(args)
        flags = [f"--json={ANSWER}" if one == "--json" else one for one in args[:end]]
        return super().parse_args(ctx, [*flags, *args[end:]])


@click.command(cls=Ask)
@click.argument("question", nargs=-1, metavar="QUESTION...")
@options.answering
@options.thread
@click.option("--no-log", is_flag=True, help="Do not keep this question and its answer.")
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

    settings = read_settings(**chosen)
    with TemporaryDirectory(prefix=PIPED) as place:
        temporary = Path(place)
        asked = settings.model_copy(update={"home": temporary}) if no_log else settings
        if document:
            asked = over_document(asked, document, temporary, quiet)
            if not quiet:
                said = f"asked of what was piped in ({len(document):,} bytes); of the library: < /dev/null"
                messages().print(said, style="dim", highlight=False)
        elif not no_log:
            note_used(settings.library)
        with Assistant.open(asked) as assistant:
            if document and (thread or go_on):
                assistant.threads.library = ""  # it goes on from any, and stays over its own
            name = options.chosen_thread(assistant.threads, thread, go_on, ONCE)
            turn = _take_turn(assistant, name, text, options.day(today), form, quiet)
    if turn.answer.outcome == "stopped":
        back = options.way_back("chat", settings, name)
        is_kept = not (no_log or document)
        raise KeyboardInterrupt(f"stopped; to have the whole answer: {back}, and there /resume" if is_kept else "")
    if not (quiet or form or no_log):
        again = ", with the document piped in again" if document else ""
        messages().print(f"to ask on{again}: {options.way_back('ask', settings, name)} QUESTION", style="dim")


@click.command()
@options.answering
@options.thread
@options.today
@options.watch
def chat(thread: str | None, go_on: bool, today: str | None, watch: bool, **chosen: Any) -> None:
    """Talk with your documents in the terminal.

    If you pipe text in, each line is a question.
    """
    from clew.ui.terminal import run_chat

    settings = read_settings(**chosen)
    note_used(settings.library)
    run_chat(settings, thread, go_on, today=today, watch=watch)


def _question(words: tuple[str, ...]) -> tuple[str, bytes]:
    """The question, and what is piped in beside it."""
    given = typed("" if words == ("-",) else " ".join(words))
    piped = b"" if sys.stdin is None or sys.stdin.isatty() else sys.stdin.buffer.read()
    if given:
        return given, piped.strip() and piped
    if not (text := typed(piped.decode("utf-8", "replace"))):
        raise click.UsageError("there is no question: name it, or pipe it in")
    return text, b""


def _take_turn(assistant: "Assistant", thread: str, text: str, today: str, form: str | None, quiet: bool) -> Turn:
    """Raises `KeyboardInterrupt` where Ctrl-C came before there was anything to keep."""
    from clew.ui.live_turn import TurnPrinter, stoppable

    begun = threading.Event()
    cut_off = assistant.interrupted(thread)
    with (
        stoppable(begun.is_set) as stopped,
        closing(_noticing(assistant.ask(thread, text, today=today, cancel=stopped), begun)) as events,
    ):
        try:
            if form:
                turn = _print_events(events, form)
            else:
                if cut_off:  # its answer is in its thread, and is not what is asked for
                    next(event for event in events if isinstance(event, Turn))
                if cut_off and not quiet:
                    messages().print(f"finished first, as it was cut off: {one_line(cut_off)}")
                turn = TurnPrinter(output(), messages(), quiet).show(events)
        except Cancelled:
            raise KeyboardInterrupt from None
    assert turn is not None, "the assistant hands out a turn or raises"
    return turn


def _noticing(events: Iterator[TurnEvent], begun: threading.Event) -> Generator[TurnEvent, None, None]:
    """Sets `begun` as the first words of an answer come: from there on, what is stopped is kept."""
    for event in events:
        if isinstance(event, Piece):
            begun.set()
        yield event


def _print_events(events: Iterator[TurnEvent], form: str) -> Turn | None:
    """All of them; or of the last turn, at its end, the answer."""
    from clew.ui.transcript import answer_object, event_object

    turn: Turn | None = None
    for event in events:
        if form == FULL:
            print_json(event_object(event))
        turn = event if isinstance(event, Turn) else turn
    if turn and form == ANSWER:
        print_json(answer_object(turn))
    return turn


def over_document(settings: Settings, content: bytes, folder: Path, quiet: bool) -> Settings:
    """The settings with a library, made in this folder, that holds this document alone. Raises `BadInput` for what
    cannot be read."""
    from clew.agent.models import encoder_for
    from clew.memory.knowledge.index import run

    file, over = folder / f"document.{_ending(content)}", settings.model_copy(update={"library": folder / "library"})
    file.write_bytes(content)
    with closing(encoder_for(settings)) as encoder:
        events = shown(run.index([file], folder / "library", encoder), quiet)
        report = next(one for one in events if isinstance(one, run.IndexReport))
    if not report.documents:
        why = "; ".join(one.reason for one in report.failed) or "it holds no text"
        raise BadInput(f"what is piped in cannot be read: {why}", "clew index FILE, which says more")
    return over


def _ending(content: bytes) -> str:
    """The ending of a file of this content: by its first bytes where these tell; else of a table in CSV where it looks
    like one, else of Markdown, as which any text is read."""
    import kreuzberg

    try:
        (ending, *_) = kreuzberg.get_extensions_for_mime(kreuzberg.detect_mime_type(content))
    except (kreuzberg.KreuzbergError, ValueError, RuntimeError):
        ending = "txt"
    return str(ending) if ending != "txt" else "csv" if _is_csv(content) else "md"


def _is_csv(content: bytes) -> bool:
    """Whether its first lines have as many cells as their head, of which none is empty."""
    lines = content.decode("utf-8", "replace").splitlines()[:LINES]
    try:
        head, *rows = csv.reader(lines)
    except (csv.Error, ValueError):  # a line is too long, or there is none
        return False
    return len(head) > 1 and len(rows) > 1 and all(map(str.strip, head)) and {*map(len, rows)} == {len(head)}
