"""The documents of the page's library: those read, those that wait to be read, and what a person does with them.

One run of the index is made at a time, in a thread of its own; further ones wait in order. A person's own file is read
where it lies and never changed; a file that is uploaded is kept in a private folder of `Settings.home`.
"""

import hashlib
import logging
import os
import re
import secrets
import threading
import time
import unicodedata
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from filecmp import cmp
from functools import partial
from itertools import chain, count
from pathlib import Path, PurePosixPath
from queue import SimpleQueue
from stat import S_ISREG
from typing import IO, Literal

from clew.agent.parameters import of_index
from clew.agent.settings import Settings, note_indexed
from clew.agent.talk.offers import shown_off
from clew.memory.datatypes import Progress
from clew.memory.encoding import CachedEncoder
from clew.memory.errors import BadInput, Cancelled, ClewError, LibraryBusy
from clew.memory.files import no_room, private_file, private_folder
from clew.memory.knowledge.cluster.publishing import worked_on
from clew.memory.knowledge.index import run
from clew.memory.knowledge.index.generation import Parameters
from clew.memory.knowledge.library import open_library, recorded_at, state_at, stored_sources
from clew.memory.knowledge.loaders.registry import loader_of
from clew.memory.knowledge.loaders.source import shown
from clew.memory.knowledge.store import StoredSource
from clew.memory.text import number_of
from clew.ui.plain import UPLOADS, plain

LARGEST = 256 << 20
"""Bytes of a file that is added through the browser."""

LONGEST_NAME, DEEPEST = 120, 20
"""Bytes of a name that is kept, and folders above it."""

SETTLED, AGAIN = 1.0, 2.0
"""Seconds in which further files may come before what was added is read; between two tries to hold the library."""

CANCELLED = "cancelled"

_unread = partial(StoredSource, digest="", documents=0, first="", title="")
_UNSAFE = re.compile(r"[^\w .()+=@,&'-]+")

RowState = Literal["waiting", "reading", "read", "not read"]


@dataclass(frozen=True, slots=True)
class ShelfRow:
    """A file of the list: `folder` is its place below what was added; `why` says why it was not read, or not
    completely.

    `documents` counts those in it, `first` is the id of the first. `size` is in bytes and `modified` in seconds since
    1970, both 0 if the file is gone, as is the size of a folder. `added` says that the copy is ours; `digest` is the
    hash of its bytes.
    """

    path: str
    name: str
    folder: str = ""
    state: RowState = "read"
    why: str = ""
    documents: int = 0
    first: str = ""
    size: int = 0
    modified: float = 0.0
    added: bool = False
    digest: str = ""


@dataclass(frozen=True, slots=True)
class Listing:
    """The library at one time: its rows by path, example questions, and how the last run ended."""

    state: str = ""
    documents: int = 0
    rows: Mapping[str, ShelfRow] = field(default_factory=dict)
    roots: tuple[str, ...] = ()
    examples: Sequence[tuple[str, ...]] = ()
    changed: str = ""


@dataclass(eq=False, slots=True)
class Work:
    """A run of the index that was asked for: to read a path, or to remove it. Its current stage `began` at a time when
    `before` of its items were done; `said` names another process that it waits for."""

    path: str
    removes: bool = False
    cancel: threading.Event = field(default_factory=threading.Event)
    progress: Progress | None = None
    began: float = 0.0
    before: float = 0.0
    said: str = ""

    @property
    def stage(self) -> str:
        known = self.progress.stage if self.progress else "beginning"
        return "cancelling" if self.cancel.is_set() else self.said or known

    @property
    def share(self) -> float | None:
        """How much of the stage is done, 0 to 1; None if that is not known."""
        now = self.progress
        return now.done / now.total if now and now.total and not self.said else None

    @property
    def left(self) -> str:
        """The time that the stage will still take, at the speed until now; empty before a fifth of it is done and for
        the last 5 seconds."""
        passed, share = time.monotonic() - self.began, self.share or 0
        went, still = share - self.before, 1 - share
        if went < 0.2 * (went + still) or (seconds := passed * still / (went or 1)) < 5:
            return ""
        return f"about {seconds:.0f} s of it left" if seconds < 90 else f"about {seconds / 60:.0f} min of it left"


