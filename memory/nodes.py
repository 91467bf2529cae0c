"""The graph of a library's nodes, and a partitioning of it, as arrays of numbers (C-RAG, seed 004).

A node is a chunk, and its number the chunk's row: in a graph folder that is a document, unless it is longer than the
encoder's window. Nothing here knows texts; `Layers` has the ids.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from clew.memory.datatypes import Ints, Vectors
from clew.memory.ragged import Ragged

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Weights = NDArray[np.float32]
PartitionMethod = Literal["hybrid", "leiden", "metis"]

NEXT, TITLE_LINK, SHARED = "next", "title link", "shared entity"
"""The relations of a library that is no graph folder; a graph folder has its own, and `next` in a long document."""


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
    weights: Weights
    relations: tuple[str, ...]

    @cached_property
    def by_end(self) -> Ragged:
        """Of each node the edges that leave or enter it, rising."""
        edges = np.tile(np.arange(len(self.sources)), 2)
        return Ragged.grouped(np.concatenate([self.sources, self.targets]), self.count, edges)

    @cached_property
    def degrees(self) -> Ints:
        """Edges that leave or enter each node; shape (count,)."""
        return np.diff(self.by_end.starts)

    def adjacency(self) -> "csr_array":
        """Symmetric, of shape (count, count): the sum of the weights between two nodes, either way."""
        from scipy.sparse import csr_array

        ends = np.concatenate([self.sources, self.targets]), np.concatenate([self.targets, self.sources])
        return csr_array((np.tile(self.weights, 2), ends), shape=(self.count, self.count))


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
        """Of each partition its nodes, rising."""
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
        wanted = chosen[low] * self.count + chosen[high]
        places = np.searchsorted(self.keys, wanted).clip(max=max(0, len(self.keys) - 1))
        known = self.keys[places] == wanted if len(self.keys) else np.zeros(len(wanted), dtype=bool)
        return self.edges.of(places[known])[0]

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
    ends = np.sort(np.stack([partitioning.of_node[graph.sources], partitioning.of_node[graph.targets]]), axis=0)
    keys, groups = np.unique(ends[0] * partitioning.count + ends[1], return_inverse=True)
    return Cells(partitioning.count, keys, Ragged.grouped(groups.reshape(-1), len(keys)))
