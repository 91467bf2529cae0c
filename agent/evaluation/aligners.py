"""`clew align`: aligners trained on synthetic queries and saved beside their partitions; every partitioning of a
library measured by every aligner, on synthetic and on human queries."""

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import numpy as np
import torch

from clew.agent.evaluation.dataset import Dataset, read_dataset
from clew.agent.evaluation.ranking import percentiles
from clew.agent.models import encoder_for
from clew.agent.settings import Settings
from clew.memory.datatypes import Float32s, Form, Ints, Progress, Query, Vectors
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
from clew.memory.knowledge.library_ports import Search
from clew.memory.knowledge.nodes import Partitioning
from clew.memory.knowledge.proof import forget_trained, record_partitions
from clew.memory.knowledge.question import MatchParameters
from clew.memory.knowledge.walking.walker import Walker, hits_of
from clew.memory.vectors import softmax

ALL = "all"
SIZE, SIZE_WITHOUT_GPU = 100_000, 10_000
SLICE = 256
"""Texts encoded between two reports of progress."""


@dataclass(frozen=True, slots=True)
class TrainingPlan:
    """`model` and `loss` may be `all`; `size`: of synthetic queries; `capsule` empty: the one in use."""

    model: str = "mlp"
    loss: str = "infonce"
    epochs: int = 20
    size: int = SIZE_WITHOUT_GPU
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
    models = [one for one in MODELS if plan.model in (one, ALL)]
    losses = [one for one in LOSSES if plan.loss in (one, ALL)]
    if any(model in CONVOLUTIONAL for model in models):
        required("torch_geometric.nn", "a graph convolution", "train")  # before anything is made
    encoder = encoder_for(settings)
    home = on_this_machine(settings.library, settings.cache)
    generation = required_generation(home)
    with closing(encoder), held(home), open_library(home, encoder) as library:
        opened = OpenCapsule(library, plan.capsule)
        forget_trained(generation, opened.name)
        yield Progress("synthetic queries", 0, plan.size)
        queries = save_queries(opened, plan.size, plan.seed).train
        yield Progress("synthetic queries", plan.size, plan.size)
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


# Measured -------------------------------------------------------------------------------------------------------------

MEASURED = 1_000
"""Training queries that are measured: as many as are held out."""

TRAINING_SEED = 42

DEPTHS = (1, 3, 5, 10)
"""How many of the best partitions make a pool of nodes."""


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
    votes: list[Aligner] = [Votes(opened.partitioning), Votes(opened.partitioning, "walk")]
    aligners = votes + [opened.aligner(name) for name in opened.aligner_names()]
    pairs = [(aligner, one) for aligner in aligners for one in sets]
    for done, (aligner, one) in enumerate(pairs):
        yield Progress(f"scoring {opened.name}", done, len(pairs))
        scores, seconds = list[Float32s](), list[float]()
        for found in one.found:
            started = perf_counter()
            scores.append(aligner.scores(found))
            seconds.append(perf_counter() - started)
        golds = [np.unique(opened.partitioning.of_node[nodes]) for nodes in one.golds]
        yield AlignerRow(
            capsule=opened.name,
            aligner=aligner.name,
            set=one.name,
            queries=len(one.found),
            metrics=measure([gold_ranks(own, gold) for own, gold in zip(scores, golds, strict=True)]),
            ms=percentiles(seconds, 50)["p50"],
            pools=tuple(pools(opened.partitioning, scores, one.golds, one.near)),
            library=fingerprint,
        )
    yield Progress(f"scoring {opened.name}", len(pairs), len(pairs))


def gold_ranks(scores: Float32s, gold: Sequence[int] | Ints) -> Ints:
    """The ranks, from 0 and rising, of the gold partitions by these scores of one question, shape (partitions,). Of
    equal scores the lower number comes first."""
    return np.flatnonzero(np.isin(np.argsort(-scores, kind="stable"), gold))


