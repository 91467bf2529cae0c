"""A run of `clew index`: read what changed, take the steps, and switch the library to the new generation; and what
`clew doctor --repair` mends without losing anything, in the order of what it costs."""

import gc
import os
import shlex
import sqlite3
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from clew.memory.datatypes import Progress
from clew.memory.errors import BadInput, ClewError, NoLibrary
from clew.memory.files import naming_full_disk, readers, remove, within
from clew.memory.knowledge.disk import (
    FORMAT,
    NUMBER,
    check_encoder,
    clear,
    current_generation,
    damaged,
    held,
    name_current,
    next_generation,
    read_manifest,
    read_now,
    recorded,
    switch_to,
)
from clew.memory.knowledge.index.changes import Changes
from clew.memory.knowledge.index.generation import Generation, IndexStep, Parameters, choose
from clew.memory.knowledge.index.steps import STEPS, parts_of
from clew.memory.knowledge.loaders.registry import LOADERS
from clew.memory.knowledge.loaders.source import Loader, LoadFailure, shown
from clew.memory.knowledge.partitioning.capsule import FOLDER as CAPSULES
from clew.memory.knowledge.partitioning.capsule import NAME_OF_PLAN, PartitionPlan, capsule_folder
from clew.memory.knowledge.partitioning.partitioner import partition_library
from clew.memory.knowledge.proof import naming_altered, of_partitions, proven_now, whole, write_hashes
from clew.memory.ports import Encoder

DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}

BESIDE = 2
"""Generations that stay beside the current one while somebody reads them."""

POLL = 0.2
"""Seconds between two looks at whether one of them has gone on."""


@dataclass(frozen=True, slots=True)
class IndexReport:
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
    steps: Sequence[IndexStep] = STEPS,
) -> Iterator[Progress | IndexReport]:
    """Bring the library up to date with `paths`, or make it; ends with the `IndexReport`.

    Only documents under `paths` can be removed. With `rebuild` all is made anew, of the paths that the library records
    where none are given. The library stays as it was until the very end.
    Raises `BadInput`, `LibraryBusy`, `LibraryMismatch`, `NoLibrary`.
    """
    if not paths and not rebuild:
        raise BadInput("there is nothing to index", f"clew index YOUR-FOLDER --library {library}")
    parameters, parts = parameters or Parameters(), parts_of(steps)
    with held(library):
        old = None if rebuild else current_generation(library, {FORMAT})
        before = _roots_before(old, library, encoder)
        roots, notes = _roots(paths, library, parameters.mine)
        choices = choose(parameters, library, old is None)
        folder, whole, seconds = next_generation(library, parts), False, dict[str, float]()
        try:
            with (
                _translated(library, old),
                closing(choices.extractor),
                closing(Generation(folder, old, encoder, choices)) as generation,
            ):
                changes, started = Changes(generation, loaders), time.perf_counter()
                yield from changes.read(roots, library, bool(parameters.pages), parameters.follow_links)
                seconds["reading"] = time.perf_counter() - started
                changed = changes.any or bool(choices.notes)
                if changed:
                    yield from _write(generation, steps, [*before, *map(str, roots)], seconds)
                documents, chunks = generation.size()
            whole = changed
            if whole:
                switch_to(library, folder, parts)
        finally:
            if not whole:  # what stops the switch itself leaves a folder that may be the current one
                remove(library, folder.name)
        notes += [*choices.notes, *changes.notes, *generation.notes, *choices.extractor.notes()]
        counts = {name: changes.counts[name] for name in ("new", "changed", "removed", "unchanged")}
        failed = tuple(changes.failed)
        yield IndexReport(
            **counts, failed=failed, notes=tuple(notes), documents=documents, chunks=chunks, seconds=seconds
        )


def _roots_before(old: Path | None, library: Path, encoder: Encoder) -> tuple[str, ...]:
    """What the generation that is gone on from was made of. Raises `LibraryMismatch` for another encoder's."""
    if old is None:
        return ()
    manifest = read_manifest(old)
    check_encoder(library, manifest, encoder)
    return manifest.roots


def _write(
    generation: Generation, steps: Sequence[IndexStep], roots: Sequence[str], seconds: dict[str, float]
) -> Iterator[Progress]:
    values: dict[str, object] = {}
    with _seldom_collecting():
        for step in steps:
            started = time.perf_counter()
            yield from step.run(generation)
            seconds[step.title] = seconds.get(step.title, 0.0) + time.perf_counter() - started
            values |= step.recorded(generation.choices)
    generation.write_manifest(values, list(dict.fromkeys(roots)))
    generation.database.commit()
    write_hashes(generation.folder)
    yield from _few_read(generation.folder.parent)


def _few_read(library: Path) -> Iterator[Progress]:
    """Wait until at most `BESIDE` of the generations that are not current from now on are read."""
    waited = 0.0
    while len(read := read_now(library)) > BESIDE:
        who = ", ".join(dict.fromkeys(reader for folder in read for reader in readers(folder))) or "open conversations"
        yield Progress(f"waiting for {who} to ask again or end; seconds", int(waited), 0, waits=True)
        time.sleep(POLL)
        waited += POLL


