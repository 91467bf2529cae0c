"""Aligners at work: the scores of all partitions for a question, by NumPy alone, trained or not."""

from array import array
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

from clew.memory.datatypes import Float32s, Floats, Form, Ints, Vector, Vectors
from clew.memory.knowledge.question import LibraryQuestion
from clew.memory.knowledge.tokens import idf_of
from clew.memory.nodes import Partitioning
from clew.memory.text import content_words

FIELDS = ("named", "fullest", "written")


@dataclass(frozen=True, eq=False)
class PartitionWords:
    """What words say of a partition: an inverted list from stems to partitions, in three fields.

    - named: how many of its nodes' names the stem is in, each counted by the square of the stem's share of the name
    - fullest: the largest such share, 1 where a node is called by this word alone
    - written: how often its nodes' texts have it

    A share is by rarity (idf). `named` and `written` are counts x, saturated to x / (x + 1) as BM25 does with k1 = 1.
    In a question a stem weighs its squared idf, as a share of all its stems': in a cosine of tf-idf vectors a word's
    rarity counts on both sides too. Names are the parts of a title between commas, as synonyms are listed.

    Stem s is `stems[s]`, of rarity `idf[s]`; it is in the partitions `partitions[starts[s]:starts[s + 1]]`, with the
    rows of `values` there, shape (..., 3). `count` is how many partitions there are."""

    count: int
    stems: tuple[str, ...]
    idf: Float32s
    starts: Ints
    partitions: NDArray[np.int32]
    values: Float32s

    @cached_property
    def numbers(self) -> dict[str, int]:
        return {stem: number for number, stem in enumerate(self.stems)}

    def scores(self, text: str) -> Float32s:
        """Of a question, shape (3, partitions), 0 to 1; all 0 where the library has none of its words."""
        return self.summed(self.weighted(text))

    def weighted(self, text: str) -> list[tuple[int, float]]:
        """The stems of a question that the library has, rising, and their weights, that sum to 1."""
        stems = np.array(sorted({self.numbers[stem] for stem in content_words(text) if stem in self.numbers}), np.int64)
        weights = self.idf[stems] ** 2
        return list(zip(stems.tolist(), (weights / weights.sum()).tolist() if len(stems) else [], strict=True))

    def summed(self, weighted: Iterable[tuple[int, float]]) -> Float32s:
        found = np.zeros((self.count, len(FIELDS)), np.float32)
        for stem, weight in weighted:
            here = slice(self.starts[stem], self.starts[stem + 1])
            found[self.partitions[here]] += np.float32(weight) * self.values[here]
        return found.T


def words_of(titles_and_texts: Iterable[tuple[str, str]], of_node: Ints, count: int) -> PartitionWords:
    """`titles_and_texts` are the nodes', in order, and `of_node` their partitions."""
    stems, names, texts = _occurrences(titles_and_texts)
    width = max(1, len(stems))
    told = np.unique(np.concatenate([part.nodes * width + part.stems for part in (names, texts)]))
    idf = np.asarray(idf_of(np.bincount(told % width, minlength=len(stems)), len(of_node)))  # over nodes
    shares = idf[names.stems] / np.bincount(names.lists, idf[names.stems])[names.lists]
    named, written = (part.stems * count + of_node[part.nodes] for part in (names, texts))
    keys, places = np.unique(np.concatenate([named, written]), return_inverse=True)
    of_names, of_texts = np.split(places.reshape(-1), [len(named)])
    values = np.zeros((len(keys), len(FIELDS)))
    values[:, 0] = np.bincount(of_names, shares**2, minlength=len(keys))
    np.maximum.at(values[:, 1], of_names, shares)
    values[:, 2] = np.bincount(of_texts, minlength=len(keys))
    values[:, ::2] /= values[:, ::2] + 1
    starts = np.searchsorted(keys, np.arange(len(stems) + 1) * count)
    partitions = (keys % max(1, count)).astype(np.int32)
    return PartitionWords(count, stems, idf.astype(np.float32), starts, partitions, values.astype(np.float32))


class _Part(NamedTuple):
    """The stems that occur in names or in texts: each with its node, and the name or text that it stands in."""

    stems: Ints
    nodes: Ints
    lists: Ints


def _occurrences(titles_and_texts: Iterable[tuple[str, str]]) -> tuple[tuple[str, ...], _Part, _Part]:
    """A name has each stem once, a text as often as it is written there."""
    known: dict[str, int] = {}
    columns = [[array("q") for _ in _Part._fields] for _ in ("names", "texts")]
    begun = 0
    for node, (title, text) in enumerate(titles_and_texts):
        parts = title.split(",")
        for name, words in enumerate(parts, begun):
            _add(columns[0], known, dict.fromkeys(content_words(words)), node, name)
        begun += len(parts)
        _add(columns[1], known, content_words(text), node, node)
    names, texts = (_Part(*(np.array(column, np.int64) for column in part)) for part in columns)
    return tuple(known), names, texts


def _add(columns: Sequence["array[int]"], known: dict[str, int], stems: Collection[str], node: int, place: int) -> None:
    columns[0].extend([known.setdefault(stem, len(known)) for stem in stems])
    columns[1].extend([node] * len(stems))
    columns[2].extend([place] * len(stems))


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
        from scipy.special import expit, softmax

        made = expit if self.record.loss == "bce" else softmax
        return by_form(found.question, lambda form: made(self.logits(form.text, form.vector)))

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
