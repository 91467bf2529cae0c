"""`clew index`: read what changed, chunk it, embed it, and switch the library to the new generation."""

import errno
import os
import shutil
import sqlite3
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from clew.memory.errors import BadInput, ClewError, LibraryMismatch
from clew.memory.knowledge.changes import Changes
from clew.memory.knowledge.choices import Choices, Parameters, choose
from clew.memory.knowledge.damage import damaged, rebuild_command
from clew.memory.knowledge.generation import Generation
from clew.memory.knowledge.holding import held
from clew.memory.knowledge.keywords import KeywordParameters
from clew.memory.knowledge.library import (
    Manifest,
    check_encoder,
    current_generation,
    next_generation,
    read_manifest,
    recorded_roots,
    switch_to,
)
from clew.memory.knowledge.loaders.registry import LOADERS
from clew.memory.knowledge.loaders.source import Loader, LoadFailure, shown
from clew.memory.ports import Encoder
from clew.memory.progress import Progress

USING_GIVEN = ("auto", "given", "both")
DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}


@dataclass(frozen=True, slots=True)
class Report:
    """What a run did, counted in documents; `failed` names what could not be read, a source or a line or the rest of
    a source's lines, and why.

    `documents` and `chunks` are what the library holds now; `seconds` is by stage.
    """

    new: int
    changed: int
    removed: int
    unchanged: int
    failed: tuple[LoadFailure, ...]
    notes: tuple[str, ...]
    documents: int
    chunks: int
    seconds: dict[str, float]

    @property
    def line(self) -> str:
        return (
            f"{self.new} new, {self.changed} changed, {self.removed} removed,"
            f" {self.unchanged} unchanged, {sum(failure.count for failure in self.failed)} failed"
        )


def index(
    paths: Sequence[Path],
    library: Path,
    encoder: Encoder,
    *,
    parameters: Parameters | None = None,
    rebuild: bool = False,
    loaders: Sequence[Loader] = LOADERS,
) -> Iterator[Progress | Report]:
    """Bring the library up to date with `paths`, or make it; ends with the `Report`.

    Only documents under `paths` can be removed. With `rebuild` all is made anew, of the paths that the library
    records where none are given. The library is what it was until the very end.
    Raises `BadInput`, `LibraryBusy`, `LibraryMismatch`, `NoLibrary`.
    """
    with held(library):
        yield from _index(paths, library, encoder, parameters or Parameters(), rebuild, loaders)


def _index(
    paths: Sequence[Path],
    library: Path,
    encoder: Encoder,
    parameters: Parameters,
    rebuild: bool,
    loaders: Sequence[Loader],
) -> Iterator[Progress | Report]:
    if not paths and not rebuild:
        raise BadInput("there is nothing to index", f"clew index YOUR-FOLDER --library {library}")
    old = None if rebuild else current_generation(library)
    recorded = _checked(library, read_manifest(old), encoder, parameters).roots if old else ()
    roots, notes = _roots(paths, library)
    choices = choose(parameters, library, old is None)
    folder, whole = next_generation(library), False
    try:
        with (
            _in_words(library),
            closing(choices.extractor),
            closing(Generation(folder, old, choices.same_chunker, choices.same_layers)) as generation,
        ):
            started = time.perf_counter()
            changes = Changes(generation, encoder, choices.chunker, choices.pages, loaders)
            yield from changes.read(roots, library, wants_dump=bool(parameters.pages))
            seconds = {"reading": time.perf_counter() - started}
            changed = changes.any or bool(choices.notes)
            if changed:
                if choices.triples in USING_GIVEN and (repeated := (yield from generation.place_triples())):
                    changes.notes.append(f"{repeated} repeated triples merged")
                merged = _merged_roots(recorded, roots)
                changes.notes += yield from _write(generation, encoder, choices, parameters.keywords, merged, seconds)
            documents, chunks = generation.size()
        whole = changed
        if whole:
            switch_to(library, folder)
    finally:
        if not whole:  # what stops the switch itself leaves a folder that may be the current one
            shutil.rmtree(folder, ignore_errors=True)
    yield Report(
        **{name: changes.counts[name] for name in ("new", "changed", "removed", "unchanged")},
        failed=tuple(changes.failed),
        notes=(*notes, *choices.notes, *changes.notes, *choices.extractor.notes()),
        documents=documents,
        chunks=chunks,
        seconds=seconds,
    )


@contextmanager
def _in_words(library: Path) -> Iterator[None]:
    """A disk that is full and damage that is met while rows are copied, each with what mends it."""
    try:
        yield
    except (sqlite3.DatabaseError, OSError) as error:
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_OK) & 0xFF  # the rest is its extended part
        if code == sqlite3.SQLITE_FULL or _is_full(error):
            raise ClewError(
                f"the disk is full: the library at {library} stays as it was", "free some space and run this again"
            ) from error
        if code in DAMAGED:
            raise damaged(library) from error
        raise


def _is_full(error: Exception) -> bool:
    """numpy tells only how much it could not write."""
    return getattr(error, "errno", 0) in (errno.ENOSPC, errno.EDQUOT) or "requested and" in str(error)


def _write(
    generation: Generation,
    encoder: Encoder,
    choices: Choices,
    keywords: KeywordParameters,
    roots: Sequence[Path],
    seconds: dict[str, float],
) -> Generator[Progress, None, list[str]]:
    """Returns notes."""
    started = time.perf_counter()
    yield from generation.extract_layers(choices.triples, choices.extractor.extract)
    seconds["extracting entities"] = time.perf_counter() - started
    started = time.perf_counter()
    yield from generation.embed(encoder)
    seconds["embedding"] = time.perf_counter() - started
    started = time.perf_counter()
    notes = yield from generation.find_communities(encoder, choices.communities, choices.writer)
    seconds["finding communities"] = time.perf_counter() - started
    started = time.perf_counter()
    yield from generation.partition()
    seconds["partitioning"] = time.perf_counter() - started
    started = time.perf_counter()
    yield from generation.index_keywords(keywords)
    generation.index_titles()
    generation.write_manifest(
        encoder,
        choices.chunker,
        keywords,
        choices.triples,
        choices.extractor.name,
        choices.communities,
        choices.pages,
        roots,
    )
    seconds["indexing words"] = time.perf_counter() - started
    return notes


def _checked(library: Path, manifest: Manifest, encoder: Encoder, parameters: Parameters) -> Manifest:
    check_encoder(library, manifest, encoder)
    if manifest.keywords != parameters.keywords:
        raise LibraryMismatch(
            f"the library at {library} was made with other parameters for keywords", rebuild_command(library)
        )
    return manifest


def _roots(paths: Sequence[Path], library: Path) -> tuple[list[Path], list[str]]:
    """The paths given; without any the recorded ones that are still there, and a note of each that is not."""
    if paths:
        return [Path(os.path.normpath(path.absolute())) for path in paths], []
    recorded = recorded_roots(library)
    there = [root for root in recorded if os.path.exists(root)]  # noqa: PTH110 Path.exists can raise
    if not there:
        raise BadInput(
            f"nothing of what the library at {library} was made from is there any more",
            f"clew index YOUR-FOLDER --rebuild --library {library}",
        )
    return there, [f"{shown(root)} is not there any more: left out" for root in recorded if root not in there]


def _merged_roots(recorded: Sequence[str], roots: Sequence[Path]) -> list[Path]:
    return [Path(root) for root in dict.fromkeys([*recorded, *map(str, roots)])]
