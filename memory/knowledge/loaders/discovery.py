"""Which files below the given paths are documents, and which loader reads each."""

import os
import stat
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from clew.memory.errors import BadInput
from clew.memory.knowledge.disk import POINTER
from clew.memory.knowledge.loaders.plain_text import TEXT
from clew.memory.knowledge.loaders.registry import LOADERS, loader_of
from clew.memory.knowledge.loaders.source import Loader, Source, file_mode, reason, shown


@dataclass(frozen=True, slots=True)
class Discovered:
    """The sources, notes on what was left out, and the folders that the system would not open."""

    sources: list[Source]
    notes: list[str]
    unopened: list[Path]


def discover(paths: Sequence[Path], library: Path | None = None, loaders: Sequence[Loader] = LOADERS) -> Discovered:
    """The sources below `paths`, in their order and then by name, each once.

    Hidden files and folders and libraries are passed over, also one that is only about to be: `library`. Raises
    `BadInput` for a path that is not there.
    """
    walk = _Walk(os.path.realpath(library) if library else "", loaders)
    sources = [source for path in paths for source in walk.below(path.absolute())]
    return Discovered(sources, [*walk.notes, *_skipped(walk.skipped, walk.passed_over)], walk.unopened)


@dataclass
class _Walk:
    """What was seen on the way: real paths, so that a link that leads back into the tree ends there."""

    library: str
    loaders: Sequence[Loader]
    seen: set[str] = field(default_factory=set)
    skipped: Counter[str] = field(default_factory=Counter)
    passed_over: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)
    unopened: list[Path] = field(default_factory=list)

    def below(self, root: Path) -> Iterator[Source]:
        try:
            mode = root.stat().st_mode
        except OSError as error:
            raise BadInput(f"cannot open {shown(root)}: {reason(error)}", "check the path") from error
        loader = loader_of(root, self.loaders) if stat.S_ISREG(mode) else None
        if stat.S_ISREG(mode) and root.suffix.lower() == ".json" and loader is None:
            raise BadInput(
                f"{shown(root)} is JSON, and not a list of triples",
                "write one object a line to a .jsonl file, each with its text",
            )
        if stat.S_ISREG(mode):
            yield from self._once(Source(root, loader or TEXT, root))
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
        for loader in self.loaders:
            if path := loader.in_folder(folder):
                yield from self._once(Source(path, loader, root))
                return
        for entry in entries:
            if entry.name.startswith(".") or entry.name == "__pycache__":
                continue
            mode = file_mode(entry)
            if stat.S_ISDIR(mode):
                yield from self._folder(entry, root)
            else:
                yield from self._file(entry, mode, root)

    def _file(self, path: Path, mode: int, root: Path) -> Iterator[Source]:
        loader = None if mode and not stat.S_ISREG(mode) else loader_of(path, self.loaders)
        if loader is None:
            self.skipped[path.suffix.lower() or "without an ending"] += 1
        elif why := loader.passes_over(path):
            self.passed_over[why] += 1
        else:
            yield from self._once(Source(path, loader, root))

    def _is_library(self, folder: Path) -> bool:
        return bool(file_mode(folder / POINTER)) or os.path.realpath(folder) == self.library

    def _once(self, source: Source) -> Iterator[Source]:
        real = os.path.realpath(source.path)
        if real not in self.seen:
            self.seen.add(real)
            yield source


def _skipped(skipped: Counter[str], passed_over: Counter[str]) -> Iterator[str]:
    yield from (f"{count} {why}" for why, count in passed_over.items())
    if skipped:
        kinds = ", ".join(f"{ending} {count}" for ending, count in skipped.most_common())
        yield f"{skipped.total()} files of other kinds skipped: {kinds}"
