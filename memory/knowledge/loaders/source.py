"""What a loader is, what it reads from, and the digests by which a change of a source is found."""

import hashlib
import json
import os
import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from clew.memory.datatypes import Document, Edge
from clew.memory.errors import Unreadable
from clew.memory.files import file_digest
from clew.memory.text import clean


@dataclass(frozen=True, slots=True)
class Pages:
    """Which pages of a Wikipedia dump are read: those in one of these categories, or with one of these keywords as a
    whole word (or words) in their title or first paragraph, in whatever case. Without either, all."""

    categories: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.categories or self.keywords)

    def __str__(self) -> str:
        options = [f"--category {shlex.quote(name)}" for name in self.categories]
        return " ".join([*options, *(f"--keyword {shlex.quote(word)}" for word in self.keywords)]) or "all pages"


ALL = Pages()
LONGEST_REASON = 200  # characters of why a loader, or a library that it calls, stopped
LONGEST_LINE = 1_000  # characters of a document's authors, and of its tags


@dataclass(frozen=True, slots=True)
class LoadFailure:
    """A file, or a line of one (`path:line`), that could not be read, and why. `count` says how many lines that is, and
    is 0 where it was read and something is to be said of how."""

    source: str
    reason: str
    count: int = 1


@dataclass(frozen=True, slots=True)
class Unpacked:
    """What was in a source, as a folder that is read in its place; ids and places of what is in it go behind `id` and
    `place`. A document that has neither date nor author has these."""

    folder: Path
    id: str
    place: str
    date: str = ""
    author: str = ""


Item = Document | Edge | LoadFailure
"""What is read of a source: the edges behind the documents that they join."""


@dataclass(frozen=True, slots=True)
class Loader:
    """How one kind of file is found and read. To add one: a file with its `read`, and a line in `registry.LOADERS`.

    `suffixes`: lower-case ends of the names of its files. `recognises`: whether a file with such a name is one.
    `in_folder`: the file to read where a whole folder is one data set, whose other files are then no documents.

    `read` yields what it finds, and what it unpacked, and may raise `Unreadable` or `OSError`. `files` are all that the
    digest of a source is made of. `by_page`: it reads the pages that `Source.pages` choose.
    `guesses`: the encoding of a text that nobody says, or "". `allowance`: what it needs beside what any file may take:
    CPU time in seconds, and bytes of memory.
    """

    name: str
    read: "Callable[[Source], Iterator[Item | Unpacked]]"
    suffixes: tuple[str, ...] = ()
    recognises: Callable[[Path], bool] = lambda _: True
    in_folder: Callable[[Path], Path | None] = lambda _: None
    files: Callable[[Path], tuple[Path, ...]] = lambda path: (path,)
    by_page: bool = False
    guesses: Callable[[bytes], str] | None = None
    allowance: Callable[[], tuple[int, int]] = lambda: (0, 0)


@dataclass(frozen=True, slots=True)
class Source:
    """A file to read: `path`, absolute, was found under `root`, the path that was given (the file itself, perhaps);
    `depth`: within how many archives."""

    path: Path
    loader: Loader
    root: Path
    pages: Pages = ALL
    depth: int = 0

    @property
    def name(self) -> str:
        """The path below the root: the id of a file that is one document."""
        below = self.path.relative_to(self.root) if self.path != self.root else Path(self.path.name)
        return shown(below)


def other_ids(id_: str, source: Source) -> Iterator[str]:
    """Ids for a document whose own is taken: with more and more of the folders above it in front, then with a
    number."""
    is_path = id_.startswith(source.name) and source.root != source.path
    above, longer = source.root if is_path else source.path.parent, id_
    for folder in (one for one in (above, *above.parents) if one.name):
        longer = f"{shown(Path(folder.name))}/{longer}"
        yield longer
    yield from (f"{number}/{id_}" for number in count(2))


def shown(path: Path) -> str:
    """A path as text that can be stored and printed, whatever bytes its name has; no two paths give the same text."""
    return os.fsencode(path.as_posix()).decode("utf-8", "backslashreplace")


def file_mode(path: Path) -> int:
    """As `stat` has it; 0 for a file that it cannot look at: reading that says why."""
    try:
        return path.stat().st_mode
    except OSError:
        return 0


def reason(error: Exception) -> str:
    """Why a file was not read, in plain words; of an error that is none of a file's own, its kind and what it says."""
    match error:
        case Unreadable():
            return error.message
        case FileNotFoundError():
            return "it is not there"
        case OSError():
            return (error.strerror or str(error)).lower()
        case MemoryError():
            return "it needs more memory than a file may take"
    return " ".join(f"{type(error).__name__}: {error}".split())[:LONGEST_REASON]


def in_a_line(*values: object) -> str:
    """Authors or tags, a comma between two, each once: of texts, lists of texts, or of records with a name."""
    flat = [one for value in values for one in (value if isinstance(value, list | tuple) else [value])]
    said = [one.get("name") if isinstance(one, dict) else one for one in flat]
    texts = [" ".join(clean(str(one)).split()) for one in said if isinstance(one, str | int)]
    return ", ".join(dict.fromkeys(filter(None, texts)))[:LONGEST_LINE]


def digest(document: Document) -> str:
    """SHA-256, in hex, of all that is read from a document, but not of where it lies."""
    one = document
    read: list[object] = [one.id, one.title, one.text, (one.pages, one.headings), one.triples]
    read += [one.date, one.status, one.author, one.tags, *([one.tables] if one.tables else [])]
    return hashlib.sha256(json.dumps(read).encode()).hexdigest()


def source_digest(source: Source) -> str:
    """SHA-256, in hex, of the bytes of all its files and of which pages are read; empty where it cannot be read."""
    try:
        read = [*map(file_digest, source.loader.files(source.path)), *([str(source.pages)] if source.pages else [])]
        return hashlib.sha256("".join(read).encode()).hexdigest()
    except OSError:
        return ""


def size(source: Source) -> int:
    """Bytes of all its files; 0 where one is gone."""
    try:
        return sum(path.stat().st_size for path in source.loader.files(source.path))
    except OSError:
        return 0
