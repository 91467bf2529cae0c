"""`clew align`: aligners trained on synthetic queries and saved beside their partitions; every partitioning of a
library measured by every aligner, on synthetic and on human queries."""

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import TypeVar

import numpy as np
import torch
from numpy.typing import NDArray

from clew.agent.evaluation.dataset import Dataset, read_dataset
from clew.agent.evaluation.ranking import percentiles
from clew.agent.models import encoder_for
from clew.agent.settings import Settings
from clew.memory.datatypes import Float32s, Form, Ints, Progress, Query, Vector, Vectors
from clew.memory.encoding import CachedEncoder
from clew.memory.errors import BadInput, library_flag, required
from clew.memory.files import sync_all, within
from clew.memory.knowledge.aligners.scoring import (
    Aligner,
    FoundNodes,
    OpenCapsule,
    TrainingRecord,
    Votes,
    capsules_of,
    write_aligner,
)
from clew.memory.knowledge.aligners.training import (
    CONVOLUTIONAL,
    LOSSES,
    MODELS,
    QuerySplit,
    SyntheticQuery,
    TrainingParameters,
    TrainingSet,
    make_queries,
    partition_graph,
    read_queries,
    train,
    write_queries,
)
from clew.memory.knowledge.cluster.publishing import on_this_machine
from clew.memory.knowledge.disk import held, required_generation
from clew.memory.knowledge.library import Library, open_library
from clew.memory.knowledge.proof import forget_trained, record_partitions
from clew.memory.knowledge.question import MatchParameters
from clew.memory.knowledge.walking.walker import Walker, hits_of, shares
from clew.memory.layers import Layers
from clew.memory.nodes import Partitioning
from clew.memory.ports import Search
from clew.memory.vectors import Ragged

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
        forget_trained(generation, opened.name)
        yield Progress("synthetic queries", 0, size)
        queries = save_queries(opened, size, plan.seed).train
        yield Progress("synthetic queries", size, size)
        vectors = yield from encoded([query.text for query in queries], encoder)
        learned = TrainingSet(queries, vectors, opened.words, encoder.hash)
        graph = partition_graph(opened.graph, opened.partitioning, opened.capsule.cells)
        for model, loss in ((model, loss) for model in models for loss in losses):
            result = yield from train(learned, graph, TrainingParameters(model, loss, plan.epochs, plan.seed))
            path = write_aligner(opened.folder, result.model.arrays(), result.record)
            sync_all(opened.folder)  # what is recorded of it outlasts a power failure
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
    """The files of the training queries and of the held-out queries."""
    return within(opened.folder, "queries", "train.jsonl"), within(opened.folder, "queries", "held-out.jsonl")


def encoded(texts: Sequence[str], encoder: CachedEncoder) -> Generator[Progress, None, Vectors]:
    """Encode texts as questions, through the cache; shape (texts, d)."""
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


MEASURED = 1_000
"""Training queries that are measured, the first of each kind: as many as are held out."""

TRAINING_SEED = 42

DEPTHS = (1, 3, 5, 10)
"""How many of the best partitions make a pool of nodes."""

BLOCK = 16_384
"""Nodes whose cosines are computed at a time."""


@dataclass(frozen=True, slots=True)
class QueryPool:
    """Of the best `partitions`, the mean over the questions: `nodes` in them, the share of the gold among these, and
    among the same number of `nearest` nodes by exact cosine."""

    partitions: int
    nodes: float
    held: float
    nearest: float


@dataclass(frozen=True, slots=True)
class AlignerRow:
    """One aligner with one partitioning on one set of queries; `ms` is the median time of scoring all partitions for a
    question whose vector and hits are there."""

    capsule: str
    aligner: str
    set: str
    queries: int
    metrics: Mapping[str, float]
    ms: float
    pools: tuple[QueryPool, ...]
    library: str


@dataclass(frozen=True, slots=True, eq=False)
class QuestionSet:
    """Questions, the gold nodes of each, and how many nodes are nearer to it than each of these."""

    name: str
    found: Sequence[FoundNodes]
    golds: Sequence[Ints]
    near: Sequence[Ints]


