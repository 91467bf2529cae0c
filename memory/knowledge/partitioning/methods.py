"""The methods that divide the graph of a library's nodes (seed 004, section 2): Leiden (Traag, Waltman, van Eck 2019),
which makes communities of highest modularity, and the hybrid method, the default.
"""

import heapq
import random
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from clew.memory.datatypes import Float32s, Ints, Vectors
from clew.memory.knowledge.layers import DetectionParameters
from clew.memory.knowledge.nodes import NodeGraph, PartitionLabels, numbered, paired_cosines, sums_of
from clew.memory.vectors import unit

if TYPE_CHECKING:
    from scipy.sparse import csr_array

SEED = 42
USUAL = DetectionParameters()


def leiden_partition_into(graph: NodeGraph, vectors: Vectors, k: int) -> PartitionLabels:
    """Divide into about k partitions by repeated Leiden: the largest one is divided again, until k are at least half as
    large as the mean should be, or none can be divided. The rest, nodes without edges included, joins the nearest in
    meaning of the k largest. `vectors` has shape (nodes, d)."""
    adjacency = graph.adjacency()
    labels = _divided(adjacency, numbered(communities(adjacency)), k, -(-graph.count // (2 * k)))
    return numbered(_joined(numbered(labels), vectors, k))


def communities(adjacency: "csr_array") -> Ints:
    """Return the number of each node's community by Leiden, of any size and number. None spans two components."""
    if not adjacency.nnz:
        return np.arange(adjacency.shape[0])
    from scipy.sparse import triu

    upper = triu(adjacency).tocoo()
    return optimised(adjacency.shape[0], np.stack([upper.row, upper.col]), upper.data)


def optimised(
    count: int,
    ends: NDArray[np.integer],
    weights: NDArray[np.floating],
    parameters: DetectionParameters = USUAL,
) -> Ints:
    """Return the number of each node's community by modularity, with Leiden or Louvain (Blondel et al. 2008). `ends`
    has shape (2, edges), `weights` (edges,)."""
    import igraph

    graph = igraph.Graph(n=count, edges=ends.T.tolist())
    igraph.set_random_number_generator(random.Random(parameters.seed))  # noqa: S311 an order, not a secret
    try:
        if parameters.method == "louvain":
            found = graph.community_multilevel(weights.tolist())
        else:
            found = graph.community_leiden("modularity", weights.tolist(), n_iterations=parameters.iterations)
    finally:
        igraph.set_random_number_generator(random)
    return np.array(found.membership, np.int64)


def _divided(adjacency: "csr_array", labels: PartitionLabels, k: int, least: int) -> Ints:
    """Divide the largest partitions until k have at least `least` nodes; a division with fewer than two such parts is
    undone."""
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


ISLAND = 0.5
"""A part of less than this share of `size` is an island: the seed's 100 of 200."""

ORPHAN = 0.75
"""The same of an orphan, once all is divided. With the seed's half, bins stay emptier and there are more of them."""

FAINT = 0.1
"""The least that the cosine of an edge's ends counts."""

NEAREST = 8
"""Neighbours that an island considers in a round."""

REFUSED = 0.9
"""Leiden has not divided a partition where one community keeps this share of its nodes."""

ISLANDS_COMPARED, ORPHANS_COMPARED = 4096, 2048
"""Partitions whose cosines to each other are in memory at once."""

DIGITS = 4
"""Cosines that agree in so many digits count as the same, and the lower number goes first."""


def hybrid_partition(graph: NodeGraph, vectors: Vectors, size: int) -> PartitionLabels:
    """Into partitions of 1 to `size` nodes; `vectors` are the nodes', shape (count, d).
    1. Leiden divides the graph, its edges weighted by the squared cosine of their ends.
    2. Islands, partitions of less than half the size, join the partition nearest in meaning that has room.
    3. What is above the size is divided by Leiden again and again, by METIS where Leiden keeps nearly all together.
    4. Orphans, what is then under three quarters of the size, are packed with the nearest in meaning."""
    cosines = paired_cosines(vectors, graph.sources, vectors, graph.targets)
    weights = graph.weights * cosines.clip(FAINT) ** 2  # without them partitions cohere less
    adjacency = replace(graph, weights=weights).adjacency()
    labels = numbered(communities(adjacency))
    labels = numbered(merged(labels, vectors, size, max(1, round(size * ISLAND))))
    labels = numbered(split(adjacency, labels, size))
    return numbered(packed(labels, vectors, size, max(1, round(size * ORPHAN))))


def merged(labels: PartitionLabels, vectors: Vectors, size: int, small: int) -> Ints:
    """Phase 1: join partitions of fewer than `small` nodes to others, nearest centroids first, where both together have
    at most `size` nodes. Repeats, as centroids move, until none can be joined. `vectors` has shape (nodes, d)."""
    sizes = np.bincount(labels)
    sums, into = sums_of(labels, len(sizes), vectors), np.arange(len(sizes))
    while True:
        open_ = np.flatnonzero((into == np.arange(len(sizes))) & (sizes < size))
        leaving, staying = _matched(*_candidates(open_, sums, sizes, size, small), sizes.copy(), size)
        if not len(leaving):
            return np.asarray(into[labels])
        np.add.at(sums, staying, sums[leaving])
        np.add.at(sizes, staying, sizes[leaving])
        moves = np.arange(len(sizes))
        moves[leaving] = staying
        into = moves[into]


def split(adjacency: "csr_array", labels: PartitionLabels, size: int) -> Ints:
    """Phase 2: divide each partition of more than `size` nodes by Leiden until none is larger, or by METIS where Leiden
    does not divide. The numbers that are returned may have gaps."""
    labels, sizes = labels.copy(), np.bincount(labels)
    waiting, count = [np.flatnonzero(labels == label) for label in np.flatnonzero(sizes > size)], len(sizes)
    while waiting:
        nodes = waiting.pop()
        part = adjacency[nodes][:, nodes]
        inner = communities(part)
        if np.bincount(inner).max() > REFUSED * len(nodes):
            inner = capped(part, size)
        labels[nodes], parts = count + inner, np.bincount(inner)
        count += len(parts)
        waiting += [nodes[inner == label] for label in np.flatnonzero(parts > size)]
    return labels


def packed(labels: PartitionLabels, vectors: Vectors, size: int, small: int) -> Ints:
    """Phase 3: pack partitions of fewer than `small` nodes into bins of at most `size`. The largest one left opens a
    bin; then the one nearest to the bin's current centroid that fits is added, until none fits. `vectors` has shape
    (nodes, d)."""
    sizes = np.bincount(labels)
    orphans = np.flatnonzero(sizes < small)
    sums, bins = sums_of(labels, len(sizes), vectors)[orphans], np.arange(len(sizes))
    for block in _blocks(unit(sums), ORPHANS_COMPARED):
        bins[orphans[block]] = orphans[block][_bins(sums[block], sizes[orphans[block]], size)]
    return np.asarray(bins[labels])


def _candidates(open_: Ints, sums: Vectors, sizes: Ints, size: int, small: int) -> tuple[Ints, Ints]:
    """Return pairs of a small partition and one that has room for it, the most alike first."""
    blocks = _blocks(unit(sums[open_]), ISLANDS_COMPARED)
    found = [_near(open_[block], sums, sizes, size, small) for block in blocks]
    cosines, islands, others = (np.concatenate(parts) for parts in zip(*found, strict=True))
    order = np.lexsort((others, islands, -cosines))
    return islands[order], others[order]


def _near(among: Ints, sums: Vectors, sizes: Ints, size: int, small: int) -> tuple[Float32s, Ints, Ints]:
    means = unit(sums[among])
    rows = np.flatnonzero(sizes[among] < small)
    cosines = np.round(means[rows] @ means.T, DIGITS)
    cosines[sizes[among][rows][:, None] + sizes[among] > size] = -np.inf
    cosines[np.arange(len(rows)), rows] = -np.inf
    most = min(NEAREST, len(among))
    places = np.argpartition(-cosines, most - 1, axis=1)[:, :most] if len(rows) else np.zeros((0, most), np.int64)
    nearest = np.take_along_axis(cosines, places, axis=1).reshape(-1)
    fits = np.isfinite(nearest)
    return nearest[fits], np.repeat(among[rows], most)[fits], among[places.reshape(-1)][fits]


def _matched(islands: Ints, others: Ints, sizes: Ints, size: int) -> tuple[Ints, Ints]:
    """Choose among the pairs, in their order, so that no partition both joins another and is joined."""
    gone: dict[int, int] = {}
    joined: set[int] = set()
    for island, other in zip(islands.tolist(), others.tolist(), strict=True):
        if island in gone or island in joined or other in gone or sizes[island] + sizes[other] > size:
            continue
        gone[island] = other
        joined.add(other)
        sizes[other] += sizes[island]
    return np.array(list(gone), np.int64), np.array(list(gone.values()), np.int64)


def _bins(sums: Vectors, sizes: Ints, size: int) -> Ints:
    """Return for each small partition the one that opened its bin."""
    means, begun, left = unit(sums), np.full(len(sizes), -1), np.ones(len(sizes), dtype=bool)
    for first in np.lexsort((np.arange(len(sizes)), -sizes)):
        if not left[first]:
            continue
        total, room, nearest = sums[first].copy(), size - int(sizes[first]), first
        while True:
            begun[nearest], left[nearest] = first, False
            fitting = np.flatnonzero(left & (sizes <= room))
            if not len(fitting):
                break
            nearest = fitting[np.round(means[fitting] @ (total / np.linalg.norm(total).clip(1e-9)), DIGITS).argmax()]
            total += sums[nearest]
            room -= int(sizes[nearest])
    return begun


def _blocks(vectors: Vectors, most: int) -> list[Ints]:
    """Divide rows into at least one block of similar ones, at most `most` in each, by halving at the median of their
    main direction."""
    waiting, found = [np.arange(len(vectors))], list[Ints]()
    while waiting:
        rows = waiting.pop()
        if len(rows) <= most:
            found.append(rows)
            continue
        order = rows[np.argsort(_along(vectors[rows]), kind="stable")]
        half = len(rows) // 2
        waiting += [np.sort(order[half:]), np.sort(order[:half])]
    return found


def _along(vectors: Vectors) -> Vectors:
    """Return the position of each vector along the direction of greatest variance, shape (n,)."""
    from sklearn.decomposition import PCA

    return np.asarray(np.round(PCA(1, random_state=SEED).fit_transform(vectors)[:, 0], DIGITS), np.float32)


# METIS: parts of about one size with few edges between them (seed 004, section 2, the baseline) ----------------------

STEPS = 1000
"""METIS takes whole numbers as weights: this many for 1."""

HEADROOM = 0.9
"""Of the size that a part may have, the share that is aimed at: METIS keeps to a size only roughly."""


def capped(adjacency: "csr_array", size: int) -> Ints:
    """Divide the graph by METIS into parts of at most `size` nodes; parts that come out larger are divided again."""
    count = adjacency.shape[0]
    labels = cut(adjacency, -(-count // max(1, int(size * HEADROOM))) if count > size else 1)
    sizes = np.bincount(labels)
    for label in np.flatnonzero(sizes > size):
        nodes = np.flatnonzero(labels == label)
        inner = capped(adjacency[nodes][:, nodes], size) if len(nodes) < len(labels) else _in_order(len(nodes), size)
        labels[nodes] = np.where(inner == 0, label, labels.max() + inner)
    return labels


def cut(adjacency: "csr_array", k: int) -> Ints:
    """Divide the graph by METIS into k parts of about equal size. The numbers have gaps if METIS leaves parts empty."""
    count = adjacency.shape[0]
    if k <= 1 or not adjacency.nnz or k >= count:
        return _in_order(count, -(-count // max(1, k)))
    import pymetis

    whole = (adjacency.data * STEPS).round().clip(1).astype(np.int32)
    joined = pymetis.CSRAdjacency(adjacency.indptr.astype(np.int32), adjacency.indices.astype(np.int32))
    cut_up = pymetis.part_graph(k, joined, eweights=whole, options=pymetis.Options(seed=SEED))
    return np.array(cut_up.vertex_part, np.int64)


def _in_order(count: int, size: int) -> Ints:
    return np.arange(count) // max(1, size)
