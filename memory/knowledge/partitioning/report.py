"""What a partitioning is worth, in figures."""

from dataclasses import dataclass

import numpy as np

from clew.memory.datatypes import Ints, Vectors
from clew.memory.knowledge.partitioning.glue import hubs_of
from clew.memory.knowledge.partitioning.labels import sums_of
from clew.memory.nodes import Cells, NodeGraph, Partitioning

SEED = 42


@dataclass(frozen=True, slots=True)
class Report:
    """`edge_cut` is the share of edges between partitions, `bridged` how many pairs of partitions have such edges.
    `coherence` is the mean cosine of the nodes to their partition's centroid; `lift` is how often that of random
    partitions of the same sizes it is. `components` are of the graph, `alone` nodes without an edge, `hubs` nodes of
    exceptional degree, `glue` those of them that say little."""

    nodes: int
    edges: int
    partitions: int
    smallest: int
    median: float
    mean: float
    largest: int
    edge_cut: float
    bridged: int
    coherence: float
    lift: float
    components: int
    alone: int
    hubs: int
    glue: int


def report_of(graph: NodeGraph, partitioning: Partitioning, cells: Cells, vectors: Vectors) -> Report:
    labels, count = partitioning.of_node, partitioning.count
    sizes = np.bincount(labels, minlength=count) if count else np.zeros(1, np.int64)
    between = int(np.diff(cells.edges.starts)[cells.bridges].sum())
    coherence = coherence_of(labels, count, vectors)
    chance = coherence_of(np.random.default_rng(SEED).permutation(labels), count, vectors)
    return Report(
        nodes=graph.count,
        edges=len(graph.sources),
        partitions=count,
        smallest=int(sizes.min()),
        median=float(np.median(sizes)),
        mean=round(float(sizes.mean()), 1),
        largest=int(sizes.max()),
        edge_cut=round(between / max(1, len(graph.sources)), 4),
        bridged=int(cells.bridges.sum()),
        coherence=round(coherence, 4),
        lift=round(coherence / chance, 3) if chance else 1.0,
        components=_components(graph),
        alone=int((graph.degrees == 0).sum()),
        hubs=len(hubs_of(graph)),
        glue=len(partitioning.glue),
    )


def coherence_of(labels: Ints, count: int, vectors: Vectors) -> float:
    """The mean over nodes of their cosine to their partition's centroid. The cosines of a partition's nodes, of unit
    length, sum to the length of the nodes' sum."""
    if not len(labels):
        return 0.0
    return float(np.linalg.norm(sums_of(labels, count, vectors), axis=1).sum() / len(labels))


def _components(graph: NodeGraph) -> int:
    from scipy.sparse.csgraph import connected_components

    return int(connected_components(graph.adjacency(), directed=False, return_labels=False)) if graph.count else 0
