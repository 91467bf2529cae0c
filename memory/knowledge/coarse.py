"""The chunks that are likeliest to be the nearest of very many, by a third of each vector.

An exact search reads every vector whole, and in a large library that is most of what a search takes. What is asked for
and what is there differ mostly along a few directions (the principal components of the chunks' vectors, which need not
be centred): along those all are compared, and whole are read only the best of these.
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from clew.memory.datatypes import Ints, Vectors
from clew.memory.files import mapped, new_array, within

FILE = "coarse.npy"
"""Of shape (d + n, m): d rows with the directions, then what the n vectors have along them."""

LEAST = 20_000
"""Vectors. Of fewer all are read: that takes less than 3 ms."""

DIRECTIONS = 128
KEPT, STEP = 4_000, 8
"""About so many are read whole: of 117,659 the hundred nearest are then nearly always the same (docs/figures.md). Every
so-manieth shows the bound."""

MOST_NEAREST = 200
"""More than these are looked for among all."""

SAMPLE = 10_000
SLICE = 10_000


def write_coarse(folder: Path, vectors: Vectors) -> None:
    """Of these vectors, (n, d); nothing where they are fewer than `LEAST`."""
    count, dimension = vectors.shape
    if count < LEAST:
        return
    sample = np.asarray(vectors[:: count // SAMPLE], np.float64)
    _, directions = np.linalg.eigh(sample.T @ sample)
    main = np.asarray(directions[:, ::-1][:, :DIRECTIONS], np.float32)
    made = new_array(folder, FILE, np.float32, (dimension + count, main.shape[1]))
    made[:dimension] = main
    for start in range(0, count, SLICE):
        made[dimension + start : dimension + start + SLICE] = vectors[start : start + SLICE] @ main
    made.flush()


class Coarse:
    """What `write_coarse` wrote of `count` vectors of d dimensions. Raises one of `disk.BROKEN`."""

    def __init__(self, generation: Path, count: int, dimension: int) -> None:
        whole = mapped(within(generation, FILE))
        if whole.ndim != 2 or len(whole) != dimension + count:
            raise ValueError(f"{FILE} is not of {count} vectors of {dimension} dimensions")
        self._directions, self._parts = whole[:dimension], whole[dimension:]

    def likely(self, questions: Vectors) -> list[Ints]:
        """Of each question, (q, d), the rows that are read whole, in their order."""
        scores = (self._parts @ (questions @ self._directions).T).T.copy()
        return [np.flatnonzero(of_one >= _least(of_one)) for of_one in scores]


def _least(scores: NDArray[np.float32]) -> float:
    """What about `KEPT` of them reach, as every so-manieth shows."""
    few = scores[::STEP]
    kept = max(0, len(few) - KEPT // STEP)
    return float(np.partition(few, kept)[kept])


def open_coarse(generation: Path, vectors: Vectors) -> Coarse | None:
    """None where it has none: there are few, or it was made before there was one."""
    return Coarse(generation, *vectors.shape) if within(generation, FILE).exists() else None
