"""What the methods share: labels, which give each node its partition, and sums and cosines of the nodes' vectors."""

import numpy as np

from clew.memory.datatypes import Float32s, Ints, Vectors
from clew.memory.nodes import NodeGraph
from clew.memory.vectors import Ragged

PartitionLabels = Ints
"""Of each node the number of its partition, from 0 without a gap."""

SLICE = 2048
"""Pairs whose vectors are in memory at once."""


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


def edge_cosines(graph: NodeGraph, vectors: Vectors) -> Float32s:
    """Of the two ends of each edge; shape (edges,)."""
    return paired_cosines(vectors, graph.sources, vectors, graph.targets)


def paired_cosines(one: Vectors, rows: Ints, other: Vectors, columns: Ints) -> Float32s:
    """Of each row of `one` and the row of `other` at the same place; shape (rows,)."""
    found = np.zeros(len(rows), np.float32)
    for start in range(0, len(found), SLICE):
        part = slice(start, start + SLICE)
        found[part] = np.einsum("ij,ij->i", one[rows[part]], other[columns[part]])
    return found
