"""Fitting a layer of the walk's scorer to questions whose relevant nodes are known: listwise, by PyTorch."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clew.memory.datatypes import Floats
from clew.memory.knowledge.walking.features import MassLayer
from tests.training.trainer import padded

if TYPE_CHECKING:
    import torch


LIKE = 64
"""Nodes by which the lengths of questions of one batch may differ."""


@dataclass(frozen=True, slots=True, eq=False)
class QuestionNodes:
    """The nodes of one question: features of shape (nodes, features), which are relevant, and the question's weight."""

    features: Floats
    relevant: NDArray[np.bool_]
    weight: float


@dataclass(frozen=True, slots=True)
class FitParameters:
    units: int = 96
    epochs: int = 60
    batch: int = 128
    rate: float = 4e-3
    decay: float = 1e-3
    dropout: float = 0.3
    seed: int = 0


def fit(questions: Sequence[QuestionNodes], parameters: FitParameters | None = None) -> MassLayer:
    """Minimises the mean of -log of the share of the mass that relevant nodes have, each equally much of it; questions
    without one teach nothing."""
    parameters = parameters or FitParameters()
    told = [one for one in questions if one.relevant.any()]
    every = np.concatenate([one.features for one in told])
    mean, deviation = every.mean(axis=0), every.std(axis=0) + 1e-6
    scaled = [QuestionNodes((one.features - mean) / deviation, one.relevant, one.weight) for one in told]
    return MassLayer(mean, deviation, *_fitted(scaled, parameters))


class _Batch(NamedTuple):
    """Questions filled up to one length: features (questions, nodes, features), wanted shares, and which are nodes;
    `places` are those of the questions among all, and `counts` their nodes."""

    places: list[int]
    counts: list[int]
    features: "torch.Tensor"
    wanted: "torch.Tensor"
    there: "torch.Tensor"

    @classmethod
    def of(cls, questions: Sequence[QuestionNodes], places: NDArray[np.integer]) -> "_Batch":
        its = [questions[place] for place in places]
        wanted = padded([one.weight * one.relevant / one.relevant.sum() for one in its])
        there = padded([np.ones(len(one.relevant)) for one in its]) > 0
        counts = [len(one.relevant) for one in its]
        return cls(places.tolist(), counts, padded([one.features for one in its]), wanted, there)


def _batches(
    questions: Sequence[QuestionNodes], parameters: FitParameters, random: np.random.Generator
) -> Iterator[_Batch]:
    """Of questions of like lengths, otherwise drawn anew; in any order. One more node leaves nearly all there."""
    sizes = np.array([len(one.relevant) for one in questions])
    order = np.argsort(sizes // LIKE * LIKE + random.uniform(0, LIKE, len(sizes)))
    parts = [order[start : start + parameters.batch] for start in range(0, len(order), parameters.batch)]
    for part in random.permutation(len(parts)):
        yield _Batch.of(questions, parts[part])


def _fitted(questions: Sequence[QuestionNodes], parameters: FitParameters) -> tuple[Floats, Floats, Floats, Floats]:
    """Slope, hidden, bias and output of a `MassLayer`."""
    import torch
    from torch import nn

    torch.manual_seed(parameters.seed)
    features = questions[0].features.shape[1]
    line, hidden = nn.Linear(features, 1, bias=False), nn.Linear(features, parameters.units)
    output = nn.Linear(parameters.units, 1, bias=False)
    every = [parameter for layer in (line, hidden, output) for parameter in layer.parameters()]
    optimiser = torch.optim.AdamW(every, lr=parameters.rate, weight_decay=parameters.decay)
    steps = parameters.epochs * -(-len(questions) // parameters.batch)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: max(1 - step / steps, 0.005))
    random = np.random.default_rng(parameters.seed)
    for epoch in range(parameters.epochs):
        for batch in _batches(questions, parameters, random):
            units = torch.relu(hidden(batch.features))
            masses = line(batch.features) + output(units * _kept(batch, epoch, parameters))
            total = torch.logsumexp(masses[..., 0].masked_fill(~batch.there, -1e9), dim=1, keepdim=True)
            loss = ((total - masses[..., 0]) * batch.wanted).sum() / parameters.batch
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
    slope, weights, bias, out = (
        part.detach().numpy().astype(np.float64)
        for part in (line.weight[0], hidden.weight, hidden.bias, output.weight[0])
    )
    return slope, weights, bias, out


def _kept(batch: _Batch, epoch: int, parameters: FitParameters) -> "torch.Tensor":
    """Dropout's mask, scaled: of each question by its place among all, so that one with a node more or less leaves the
    others' as they are. By bytes, as PyTorch draws each number alone, which is half of a fit's time."""
    import torch

    least = round(256 * parameters.dropout)
    kept = np.zeros((*batch.there.shape, parameters.units), np.float32)
    for row, (place, count) in enumerate(zip(batch.places, batch.counts, strict=True)):
        drawn = np.random.Generator(np.random.PCG64([parameters.seed, epoch, place])).bytes(count * parameters.units)
        kept[row, :count] = np.frombuffer(drawn, np.uint8).reshape(count, -1) >= least
    return torch.from_numpy(kept * np.float32(256 / (256 - least)))
