"""Phase 3 of the hybrid method (seed 004, 2b): orphans packed into partitions by meaning."""

import numpy as np

from clew.memory.datatypes import Ints, Vectors
from clew.memory.knowledge.partitioning.blocks import blocks
from clew.memory.knowledge.partitioning.labels import Labels, sums_of
from clew.memory.unit import unit

BLOCK = 2048
"""Orphans among which a bin looks for the nearest."""

DIGITS = 4


def packed(labels: Labels, vectors: Vectors, size: int, small: int) -> Ints:
    """Partitions of fewer than `small` nodes packed: the biggest left begins a bin, then the one nearest to the *bin's*
    centroid, as it is by then, that still fits, until none does. `vectors` are the nodes'."""
    count = int(labels.max(initial=-1)) + 1
    sizes = np.bincount(labels, minlength=count)
    orphans = np.flatnonzero(sizes < small)
    sums, bins = sums_of(labels, count, vectors)[orphans], np.arange(count)
    for block in blocks(unit(sums), BLOCK):
        bins[orphans[block]] = orphans[block][_bins(sums[block], sizes[orphans[block]], size)]
    return np.asarray(bins[labels])


def _bins(sums: Vectors, sizes: Ints, size: int) -> Ints:
    """Of each orphan the one that its bin began with."""
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
