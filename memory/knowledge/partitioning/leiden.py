"""Leiden: communities of highest modularity (Traag, Waltman, van Eck 2019); seed 004, section 2, experiment A."""

import heapq
import random
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from clew.memory.datatypes import Ints, Vectors
from clew.memory.knowledge.partitioning.labels import PartitionLabels, numbered, sums_of
from clew.memory.nodes import NodeGraph
from clew.memory.vectors import unit

if TYPE_CHECKING:
    from scipy.sparse import csr_array

SEED = 42
ITERATIONS = 4


def partition(graph: NodeGraph) -> PartitionLabels:
    """As many communities as modularity makes, of any size; components are never joined."""
    return numbered(communities(graph.adjacency()))


def partition_into(graph: NodeGraph, vectors: Vectors, k: int) -> PartitionLabels:
    """About k, in a hierarchy: the biggest is divided by itself, and again, until k are at least half as big as
    the mean is to be, or none divides so; the rest, islands among it, joins the nearest of the k biggest in meaning."""
    adjacency = graph.adjacency()
    labels = _divided(adjacency, numbered(communities(adjacency)), k, -(-graph.count // (2 * k)))
    return numbered(_joined(numbered(labels), vectors, k))


def communities(adjacency: "csr_array") -> Ints:
    """Of each node the number of its community."""
    if not adjacency.nnz:
        return np.arange(adjacency.shape[0])
    from scipy.sparse import triu

    upper = triu(adjacency).tocoo()
    return optimised(adjacency.shape[0], np.stack([upper.row, upper.col]), upper.data)


def optimised(
    count: int,
    ends: NDArray[np.integer],
    weights: NDArray[np.floating],
    resolution: float = 1.0,
    iterations: int = ITERATIONS,
    seed: int = SEED,
) -> Ints:
    """Of each node the number of its community, by the modularity of edges with these `ends`, shape (2, edges). By
    igraph's own Leiden: leidenalg takes 15 times as long here."""
    import igraph

    graph = igraph.Graph(n=count, edges=ends.T.tolist())
    igraph.set_random_number_generator(random.Random(seed))  # noqa: S311 an order, not a secret
    try:
        found = graph.community_leiden(
            "modularity", weights=weights.tolist(), resolution=resolution, n_iterations=iterations
        )
    finally:
        igraph.set_random_number_generator(random)
    return np.array(found.membership, np.int64)


def _divided(adjacency: "csr_array", labels: PartitionLabels, k: int, least: int) -> Ints:
    """Until k have `least` nodes; a division that leaves less than two of those is not made."""
    labels, sizes = labels.copy(), np.bincount(labels)
    count, counted = len(sizes), int((sizes >= least).sum())
    waiting = [(-int(size), label) for label, size in enumerate(sizes) if size >= 2 * least]
    heapq.heapify(waiting)
    while counted < k and waiting:
        _, label = heapq.heappop(waiting)
        nodes = np.flatnonzero(labels == label)
        inner = numbered(communities(adjacency[nodes][:, nodes]))
        parts = np.bincount(inner)
        if (parts >= least).sum() < 2:
            continue
        labels[nodes] = count + inner
        for part in np.flatnonzero(parts >= 2 * least).tolist():
            heapq.heappush(waiting, (-int(parts[part]), count + part))
        counted += int((parts >= least).sum()) - 1
        count += len(parts)
    return labels


def _joined(labels: PartitionLabels, vectors: Vectors, k: int) -> Ints:
    sizes = np.bincount(labels)
    if len(sizes) <= k:
        return labels
    order = np.argsort(-sizes, kind="stable")
    means, into = unit(sums_of(labels, len(sizes), vectors)), np.arange(len(sizes))
    into[order[k:]] = order[:k][np.round(means[order[k:]] @ means[order[:k]].T, 4).argmax(axis=1)]
    return np.asarray(into[labels])