class Shelf:
    """The documents of a library and the runs that change them. `encoder` is called when the encoder is first needed.
    Safe from several threads."""

    def __init__(self, settings: Settings, encoder: Callable[[], CachedEncoder]) -> None:
        self.settings, self._encoder = settings, encoder
        self.uploads = uploads_of(settings)
        self._lock, self._looking = threading.RLock(), threading.Lock()
        self._waiting: list[Work] = []
        self.current: Work | None = None
        self._refused: dict[str, str] = {}  # paths and names that were not read, and why
        self.seen = Listing()  # as it was when somebody looked
        self._before: Listing | None = None  # as it was when the runs began that are not all over
        self.others = SimpleQueue[Settings]()  # with another library that the page is to be of
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="index")
        self._worker.submit(self.listing)

    def close(self) -> None:
        """Stop the run in progress and wait until it has ended."""
        with self._lock:
            self._waiting.clear()
            if self.current:
                self.current.cancel.set()
        self._worker.shutdown()

    # What there is ---------------------------------------------------------------------------------------------------

    def listing(self) -> Listing:
        """Return the state of the library. Raises what opening it raises."""
        with self._looking:
            state = state_at(self.settings.library)
            if state != self.seen.state:
                before, self.seen = self.seen, self._looked_at(state) if state else Listing()
                self._say(_differences(before.rows, self.seen.rows) if before.state else "")
            return self.seen

    def _say(self, said: str) -> None:
        if said:
            self.seen = replace(self.seen, changed=f"{time.strftime('%H:%M')}: {said}")

    def _looked_at(self, state: str) -> Listing:
        with open_library(self.settings.library, None) as library:
            sources, roots = stored_sources(library.store), library.manifest.roots
            count, unread = library.manifest.documents, library.manifest.unread
            examples = shown_off(library)
        why: dict[str, list[str]] = {}
        known = {source.path for source in sources}
        for place, reason in unread.items():
            why.setdefault(_file_of(place, known), []).append(reason)
        rows = {one.path: self._row(one, roots, why.get(one.path, ())) for one in sources}
        rows |= {path: self._row(_unread(path), roots, reasons) for path, reasons in why.items() if path not in rows}
        return Listing(state, count, rows, tuple(roots), examples, self.seen.changed)

    def _row(self, source: StoredSource, roots: Sequence[str], why: Sequence[str]) -> ShelfRow:
        path, digest, documents, first, _ = source
        below = max((root for root in roots if _is_below(path, root)), key=len, default=str(Path(path).parent))
        parts = PurePosixPath(path).relative_to(below).parts if _is_below(path, below) else ()
        added = _is_below(path, str(self.uploads))
        top = "added here" if added else PurePosixPath(below).name if parts else PurePosixPath(path).parent.name
        name, folder = plain(PurePosixPath(path).name), plain("/".join((top, *parts[:-1])))
        reason = f"{number_of(len(why), 'part')} not read: {why[0]}" if documents and why else next(iter(why), "")
        reason = plain(reason or ("" if documents else "nothing is written in it"))
        state: RowState = "read" if documents else "not read"
        return ShelfRow(path, name, folder, state, reason, documents, first, *_size_and_date(path), added, digest)

    def rows(self) -> list[ShelfRow]:
        """Return the rows of the library, of the runs in progress and waiting, and of files that were refused."""
        with self._lock:
            current, waiting, refused = self.current, list(self._waiting), dict(self._refused)
        listing = self.listing()
        rows = dict(listing.rows)
        for state, works in (("waiting", waiting), ("reading", [current] if current else [])):
            for work in works:
                for path in self._paths(work, rows):
                    row = rows.get(path) or self._row(_unread(path), listing.roots, [])
                    rows[path] = replace(row, state=state, why="is taken out" if work.removes else "")  # type: ignore[arg-type]
        for path, why in refused.items():
            if path not in rows or not rows[path].documents:
                rows[path] = replace(self._row(_unread(path), listing.roots, [why]), state="not read")
        return list(rows.values())

    def _paths(self, work: Work, rows: Mapping[str, ShelfRow]) -> list[str]:
        """Return the paths under which a run is shown: its own, or for uploads those of the files that are not read
        yet."""
        if work.path != str(self.uploads):
            return [work.path]
        files = (shown(path) for path in self.uploads.rglob("[!.]*") if path.is_file())
        return [path for path in files if path not in rows or rows[path].state == "not read"]

    # What a person does ----------------------------------------------------------------------------------------------

    def add(self, path: str) -> None:
        """Ask for a path to be read. Raises `BadInput` if it does not exist."""
        if not path.strip():
            raise BadInput("no path was given", "type that of a file or folder of this machine")
        given = _absolute(os.path.expanduser(path.strip()))  # noqa: PTH111 of somebody unknown it stays as it is
        if not given.exists():
            raise BadInput(f"there is no file or folder '{plain(path.strip())}'", "check the path")
        self._ask_for(Work(shown(given)))

    def again(self, path: str) -> None:
        """Ask for the changed files to be read of the folder in which this file was found."""
        listing = self.listing()
        within = [root for root in (*listing.roots, str(self.uploads)) if _is_below(path, root)]
        if within:
            self._ask_for(Work(max(within, key=len)))
        else:
            self.add(path)

    def remove(self, path: str) -> None:
        """Ask for a file or folder to be taken out of the library. The person's own files are not touched; a copy of
        ours is deleted first."""
        with self._lock:
            if self._refused.pop(path, "") == CANCELLED and _is_below(path, str(self.uploads)):
                Path(path).unlink(missing_ok=True)
        if any(_is_below(one, path) for one in self.listing().rows):
            self._ask_for(Work(path, removes=True))

    def cancel(self, path: str) -> None:
        """Cancel the reading of a path. A waiting run is dropped, one in progress leaves the library as it was; its
        files stay listed as not read."""
        with self._lock:
            stopped = [work for work in self._waiting if _is_below(path, work.path)]
            self._waiting = [work for work in self._waiting if work not in stopped]
            if self.current and _is_below(path, self.current.path):
                self.current.cancel.set()
        for work in stopped:
            self._end(work, CANCELLED)

    @contextmanager
    def receiving(self, name: str) -> Iterator[IO[bytes]]:
        """Give a file to write an upload into, which is kept when the block ends; `name` is its name, or its path below
        an uploaded folder. Raises `BadInput` for a kind that is not read, or if there is no room."""
        parts = _clean(name)
        if not parts or loader_of(Path(*parts)) is None:
            kind = PurePosixPath(name).suffix.lower()
            self._refuse(name, f"{kind} files are not read" if kind else "a file without an ending is not read")
        fresh = private_file(self.uploads / f".{secrets.token_hex(8)}")
        try:
            folder = self.uploads
            for part in parts[:-1]:
                folder = private_folder(folder / part)
            with fresh.open("wb") as file:
                yield file
                if file.tell() > LARGEST:
                    self._refuse(name, f"it is larger than {LARGEST >> 20} MiB: add it by its path")
            with self._lock:
                fresh.replace(_free_place(folder, parts[-1], fresh))
                self._refused.pop(name, None)
        except OSError as error:
            self._refuse(name, no_room(error) or "it cannot be kept")
        finally:
            fresh.unlink(missing_ok=True)
        self._ask_for(Work(str(self.uploads)))

    def _refuse(self, name: str, why: str) -> None:
        with self._lock:
            self._refused[name] = why
        raise BadInput(f"{plain(name)}: {why}")

    # The runs --------------------------------------------------------------------------------------------------------

    def _ask_for(self, work: Work) -> None:
        with self._lock:
            if not any((one.path, one.removes) == (work.path, work.removes) for one in self._waiting):
                self._waiting.append(work)
                self._worker.submit(self._work, work)
            self._refused = {path: why for path, why in self._refused.items() if not _is_below(path, work.path)}

    def _work(self, work: Work) -> None:
        with self._lock:
            if work not in self._waiting:  # it was cancelled
                return
            self._waiting.remove(work)
            self.current = work
            self._before = self._before or self.seen
        why = ""
        try:
            self._run(work)
        except ClewError as error:
            why = CANCELLED if work.cancel.is_set() else str(error)
        except Exception as error:
            logging.getLogger(__name__).info("a run failed", exc_info=error)
            why = f"internal error: {type(error).__name__}: {error}"
        self._end(work, why)

    def _end(self, work: Work, why: str) -> None:
        """End a run: note `why` it read nothing, or what it and the runs that it waited for changed in the library."""
        with suppress(Exception):  # who looks is told
            self.listing()
        rows = self.seen.rows
        with self._looking:
            self._say(why or _differences((self._before or self.seen).rows, rows) or "nothing new to read")
        with self._lock:
            for path in self._paths(work, rows) if why and not work.removes else ():
                if why != CANCELLED or not any(_is_below(one, path) for one in rows):
                    self._refused[path] = why
            if self.current is work:
                self.current = None
            if not self._waiting and not self.current:
                self._before = None

    def _run(self, work: Work) -> None:
        if work.path == str(self.uploads):
            _wait(work, SETTLED)
        while True:
            try:
                self._index(work)
                return
            except LibraryBusy:
                work.said = "waiting: another clew index is at work on this library"
                _wait(work, AGAIN)
                work.said = ""

    def _index(self, work: Work) -> None:
        settings, path = self.settings, Path(work.path)
        ours = work.removes and _is_below(work.path, str(self.uploads))
        leave_out = [work.path] if work.removes and not ours else []
        parameters = Parameters(values=of_index(settings.given), prune=work.removes, leave_out=leave_out)
        read = [self.uploads if ours else path]
        index = partial(run.index, read, encoder=self._encoder(), parameters=parameters)
        events = closing(worked_on(settings.library, settings.cache, index))
        for copy in (path, *path.rglob("[!.]*")) if ours else ():
            if copy.is_file():
                copy.unlink()
        with events as seen:
            for event in seen:
                if isinstance(event, Progress):
                    fresh = work.progress is None or work.progress.stage != event.stage
                    work.progress = event
                    if fresh:
                        work.began, work.before = time.monotonic(), work.share or 0
                if work.cancel.is_set():
                    raise Cancelled("stopped")
        note_indexed(recorded_at(settings.library).id, [] if work.removes else [work.path])


