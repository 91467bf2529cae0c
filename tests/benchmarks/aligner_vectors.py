"""Aligners that see vectors alone, as in seed 004: right, and as its original had them.

python -m tests.benchmarks.aligner_vectors DATASET LIBRARY CAPSULE

"right": the temperature is learned, every partition of a query's nodes is a positive. "original": cosines are
multiplied by 1.07, as a temperature of 0.07 that is exponentiated gives, and the first partition alone counts. Words
are left out of both. After `clew align train` (its queries are taken); measured on the held-out synthetic queries and
on the half of the human ones that `tests.benchmarks.aligners` keeps back. About 15 minutes of one core.
"""

import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import numpy as np
import torch

from clew.agent.aligners.aligner_evaluation import gold_ranks, measure, nodes_of_documents, query_paths
from clew.agent.evaluation.dataset import read_dataset
from clew.agent.models import encoder_for
from clew.agent.settings import read_settings
from clew.memory.datatypes import Progress, Vectors
from clew.memory.encoding import CachedEncoder
from clew.memory.knowledge.aligners import training as models
from clew.memory.knowledge.aligners.open_capsule import OpenCapsule
from clew.memory.knowledge.aligners.scoring import FIELDS, PartitionWords
from clew.memory.knowledge.aligners.training import (
    LOSSES,
    SyntheticQuery,
    TrainingParameters,
    TrainingResult,
    TrainingSet,
    partition_graph,
    read_queries,
    train,
)
from clew.memory.knowledge.library import open_library
from clew.memory.layers import Layers
from tests.benchmarks.aligners import MEASURES, decimals, half, print_row

MODELS = ("mlp", "gcn", "sage")
EPOCHS = 10
ORIGINAL_SCALE = 1.07
Set = tuple[Vectors, Sequence[Sequence[int]]]
"""Questions and their partitions."""


def main() -> None:
    dataset, library, name = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
    settings = read_settings(library=library)
    encoder = encoder_for(settings)
    with closing(encoder), open_library(library, encoder) as opened:
        capsule = OpenCapsule(opened, name)
        learned, held_out = (read_queries(path) for path in query_paths(capsule))
        sets = [of_queries(held_out, encoder), human(dataset, capsule, opened.store.part().layers, encoder)]
        vectors = encoder.encode([query.text for query in learned], "query")
        training_set = TrainingSet(learned, vectors, silent(capsule.partitioning.count), encoder.hash)
    print_row("as", "aligner", *(f"{one}, {measured}" for one in ("held-out", "human") for measured in MEASURES))
    print("|---" * (2 + 2 * len(MEASURES)) + "|")
    print_row("", "centroid", *figures(capsule.partitioning.centroids, sets))
    graph = partition_graph(capsule.graph, capsule.partitioning, capsule.capsule.cells)
    for way, its, scale in (("right", training_set, 0.0), ("original", first_label(training_set), ORIGINAL_SCALE)):
        bounds = (1 / scale, 1 / scale) if scale else models.TEMPERATURES
        for parameters in (TrainingParameters(model, loss, EPOCHS) for model in MODELS for loss in LOSSES):
            with patch.object(models, "TEMPERATURES", bounds):
                model = ended(train(its, graph, parameters)).model
            with torch.no_grad():
                turned = [(model.questions(torch.from_numpy(vectors)).numpy(), golds) for vectors, golds in sets]
                rows = model.partitions().numpy()
            print_row(way, f"{parameters.model}-{parameters.loss}", *figures(rows, turned))


def ended(events: Iterator[Progress]) -> TrainingResult:
    while True:
        try:
            next(events)
        except StopIteration as end:
            found: TrainingResult = end.value
            return found


def figures(partitions: Vectors, sets: Sequence[Set]) -> list[str]:
    found = []
    for vectors, golds in sets:
        scores = vectors @ partitions.T
        measures = measure([gold_ranks(row, gold) for row, gold in zip(scores, golds, strict=True)])
        found += [decimals(measures[name]) for name in MEASURES.values()]
    return found


def first_label(queries: TrainingSet) -> TrainingSet:
    return replace(queries, queries=[replace(query, partitions=query.partitions[:1]) for query in queries.queries])


def silent(count: int) -> PartitionWords:
    none, nowhere = np.zeros(0, np.float32), np.zeros(0, np.int32)
    return PartitionWords(count, (), none, np.zeros(1, np.int64), nowhere, np.zeros((0, len(FIELDS)), np.float32))


def of_queries(queries: Sequence[SyntheticQuery], encoder: CachedEncoder) -> Set:
    return encoder.encode([query.text for query in queries], "query"), [query.partitions for query in queries]


def human(dataset: Path, capsule: OpenCapsule, layers: Layers, encoder: CachedEncoder) -> Set:
    with TemporaryDirectory() as folder:
        data = read_dataset(half(dataset, Path(folder)))
    of_node = capsule.partitioning.of_node
    nodes = nodes_of_documents(layers, [list(data.golds[question.id]) for question in data.questions])
    golds = [np.unique(of_node[its]).tolist() for its in nodes]
    return encoder.encode([question.text for question in data.questions], "query"), golds


if __name__ == "__main__":
    main()
