"""Vectors as directions, and the highest of their cosines."""

import numpy as np
from numpy.typing import NDArray

from clew.memory.datatypes import Ints, Vectors


def unit(rows: NDArray[np.float32]) -> Vectors:
    """Each row of unit length; a row of zeros stays. Shape (n, d)."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(lengths > 0, lengths, 1), np.float32)


def highest(scores: NDArray[np.float32], k: int, allowed: Ints | None = None) -> list[int]:
    """The places of the k highest scores, best first, ties by place."""
    places = np.arange(len(scores)) if allowed is None else allowed
    values = scores if allowed is None else scores[allowed]
    if k < len(values):
        worst = np.partition(values, len(values) - k)[len(values) - k]
        # All that tie with the k-th are kept here, so that which of them stays is not the partition's whim.
        kept = np.flatnonzero(values >= worst)
        places, values = places[kept], values[kept]
    return [int(place) for place in places[np.argsort(-values, kind="stable")][:k]]
