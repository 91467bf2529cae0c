"""`clew align train`: synthetic queries, and the aligners that learn from them, beside their partitions."""

from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypeVar

import numpy as np

from clew.agent.models import encoder_for
from clew.agent.settings import Settings
from clew.memory.datatypes import Vectors
from clew.memory.encoding import CachedEncoder
from clew.memory.errors import BadInput, NotSetUp
from clew.memory.knowledge.aligning.lessons import Lessons
from clew.memory.knowledge.aligning.losses import LOSSES, Loss
from clew.memory.knowledge.aligning.making import Synthetic, make_queries
from clew.memory.knowledge.aligning.queries import write_queries
from clew.memory.knowledge.aligning.saved import (
    TrainingRecord,
    aligner_paths,
    fingerprint_of,
    read_aligner,
    read_words,
    write_aligner,
    write_words,
)
from clew.memory.knowledge.aligning.scoring import Centroid, Scorer, Words
from clew.memory.knowledge.aligning.training import Trained, TrainingParameters, train
from clew.memory.knowledge.aligning.views import views_of
from clew.memory.knowledge.aligning.words import PartitionWords, words_of
from clew.memory.knowledge.disk import current_generation, held, naming_damage
from clew.memory.knowledge.library import Library, open_library
from clew.memory.knowledge.partitioning.capsule import FOLDER, Capsule, capsules, read_capsule
from clew.memory.progress import Progress

MODEL_NAMES = ("bi", "mlp", "gcn", "sage", "gin", "rgcn")
ALL, VOTES, CENTROID, WORDS = "all", "votes", "centroid", "words"
Name = TypeVar("Name", bound=str)
SIZE, SIZE_WITHOUT_GPU = 100_000, 10_000
SLICE = 256
"""Texts encoded, or chunks read, between two reports of progress."""


@dataclass(frozen=True, slots=True)
class TrainingPlan:
    """`model` and `loss` may be `all`; `size` 0: as many synthetic queries as this machine is meant for; `capsule`
    empty: the one in use."""

    model: str = "mlp"
    loss: str = "infonce"
    epochs: int = 20
    size: int = 0
    seed: int = 42
    capsule: str = ""


@dataclass(frozen=True, slots=True)
class Saved:
    """An aligner that was trained, and where it is."""

    path: Path
    record: TrainingRecord


class OpenCapsule:
    """A capsule of an open library, with its words and the texts of its nodes as they are needed."""

    def __init__(self, library: Library, name: str) -> None:
        generation = generation_of(library.path)
        self._store = library.store
        self.name = name or capsules(generation)[-1]
        self.folder = generation / FOLDER / self.name
        with naming_damage(generation):
            self.capsule: Capsule = read_capsule(generation, self.name)
        self.graph = library.store.nodes()
        self.partitioning = self.capsule.partitioning

    @cached_property
    def titles_and_texts(self) -> list[tuple[str, str]]:
        """Of all nodes, in order."""
        ids = self._store.layers().chunk_ids
        slices = (self._store.chunks(ids[start : start + SLICE]) for start in range(0, len(ids), SLICE))
        return [(chunk.title, chunk.text) for chunks in slices for chunk in chunks]

    @cached_property
    def words(self) -> PartitionWords:
        """Those that are saved, else made, and saved where the library can be written to."""
        saved = read_words(self.folder, self.partitioning)
        if saved:
            return saved
        made = words_of(self.titles_and_texts, self.partitioning.of_node, self.partitioning.count)
        with suppress(OSError):
            write_words(self.folder, made, self.partitioning)
        return made

    def synthetic(self, size: int, seed: int) -> Synthetic:
        """Made and saved. Raises `BadInput` for a library that is too small to have both kinds of nodes."""
        titles, texts = zip(*self.titles_and_texts, strict=True)
        made = make_queries(self.graph, self.partitioning, self.capsule.cells, titles, texts, size, seed)
        if len(made.train) < 2 or not made.held_out:
            raise BadInput("the library has too few nodes to train an aligner on")
        for queries, path in zip(made, self.query_paths, strict=True):
            write_queries(path, queries)
        return made

    @property
    def query_paths(self) -> tuple[Path, Path]:
        """Of the training and the held-out queries."""
        return self.folder / "queries" / "train.jsonl", self.folder / "queries" / "held-out.jsonl"


def generation_of(path: Path) -> Path:
    """The current generation, that has partitions. Raises `NotSetUp`."""
    if (generation := current_generation(path)) is not None:
        with naming_damage(generation):
            if capsules(generation):
                return generation
    raise NotSetUp(f"the library at {path} has no partitions", f"clew partition --library {path}")


