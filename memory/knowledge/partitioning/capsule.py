"""A capsule: a partitioning on disk, with its bridge edges, its names and its report; aligners are kept beside them.

GENERATION/capsules/hybrid-200/partitioning.npz   labels, centroids, hub nodes ("glue"), the edges by cell
                               vectors.npy        of the nodes, partition after partition
                               names.json         of the partitions
                               report.json        the plan ("wanted") and the report
GENERATION/capsules/current                       the name of the one in use, the last that was made
"""

import json
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple, get_args

import numpy as np
from pydantic import TypeAdapter

from clew.memory import files
from clew.memory.datatypes import Vectors
from clew.memory.errors import BadInput
from clew.memory.files import new_file, within
from clew.memory.knowledge.disk import BROKEN
from clew.memory.knowledge.embedding import CHUNKS, open_vectors
from clew.memory.nodes import Cells, Partitioning, PartitionMethod
from clew.memory.vectors import Ragged, check_places

FOLDER, CURRENT, BEFORE, FRESH = "capsules", "current", ".old", ".new"
ARRAYS, NAMES, REPORT, VECTORS = "partitioning.npz", "names.json", "report.json", "vectors.npy"

TRAINED = ("aligners", "queries")
"""Folders of a capsule that `clew align train` fills."""

SLICE = 16_384
"""Vectors put in order at a time."""

SIZE = 200
"""The most nodes of a partition, as in seed 004."""

FEWEST, LEAST = 5, 10
"""A library of fewer than `FEWEST` times `SIZE` nodes is divided into about so many partitions, of `LEAST` nodes or
more, where no other size was asked for: one partition of all is no map."""


