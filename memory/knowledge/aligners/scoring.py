"""Aligners at work: the scores of all partitions for a question, by NumPy alone, trained or not."""

from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from clew.memory.datatypes import Float32s, Ints, Vector, Vectors
from clew.memory.knowledge.aligners.partition_words import PartitionWords
from clew.memory.nodes import Partitioning

Loss = Literal["infonce", "bce"]
"""What a trained aligner minimised, and how its logits become probabilities."""


@dataclass(frozen=True, eq=False)
class Asked:
    """A question with its vector; `rows` are the nodes that tools found for it, and `masses` how much each counts;
    `walked` are the same after a walk, where there was one."""

    text: str
    vector: Vector
    rows: Ints
    masses: NDArray[np.float64]
    walked: tuple[Ints, NDArray[np.float64]] | None = None


class Aligner(Protocol):
    @property
    def name(self) -> str: ...

    def scores(self, asked: Asked) -> Float32s:
        """Shape (partitions,), higher is better; scales differ between aligners."""


@dataclass(frozen=True, eq=False)
class Centroid:
    """The cosine to each partition's centroid."""

    partitioning: Partitioning
    name: str = "centroid"

    def scores(self, asked: Asked) -> Float32s:
        return np.asarray(self.partitioning.centroids @ asked.vector)


@dataclass(frozen=True, eq=False)
class Votes:
    """The sum of the masses of the found nodes in each partition."""

    partitioning: Partitioning
    name: str = "votes"

    def scores(self, asked: Asked) -> Float32s:
        return _summed(asked.rows, asked.masses, self.partitioning)


@dataclass(frozen=True, eq=False)
class WalkVotes:
    """The sum of the masses after a walk: what a walk says of the partitions, not what it begins with."""

    partitioning: Partitioning
    name: str = "walk"

    def scores(self, asked: Asked) -> Float32s:
        return _summed(*(asked.walked or (asked.rows, asked.masses)), self.partitioning)


def _summed(rows: Ints, masses: NDArray[np.float64], partitioning: Partitioning) -> Float32s:
    return np.bincount(partitioning.of_node[rows], masses, partitioning.count).astype(np.float32)


@dataclass(frozen=True, eq=False)
class Words:
    """What the question's words say of each partition, by the names of its nodes."""

    words: PartitionWords
    name: str = "words"

    def scores(self, asked: Asked) -> Float32s:
        return np.asarray(self.words.scores(asked.text)[0])


@dataclass(frozen=True, eq=False)
class TrainedAligner:
    """A trained aligner (`models`): `layers` of its query tower as pairs of weights and biases with ReLU between,
    `growth` of that tower, `partitions` the output of the other one (partitions, d), `mix` (1 + 3,)."""

    model: str
    loss: Loss
    layers: tuple[tuple[Float32s, Float32s], ...]
    growth: float
    partitions: Vectors
    mix: Float32s
    temperature: float
    bias: float
    words: PartitionWords

    @property
    def name(self) -> str:
        return f"{self.model}-{self.loss}"

    def scores(self, asked: Asked) -> Float32s:
        """Probabilities: of a softmax over the partitions for InfoNCE, each by itself for BCE."""
        logits = self.logits(asked.text, asked.vector)
        if self.loss == "bce":
            return np.asarray(1 / (1 + np.exp(-logits.clip(-60, 60))))
        shares = np.exp(logits - logits.max())
        return np.asarray(shares / shares.sum())

    def logits(self, text: str, vector: Vector) -> Float32s:
        meaning = self.mix[0] * (self.partitions @ self._question(vector))
        said = self.mix[1:] @ self.words.scores(text)
        return np.asarray((meaning + said) / np.float32(self.temperature) + np.float32(self.bias))

    def _question(self, vector: Vector) -> Vector:
        values = vector
        for place, (weights, biases) in enumerate(self.layers):
            values = weights @ (np.maximum(values, 0) if place else values) + biases
        grown = vector + np.float32(self.growth) * values
        return np.asarray(grown / np.linalg.norm(grown).clip(1e-12))
