"""Unit vectors, and the highest of scores."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.memory.datatypes import Ints, Vectors


def unit(rows: NDArray[np.float32]) -> Vectors:
    """The rows scaled to unit length; rows of zeros stay. Shape (n, d)."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(lengths > 0, lengths, 1), np.float32)


def softmax(logits: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
    """The softmax of a vector, which may be empty: importing SciPy's takes longer than a turn."""
    masses = np.exp(logits - logits.max(initial=-np.inf))
    shares: NDArray[np.float64] = masses / masses.sum()
    return shares


def highest(scores: NDArray[np.floating[Any]], k: int, allowed: Ints | None = None) -> list[int]:
    """The places of the k highest scores, best first, ties by place."""
    places = np.arange(len(scores)) if allowed is None else allowed
    values = scores if allowed is None else scores[allowed]
    if k < len(values):
        worst = np.partition(values, len(values) - k)[len(values) - k]
        # All that tie with the k-th are kept here, so that which of them stays is not the partition's whim.
        kept = np.flatnonzero(values >= worst)
        places, values = places[kept], values[kept]
    return [int(place) for place in places[np.argsort(-values, kind="stable")][:k]]