def make_empty(settings: Settings, encoder: CachedEncoder) -> None:
    """Make an empty library, if there is none. Raises what `index` raises."""
    uploads = uploads_of(settings)
    index = partial(run.index, [uploads], encoder=encoder, parameters=Parameters(empty=True))
    deque(worked_on(settings.library, settings.cache, index), maxlen=0)
    note_indexed(recorded_at(settings.library).id, [str(uploads)])


def uploads_of(settings: Settings) -> Path:
    """Return the folder in which uploads for this library are kept."""
    key = hashlib.sha256(str(_absolute(settings.library)).encode()).hexdigest()[:16]
    return private_folder(private_folder(settings.home / UPLOADS) / key)


def _differences(before: Mapping[str, ShelfRow], after: Mapping[str, ShelfRow]) -> str:
    """Return a sentence that says what was read, read again, not read and removed between two states."""
    both = before.keys() & after.keys()
    read = {path for path, row in after.items() if row.documents and not (path in both and before[path].documents)}
    again = {path for path in both - read if after[path].documents and after[path].digest != before[path].digest}
    said = {path for path in both if before[path].why == after[path].why}
    unread = {path for path, row in after.items() if row.why and path not in read | again | said}
    counts = {"added": read, "read again": again, "not read": unread, "taken out": before.keys() - after.keys()}
    return ", ".join(f"{len(some)} {what}" for what, some in counts.items() if some)


