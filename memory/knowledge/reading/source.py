"""What is read from, what comes of it where that fails, and the digests by which a change is seen."""

import hashlib
import json
import os
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Literal

from clew.memory.datatypes import Document
from clew.memory.knowledge.pages import ALL, Pages

Kind = Literal["text", "markdown", "html", "pdf", "jsonl", "beir", "graph", "triples", "mediawiki"]

SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Source:
    """A file to read: `path`, absolute, was found under `root`, the path that was given (the file itself, perhaps).

    Of a BEIR folder it is the corpus, of a graph folder the nodes. `pages` are for a Wikipedia dump alone.
    """

    path: Path
    kind: Kind
    root: Path
    pages: Pages = ALL

    @property
    def name(self) -> str:
        """The path below the root: the id of a file that is one document."""
        below = self.path.relative_to(self.root) if self.path != self.root else Path(self.path.name)
        return shown(below)

    @property
    def files(self) -> tuple[Path, ...]:
        return (self.path, edges_beside(self.path)) if self.kind == "graph" else (self.path,)


@dataclass(frozen=True, slots=True)
class Failure:
    """A file, or a line of one (`path:line`), that could not be read, and why. `count` is 1, or that of lines that are
    told of together."""

    source: str
    reason: str
    count: int = 1


def other_ids(id_: str, source: Source) -> Iterator[str]:
    """What a document can be called where its id is taken: more and more of the folders above it before the id, and
    then a number."""
    is_path = id_.startswith(source.name) and source.root != source.path
    above, longer = source.root if is_path else source.path.parent, id_
    for folder in (above, *above.parents):
        if folder.name:
            longer = f"{shown(Path(folder.name))}/{longer}"
            yield longer
    yield from (f"{number}/{id_}" for number in count(2))


def edges_beside(nodes: Path) -> Path:
    """The file of edges of a graph folder, plain or zipped."""
    plain = nodes.with_name("edges.jsonl")
    return plain if plain.exists() else nodes.with_name("edges.jsonl.gz")


def shown(path: Path) -> str:
    """A path as text that can be stored and printed, whatever bytes its name has: another text for each."""
    return os.fsencode(path.as_posix()).decode("utf-8", "backslashreplace")


def reason(error: OSError) -> str:
    """Why the system would not read a file, in a person's words."""
    if isinstance(error, FileNotFoundError):
        return "it is not there"
    return (error.strerror or str(error)).lower()


def clean(text: str) -> str:
    """Text as every later step takes it: storable, lines end in a newline, letters composed (NFC), no soft hyphens."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").replace("\u00ad", "")
    return unicodedata.normalize("NFC", storable(text))


def storable(text: str) -> str:
    """Without NUL characters and halves of surrogate pairs: SQLite ends a text at the one and refuses the other."""
    if SURROGATE.search(text):
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text.replace("\0", " ")


def digest(document: Document) -> str:
    """SHA-256, in hex, of all that is read from a document; where it lies does not count."""
    marks = [[(mark.start, mark.text) for mark in marks] for marks in (document.pages, document.headings)]
    read = [document.id, document.title, document.text, marks, document.triples]
    return hashlib.sha256(json.dumps(read).encode()).hexdigest()


def file_digest(path: Path) -> str:
    """SHA-256, in hex, of a file's bytes. Raises `OSError`."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def source_digest(source: Source) -> str:
    """Of the bytes of all its files, and of which pages are read; empty where they cannot be read."""
    try:
        read = [*map(file_digest, source.files), *([str(source.pages)] if source.pages else [])]
        return hashlib.sha256("".join(read).encode()).hexdigest()
    except OSError:
        return ""


def size(source: Source) -> int:
    """Bytes of all its files; 0 for what is gone."""
    try:
        return sum(path.stat().st_size for path in source.files)
    except OSError:
        return 0