def measure(ranks: Sequence[Ints]) -> Mapping[str, float]:
    """The mean over questions: of P@1, of R the share of the gold partitions found, of MRR the first."""
    first = np.array([its[0] for its in ranks])
    return {
        "p@1": float((first == 0).mean()),
        "r@5": float(np.mean([(its < 5).mean() for its in ranks])),
        "r@10": float(np.mean([(its < 10).mean() for its in ranks])),
        "mrr": float((1 / (1 + first)).mean()),
    }


def cosine_ranks(vectors: Vectors, questions: Vectors, golds: Sequence[Ints]) -> list[Ints]:
    """For each gold node of each question the number of nodes that are nearer to the question. `vectors` are the
    nodes', shape (nodes, d)."""
    each = ((vectors @ question, gold) for question, gold in zip(questions, golds, strict=True))
    return [(cosines > cosines[gold][:, None]).sum(axis=1) for cosines, gold in each]


def pools(
    partitioning: Partitioning, scores: Sequence[Float32s], golds: Sequence[Ints], near: Sequence[Ints]
) -> list[QueryPool]:
    """A pool for each of `DEPTHS`. `near` is what `cosine_ranks` returned for these questions."""
    sizes = np.diff(partitioning.members.starts)
    best = [np.argsort(-own, kind="stable") for own in scores]
    found = []
    for depth in DEPTHS:
        nodes = [int(sizes[its[:depth]].sum()) for its in best]
        held = [np.isin(partitioning.of_node[gold], its[:depth]).mean() for gold, its in zip(golds, best, strict=True)]
        nearest = [(ranks < size).mean() for ranks, size in zip(near, nodes, strict=True)]
        found.append(QueryPool(depth, *(float(np.mean(values)) for values in (nodes, held, nearest))))
    return found


def _synthetic(
    opened: OpenCapsule, library: Library, encoder: CachedEncoder
) -> Generator[Progress, None, list[QuestionSet]]:
    """What aligners were trained on, and what was held out: made where they are missing."""
    paths = query_paths(opened)
    if not all(path.exists() for path in paths):
        save_queries(opened, default_size(), TRAINING_SEED)
    found = []
    for name, queries in zip(("synthetic train", "synthetic held-out"), map(read_queries, paths), strict=True):
        few = queries[:: len(queries) // MEASURED or 1][:MEASURED]
        golds = [np.array(query.nodes, np.int64) for query in few]
        found.append((yield from _measured(name, [query.text for query in few], golds, library.store, encoder)))
    return found


def _human(data: Dataset, library: Library, encoder: CachedEncoder) -> Generator[Progress, None, QuestionSet]:
    """Raises `BadInput` where no relevant document is in the library; questions without one are left out."""
    layers = library.store.part().layers
    of_chunks = np.array(layers.document_ids)[layers.chunk_documents]
    nodes = [np.flatnonzero(np.isin(of_chunks, list(data.golds[question.id]))) for question in data.questions]
    kept = [(question.text, its) for question, its in zip(data.questions, nodes, strict=True) if len(its)]
    if not kept:
        raise BadInput(
            f"the library {library.path} holds no document that is relevant in {data.name}",
            f"clew index FOLDER {library_flag(library.path)}",
        )
    texts, golds = zip(*kept, strict=True)
    return (yield from _measured(data.name, texts, golds, library.store, encoder))


def _measured(
    name: str, texts: Sequence[str], golds: Sequence[Ints], store: Search, encoder: CachedEncoder
) -> Generator[Progress, None, QuestionSet]:
    """With the nodes that match each question and their weights, before a walk and after it."""
    vectors = yield from encoded(texts, encoder)
    found, walker = list[FoundNodes](), Walker(store)
    for done, (text, vector) in enumerate(zip(texts, vectors, strict=True)):
        yield Progress(f"matching {name}", done, len(texts))
        query = Query(text, (Form("question", text, 1.0, vector),))
        thought = walker.think(walker.question(query), hits_of(store, query, MatchParameters()))
        walked = walker.walk(thought, walker.stitch(thought))
        after = walked.nodes, softmax(walked.masses)
        found.append(FoundNodes(thought.question, thought.looked.nodes, softmax(thought.masses), after))
    yield Progress(f"matching {name}", len(texts), len(texts))
    return QuestionSet(name, found, golds, cosine_ranks(store.part().vectors, vectors, golds))
