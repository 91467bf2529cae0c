"""What is piped into `clew ask` beside a question: a document, in a library of its own."""

import csv
import hashlib
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from clew.memory.errors import BadInput
from clew.ui.options import PIPED, threads_path

if TYPE_CHECKING:
    from clew.agent.settings import Settings

NAME = "document"

LINES = 20
"""That are looked at to tell a table."""


def over_document(settings: "Settings", content: bytes, cache: Path, quiet: bool) -> "Settings":
    """The settings with a library, in this folder, that holds this document alone: the same for the same content, so
    that a conversation over it can go on. Raises `BadInput` for what cannot be read."""
    from clew.agent.models import encoder_for
    from clew.memory.files import private_file, private_folder, remove
    from clew.memory.knowledge.disk import FORMAT, recorded
    from clew.memory.knowledge.index import run
    from clew.ui.console import shown

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


def piped_before(settings: "Settings", thread: str | None, go_on: bool) -> bytes:
    """The document that the conversation to go on with, of this id or the last one, was over; nothing where it was over
    a library, or there is none to go on with."""
    from clew.memory.dialogue.threads import Threads
    from clew.memory.knowledge.disk import recorded

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
