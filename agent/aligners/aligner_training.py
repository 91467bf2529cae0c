"""`clew align train`: synthetic queries, and the aligners that learn from them, saved beside their partitions."""

from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np
import torch

from clew.agent.models import encoder_for
from clew.agent.settings import Settings
from clew.memory.datatypes import Progress, Vectors
from clew.memory.encoding import CachedEncoder
from clew.memory.errors import BadInput
from clew.memory.extras import required
from clew.memory.files import within
from clew.memory.knowledge.aligners.models import CONVOLUTIONAL, MODELS, partition_graph
from clew.memory.knowledge.aligners.open_capsule import OpenCapsule
from clew.memory.knowledge.aligners.saved import write_aligner
from clew.memory.knowledge.aligners.scoring import TrainingRecord
from clew.memory.knowledge.aligners.synthetic_queries import QuerySplit, make_queries, write_queries
from clew.memory.knowledge.aligners.training import LOSSES, TrainingParameters, TrainingSet, train
from clew.memory.knowledge.cluster.staging import on_this_machine
from clew.memory.knowledge.disk import held, required_generation
from clew.memory.knowledge.library import open_library
from clew.memory.knowledge.proof import record_partitions

ALL = "all"
Choice = TypeVar("Choice", bound=str)
SIZE, SIZE_WITHOUT_GPU = 100_000, 10_000
SLICE = 256
"""Texts encoded between two reports of progress."""


@dataclass(frozen=True, slots=True)
class TrainingPlan:
    """`model` and `loss` may be `all`; `size` 0: `default_size` synthetic queries; `capsule` empty: the one in use."""

    model: str = "mlp"
    loss: str = "infonce"
    epochs: int = 20
    size: int = 0
    seed: int = 42
    capsule: str = ""


@dataclass(frozen=True, slots=True)
class SavedAligner:
    """An aligner that was trained, and where it is."""

    path: Path
    record: TrainingRecord


def default_size() -> int:
    """Synthetic queries to train on: the seed's 100,000 where there is a GPU."""
    return SIZE if torch.cuda.is_available() else SIZE_WITHOUT_GPU


def train_aligners(plan: TrainingPlan, settings: Settings) -> Iterator[Progress | SavedAligner]:
    """Each aligner as it is saved, after the progress of its training. Raises `BadInput`, `NotSetUp`, and what opening
    the library raises."""
    models, losses = chosen(plan.model, tuple(MODELS), "model"), chosen(plan.loss, tuple(LOSSES), "loss")
    if any(model in CONVOLUTIONAL for model in models):
        required("torch_geometric.nn", "a graph convolution", "train")  # before anything is made
    encoder = encoder_for(settings)
    home = on_this_machine(settings.library, settings.cache)
    generation = required_generation(home)
    with closing(encoder), held(home), open_library(home, encoder) as library:
        opened = OpenCapsule(library, plan.capsule)
        size = plan.size or default_size()
        yield Progress("synthetic queries", 0, size)
        queries = save_queries(opened, size, plan.seed).train
        yield Progress("synthetic queries", size, size)
        vectors = yield from encoded([query.text for query in queries], encoder)
        learned = TrainingSet(queries, vectors, opened.words, encoder.hash)
        graph = partition_graph(opened.graph, opened.partitioning, opened.capsule.cells)
        for model, loss in ((model, loss) for model in models for loss in losses):
            result = yield from train(learned, graph, TrainingParameters(model, loss, plan.epochs, plan.seed))
            path = write_aligner(opened.folder, result.model.arrays(), result.record)
            record_partitions(generation)
            yield SavedAligner(path, result.record)


def save_queries(opened: OpenCapsule, size: int, seed: int) -> QuerySplit:
    """Make synthetic queries and save them. Raises `BadInput` for a library that is too small to have both kinds of
    nodes."""
    titles, texts = zip(*opened.titles_and_texts, strict=True)
    made = make_queries(opened.graph, opened.partitioning, opened.capsule.cells, titles, texts, size, seed)
    if len(made.train) < 2 or not made.held_out:
        raise BadInput("the library has too few nodes to train an aligner on")
    for queries, path in zip(made, query_paths(opened), strict=True):
        write_queries(path, queries)
    return made


def query_paths(opened: OpenCapsule) -> tuple[Path, Path]:
    """Of the training and the held-out queries."""
    return within(opened.folder, "queries", "train.jsonl"), within(opened.folder, "queries", "held-out.jsonl")


def encoded(texts: Sequence[str], encoder: CachedEncoder) -> Generator[Progress, None, Vectors]:
    """Through the cache, as questions; shape (texts, d)."""
    found = []
    for start in range(0, len(texts), SLICE):
        yield Progress("encoding queries", start, len(texts))
        found.append(encoder.encode(texts[start : start + SLICE], "query"))
    yield Progress("encoding queries", len(texts), len(texts))
    return np.concatenate(found)


def chosen(name: str, known: Sequence[Choice], what: str) -> Sequence[Choice]:
    if name != ALL and name not in known:
        raise BadInput(f"there is no {what} '{name}'", f"--{what} {'|'.join([*known, ALL])}")
    return known if name == ALL else [one for one in known if one == name]
