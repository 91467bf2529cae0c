"""A small graph whose partitions are easy to tell: eight of twelve nodes, in a ring, each with words of its own."""

from collections.abc import Sequence
from functools import cache
from typing import cast

import numpy as np
from numpy.typing import NDArray

from clew.memory.datatypes import Form, Ints, Query, Vector
from clew.memory.knowledge.aligners.scoring import FoundNodes, PartitionWords, words_of
from clew.memory.knowledge.aligners.training import (
    PartitionGraph,
    QuerySplit,
    TrainingSet,
    make_queries,
    partition_graph,
)
from clew.memory.knowledge.library_ports import Graph
from clew.memory.knowledge.nodes import Cells, NodeGraph, Partitioning, cells_of
from clew.memory.knowledge.question import LibraryQuestion
from clew.memory.vectors import unit

PARTITIONS, SIZE, WIDTH = 8, 12, 16
NODES = PARTITIONS * SIZE
OF_NODE = np.repeat(np.arange(PARTITIONS), SIZE)
TOPICS = ("river", "engine", "violin", "glacier", "orchid", "senate", "harbour", "comet")
TITLES = [f"{TOPICS[n // SIZE]}{'abcdefghijkl'[n % SIZE]}" for n in range(NODES)]
TEXTS = [f"what is told of a {TOPICS[n // SIZE]} with mark{n} and more" for n in range(NODES)]
HUB_NODES = np.array([3])


@cache
def graph() -> NodeGraph:
    """Within a partition a path; between neighbouring partitions three bridges, of another relation."""
    paths = [(n, n + 1, 0) for n in range(NODES - 1) if OF_NODE[n] == OF_NODE[n + 1]]
    bridges = [(p * SIZE + i, ((p + 1) % PARTITIONS) * SIZE + i, 1) for p in range(PARTITIONS) for i in (0, 4, 8)]
    sources, targets, kinds = np.array(sorted(paths + bridges), np.int64).T
    return NodeGraph(NODES, sources, targets, kinds, np.ones(len(kinds), np.float32), ("next", "bridge"))


@cache
def partitioning() -> Partitioning:
    centroids = unit(np.random.default_rng(0).normal(size=(PARTITIONS, WIDTH)).astype(np.float32))
    return Partitioning("metis", SIZE, OF_NODE, TOPICS, centroids, HUB_NODES)


@cache
def cells() -> Cells:
    return cells_of(graph(), partitioning())


@cache
def words() -> PartitionWords:
    return words_of(zip(TITLES, TEXTS, strict=True), OF_NODE, PARTITIONS)


@cache
def graph_of_partitions() -> PartitionGraph:
    return partition_graph(graph(), partitioning(), cells())


def synthetic(size: int = 300, seed: int = 1) -> QuerySplit:
    return make_queries(graph(), partitioning(), cells(), TITLES, TEXTS, size, seed)


@cache
def training_set(size: int = 300) -> TrainingSet:
    """A query's vector is noise with a little of a wrong partition's centroid: what partition is meant has to be
    learned by turning the space."""
    queries = synthetic(size).train
    rng = np.random.default_rng(2)
    turned = np.linalg.qr(rng.normal(size=(WIDTH, WIDTH)))[0].astype(np.float32)
    meant = np.stack([partitioning().centroids[list(query.partitions)].sum(axis=0) for query in queries])
    noise = 0.2 * rng.normal(size=meant.shape).astype(np.float32)
    return TrainingSet(queries, unit(meant @ turned + noise), silent(), "none")


def silent() -> PartitionWords:
    """Words that say nothing, so that vectors alone have to."""
    none = np.zeros(0, np.float32)
    return PartitionWords(
        PARTITIONS, (), none, np.zeros(1, np.int64), np.zeros(0, np.int32), np.zeros((0, 3), np.float32)
    )


def found_for(
    text: str,
    vector: Vector,
    nodes: Ints | None = None,
    masses: Sequence[float] = (),
    walked: tuple[Ints, NDArray[np.float64]] | None = None,
) -> FoundNodes:
    """What tools found for a question of one form; no scorer looks at the library's graph itself."""
    question = LibraryQuestion(cast(Graph, None), Query(text, (Form("question", text, 1.0, vector),)))
    return FoundNodes(question, np.zeros(0, np.int64) if nodes is None else nodes, np.array(masses), walked)
