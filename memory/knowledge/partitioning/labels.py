"""What the methods have in common: labels, which say for each node its partition, and graphs of some nodes alone."""

from typing import TYPE_CHECKING

import numpy as np

from clew.memory.datatypes import Ints, Vectors
from clew.memory.ragged import Ragged

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Labels = Ints
"""Of each node the number of its partition, from 0 without a gap."""


def numbered(labels: Ints) -> Labels:
    """The same partitions, in the order of their lowest nodes."""
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    numbers = np.empty(len(first), np.int64)
    numbers[np.argsort(first)] = np.arange(len(first))
    return numbers[inverse.reshape(-1)]


def among(adjacency: "csr_array", nodes: Ints) -> "csr_array":
    return adjacency[nodes][:, nodes]


def sums_of(labels: Labels, count: int, vectors: Vectors) -> Vectors:
    """The sum of each partition's vectors, shape (count, d). Its memory is that of one slice of nodes and the sums."""
    starts, order = Ragged.grouped(labels, count)
    sums = np.zeros((count, vectors.shape[1]), np.float32)
    whole = np.flatnonzero(np.diff(starts))  # reduceat would give an empty one the next one's vector
    if len(whole):
        sums[whole] = np.add.reduceat(vectors[order], starts[whole], axis=0)
    return sums
