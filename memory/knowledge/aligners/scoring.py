"""Aligners at work: the scores of all partitions for a question, by NumPy alone, trained or not; and the capsule of an
open library with those that it has: on disk safetensors, with a record of the training in the header.

    CAPSULE/aligners/mlp-infonce.safetensors     a trained aligner
    CAPSULE/queries/train.jsonl held-out.jsonl   the synthetic queries
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, ValidationError

from clew.memory.datatypes import Float32s, Floats, Form, Ints, Vector, Vectors
from clew.memory.errors import BadInput, ClewError, LibraryMismatch, NotSetUp, library_flag
from clew.memory.files import check_plain, new_folder, within, write_durably
from clew.memory.knowledge.disk import naming_damage
from clew.memory.knowledge.keywords import idf_of
from clew.memory.knowledge.library import Library, stored_chunks
from clew.memory.knowledge.nodes import Partitioning
from clew.memory.knowledge.partitioning.capsule import FOLDER, Capsule, capsules, read_capsule
from clew.memory.knowledge.question import LibraryQuestion
from clew.memory.knowledge.store import EmbeddedStore
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
        """The scores of a question's words, shape (3, partitions), from 0 to 1; all 0 where the library has none of
        them."""
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
    from scipy.sparse import csr_array
    from sklearn.feature_extraction.text import CountVectorizer

    titles, texts = zip(*titles_and_texts, strict=True) if len(of_node) else ((), ())
    parts = [title.split(",") for title in titles]
    of_name = np.repeat(np.arange(len(parts)), [len(names) for names in parts])
    # What has no words gets the empty one, which no question has.
    counter = CountVectorizer(analyzer=lambda text: content_words(text) or [""])
    occurrences = counter.fit_transform([*chain.from_iterable(parts), *texts, ""])
    names, written = occurrences[: len(of_name)].astype(bool).tocoo(), occurrences[len(of_name) : -1].tocoo()
    width = occurrences.shape[1]
    nodes, stems = np.concatenate([of_name[names.row], written.row]), np.concatenate([names.col, written.col])
    told = csr_array((np.ones(len(nodes)), (nodes, stems)), (len(texts), width)).astype(bool)
    idf = np.asarray(idf_of(told.sum(axis=0), len(of_node)))  # over nodes
    shares = idf[names.col] / np.bincount(names.row, idf[names.col])[names.row]
    keys, places = np.unique(stems.astype(np.int64) * count + of_node[nodes], return_inverse=True)
    of_names, of_texts = np.split(places.reshape(-1), [len(names.col)])
    values = np.zeros((len(keys), len(FIELDS)))
    values[:, 0] = np.bincount(of_names, shares**2, minlength=len(keys))
    np.maximum.at(values[:, 1], of_names, shares)
    values[:, 2] = np.bincount(of_texts, written.data, minlength=len(keys))
    values[:, ::2] /= values[:, ::2] + 1
    starts = np.searchsorted(keys, np.arange(width + 1) * count)
    partitions, known = (keys % max(1, count)).astype(np.int32), tuple(counter.get_feature_names_out().tolist())
    return PartitionWords(count, known, idf.astype(np.float32), starts, partitions, values.astype(np.float32))


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
    """Scores the partitions of a graph for a question, by what tools found in them or by what it has learned."""

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


# Those of a capsule -------------------------------------------------------------------------------------------------

ALIGNERS = "aligners"
HEADER = "clew"


def fingerprint_of(partitioning: Partitioning) -> str:
    """SHA-256, in hex, over labels and centroids: the same partitions of the same vectors."""
    digest = hashlib.sha256(partitioning.of_node.astype("<i8").tobytes())
    digest.update(partitioning.centroids.astype("<f4").tobytes())
    return digest.hexdigest()


def write_aligner(capsule: Path, arrays: Mapping[str, Float32s], record: TrainingRecord) -> Path:
    """`arrays` are those of `TwoTowers.arrays`."""
    from safetensors.numpy import save

    folder, name = within(capsule, ALIGNERS), f"{record.model}-{record.loss}.safetensors"
    if not folder.exists():
        new_folder(capsule, ALIGNERS)
    content = {array: np.ascontiguousarray(values) for array, values in arrays.items()}
    path = within(folder, name)
    write_durably(path, save(content, {HEADER: record.model_dump_json()}))
    return path


def read_aligner(path: Path, partitioning: Partitioning, words: PartitionWords) -> TrainedAligner:
    """Raises `LibraryMismatch` where it was trained for other partitions, `ClewError` where the file is damaged."""
    from safetensors import SafetensorError, safe_open

    if not path.is_file():
        raise BadInput(f"there is no aligner {path.stem} in {path.parent.parent.name}", "clew align train")
    try:
        with safe_open(path, framework="np") as opened:
            arrays = {name: opened.get_tensor(name) for name in opened.keys()}  # noqa: SIM118
            record = TrainingRecord.model_validate_json(opened.metadata()[HEADER])
        if record.partitioning != fingerprint_of(partitioning):
            name = path.parent.parent.name
            raise LibraryMismatch(
                f"the aligner {path.stem} was trained for other partitions than those of {name}",
                f"clew align train --model {record.model} --loss {record.loss} --capsule {name}",
            )
        count = sum(name.endswith(".weights") for name in arrays)
        layers = tuple((arrays[f"query.{place}.weights"], arrays[f"query.{place}.biases"]) for place in range(count))
        if not count or arrays["partitions"].shape != (record.partitions, record.dimension):
            raise ValueError("the arrays do not fit the header")
        growth, temperature, bias = (float(arrays[name][0]) for name in ("growth", "temperature", "bias"))
        return TrainedAligner(record, layers, growth, arrays["partitions"], arrays["mix"], temperature, bias, words)
    except (SafetensorError, ValidationError, OSError, LookupError, ValueError, TypeError) as error:
        raise ClewError(f"{path} is damaged", f"delete {path}, and run: clew align train") from error


def aligner_paths(capsule: Path) -> list[Path]:
    """The files of all aligners that are saved, in the order of their names. Raises `ClewError` for a link."""
    folder = within(capsule, ALIGNERS)
    if folder.exists():
        check_plain(folder)
    return sorted(folder.glob("*-*.safetensors"))


VOTES, CENTROID, WORDS = "votes", "centroid", "words"


class OpenCapsule:
    """A capsule of an open library, with its words and the texts of its nodes, read when they are needed."""

    def __init__(self, library: Library, name: str = "") -> None:
        """The one in use where no name is given. Raises `BadInput` for one that the library does not have, `NotSetUp`
        where it has none."""
        generation = _generation(library)
        known = capsules_of(library)
        if name and name not in known:
            raise BadInput(f"there is no capsule '{name}'", f"--capsule {'|'.join(known)}")
        self._store = library.store
        self.name = name or known[-1]
        self.folder = within(generation, FOLDER, self.name)
        with naming_damage(generation):
            self.capsule: Capsule = read_capsule(generation, self.name)
        self.graph = library.store.part().nodes
        self.partitioning = self.capsule.partitioning

    @cached_property
    def titles_and_texts(self) -> list[tuple[str, str]]:
        """The title and the text of each node, in order."""
        return [(chunk.title, chunk.text) for chunk in stored_chunks(self._store)]

    @cached_property
    def words(self) -> PartitionWords:
        """Counted anew in each process: seconds for 100,000 nodes."""
        return words_of(self.titles_and_texts, self.partitioning.of_node, self.partitioning.count)

    def aligner_names(self) -> list[str]:
        """The names of the aligners that need no training, then of all that are saved."""
        return [CENTROID, WORDS, *(path.stem for path in aligner_paths(self.folder))]

    def aligner(self, name: str) -> Aligner:
        """One of `aligner_names`; no other is read. Raises `LibraryMismatch` for one of other partitions."""
        if name == CENTROID:
            return Centroid(self.partitioning)
        if name == WORDS:
            return Words(self.words)
        path = next(path for path in aligner_paths(self.folder) if path.stem == name)
        return read_aligner(path, self.partitioning, self.words)


def capsules_of(library: Library) -> list[str]:
    """The names of all that it has, the one in use last. Raises `NotSetUp` where it has none."""
    generation = _generation(library)
    with naming_damage(generation):
        if found := capsules(generation):
            return found
    raise NotSetUp(f"the library at {library.path} has no partitions", f"clew partition {library_flag(library.path)}")


def _generation(library: Library) -> Path:
    """Raises `NotSetUp` for a library on a cluster, whose copy is read instead."""
    if isinstance(library.store, EmbeddedStore):
        return library.store.folder
    raise NotSetUp(f"the partitions of {library.path} are read where it was indexed", "--library FOLDER")


def aligner_for(library: Library, name: str) -> Aligner | None:
    """For the capsule in use; None for votes, which the walk counts itself. Raises `BadInput` for an unknown name."""
    if name == VOTES:
        return None
    opened = OpenCapsule(library)
    known = opened.aligner_names()
    if name not in known:
        raise BadInput(
            f"there is no aligner '{name}' for the partitions {opened.name}",
            f"one of {', '.join([VOTES, *known])}; clew align train makes more",
        )
    return opened.aligner(name)