@contextmanager
def _seldom_collecting() -> Iterator[None]:
    """Python looks for circles of objects as objects are made: the steps make millions and no circles, and a tenth of
    their time went into looking."""
    before = gc.get_threshold()
    gc.set_threshold(100_000, 50, 100)
    try:
        yield
    finally:
        gc.set_threshold(*before)


@contextmanager
def _translated(library: Path, old: Path | None) -> Iterator[None]:
    """A full disk, and damage that is met while what there is is gone on from, as `ClewError`."""
    try:
        with naming_full_disk(f"the library at {library} stays as it was"), naming_altered(old):
            yield
    except sqlite3.DatabaseError as error:
        if getattr(error, "sqlite_errorcode", sqlite3.SQLITE_OK) & 0xFF in DAMAGED:  # the rest is its extended part
            raise damaged(library) from error
        raise


def _roots(paths: Sequence[Path], library: Path, mine: Collection[str] | None) -> tuple[list[Path], list[str]]:
    """The paths given; without any the recorded ones that are still there, and a note of each that is not. Raises
    `BadInput` where one of them is not among `mine`."""
    if paths:
        return [Path(os.path.normpath(path.absolute())) for path in paths], []
    command = f"clew index YOUR-FOLDER --rebuild --library {library}"
    before = recorded(library).roots
    if not before:
        raise NoLibrary(f"{library} does not say what it was made from", command)
    if mine is not None and (others := [root for root in before if root not in mine]):
        raise BadInput(
            f"the library at {library} says that it was made from {', '.join(others)}, which you did not index here",
            f"clew index {shlex.join(before)} --rebuild --library {library}",
        )
    there = [Path(root) for root in before if os.path.exists(root)]  # noqa: PTH110 Path.exists can raise
    if not there:
        raise BadInput(f"nothing of what the library at {library} was made from is there any more", command)
    return there, [f"{shown(root)} is not there any more: left out" for root in map(Path, before) if root not in there]


def repair(library: Path, encoder: Encoder, mine: Collection[str] | None = None) -> Iterator[Progress | str]:
    """Mend a library; yields progress, and a line for each thing done, none where nothing was wrong.

    What a killed run left is removed; a pointer that cannot be read names the newest whole generation again; partitions
    are made anew; anything else is read again, from the folders that it was made from (if they are `mine`).
    Raises what `index` raises where that cannot be, and `BadInput` where one of them is not there.
    """
    with held(library):
        yield from _mend_pointer(library)
        generation = current_generation(library)
        if generation and (gone := clear(library, parts_of())):
            yield f"removed what a run had left: {', '.join(gone)}"
    generation, found = proven_now(library) or (None, None)
    if generation is None or found is None or not found.wrong:
        return
    if all(map(of_partitions, found.wrong)):
        yield from _partition_anew(library, generation, found.wrong)
    else:
        if gone := [root for root in recorded(library).roots if not os.path.exists(root)]:  # noqa: PTH110 as above
            raise BadInput(
                f"{', '.join(found.wrong)} of {library} can be made again from what it was made from alone, and"
                f" {', '.join(gone)} is not there",
                f"clew index --rebuild --library {library}, which loses what is of there",
            )
        *_, report = index([], library, encoder, parameters=Parameters(mine=mine), rebuild=True)
        assert isinstance(report, IndexReport)
        yield f"read again what it was made from, as {', '.join(found.wrong)} were damaged: {report.line}"


def _mend_pointer(library: Path) -> Iterator[str]:
    try:
        if (current := current_generation(library)) and current.is_dir():
            return
    except ClewError as error:
        if "damaged" not in error.message:  # a link, or another format: nothing to guess at
            raise
    if newest := max((folder for folder in library.glob(NUMBER) if whole(folder)), default=None):
        name_current(library, newest)
        yield f"the library is named again: generation {newest.name}, whose files are all as they were written"


def _partition_anew(library: Path, generation: Path, wrong: Collection[str]) -> Iterator[Progress | str]:
    """The capsules that are damaged; those that are not plans, and trained aligners that are damaged, go."""
    names = sorted({name.split("/")[1] for name in wrong if name.count("/") > 1})
    folder = within(generation, CAPSULES)
    with held(library):
        for name in names:
            remove(folder, capsule_folder(generation, name).name)
    plans = [_plan_named(name) for name in names if NAME_OF_PLAN.fullmatch(name)] or [PartitionPlan()]
    for plan in plans:
        yield from (event for event in partition_library(library, plan) if isinstance(event, Progress))
    yield f"made anew: the partitions {', '.join(plan.name for plan in plans)} (trained aligners: clew align train)"


def _plan_named(name: str) -> PartitionPlan:
    method, _, size = name.partition("-")
    k = size.startswith("k")
    return PartitionPlan(method, 0 if k else int(size), int(size[1:]) if k else 0)  # type: ignore[arg-type]
