"""A capsule: a partitioning on disk, with its bridge edges, its names and its report; aligners are kept beside them.

GENERATION/capsules/hybrid-200/partitioning.npz   labels, centroids, glue, the edges by cell
                               vectors.npy        of the nodes, partition after partition
                               names.json         of the partitions
                               report.json        what was wanted, and its report
GENERATION/capsules/current                       the name of the one in use, the last that was made
"""

import json
import shutil
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from clew.memory.datatypes import Vectors
from clew.memory.knowledge.disk import BROKEN, sync, sync_all
from clew.memory.knowledge.embedding import CHUNKS, mapped, open_vectors
from clew.memory.knowledge.partitioning.wanted import Wanted
from clew.memory.nodes import Cells, Partitioning
from clew.memory.ragged import Ragged

FOLDER, CURRENT = "capsules", "current"
ARRAYS, NAMES, REPORT, VECTORS = "partitioning.npz", "names.json", "report.json", "vectors.npy"

TRAINED = ("aligners", "queries")
"""Folders of a capsule that `clew align train` fills."""

SLICE = 16_384
"""Vectors put in order at a time."""


class Capsule(NamedTuple):
    """`report` is a JSON object: `partitioning.report.Report`."""

    wanted: Wanted
    partitioning: Partitioning
    cells: Cells
    report: Mapping[str, Any]


class OpenCapsule(NamedTuple):
    """With the nodes' vectors, partition after partition, shape (nodes, d), memory-mapped."""

    capsule: Capsule
    vectors: Vectors


def capsule_with_vectors(generation: Path) -> OpenCapsule:
    """The one in use; another that takes its place later leaves both as they were."""
    name = current_name(generation)
    return OpenCapsule(read_capsule(generation, name), mapped(generation / FOLDER / name / VECTORS))


def write_capsule(generation: Path, capsule: Capsule, durable: bool) -> Path:
    """Beside what is there, then in its place, then named as the one in use; `durable` where the generation is in use,
    whose switch does not force it onto the disk any more. Returns its folder."""
    folder = generation / FOLDER / capsule.wanted.name
    fresh, stale = folder.with_suffix(".new"), folder.with_suffix(".old")
    for left in (fresh, stale):
        shutil.rmtree(left, ignore_errors=True)
    fresh.mkdir(parents=True)
    _write(fresh, capsule)
    _write_vectors(fresh, capsule.partitioning, open_vectors(generation, CHUNKS))
    keep_trained(folder, fresh, capsule.partitioning)
    if durable:
        sync_all(fresh)
    if folder.exists():
        folder.rename(stale)
    fresh.rename(folder)
    current = generation / FOLDER / f"{CURRENT}.new"
    current.write_text(capsule.wanted.name + "\n", "utf-8")
    if durable:
        sync(current)
        sync(current.parent)
    current.replace(current.parent / CURRENT)
    shutil.rmtree(stale, ignore_errors=True)
    return folder


def keep_trained(before: Path, folder: Path, partitioning: Partitioning) -> None:
    """Take over what was trained beside the same partitions; what was trained for others is of no use here."""
    try:
        with np.load(before / ARRAYS) as arrays:
            same = np.array_equal(arrays["of_node"], partitioning.of_node)
            same = same and np.array_equal(arrays["centroids"], partitioning.centroids)
    except BROKEN:
        return
    for name in TRAINED if same else ():
        if (before / name).is_dir():
            shutil.copytree(before / name, folder / name, dirs_exist_ok=True)


def capsules(generation: Path) -> list[str]:
    """The names of all that a generation has, the one in use last."""
    current = current_name(generation)
    found = [path.parent.name for path in (generation / FOLDER).glob(f"*/{ARRAYS}") if not path.parent.suffix]
    return [*sorted(name for name in found if name != current), *(name for name in found if name == current)]


def current_name(generation: Path) -> str:
    return (generation / FOLDER / CURRENT).read_text("utf-8").strip()


def read_capsule(generation: Path, name: str = "") -> Capsule:
    """The one in use where no name is given. Raises what a broken file raises (`damage.BROKEN`)."""
    folder = generation / FOLDER / (name or current_name(generation))
    said = json.loads((folder / REPORT).read_text("utf-8"))
    wanted = Wanted(**said["wanted"])
    names = tuple(json.loads((folder / NAMES).read_text("utf-8")))
    with (folder / ARRAYS).open("rb") as file, np.load(file) as arrays:
        of_node = arrays["of_node"].astype(np.int64)
        partitioning = Partitioning(wanted.method, wanted.size, of_node, names, arrays["centroids"], arrays["glue"])
        edges = Ragged(arrays["cell_starts"], arrays["cell_edges"].astype(np.int64))
        cells = Cells(len(names), arrays["cell_keys"], edges)
    if len(partitioning.centroids) != len(names) or of_node.max(initial=-1) >= len(names):
        raise ValueError(f"{len(names)} names of {len(partitioning.centroids)} partitions")
    return Capsule(wanted, partitioning, cells, said["report"])


def _write(folder: Path, capsule: Capsule) -> None:
    partitioning, cells = capsule.partitioning, capsule.cells
    np.savez(
        folder / ARRAYS,
        of_node=partitioning.of_node.astype(np.int32),
        centroids=partitioning.centroids,
        glue=partitioning.glue,
        cell_keys=cells.keys,
        cell_starts=cells.edges.starts,
        cell_edges=cells.edges.values.astype(np.int32),
    )
    said = {"wanted": asdict(capsule.wanted), "report": capsule.report}
    (folder / NAMES).write_text(json.dumps(partitioning.names, ensure_ascii=False, indent=1) + "\n", "utf-8")
    (folder / REPORT).write_text(json.dumps(said, indent=2) + "\n", "utf-8")


def _write_vectors(folder: Path, partitioning: Partitioning, vectors: Vectors) -> None:
    """One partition's lie together: what a walk stitches is then read in a few pieces."""
    ordered = np.lib.format.open_memmap(folder / VECTORS, mode="w+", dtype=np.float32, shape=vectors.shape)
    for start in range(0, len(vectors), SLICE):
        ordered[start : start + SLICE] = vectors.take(partitioning.members.values[start : start + SLICE], axis=0)
    ordered.flush()
