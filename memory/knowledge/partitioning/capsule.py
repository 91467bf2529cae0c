"""A capsule: a partitioning on disk, with its bridge edges, its names and its report; aligners are kept beside them.

GENERATION/capsules/hybrid-200/partitioning.npz   labels, centroids, hub nodes ("glue"), the edges by cell
                               vectors.npy        of the nodes, partition after partition
                               names.json         of the partitions
                               report.json        the plan ("wanted") and the report
GENERATION/capsules/current                       the name of the one in use, the last that was made
"""

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple, get_args

import numpy as np
from pydantic import TypeAdapter

from clew.memory import files
from clew.memory.datatypes import Vectors
from clew.memory.errors import BadInput
from clew.memory.files import new_file, within
from clew.memory.knowledge.arrays import Ragged, check_places, mapped, new_array, read_arrays
from clew.memory.knowledge.disk import BROKEN
from clew.memory.knowledge.embedding import CHUNKS, open_vectors
from clew.memory.knowledge.nodes import Cells, Partitioning, PartitionMethod

FOLDER, CURRENT = "capsules", "current"
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
    """How to partition: into parts of at most `size` nodes (0: no limit), or into `k` of them (0: as many as result).

    `hybrid` takes a size, `leiden` takes k or nothing, `metis` one of both. Raises `BadInput` for another combination.
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
        """The name of its capsule's folder."""
        return f"{self.method}-k{self.k}" if self.k else f"{self.method}-{self.size}"

    def most(self, nodes: int) -> int:
        """Return the greatest number of nodes in a partition for a library of so many nodes: `size`, or less for a
        small library."""
        return min(SIZE, max(LEAST, -(-nodes // FEWEST))) if self.size == SIZE else self.size


def plan_of(method: PartitionMethod, size: int | None = None, k: int | None = None) -> PartitionPlan:
    """Make the plan, with the default size if the method takes one and neither is given. Raises `BadInput`."""
    usual = SIZE if method != "leiden" and not k else 0
    return PartitionPlan(method, usual if size is None else size, k or 0)


_PLAN = TypeAdapter(PartitionPlan)
NAME_OF_PLAN = re.compile(rf"({'|'.join(get_args(PartitionMethod))})-k?[0-9]{{1,9}}")


class Capsule(NamedTuple):
    """A partitioning with what is stored beside it; `report` is the JSON object of `description.report_of`."""

    plan: PartitionPlan
    partitioning: Partitioning
    cells: Cells
    report: Mapping[str, Any]


def capsule_with_vectors(generation: Path) -> tuple[Capsule, Vectors]:
    """Read the capsule in use and the vectors of the nodes, memory-mapped, shape (nodes, d), sorted by partition."""
    name = current_name(generation)
    capsule, vectors = read_capsule(generation, name), mapped(within(generation, FOLDER, name, VECTORS))
    if len(capsule.partitioning.of_node) != len(vectors):
        raise ValueError("the partitions are not of its nodes")
    return capsule, vectors


def write_capsule(generation: Path, capsule: Capsule, before: Path | None) -> None:
    """Write a capsule into a generation that is not in use yet, and make it the one in use there. What was trained for
    the same partitions in the generation `before` is copied."""
    name = capsule.plan.name
    if not within(generation, FOLDER).exists():
        files.new_folder(generation, FOLDER)
    folder = files.new_folder(generation, FOLDER, name)
    _write(folder, capsule)
    write_vectors(folder, capsule.partitioning, open_vectors(generation, CHUNKS))
    if before:
        _keep_trained(within(before, FOLDER, name), folder, capsule.partitioning)
    new_file(generation, FOLDER, CURRENT).write_text(f"{name}\n", "utf-8")


def _keep_trained(before: Path, folder: Path, partitioning: Partitioning) -> None:
    """Copy what was trained for these partitions; if the partitions differ nothing is copied, as it could not be
    used."""
    try:
        arrays = read_arrays(within(before, ARRAYS))
        same = np.array_equal(arrays["of_node"], partitioning.of_node)
        same = same and np.array_equal(arrays["centroids"], partitioning.centroids)
    except BROKEN:
        return
    for name in TRAINED if same else ():
        if within(before, name).is_dir():
            files.copy(before / name, folder, name)


def capsules(generation: Path) -> list[str]:
    """Return the names of all capsules of a generation, the one in use last."""
    current = current_name(generation)
    names = {path.parent.name for path in within(generation, FOLDER).glob(f"*/{ARRAYS}")}
    found = [name for name in names if NAME_OF_PLAN.fullmatch(name)]
    return [*sorted(name for name in found if name != current), *(name for name in found if name == current)]


def current_name(generation: Path) -> str:
    """Return the name of the capsule in use. Raises `ValueError` if the file does not hold the name of a plan."""
    name = within(generation, FOLDER, CURRENT).read_text("utf-8").strip()
    if not NAME_OF_PLAN.fullmatch(name):
        raise ValueError(f"{name!r} names no partitions")
    return name


def read_capsule(generation: Path, name: str = "") -> Capsule:
    """Read the capsule of this name, by default the one in use. A damaged file raises `disk.BROKEN`."""
    folder = within(generation, FOLDER, name or current_name(generation))
    saved = json.loads(within(folder, REPORT).read_text("utf-8"))
    plan = _read_plan(saved["wanted"], folder.name)
    names = tuple(json.loads(within(folder, NAMES).read_text("utf-8")))
    arrays = read_arrays(within(folder, ARRAYS))
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
    """Read the plan of the capsule of that name from JSON. Raises `ValueError` if it is no plan or that of another
    name."""
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
    """Write the vectors of the nodes sorted by partition, so that a walk reads a partition in one piece."""
    ordered = new_array(folder, VECTORS, np.float32, vectors.shape)
    for start in range(0, len(vectors), SLICE):
        ordered[start : start + SLICE] = vectors.take(partitioning.members.values[start : start + SLICE], axis=0)
    ordered.flush()
