"""`clew ask`: one question, one answer; `clew chat`: a conversation in the terminal.

What is piped in beside a question is the document that it is asked of, in a library of its own."""

import csv
import hashlib
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click

from clew.agent.models import encoder_for
from clew.agent.settings import Settings, note_used, read_settings
from clew.agent.state import Piece, Turn, TurnEvent
from clew.memory.dialogue.threads import ONCE, Threads
from clew.memory.errors import BadInput, Cancelled
from clew.memory.files import private_file, private_folder, remove
from clew.memory.knowledge.disk import FORMAT, recorded
from clew.memory.knowledge.index import run
from clew.ui import options
from clew.ui.console import messages, output, print_json, shown
from clew.ui.options import PIPED, threads_path
from clew.ui.plain import one_line, typed

if TYPE_CHECKING:
    from clew.agent.assistant import Assistant

ANSWER, FULL = "answer", "full"

NAME = "document"

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
        with Assistant.open(settings) as assistant:
            name = options.chosen_thread(assistant.threads, thread, go_on, owner=ONCE)
            turn = _take_turn(assistant, name, text, options.day(today), form, quiet)
    if turn.answer.outcome == "stopped":
        back = options.way_back("chat", settings, name)
        raise KeyboardInterrupt("" if nowhere else f"stopped; to have the whole answer: {back}, and there /resume")
    if not (quiet or form or nowhere):
        messages().print(f"to ask on: {options.way_back('ask', settings, name)} QUESTION", style="dim")


@click.command()
@options.library
@options.thread
@options.tool
@options.llm
@options.language
@options.given
@options.num_sentences
@options.today
@options.watch
def chat(thread: str | None, go_on: bool, today: str | None, watch: bool, **chosen: Any) -> None:
    """Talk with your documents in the terminal.

    If you pipe text in, each line is a question.
    """
    from clew.ui.terminal import run_chat

    settings = read_settings(**chosen)
    if not chosen["library"] and (before := piped_before(settings, thread, go_on)):
        settings = over_document(settings, before, settings.cache, quiet=True)
    else:
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
    with stoppable(begun.is_set) as stopped:
        events = _noticing(assistant.ask(thread, text, today=today, cancel=stopped), begun)
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


def _noticing(events: Iterator[TurnEvent], begun: threading.Event) -> Iterator[TurnEvent]:
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


def over_document(settings: Settings, content: bytes, cache: Path, quiet: bool) -> Settings:
    """The settings with a library, in this folder, that holds this document alone: the same for the same content, so
    that a conversation over it can go on. Raises `BadInput` for what cannot be read."""
    folder = private_folder(cache / PIPED)
    home = private_folder(folder / hashlib.sha256(content).hexdigest()[:16])
    library, file = home / "library", home / f"{NAME}.{_ending(content)}"
    over = settings.model_copy(update={"library": library})
    with closing(encoder_for(settings)) as encoder:
        made = recorded(library)
        if made.documents and (made.format, made.encoder.hash) == (FORMAT, encoder.hash):
            return over
        private_file(file).write_bytes(content)
        events = shown(run.index([file], library, encoder, rebuild=True), quiet)
        report = next(one for one in events if isinstance(one, run.IndexReport))
    if not report.documents:
        remove(folder, home.name)
        why = "; ".join(one.reason for one in report.failed) or "it holds no text"
        raise BadInput(f"what is piped in cannot be read: {why}", "clew index FILE, which says more")
    return over


def piped_before(settings: Settings, thread: str | None, go_on: bool) -> bytes:
    """The document that the conversation to go on with, of this id or the last one, was over; nothing where it was over
    a library, or there is none to go on with."""
    if not (thread or go_on):
        return b""
    with Threads(threads_path(settings)) as threads:
        known = threads.get(thread) if thread else next(iter(threads.recent(unlisted=True)), None)
    files = (settings.cache / PIPED).glob(f"*/{NAME}.*") if known and known.library else ()
    ids = ((file, recorded(file.with_name("library")).id) for file in files)
    return next((file.read_bytes() for file, id_ in ids if known and id_ == known.library), b"")


def _ending(content: bytes) -> str:
    """Of a file of this content, by its first bytes where these tell; else of a table in CSV where it looks like one,
    and of Markdown, as which any text is read."""
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
