"""Training an aligner: AdamW, stopped early by the loss on a part of the training queries, the best weights kept.

Two losses of seed 004, with all positives. Logits and positives (1 or 0) have the shape (questions, partitions); logits
are divided by the temperature already.
"""

import copy
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits
from torch.optim import Optimizer

from clew.memory.datatypes import Float32s, Ints, Progress, Vectors
from clew.memory.knowledge.aligners.models import MODELS, PartitionGraph, TwoTowers
from clew.memory.knowledge.aligners.open_capsule import fingerprint_of
from clew.memory.knowledge.aligners.scoring import Loss, PartitionWords, TrainingRecord
from clew.memory.knowledge.aligners.synthetic_queries import SyntheticQuery

VALIDATED = 0.1
"""The share of the training queries that decides when to stop."""


def info_nce(logits: Tensor, positives: Tensor) -> Tensor:
    """- log of the softmax's mass on all positives, the mean over the questions (multi-positive InfoNCE; van den Oord
    et al. 2018 for one)."""
    wrong = positives == 0
    return (logits.logsumexp(1) - logits.masked_fill(wrong, float("-inf")).logsumexp(1)).mean()


def binary(logits: Tensor, positives: Tensor) -> Tensor:
    """Binary cross-entropy, summed over the partitions, the mean over the questions."""
    return binary_cross_entropy_with_logits(logits, positives, reduction="sum") / len(logits)


LOSSES: Mapping[Loss, Callable[[Tensor, Tensor], Tensor]] = {"infonce": info_nce, "bce": binary}


@dataclass(frozen=True, slots=True)
class TrainingParameters:
    """Training ends after `epochs`, or when `patience` of them in a row were no better than the best before."""

    model: str = "mlp"
    loss: Loss = "infonce"
    epochs: int = 20
    seed: int = 42
    batch: int = 256
    rate: float = 1e-3
    decay: float = 1e-4
    patience: int = 3


@dataclass(frozen=True, eq=False)
class TrainingSet:
    """Queries with their vectors, shape (q, d), the words of the partitions, and the hash of the vectors' encoder.
    Word scores are computed batch by batch: those of 100,000 queries together would take 1 GB."""

    queries: Sequence[SyntheticQuery]
    vectors: Vectors
    words: PartitionWords
    encoder: str

    @cached_property
    def weighted(self) -> list[list[tuple[int, float]]]:
        return [self.words.weighted(query.text) for query in self.queries]

    def word_scores(self, places: Ints) -> Float32s:
        """Shape (len(places), 3, partitions)."""
        return np.stack([self.words.summed(self.weighted[place]) for place in places])

    def positives(self, places: Ints) -> Float32s:
        """1 for each partition of a query's nodes, shape (len(places), partitions)."""
        found = np.zeros((len(places), self.words.count), np.float32)
        for row, place in enumerate(places):
            found[row, list(self.queries[place].partitions)] = 1
        return found

    def parted(self, seed: int) -> tuple[Ints, Ints]:
        """Places to learn from and places to validate on; at least one of each where there are two."""
        order = np.random.default_rng(seed).permutation(len(self.queries))
        held = min(len(order) - 1, max(1, round(VALIDATED * len(order))))
        return order[held:], order[:held]


class TrainingResult(NamedTuple):
    """`model` is on the CPU."""

    model: TwoTowers
    record: TrainingRecord


def train(
    queries: TrainingSet, graph: PartitionGraph, parameters: TrainingParameters
) -> Generator[Progress, None, TrainingResult]:
    """On a GPU where there is one. On a CPU the same seed gives the same weights."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    stage = f"{parameters.model}-{parameters.loss}"
    learn, validate = queries.parted(parameters.seed)
    rng, epoch = np.random.default_rng(parameters.seed), 0
    best, best_epoch, weights = np.inf, 0, dict[str, Any]()
    with torch.random.fork_rng():
        torch.manual_seed(parameters.seed)
        model = MODELS[parameters.model](graph).to(device)
        optimiser = torch.optim.AdamW(model.parameters(), lr=parameters.rate, weight_decay=parameters.decay)
        while epoch < parameters.epochs and epoch - best_epoch < parameters.patience:
            yield Progress(stage, epoch, parameters.epochs)
            _learn(model, optimiser, queries, rng.permutation(learn), parameters)
            epoch, loss = epoch + 1, _validated(model, queries, validate, parameters.loss)
            if loss < best:
                best, best_epoch, weights = loss, epoch, copy.deepcopy(model.state_dict())
    yield Progress(stage, parameters.epochs, parameters.epochs)
    model.load_state_dict(weights)
    record = TrainingRecord(
        model=parameters.model,
        loss=parameters.loss,
        seed=parameters.seed,
        epoch=best_epoch,
        epochs=epoch,
        learned=len(learn),
        validated=len(validate),
        validation=best,
        temperature=float(model.temperature.detach()),
        partitions=graph.partitioning.count,
        dimension=queries.vectors.shape[1],
        partitioning=fingerprint_of(graph.partitioning),
        encoder=queries.encoder,
    )
    return TrainingResult(model.to("cpu").eval(), record)


def _learn(
    model: TwoTowers, optimiser: Optimizer, queries: TrainingSet, order: Ints, parameters: TrainingParameters
) -> None:
    model.train()
    for start in range(0, len(order), parameters.batch):
        optimiser.zero_grad()
        loss = _loss(model, queries, order[start : start + parameters.batch], parameters.loss)
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()


def _validated(model: TwoTowers, queries: TrainingSet, places: Ints, loss: Loss) -> float:
    model.eval()
    parts = np.array_split(places, -(-len(places) // 512))
    with torch.no_grad():
        return float(sum(float(_loss(model, queries, part, loss)) * len(part) for part in parts) / len(places))


def _loss(model: TwoTowers, queries: TrainingSet, places: Ints, loss: Loss) -> Tensor:
    arrays = queries.vectors[places], queries.word_scores(places), queries.positives(places)
    device = model.centroids.device
    vectors, words, positives = (torch.from_numpy(np.ascontiguousarray(values)).to(device) for values in arrays)
    return LOSSES[loss](model(vectors, words), positives)
