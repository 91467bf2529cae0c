"""Phase 1 of the hybrid method (seed 004, 2b): islands join what is nearest to them in meaning, where there is room."""

import numpy as np
from numpy.typing import NDArray

from clew.memory.datatypes import Ints, Vectors
from clew.memory.knowledge.partitioning.blocks import blocks
from clew.memory.knowledge.partitioning.labels import Labels, sums_of
from clew.memory.unit import unit

NEAREST = 8
"""Neighbours that an island asks in a round."""

BLOCK = 4096
"""Partitions that are compared with each other at once."""

DIGITS = 4
"""Of a cosine: what is closer than that is the same, and the lower number goes first."""


def merged(labels: Labels, vectors: Vectors, size: int, small: int) -> Ints:
    """Partitions of fewer than `small` nodes joined to others, nearest centroids first, where both together have at
    most `size` nodes: round by round, as centroids move, until none finds room. `vectors` are the nodes'."""
    count = int(labels.max(initial=-1)) + 1
    sums, sizes, into = sums_of(labels, count, vectors), np.bincount(labels, minlength=count), np.arange(count)
    while True:
        open_ = np.flatnonzero((into == np.arange(count)) & (sizes < size))
        leaving, staying = _matched(*_candidates(open_, sums, sizes, size, small), sizes.copy(), size)
        if not len(leaving):
            return np.asarray(into[labels])
        np.add.at(sums, staying, sums[leaving])
        np.add.at(sizes, staying, sizes[leaving])
        moves = np.arange(count)
        moves[leaving] = staying
        into = moves[into]


def _candidates(open_: Ints, sums: Vectors, sizes: Ints, size: int, small: int) -> tuple[Ints, Ints]:
    """Pairs of an island and a partition that has room for it, most alike first."""
    found = [_near(open_[block], sums, sizes, size, small) for block in blocks(unit(sums[open_]), BLOCK)]
    cosines, islands, others = (np.concatenate(parts) for parts in zip(*found, strict=True))
    order = np.lexsort((others, islands, -cosines))
    return islands[order], others[order]


def _near(among: Ints, sums: Vectors, sizes: Ints, size: int, small: int) -> tuple[NDArray[np.float32], Ints, Ints]:
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
    """Which islands go where, pair by pair: none leaves that was joined, and none is joined that left."""
    gone: dict[int, int] = {}
    joined: set[int] = set()
    for island, other in zip(islands.tolist(), others.tolist(), strict=True):
        if island in gone or island in joined or other in gone or sizes[island] + sizes[other] > size:
            continue
        gone[island] = other
        joined.add(other)
        sizes[other] += sizes[island]
    return np.array(list(gone), np.int64), np.array(list(gone.values()), np.int64)
