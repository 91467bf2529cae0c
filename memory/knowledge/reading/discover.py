"""Which files below the given paths are documents, and of which kind."""

import os
import stat
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from clew.memory.errors import BadInput
from clew.memory.knowledge.library import POINTER
from clew.memory.knowledge.reading.jsonl import is_conversation_script
from clew.memory.knowledge.reading.mediawiki import is_dump
from clew.memory.knowledge.reading.source import Kind, Source, reason, shown
from clew.memory.knowledge.reading.triples import is_file_of_triples

KINDS: dict[str, Kind] = {
    ".txt": "text",
    ".text": "text",
    ".rst": "text",
    ".org": "text",
    ".adoc": "text",
    ".md": "markdown",
    ".markdown": "markdown",
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
    ".pdf": "pdf",
    ".jsonl": "jsonl",
    ".jsonl.gz": "jsonl",
}
"""By the end of the name. JSON is read where it is a list of triples; any other file named directly is read as text."""

DUMPS = (".xml", ".xml.bz2", ".xml.gz")
"""Those that MediaWiki exported are read; what else is XML is not."""

SCRIPTS = "conversation scripts"


@dataclass(frozen=True, slots=True)
class Discovered:
    """The sources, notes on what was left out, and the folders that the system would not open."""

    sources: list[Source]
    notes: list[str]
    unopened: list[Path]


def discover(paths: Sequence[Path], library: Path | None = None) -> Discovered:
    """The sources below `paths`, in their order and then by name, each once.

    Hidden files and folders and libraries are passed over, also one that is only about to be: `library`. Raises
    `BadInput` for a path that is not there.
    """
    walk = _Walk(os.path.realpath(library) if library else "")
    sources = [source for path in paths for source in walk.below(path.absolute())]
    return Discovered(sources, [*walk.notes, *_skipped(walk.skipped)], walk.unopened)


@dataclass
class _Walk:
    """What was seen on the way: real paths, so that a link that leads back into the tree ends there."""

    library: str
    seen: set[str] = field(default_factory=set)
    skipped: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)
    unopened: list[Path] = field(default_factory=list)

    def below(self, root: Path) -> Iterator[Source]:
        try:
            mode = root.stat().st_mode
        except OSError as error:
            raise BadInput(f"cannot open {shown(root)}: {reason(error)}", "check the path") from error
        if stat.S_ISREG(mode) and root.suffix.lower() == ".json" and kind_of(root) is None:
            raise BadInput(
                f"{shown(root)} is JSON, and not a list of triples",
                "write one object a line to a .jsonl file, each with its text",
            )
        if stat.S_ISREG(mode):
            yield from self._once(Source(root, kind_of(root) or "text", root))
        elif not stat.S_ISDIR(mode):
            raise BadInput(f"{shown(root)} is neither a file nor a folder", "save it as a file first")
        elif self._is_library(root):
            raise BadInput(f"{shown(root)} is a library, not documents", "give the folder that it was made from")
        else:
            yield from self._folder(root, root)

    def _folder(self, folder: Path, root: Path) -> Iterator[Source]:
        real = os.path.realpath(folder)
        if real in self.seen or self._is_library(folder):
            return
        self.seen.add(real)
        try:
            entries = sorted(folder.iterdir())
        except OSError as error:
            self.unopened.append(folder)
            self.notes.append(f"could not open the folder {shown(folder)}: {reason(error)}")
            return
        if dataset := _dataset(folder, root):
            yield from self._once(dataset)
            return
        for entry in entries:
            if entry.name.startswith(".") or entry.name == "__pycache__":
                continue
            mode = _mode(entry)
            if stat.S_ISDIR(mode):
                yield from self._folder(entry, root)
            else:
                yield from self._file(entry, mode, root)

    def _file(self, path: Path, mode: int, root: Path) -> Iterator[Source]:
        kind = None if mode and not stat.S_ISREG(mode) else kind_of(path)
        if kind is None:
            self.skipped[path.suffix.lower() or "without an ending"] += 1
        elif kind == "jsonl" and is_conversation_script(path):
            self.skipped[SCRIPTS] += 1
        else:
            yield from self._once(Source(path, kind, root))

    def _is_library(self, folder: Path) -> bool:
        return bool(_mode(folder / POINTER)) or os.path.realpath(folder) == self.library

    def _once(self, source: Source) -> Iterator[Source]:
        real = os.path.realpath(source.path)
        if real not in self.seen:
            self.seen.add(real)
            yield source


def kind_of(path: Path) -> Kind | None:
    """By the end of the name; of JSON and XML by how it begins."""
    name = path.name.lower()
    if name.endswith(".json"):
        return "triples" if is_file_of_triples(path) else None
    if name.endswith(DUMPS):
        return "mediawiki" if is_dump(path) else None
    return next((kind for ending, kind in KINDS.items() if name.endswith(ending)), None)


def _dataset(folder: Path, root: Path) -> Source | None:
    """The graph or the corpus that a folder holds: nothing else in such a folder is a document.

    A corpus alone, without queries or qrels beside it, is a file like others, and what lies beside it is read too.
    """
    if (nodes := _plain_or_zipped(folder, "nodes")) and _plain_or_zipped(folder, "edges"):
        return Source(nodes, "graph", root)
    judged = _plain_or_zipped(folder, "queries") or _mode(folder / "qrels.tsv") or _mode(folder / "qrels")
    if (corpus := _plain_or_zipped(folder, "corpus")) and judged:
        return Source(corpus, "beir", root)
    return None


def _plain_or_zipped(folder: Path, name: str) -> Path | None:
    return next((path for end in (".jsonl", ".jsonl.gz") if stat.S_ISREG(_mode(path := folder / f"{name}{end}"))), None)


def _mode(path: Path) -> int:
    """0 for what cannot be looked at: reading it will say why."""
    try:
        return path.stat().st_mode
    except OSError:
        return 0


def _skipped(skipped: Counter[str]) -> Iterator[str]:
    if scripts := skipped.pop(SCRIPTS, 0):
        yield f"{scripts} {SCRIPTS} skipped: clew replay runs them"
    if skipped:
        kinds = ", ".join(f"{ending} {count}" for ending, count in skipped.most_common())
        yield f"{skipped.total()} files of other kinds skipped: {kinds}"
