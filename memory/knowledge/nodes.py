"""The graph of a library's nodes, and a partitioning of it, as arrays of numbers (C-RAG, seed 004).

A node is a chunk, and its number the chunk's row: in a graph folder that is a document, unless it is longer than the
encoder's window. Nothing here knows texts; `Layers` has the ids.
"""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from clew.memory.datatypes import Float32s, Ints, Vectors
from clew.memory.knowledge.arrays import Ragged, new_array, places, spread
from clew.memory.vectors import unit

if TYPE_CHECKING:
    from scipy.sparse import csr_array


PartitionMethod = Literal["hybrid", "leiden", "metis"]

NEXT, TITLE_LINK, SHARED = "next", "title link", "shared entity"
"""The relations of a library that is no graph folder; a graph folder has its own, and `next` in a long document."""

MOST_NEIGHBOURS = 48
"""Of a node that a look around it takes in, the strongest first: what a hub has more of says little."""


@dataclass(frozen=True, eq=False)
class Neighbours:
    """`lists` has for each node its neighbours by any edge, either way, each once, the strongest first. Of each pair of
    a node and a neighbour, in the order of `lists.values`: `strengths` is the sum of the weights of the edges between
    the two, at most 1; `balance` is what the neighbour counts in the mean over the kinds of edges
    (`NodeGraph.neighbour_mean`)."""

    lists: Ragged
    strengths: Float32s
    balance: Float32s

    @cached_property
    def degrees(self) -> Ints:
        """Neighbours of each node; shape (nodes,)."""
        return np.diff(self.lists.starts)

    def around(self, nodes: Ints) -> tuple[Ints, Ints]:
        """Places in `lists.values` of the strongest neighbours of the nodes, and the place in `nodes` of each."""
        starts = self.lists.starts[nodes]
        return spread(starts, np.minimum(self.lists.starts[nodes + 1], starts + MOST_NEIGHBOURS))


@dataclass(frozen=True, eq=False)
class NodeGraph:
    """Edge e leads from `sources[e]` to `targets[e]` and is a `relations[kinds[e]]`; `weights[e]`, above 0 and at most
    1, is how much it joins: 1, but for entities that many chunks share. Edges are in the order of source, target and
    kind, each once; an undirected one (`shared entity`) stands once, from its lower end. None joins a node with itself.
    """

    count: int
    sources: Ints
    targets: Ints
    kinds: Ints
    weights: Float32s
    relations: tuple[str, ...]

    @property
    def ends(self) -> Ints:
        """A node and the other end of each edge, of the edges one way and then the other; shape (2, 2 * edges)."""
        ends = np.stack([self.sources, self.targets])
        return np.concatenate([ends, ends[::-1]], axis=1)

    @cached_property
    def by_end(self) -> Ragged:
        """For each node the edges that leave or enter it, rising."""
        return Ragged.grouped(self.ends[0], self.count, np.tile(np.arange(len(self.sources)), 2))

    @cached_property
    def degrees(self) -> Ints:
        """Edges that leave or enter each node; shape (count,)."""
        return np.diff(self.by_end.starts)

    def adjacency(self) -> "csr_array":
        """Symmetric, of shape (count, count): the sum of the weights between two nodes, either way."""
        from scipy.sparse import csr_array

        return csr_array((np.tile(self.weights, 2), self.ends), shape=(self.count, self.count))

    def neighbour_mean(self) -> "csr_array":
        """P, the mean over the kinds of edges that a node has, of each kind over its edges, so that hundreds of one
        kind do not drown one of another. Shape (count, count); the row of a node without edges is 0."""
        from scipy.sparse import csr_array, diags_array

        kinds = 2 * max(1, len(self.relations))
        of_kind = self.ends[0] * kinds + np.concatenate([self.kinds, self.kinds + len(self.relations)])
        _, group, size = np.unique(of_kind, return_inverse=True, return_counts=True)
        weights = np.tile(self.weights, 2) / size[group.reshape(-1)]
        joined = csr_array((weights, self.ends), shape=(self.count, self.count))
        sums = np.asarray(joined.sum(axis=1)).reshape(-1)
        return csr_array(diags_array(1 / sums.clip(1e-9), dtype=np.float32) @ joined.astype(np.float32))

    @cached_property
    def neighbours(self) -> Neighbours:
        count, (from_, to) = max(1, self.count), self.ends
        pairs, of_pair = np.unique(from_ * count + to, return_inverse=True)
        strengths = np.bincount(of_pair.reshape(-1), np.tile(self.weights, 2), len(pairs)).clip(max=1)
        mean = self.neighbour_mean().tocoo()
        balance = np.zeros(len(pairs), np.float32)
        balance[np.searchsorted(pairs, mean.row.astype(np.int64) * count + mean.col)] = mean.data
        nodes, others = pairs // count, pairs % count
        order = np.lexsort((others, -strengths, nodes))
        starts = np.searchsorted(nodes, np.arange(self.count + 1))
        return Neighbours(Ragged(starts, others[order]), strengths[order].astype(np.float32), balance[order])


