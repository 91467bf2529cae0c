"""From a graph and its vectors to a capsule: labels by the planned method, and all that goes with them."""

import sqlite3
from collections.abc import Generator, Iterable
from contextlib import closing
from pathlib import Path

from clew.memory.datatypes import Progress, Vectors
from clew.memory.files import check_plain
from clew.memory.knowledge.disk import BROKEN, held, naming_damage, required_generation
from clew.memory.knowledge.embedding import CHUNKS, open_vectors, titles_and_texts
from clew.memory.knowledge.partitioning import hybrid, leiden, metis
from clew.memory.knowledge.partitioning.capsule import Capsule, PartitionPlan, capsules, read_capsule, write_capsule
from clew.memory.knowledge.partitioning.description import hub_nodes_of, names_of, report_of
from clew.memory.knowledge.partitioning.labels import PartitionLabels, sums_of
from clew.memory.knowledge.partitioning.node_graph import read_graph
from clew.memory.knowledge.proof import record_partitions
from clew.memory.knowledge.schema import open_database
from clew.memory.nodes import NodeGraph, Partitioning, cells_of
from clew.memory.vectors import unit


def build_capsule(
    database: sqlite3.Connection, generation: Path, graph: NodeGraph, plan: PartitionPlan
) -> Generator[Progress, None, Capsule]:
    """The capsule of a generation that has its graph and its vectors."""
    stage = f"partitioning {plan.name}"
    yield Progress(stage, 0, 2)
    vectors = open_vectors(generation, CHUNKS)
    labels = labels_of(graph, vectors, plan)
    yield Progress(stage, 1, 2)
    texts = ((title, text) for _, title, text in titles_and_texts(database, CHUNKS))
    capsule = capsule_of(graph, vectors, plan, labels, texts)
    yield Progress(stage, 2, 2)
    return capsule


def partition_library(library: Path, plan: PartitionPlan) -> Generator[Progress | Capsule, None, None]:
    """Make another capsule for the current generation, and name it as the one in use; ends with it. A library that is
    open keeps the one that it has read.

    Raises `NoLibrary`, `LibraryBusy`, `LibraryMismatch`, or `ClewError` where the folder is damaged.
    """
    required_generation(library)
    with held(library):
        generation = required_generation(library)
        check_plain(generation)
        with naming_damage(generation), closing(open_database(generation)) as database:
            capsule = yield from build_capsule(database, generation, read_graph(generation), plan)
        write_capsule(generation, capsule, durable=True)
        record_partitions(generation)
        yield capsule


def plans_before(generation: Path | None) -> list[PartitionPlan]:
    """Those of a generation's capsules, the one in use last; the default where it has none, or there is none."""
    if not generation:
        return [PartitionPlan()]
    try:
        return [read_capsule(generation, name).plan for name in capsules(generation)]
    except BROKEN:
        return [PartitionPlan()]


def labels_of(graph: NodeGraph, vectors: Vectors, plan: PartitionPlan) -> PartitionLabels:
    match plan.method, plan.k:
        case "hybrid", _:
            return hybrid.partition(graph, vectors, plan.most(graph.count))
        case "metis", 0:
            return metis.partition(graph, plan.size)
        case "metis", k:
            return metis.partition_into(graph, k)
        case _, 0:
            return leiden.partition(graph)
        case _, k:
            return leiden.partition_into(graph, vectors, k)


def capsule_of(
    graph: NodeGraph,
    vectors: Vectors,
    plan: PartitionPlan,
    labels: PartitionLabels,
    titles_and_texts: Iterable[tuple[str, str]],
) -> Capsule:
    """`titles_and_texts` are the nodes', in order."""
    count = int(labels.max(initial=-1)) + 1
    centroids = unit(sums_of(labels, count, vectors))
    hub_nodes = hub_nodes_of(graph, vectors, labels, centroids)
    names = names_of(labels, count, titles_and_texts)
    partitioning = Partitioning(plan.method, plan.size, labels, names, centroids, hub_nodes)
    cells = cells_of(graph, partitioning)
    return Capsule(plan, partitioning, cells, report_of(graph, partitioning, cells, vectors))