def default_size() -> int:
    """Synthetic queries to train on: the seed's 100,000 where there is a GPU."""
    import torch

    return SIZE if torch.cuda.is_available() else SIZE_WITHOUT_GPU


def train_aligners(plan: TrainingPlan, settings: Settings) -> Iterator[Progress | Saved]:
    """Each aligner as it is saved, after the progress of its making. Raises `BadInput`, `NotSetUp`, and what opening
    the library raises."""
    models, losses = chosen(plan.model, MODEL_NAMES, "model"), chosen(plan.loss, LOSSES, "loss")
    encoder = encoder_for(settings)
    with closing(encoder), open_library(settings.library, encoder) as library, held(settings.library):
        opened = open_capsule(library, plan.capsule)
        size = plan.size or default_size()
        yield Progress("synthetic queries", 0, size)
        queries = opened.synthetic(size, plan.seed).train
        yield Progress("synthetic queries", size, size)
        vectors = yield from encoded([query.text for query in queries], encoder)
        lessons = Lessons(queries, vectors, opened.words)
        views = views_of(opened.graph, opened.partitioning, opened.capsule.cells, opened.words)
        for model, loss in ((model, loss) for model in models for loss in losses):
            parameters = TrainingParameters(model, loss, plan.epochs, plan.seed)
            trained = yield from train(lessons, views, parameters)
            record = _record(trained, parameters, opened, encoder)
            yield Saved(write_aligner(opened.folder, trained.aligner, record), record)


def open_capsule(library: Library, name: str) -> OpenCapsule:
    """Raises `BadInput` for one that the library does not have."""
    known = capsules(generation_of(library.path))
    if name and name not in known:
        raise BadInput(f"there is no capsule '{name}'", f"--capsule {'|'.join(known)}")
    return OpenCapsule(library, name)


def scorers(opened: OpenCapsule) -> list[Scorer]:
    """Those that score partitions without a search, then all that are saved. Raises `LibraryMismatch` for one of other
    partitions."""
    return [scorer_named(name, opened) for name in scorer_names(opened)]


def scorer_names(opened: OpenCapsule) -> list[str]:
    return [CENTROID, WORDS, *(path.stem for path in aligner_paths(opened.folder))]


def scorer_named(name: str, opened: OpenCapsule) -> Scorer:
    """One of `scorer_names`; no other is read."""
    if name == CENTROID:
        return Centroid(opened.partitioning)
    if name == WORDS:
        return Words(opened.words)
    path = next(path for path in aligner_paths(opened.folder) if path.stem == name)
    return read_aligner(path, opened.partitioning, opened.words)[0]


def aligner_for(settings: Settings, library: Library) -> Scorer | None:
    """The aligner that the settings name; None for votes, which the walk counts itself. Raises `BadInput`."""
    if settings.aligner == VOTES:
        return None
    opened = open_capsule(library, "")
    known = scorer_names(opened)
    if settings.aligner not in known:
        raise BadInput(
            f"there is no aligner '{settings.aligner}' for the partitions {opened.name}",
            f"one of {', '.join([VOTES, *known])}; clew align train makes more",
        )
    return scorer_named(settings.aligner, opened)


def encoded(texts: Sequence[str], encoder: CachedEncoder) -> Generator[Progress, None, Vectors]:
    """Through the cache, as questions; shape (texts, d)."""
    found = []
    for start in range(0, len(texts), SLICE):
        yield Progress("encoding queries", start, len(texts))
        found.append(encoder.encode(texts[start : start + SLICE], "query"))
    yield Progress("encoding queries", len(texts), len(texts))
    return np.concatenate(found)


def chosen(name: str, known: Sequence[Name], what: str) -> Sequence[Name]:
    if name != ALL and name not in known:
        raise BadInput(f"there is no {what} '{name}'", f"--{what} {'|'.join([*known, ALL])}")
    return known if name == ALL else [one for one in known if one == name]


def _record(
    trained: Trained, parameters: TrainingParameters, opened: OpenCapsule, encoder: CachedEncoder
) -> TrainingRecord:
    loss: Loss = parameters.loss
    return TrainingRecord(
        model=parameters.model,
        loss=loss,
        seed=parameters.seed,
        epoch=trained.epoch,
        epochs=trained.epochs,
        learned=trained.learned,
        validated=trained.validated,
        validation=trained.validation,
        temperature=float(trained.aligner.temperature.detach()),
        partitions=opened.partitioning.count,
        dimension=encoder.dimension,
        partitioning=fingerprint_of(opened.partitioning),
        encoder=encoder.hash,
    )