@dataclass(frozen=True, eq=False)
class Partitioning:
    """Every node is in one partition: node n in `of_node[n]`, numbers from 0 without a gap. `size` is the most nodes
    that a partition was to have (0: no limit). `names[p]` are the most telling terms of p; `centroids[p]` is the mean
    of its nodes' vectors, of unit length, shape (partitions, d).

    `hub_nodes`, rising, hold the graph together and say little (dates, stubs, generic hubs: seed 004's "partition 0"):
    nothing lands on them, a walk may pass through.
    """

    method: PartitionMethod
    size: int
    of_node: Ints
    names: tuple[str, ...]
    centroids: Vectors
    hub_nodes: Ints

    @property
    def count(self) -> int:
        return len(self.names)

    @cached_property
    def members(self) -> Ragged:
        """For each partition its nodes, rising."""
        return Ragged.grouped(self.of_node, self.count)


@dataclass(frozen=True, eq=False)
class Cells:
    """The edges of a graph by the two partitions that they join, which need not be different: for p <= q the edges of
    list `place` with `keys[place] == p * count + q`; `keys` rise. Those of p < q are the bridge edges of p and q."""

    count: int
    keys: Ints
    edges: Ragged

    def among(self, partitions: Ints) -> Ints:
        """The edges within and between these partitions, cell after cell."""
        chosen = np.unique(partitions)
        low, high = np.triu_indices(len(chosen))
        at, _ = places(self.keys, chosen[low] * self.count + chosen[high])
        return self.edges.of(at)[0]

    @property
    def bridges(self) -> NDArray[np.bool_]:
        """Which of the cells join two different partitions."""
        return np.asarray(self.keys // self.count != self.keys % self.count)

    def bridge_pairs(self) -> tuple[Ints, NDArray[np.float64]]:
        """The pairs of partitions that bridge edges join, shape (2, pairs), and how many join each."""
        between = np.flatnonzero(self.bridges)
        ends = np.stack([self.keys[between] // self.count, self.keys[between] % self.count])
        return ends, np.diff(self.edges.starts)[between].astype(np.float64)


def cells_of(graph: NodeGraph, partitioning: Partitioning) -> Cells:
    """Group the edges of a graph by the pair of partitions that they join (the same twice for an edge within one)."""
    ends = np.sort(np.stack([partitioning.of_node[graph.sources], partitioning.of_node[graph.targets]]), axis=0)
    keys, groups = np.unique(ends[0] * partitioning.count + ends[1], return_inverse=True)
    return Cells(partitioning.count, keys, Ragged.grouped(groups.reshape(-1), len(keys)))


PartitionLabels = Ints  # of each node the number of its partition, from 0 without a gap
SLICE = 2048  # pairs whose vectors are in memory at once


def numbered(labels: Ints) -> PartitionLabels:
    """The same partitions, in the order of their lowest nodes."""
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    numbers = np.empty(len(first), np.int64)
    numbers[np.argsort(first)] = np.arange(len(first))
    return numbers[inverse.reshape(-1)]


def sums_of(labels: PartitionLabels, count: int, vectors: Vectors) -> Vectors:
    """The sum of each partition's vectors, shape (count, d)."""
    starts, order = Ragged.grouped(labels, count)
    sums = np.zeros((count, vectors.shape[1]), np.float32)
    whole = np.flatnonzero(np.diff(starts))  # reduceat would give an empty one the next one's vector
    if len(whole):
        sums[whole] = np.add.reduceat(vectors[order], starts[whole], axis=0)
    return sums


def paired_cosines(one: Vectors, rows: Ints, other: Vectors, columns: Ints) -> Float32s:
    """The cosine of each row of `one` with the row of `other` at the same place; shape (rows,)."""
    found = np.zeros(len(rows), np.float32)
    for start in range(0, len(found), SLICE):
        part = slice(start, start + SLICE)
        found[part] = np.einsum("ij,ij->i", one[rows[part]], other[columns[part]])
    return found


FILE = "smoothed.npy"
COLUMNS = 64  # dimensions smoothed at a time: what bounds the memory


def write_smoothed(folder: Path, graph: NodeGraph, vectors: Vectors) -> None:
    """Each node's vector smoothed over the graph, s = unit(v + P v + P P v / 2), where P is `NodeGraph.neighbour_mean`:
    a simple graph convolution (Wu et al. 2019, arXiv 1902.07153) with nothing to learn.

    Shape (nodes, d), float16: a cosine needs no more, and a walk reads half as much."""
    mean = graph.neighbour_mean()
    smoothed = new_array(folder, FILE, np.float16, vectors.shape)
    for start in range(0, vectors.shape[1], COLUMNS):
        own = np.asarray(vectors[:, start : start + COLUMNS], np.float32)
        once = mean @ own
        smoothed[:, start : start + COLUMNS] = own + once + 0.5 * (mean @ once)
    for start in range(0, len(vectors), 4096):
        smoothed[start : start + 4096] = unit(smoothed[start : start + 4096].astype(np.float32))
    smoothed.flush()