@dataclass(frozen=True, slots=True)
class PartitionPlan:
    """Partitions of at most `size` nodes (0: no limit), or `k` of them (0: as many as it takes).

    `hybrid` takes a size, `leiden` k or nothing, `metis` one of both. Raises `BadInput` for what a method cannot do.
    """

    method: PartitionMethod = "hybrid"
    size: int = SIZE
    k: int = 0

    def __post_init__(self) -> None:
        if self.size < 0 or self.k < 0:
            raise BadInput("sizes and numbers of partitions are 1 or more")
        if self.method == "hybrid" and (self.k or not self.size):
            raise BadInput(
                "hybrid takes a size, not a number of partitions", "clew partition --method hybrid --size 200"
            )
        if self.method == "leiden" and self.size:
            raise BadInput("leiden cannot keep to a size: give --k, or nothing", "clew partition --method leiden")
        if self.method == "metis" and bool(self.size) == bool(self.k):
            raise BadInput("metis takes a size or a number of partitions", "clew partition --method metis --size 200")

    @property
    def name(self) -> str:
        """Of its capsule's folder."""
        return f"{self.method}-k{self.k}" if self.k else f"{self.method}-{self.size}"

    def most(self, nodes: int) -> int:
        """The most nodes of a partition in a library of so many: the size, or less in a small library."""
        return min(SIZE, max(LEAST, -(-nodes // FEWEST))) if self.size == SIZE else self.size


def plan_of(method: PartitionMethod, size: int | None = None, k: int | None = None) -> PartitionPlan:
    """With the default size where the method takes one and neither is given. Raises `BadInput`."""
    usual = SIZE if method != "leiden" and not k else 0
    return PartitionPlan(method, usual if size is None else size, k or 0)


_PLAN = TypeAdapter(PartitionPlan)
NAME_OF_PLAN = re.compile(rf"({'|'.join(get_args(PartitionMethod))})-k?[0-9]{{1,9}}")


class Capsule(NamedTuple):
    """`report` is a JSON object: `description.report_of`."""

    plan: PartitionPlan
    partitioning: Partitioning
    cells: Cells
    report: Mapping[str, Any]


def capsule_with_vectors(generation: Path) -> tuple[Capsule, Vectors]:
    """The one in use, and the nodes' vectors, partition after partition, shape (nodes, d), memory-mapped. What was read
    stays valid when another takes its place; one that does so while it is read is read instead."""
    while True:
        folder = capsule_folder(generation, current_name(generation))
        before = folder.stat()
        try:
            found = _read(folder), files.mapped(within(folder, VECTORS))
            if len(found[0].partitioning.of_node) != len(found[1]):
                raise ValueError("the partitions are not of its nodes")
        except BROKEN:
            if folder.exists() and os.path.samestat(before, folder.stat()):
                raise
            continue
        if folder.exists() and os.path.samestat(before, folder.stat()):
            return found


def capsule_folder(generation: Path, name: str) -> Path:
    """The folder of a capsule: what it was before, where a run ended between putting that aside and the new one in its
    place."""
    home = within(generation, FOLDER)
    folder, before = within(home, name), within(home, f"{name}{BEFORE}")
    return before if before.is_dir() and not folder.exists() else folder


def write_capsule(
    generation: Path, capsule: Capsule, durable: bool, ready: Callable[[Path], object] = lambda _: None
) -> Path:
    """Write it beside what is there, put it in its place, then name it as the one in use. `durable` forces it onto the
    disk: for a generation that is in use already; `ready` is told its folder before anything else changes. Returns its
    folder."""
    name = capsule.plan.name
    if not within(generation, FOLDER).exists():
        files.new_folder(generation, FOLDER)
    home = within(generation, FOLDER)
    if (there := capsule_folder(generation, name)).name != name:
        files.put(home, there.name, name)
    folder = within(home, name)
    fresh = files.new_folder(home, f"{name}{FRESH}")
    files.remove(home, f"{name}{BEFORE}")
    _write(fresh, capsule)
    write_vectors(fresh, capsule.partitioning, open_vectors(generation, CHUNKS))
    keep_trained(folder, fresh, capsule.partitioning)
    if durable:
        files.sync_all(fresh)
    ready(fresh)
    if folder.exists():
        files.put(home, name, f"{name}{BEFORE}")
    files.put(home, fresh.name, name)
    current = new_file(home, f"{CURRENT}{FRESH}")
    current.write_text(line_of(name), "utf-8")
    if durable:
        files.sync(current)
        files.sync(home)
    files.put(home, current.name, CURRENT)
    if durable:
        files.sync(home)
    files.remove(home, f"{name}{BEFORE}")
    return folder


def keep_trained(before: Path, folder: Path, partitioning: Partitioning) -> None:
    """Copy what was trained beside the same partitions; what was trained for others cannot be used."""
    try:
        arrays = files.read_arrays(within(before, ARRAYS))
        same = np.array_equal(arrays["of_node"], partitioning.of_node)
        same = same and np.array_equal(arrays["centroids"], partitioning.centroids)
    except BROKEN:
        return
    for name in TRAINED if same else ():
        if within(before, name).is_dir():
            files.copy(before / name, folder, name)


def capsules(generation: Path) -> list[str]:
    """The names of all that a generation has, the one in use last."""
    current = current_name(generation)
    names = {path.parent.name.removesuffix(BEFORE) for path in within(generation, FOLDER).glob(f"*/{ARRAYS}")}
    found = [name for name in names if NAME_OF_PLAN.fullmatch(name)]
    return [*sorted(name for name in found if name != current), *(name for name in found if name == current)]


def line_of(name: str) -> str:
    """What `CURRENT` has for the capsule of this name."""
    return f"{name}\n"


def current_name(generation: Path) -> str:
    """Raises `ValueError` for what is no name of a plan."""
    name = within(generation, FOLDER, CURRENT).read_text("utf-8").strip()
    if not NAME_OF_PLAN.fullmatch(name):
        raise ValueError(f"{name!r} names no partitions")
    return name


def read_capsule(generation: Path, name: str = "") -> Capsule:
    """The one in use where no name is given. Raises what a broken file raises (`disk.BROKEN`)."""
    return _read(capsule_folder(generation, name or current_name(generation)))


def _read(folder: Path) -> Capsule:
    saved = json.loads(within(folder, REPORT).read_text("utf-8"))
    plan = _read_plan(saved["wanted"], folder.name.removesuffix(BEFORE))
    names = tuple(json.loads(within(folder, NAMES).read_text("utf-8")))
    arrays = files.read_arrays(within(folder, ARRAYS))
    of_node = arrays["of_node"].astype(np.int64)
    partitioning = Partitioning(plan.method, plan.size, of_node, names, arrays["centroids"], arrays["glue"])
    edges = Ragged(arrays["cell_starts"], arrays["cell_edges"].astype(np.int64))
    cells = Cells(len(names), arrays["cell_keys"], edges)
    check_places(len(names), of_node)
    check_places(len(of_node), partitioning.hub_nodes)
    check_places(len(names) ** 2, cells.keys)
    edges.check(len(cells.keys))
    if len(partitioning.centroids) != len(names):
        raise ValueError(f"{len(names)} names of {len(partitioning.centroids)} partitions")
    return Capsule(plan, partitioning, cells, saved["report"])


def _read_plan(wanted: object, name: str) -> PartitionPlan:
    """The plan of the capsule of that name. Raises `ValueError` for another thing."""
    try:
        plan = _PLAN.validate_python(wanted)
    except BadInput as error:
        raise ValueError(error.message) from error
    if plan.name != name:
        raise ValueError(f"the partitions {name!r} say that they are {plan.name!r}")
    return plan


def _write(folder: Path, capsule: Capsule) -> None:
    partitioning, cells = capsule.partitioning, capsule.cells
    np.savez(
        new_file(folder, ARRAYS),
        of_node=partitioning.of_node.astype(np.int32),
        centroids=partitioning.centroids,
        glue=partitioning.hub_nodes,
        cell_keys=cells.keys,
        cell_starts=cells.edges.starts,
        cell_edges=cells.edges.values.astype(np.int32),
    )
    report = {"wanted": asdict(capsule.plan), "report": capsule.report}
    new_file(folder, NAMES).write_text(json.dumps(partitioning.names, ensure_ascii=False, indent=1) + "\n", "utf-8")
    new_file(folder, REPORT).write_text(json.dumps(report, indent=2) + "\n", "utf-8")


def write_vectors(folder: Path, partitioning: Partitioning, vectors: Vectors) -> None:
    """Those of one partition lie together, so that a walk reads each partition in one piece."""
    ordered = files.new_array(folder, VECTORS, np.float32, vectors.shape)
    for start in range(0, len(vectors), SLICE):
        ordered[start : start + SLICE] = vectors.take(partitioning.members.values[start : start + SLICE], axis=0)
    ordered.flush()
