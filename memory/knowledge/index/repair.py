"""`clew doctor --repair`: what of a library can be mended without losing anything, in the order of what it costs."""

from collections.abc import Collection, Iterator
from pathlib import Path

from clew.memory.datatypes import Progress
from clew.memory.errors import ClewError
from clew.memory.files import remove, within
from clew.memory.knowledge.disk import NUMBER, PARTS, clear, current_generation, held, name_current
from clew.memory.knowledge.index.run import IndexReport, index
from clew.memory.knowledge.index.steps import STEPS
from clew.memory.knowledge.partitioning.capsule import FOLDER as CAPSULES
from clew.memory.knowledge.partitioning.capsule import NAME_OF_PLAN, PartitionPlan
from clew.memory.knowledge.partitioning.partitioner import partition_library
from clew.memory.knowledge.proof import of_partitions, proven, whole
from clew.memory.ports import Encoder


def repair(library: Path, encoder: Encoder, mine: Collection[str] | None = None) -> Iterator[Progress | str]:
    """Mend a library; yields progress, and a line for each thing done, none where nothing was wrong.

    What a killed run left is removed; a pointer that cannot be read names the newest whole generation again; partitions
    are made anew; anything else is read again, from the folders that it was made from (`mine`, as of `index`).
    Raises what `index` raises where that cannot be.
    """
    with held(library):
        yield from _mend_pointer(library)
        generation = current_generation(library)
        if generation and (gone := clear(library, PARTS.union(*(step.files for step in STEPS)))):
            yield f"removed what a run had left: {', '.join(gone)}"
    found = proven(generation) if generation else None
    if generation is None or found is None or not found.wrong:
        return
    if all(map(of_partitions, found.wrong)):
        yield from _partition_anew(library, generation, found.wrong)
    else:
        *_, report = index([], library, encoder, rebuild=True, mine=mine)
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
            if within(folder, name).exists():
                remove(folder, name)
    plans = [_plan_named(name) for name in names if NAME_OF_PLAN.fullmatch(name)] or [PartitionPlan()]
    for plan in plans:
        yield from (event for event in partition_library(library, plan) if isinstance(event, Progress))
    yield f"made anew: the partitions {', '.join(plan.name for plan in plans)} (trained aligners: clew align train)"


def _plan_named(name: str) -> PartitionPlan:
    method, _, size = name.partition("-")
    k = size.startswith("k")
    return PartitionPlan(method, 0 if k else int(size), int(size[1:]) if k else 0)  # type: ignore[arg-type]
