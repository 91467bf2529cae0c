"""The hybrid method (seed 004, section 2b): Leiden's topics, none too big, and islands put where they mean to be."""

from dataclasses import replace
from typing import TYPE_CHECKING

from clew.memory.datatypes import Vectors
from clew.memory.knowledge.partitioning.cosines import edge_cosines
from clew.memory.knowledge.partitioning.labels import Labels, numbered
from clew.memory.knowledge.partitioning.leiden import communities
from clew.memory.knowledge.partitioning.merging import merged
from clew.memory.knowledge.partitioning.packing import packed
from clew.memory.knowledge.partitioning.splitting import split
from clew.memory.nodes import NodeGraph

if TYPE_CHECKING:
    from scipy.sparse import csr_array

ISLAND = 0.5
"""A part of less than this share of `size` is an island: the seed's 100 of 200."""

ORPHAN = 0.75
"""The same of an orphan, once all is divided. With the seed's half, bins stay emptier and there are more of them."""

FAINT = 0.1
"""The least that the cosine of an edge's ends counts."""


def partition(graph: NodeGraph, vectors: Vectors, size: int) -> Labels:
    """Into partitions of 1 to `size` nodes; `vectors` are the nodes', shape (count, d)."""
    adjacency = _meant(graph, vectors)
    labels = numbered(communities(adjacency))
    labels = numbered(merged(labels, vectors, size, _share(size, ISLAND)))
    labels = numbered(split(adjacency, labels, size))
    return numbered(packed(labels, vectors, size, _share(size, ORPHAN)))


def _meant(graph: NodeGraph, vectors: Vectors) -> "csr_array":
    """An edge counts as much as its ends are alike, squared: the seed's has no weights, and coheres less."""
    return replace(graph, weights=graph.weights * edge_cosines(graph, vectors).clip(FAINT) ** 2).adjacency()


def _share(size: int, of_size: float) -> int:
    return max(1, round(size * of_size))