def evaluate_aligners(dataset: Path | None, capsule: str, settings: Settings) -> Iterator[Progress | AlignerRow]:
    """A row for each capsule, aligner and set, after the progress of its making; all capsules where none is named.

    Raises `BadInput` before any work for a data set that cannot be used, and what opening the library raises.
    """
    data = read_dataset(dataset) if dataset else None
    encoder = encoder_for(settings)
    home = on_this_machine(settings.library, settings.cache)
    with closing(encoder), open_library(home, encoder) as library:
        human = [(yield from _human(data, library, encoder))] if data else []
        for name in [capsule] if capsule else capsules_of(library):
            opened = OpenCapsule(library, name)
            synthetic = yield from _synthetic(opened, library, encoder)
            yield from _rows(opened, [*synthetic, *human], library.manifest.fingerprint)


def _rows(opened: OpenCapsule, sets: Sequence[QuestionSet], fingerprint: str) -> Iterator[Progress | AlignerRow]:
    stage = f"scoring {opened.name}"
    votes: list[Aligner] = [Votes(opened.partitioning), Votes(opened.partitioning, "walk")]
    aligners = votes + [opened.aligner(name) for name in opened.aligner_names()]
    pairs = [(aligner, one) for aligner in aligners for one in sets]
    for done, (aligner, one) in enumerate(pairs):
        yield Progress(stage, done, len(pairs))
        scores, seconds = _timed(aligner, one.found)
        golds = [np.unique(opened.partitioning.of_node[nodes]) for nodes in one.golds]
        ranks = [gold_ranks(own, gold) for own, gold in zip(scores, golds, strict=True)]
        yield AlignerRow(
            capsule=opened.name,
            aligner=aligner.name,
            set=one.name,
            queries=len(one.found),
            metrics=measure(ranks),
            ms=percentiles(seconds, 50)["p50"],
            pools=tuple(pools(opened.partitioning, scores, one.golds, one.near)),
            library=fingerprint,
        )
    yield Progress(stage, len(pairs), len(pairs))


def _timed(aligner: Aligner, questions: Sequence[FoundNodes]) -> tuple[list[Float32s], list[float]]:
    found, seconds = [], []
    for one in questions:
        started = perf_counter()
        found.append(aligner.scores(one))
        seconds.append(perf_counter() - started)
    return found, seconds


def gold_ranks(scores: Float32s, gold: Sequence[int] | Ints) -> Ints:
    """Of one question's scores, shape (partitions,), the places of its gold partitions from 0, rising. Of equal scores
    the lower number comes first."""
    wanted = np.asarray(gold, np.int64)
    own = scores[wanted][:, None]
    numbers = np.arange(len(scores))
    before = (scores > own) | ((scores == own) & (numbers < wanted[:, None]))
    return np.sort(before.sum(axis=1))


def measure(ranks: Sequence[Ints]) -> Mapping[str, float]:
    """The mean over questions, in float32: of P@1, of R the share of the gold partitions found, of MRR the first."""
    first = np.array([its[0] for its in ranks])
    return {
        "p@1": _mean(first == 0),
        "r@5": _mean([(its < 5).mean() for its in ranks]),
        "r@10": _mean([(its < 10).mean() for its in ranks]),
        "mrr": _mean(1 / (1 + first)),
    }


def _mean(values: "Sequence[float] | NDArray[np.bool_] | NDArray[np.float64]") -> float:
    return float(np.mean(np.asarray(values, np.float32), dtype=np.float32))


def cosine_ranks(vectors: Vectors, questions: Vectors, golds: Sequence[Ints]) -> list[Ints]:
    """Of each question's gold nodes how many of all are nearer to it. `vectors` are the nodes', shape (nodes, d)."""
    gold, of = np.concatenate(golds), np.repeat(np.arange(len(golds)), [len(its) for its in golds])
    own = np.einsum("gd,gd->g", vectors[gold], questions[of])
    ranks = np.zeros(len(gold), np.int64)
    for start in range(0, len(vectors), BLOCK):
        cosines = questions @ vectors[start : start + BLOCK].T
        ranks += np.array([(cosines[question] > mine).sum() for question, mine in zip(of, own, strict=True)])
    return np.split(ranks, np.cumsum([len(its) for its in golds])[:-1])


