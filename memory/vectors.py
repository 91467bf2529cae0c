"""Unit vectors, the highest of scores, and a small linear model over vectors and words."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.memory.datatypes import Floats, Ints, Vectors


def unit(rows: NDArray[np.float32]) -> Vectors:
    """The rows scaled to unit length; rows of zeros stay. Shape (n, d)."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(lengths > 0, lengths, 1), np.float32)


def softmax(logits: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
    """The softmax of a vector, which may be empty: importing SciPy's takes longer than a turn."""
    masses = np.exp(logits - logits.max(initial=-np.inf))
    shares: NDArray[np.float64] = masses / masses.sum()
    return shares


@dataclass(frozen=True, slots=True, eq=False)
class Softmax:
    """A softmax over `classes`: `weights` of a text's vector, shape (d, classes), and weights of its `features` by
    class."""

    classes: tuple[str, ...]
    intercepts: Floats
    weights: Floats
    features: Mapping[str, Mapping[str, float]]

    @classmethod
    def of(cls, said: Mapping[str, Any], classes: Sequence[str]) -> "Softmax":
        """The one that a trainer wrote as JSON."""
        return cls(tuple(classes), np.array(said["intercepts"]), np.array(said["weights"]), said["features"])

    def probabilities(self, vector: NDArray[np.floating], words: Sequence[str]) -> dict[str, float]:
        """The probability of each class for a text with this vector and these words."""
        totals = self.intercepts + vector @ self.weights
        for feature in ngrams(words):
            for place, weight in self.features.get(feature, {}).items():
                totals[int(place)] += weight
        return dict(zip(self.classes, softmax(totals).tolist(), strict=True))


@cache
def softmax_at(path: Path, classes: tuple[str, ...]) -> Softmax:
    """A softmax that comes with Clew; `python -m tests.training.NAME` fits the file of that name."""
    return Softmax.of(json.loads(path.read_text("utf-8")), classes)


def ngrams(words: Sequence[str]) -> list[str]:
    """Words and pairs of neighbours, each once."""
    pairs = [f"{one} {other}" for one, other in zip(["^", *words], [*words, "$"], strict=True)]
    return list(dict.fromkeys([*words, *pairs]))


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
