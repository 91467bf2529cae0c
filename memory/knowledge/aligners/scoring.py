"""Aligners at work: the scores of all partitions for a question, by NumPy alone, trained or not."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from pydantic import BaseModel, ConfigDict

from clew.memory.datatypes import Float32s, Floats, Form, Ints, Vector, Vectors
from clew.memory.knowledge.aligners.partition_words import PartitionWords
from clew.memory.knowledge.question import LibraryQuestion
from clew.memory.nodes import Partitioning

Loss = Literal["infonce", "bce"]
"""What a trained aligner minimised, and how its logits become probabilities."""


@dataclass(frozen=True, eq=False)
class FoundNodes:
    """`nodes` that tools found for a question, and `masses`, how much each counts; `walked` are the same after a walk,
    where there was one."""

    question: LibraryQuestion
    nodes: Ints
    masses: Floats
    walked: tuple[Ints, Floats] | None = None


class Aligner(Protocol):
    @property
    def name(self) -> str: ...

    def scores(self, found: FoundNodes) -> Float32s:
        """Shape (partitions,), higher is better; scales differ between aligners."""


@dataclass(frozen=True, eq=False)
class Centroid:
    """The cosine to each partition's centroid."""

    partitioning: Partitioning
    name: str = "centroid"

    def scores(self, found: FoundNodes) -> Float32s:
        return by_form(found.question, lambda form: self.partitioning.centroids @ form.vector)


@dataclass(frozen=True, eq=False)
class Votes:
    """The sum of the masses of the found nodes in each partition, before or after a walk."""

    partitioning: Partitioning
    name: Literal["votes", "walk"] = "votes"

    def scores(self, found: FoundNodes) -> Float32s:
        walked = found.walked if self.name == "walk" else None
        nodes, masses = walked or (found.nodes, found.masses)
        of_node = self.partitioning.of_node[nodes]
        return np.bincount(of_node, masses, self.partitioning.count).astype(np.float32)


def by_form(question: LibraryQuestion, scores: Callable[[Form], Float32s]) -> Float32s:
    """The scores of the question's forms, added by weight."""
    return np.asarray(np.sum([form.weight * scores(form) for form in question.query.forms], axis=0))


@dataclass(frozen=True, eq=False)
class Words:
    """What the question's words say of each partition, by the names of its nodes."""

    words: PartitionWords
    name: str = "words"

    def scores(self, found: FoundNodes) -> Float32s:
        return by_form(found.question, lambda form: self.words.scores(form.text)[0])


class TrainingRecord(BaseModel):
    """How an aligner was trained. `partitioning` is the fingerprint of its partitions; it learned from `learned`
    queries; `validation` is the loss on `validated` others at `epoch`, the best of `epochs`."""

    model_config = ConfigDict(frozen=True)

    model: str
    loss: Loss
    seed: int
    epoch: int
    epochs: int
    learned: int
    validated: int
    validation: float
    temperature: float
    partitions: int
    dimension: int
    partitioning: str
    encoder: str
    trained_on: str = "synthetic queries"


@dataclass(frozen=True, eq=False)
class TrainedAligner:
    """A trained aligner (`models`): `layers` of its query tower as pairs of weights and biases with ReLU between,
    `growth` of that tower, `partitions` the output of the other one (partitions, d), `mix` (1 + 3,)."""

    record: TrainingRecord
    layers: tuple[tuple[Float32s, Float32s], ...]
    growth: float
    partitions: Vectors
    mix: Float32s
    temperature: float
    bias: float
    words: PartitionWords

    @property
    def name(self) -> str:
        return f"{self.record.model}-{self.record.loss}"

    def scores(self, found: FoundNodes) -> Float32s:
        """Probabilities: of a softmax over the partitions for InfoNCE, each by itself for BCE."""
        return by_form(found.question, self._probabilities)

    def _probabilities(self, form: Form) -> Float32s:
        logits = self.logits(form.text, form.vector)
        if self.record.loss == "bce":
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