def pools(
    partitioning: Partitioning, scores: Sequence[Float32s], golds: Sequence[Ints], near: Sequence[Ints]
) -> list[QueryPool]:
    """A pool for each of `DEPTHS`. `near` is what `cosine_ranks` returned for these questions."""
    sizes = np.diff(partitioning.members.starts)
    depth = min(max(DEPTHS), partitioning.count)
    best = [np.argsort(-own, kind="stable")[:depth] for own in scores]
    homes = [partitioning.of_node[gold] for gold in golds]
    found = []
    for partitions in DEPTHS:
        nodes = [int(sizes[its[:partitions]].sum()) for its in best]
        held = [np.isin(home, its[:partitions]).mean() for home, its in zip(homes, best, strict=True)]
        nearest = [(ranks < size).mean() for ranks, size in zip(near, nodes, strict=True)]
        found.append(QueryPool(partitions, *(float(np.mean(values)) for values in (nodes, held, nearest))))
    return found


def _synthetic(
    opened: OpenCapsule, library: Library, encoder: CachedEncoder
) -> Generator[Progress, None, list[QuestionSet]]:
    """What aligners were trained on, and what was held out: made where they are missing."""
    paths = query_paths(opened)
    if not all(path.exists() for path in paths):
        save_queries(opened, default_size(), TRAINING_SEED)
    train, held_out = (read_queries(path) for path in paths)
    found = []
    for name, queries in (("synthetic train", first_of_each_kind(train)), ("synthetic held-out", held_out)):
        golds = [np.array(query.nodes, np.int64) for query in queries]
        texts = [query.text for query in queries]
        found.append((yield from _measured(name, texts, golds, library.store, encoder)))
    return found


def first_of_each_kind(queries: Sequence[SyntheticQuery]) -> list[SyntheticQuery]:
    """At most `MEASURED`, half of them within a partition."""
    kinds = [[query for query in queries if query.kind == kind] for kind in ("within", "across")]
    return [query for its in kinds for query in its[: MEASURED // 2]]


def _human(data: Dataset, library: Library, encoder: CachedEncoder) -> Generator[Progress, None, QuestionSet]:
    """Raises `BadInput` where no relevant document is in the library; questions without one are left out."""
    layers = library.store.part().layers
    nodes = nodes_of_documents(layers, [list(data.golds[question.id]) for question in data.questions])
    kept = [(question.text, its) for question, its in zip(data.questions, nodes, strict=True) if len(its)]
    if not kept:
        raise BadInput(
            f"the library {library.path} holds no document that is relevant in {data.name}",
            f"clew index FOLDER {library_flag(library.path)}",
        )
    texts, golds = zip(*kept, strict=True)
    return (yield from _measured(data.name, texts, golds, library.store, encoder))


def nodes_of_documents(layers: Layers, wanted: Sequence[Sequence[str]]) -> list[Ints]:
    """Of each list of documents the nodes; documents that the library does not have are left out."""
    numbers = {id_: number for number, id_ in enumerate(layers.document_ids)}
    chunks = Ragged.grouped(layers.chunk_documents, len(numbers))
    known = [np.array([numbers[id_] for id_ in ids if id_ in numbers], np.int64) for ids in wanted]
    return [chunks.of(documents)[0] for documents in known]


def _measured(
    name: str, texts: Sequence[str], golds: Sequence[Ints], store: Search, encoder: CachedEncoder
) -> Generator[Progress, None, QuestionSet]:
    vectors = yield from encoded(texts, encoder)
    near = cosine_ranks(store.part().vectors, vectors, golds)
    found, walker = [], Walker(store)
    for done, (text, vector) in enumerate(zip(texts, vectors, strict=True)):
        yield Progress(f"matching {name}", done, len(texts))
        found.append(_found(walker, store, text, vector))
    yield Progress(f"matching {name}", len(texts), len(texts))
    return QuestionSet(name, found, golds, near)


def _found(walker: Walker, store: Search, text: str, vector: Vector) -> FoundNodes:
    """The question with the nodes that match it and their weights, before a walk and after it."""
    query = Query(text, (Form("question", text, 1.0, vector),))
    thought = walker.think(walker.question(query), hits_of(store, query, MatchParameters()))
    walked = walker.walk(thought, walker.stitch(thought))
    after = walked.nodes, shares(walked.masses)
    return FoundNodes(thought.question, thought.looked.nodes, shares(thought.masses), after)
