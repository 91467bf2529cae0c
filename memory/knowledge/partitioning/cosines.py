"""How alike nodes are to their neighbours and to their partitions, a slice of vectors at a time."""

import numpy as np
from numpy.typing import NDArray

from clew.memory.datatypes import Ints, Vectors
from clew.memory.nodes import NodeGraph

Cosines = NDArray[np.float32]

SLICE = 16_384
"""Pairs whose vectors are in memory at once."""


def edge_cosines(graph: NodeGraph, vectors: Vectors) -> Cosines:
    """Of the two ends of each edge; shape (edges,)."""
    return _paired(vectors, graph.sources, vectors, graph.targets)


def neighbour_cosines(graph: NodeGraph, vectors: Vectors) -> Cosines:
    """The mean over each node's edges, 0 where it has none; shape (count,)."""
    cosines = edge_cosines(graph, vectors)
    sums = np.bincount(graph.sources, cosines, graph.count) + np.bincount(graph.targets, cosines, graph.count)
    return np.asarray(sums / graph.degrees.clip(min=1), np.float32)


def centroid_cosines(vectors: Vectors, labels: Ints, centroids: Vectors) -> Cosines:
    """Of each node to its partition's centroid; shape (count,)."""
    return _paired(vectors, np.arange(len(labels)), centroids, labels)


def _paired(one: Vectors, rows: Ints, other: Vectors, columns: Ints) -> Cosines:
    found = np.zeros(len(rows), np.float32)
    for start in range(0, len(found), SLICE):
        part = slice(start, start + SLICE)
        found[part] = np.einsum("ij,ij->i", one[rows[part]], other[columns[part]])
    return found
