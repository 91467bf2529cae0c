"""From a graph and its vectors to a capsule: labels by the method that is wanted, and all that goes with them."""

import sqlite3
from collections.abc import Generator, Iterable
from dataclasses import asdict
from pathlib import Path

from clew.memory.datatypes import Vectors
from clew.memory.knowledge.disk import BROKEN
from clew.memory.knowledge.embedding import CHUNKS, open_vectors, titles_and_texts
from clew.memory.knowledge.partitioning import hybrid, leiden, metis
from clew.memory.knowledge.partitioning.capsule import Capsule, capsules, read_capsule
from clew.memory.knowledge.partitioning.glue import glue_of
from clew.memory.knowledge.partitioning.labels import Labels, sums_of
from clew.memory.knowledge.partitioning.names import names_of
from clew.memory.knowledge.partitioning.report import report_of
from clew.memory.knowledge.partitioning.wanted import Wanted
from clew.memory.nodes import NodeGraph, Partitioning, cells_of
from clew.memory.progress import Progress
from clew.memory.unit import unit


def build(
    database: sqlite3.Connection, generation: Path, graph: NodeGraph, wanted: Wanted
) -> Generator[Progress, None, Capsule]:
    """The capsule of a generation that has its graph and its vectors."""
    stage = f"partitioning {wanted.name}"
    yield Progress(stage, 0, 2)
    vectors = open_vectors(generation, CHUNKS)
    labels = labels_of(graph, vectors, wanted)
    yield Progress(stage, 1, 2)
    texts = ((title, text) for _, title, text in titles_and_texts(database, CHUNKS))
    capsule = assembled(graph, vectors, wanted, labels, texts)
    yield Progress(stage, 2, 2)
    return capsule


def wanted_before(generation: Path | None) -> list[Wanted]:
    """What a generation has, the one in use last; the default where it has none, or there is none."""
    try:
        return [read_capsule(generation, name).wanted for name in capsules(generation)] if generation else [Wanted()]
    except BROKEN:
        return [Wanted()]


def labels_of(graph: NodeGraph, vectors: Vectors, wanted: Wanted) -> Labels:
    match wanted.method, wanted.k:
        case "hybrid", _:
            return hybrid.partition(graph, vectors, wanted.size)
        case "metis", 0:
            return metis.partition(graph, wanted.size)
        case "metis", k:
            return metis.partition_into(graph, k)
        case _, 0:
            return leiden.partition(graph)
        case _, k:
            return leiden.partition_into(graph, vectors, k)


def assembled(
    graph: NodeGraph, vectors: Vectors, wanted: Wanted, labels: Labels, titles_and_texts: Iterable[tuple[str, str]]
) -> Capsule:
    """`titles_and_texts` are the nodes', in order."""
    count = int(labels.max(initial=-1)) + 1
    centroids = unit(sums_of(labels, count, vectors))
    glue = glue_of(graph, vectors, labels, centroids)
    names = names_of(labels, count, titles_and_texts)
    partitioning = Partitioning(wanted.method, wanted.size, labels, names, centroids, glue)
    cells = cells_of(graph, partitioning)
    return Capsule(wanted, partitioning, cells, asdict(report_of(graph, partitioning, cells, vectors)))