def _wait(work: Work, seconds: float) -> None:
    if work.cancel.wait(seconds):
        raise Cancelled("stopped")


def _absolute(path: object) -> Path:
    return Path(os.path.normpath(Path(str(path)).absolute()))


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _file_of(place: str, known: set[str]) -> str:
    """Return the known file that a place belongs to, as a line or a page of it; else the place itself."""
    shorter = (place.partition(mark)[0] for mark in (": ", ", page ", "\n"))
    return next((one for one in (place, *shorter, place.rpartition(":")[0]) if one in known), place)


def _size_and_date(path: str) -> tuple[int, float]:
    with suppress(OSError, ValueError):
        found = Path(path).stat()
        return found.st_size * S_ISREG(found.st_mode), found.st_mtime
    return 0, 0.0


def _clean(name: str) -> list[str]:
    """Return the folders and the name under which an upload is kept: no part leads out of the folder, is hidden, or is
    too long for the file system."""
    made = []
    for part in PurePosixPath(unicodedata.normalize("NFC", name).replace("\\", "/")).parts[-DEEPEST:]:
        kept = _UNSAFE.sub("_", plain(part)).strip(". ")
        stem, dot, suffix = kept.rpartition(".") if "." in kept else (kept, "", "")
        stem = stem.encode()[: LONGEST_NAME - len(suffix.encode())].decode("utf-8", "ignore")
        made += [f"{stem}{dot}{suffix[:20]}"] if kept else []
    return made


def _free_place(folder: Path, name: str, fresh: Path) -> Path:
    """Return where an upload is kept: in place of a file with the same bytes, else where no file is. Another file of
    that name stays."""
    names = chain([name], (f"{Path(name).stem} ({number}){Path(name).suffix}" for number in count(2)))
    places = (folder / one for one in names)
    return next(one for one in places if not one.exists() or (one.is_file() and cmp(one, fresh, shallow=False)))
