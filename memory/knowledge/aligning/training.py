"""Training an aligner: AdamW, early stopping by the loss on a part of the training queries, the best weights kept."""

import copy
from collections.abc import Generator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clew.memory.datatypes import Ints
from clew.memory.knowledge.aligning.lessons import Lessons
from clew.memory.knowledge.aligning.losses import Loss, binary, info_nce
from clew.memory.knowledge.aligning.views import PartitionViews
from clew.memory.knowledge.aligning.words import Floats
from clew.memory.progress import Progress

if TYPE_CHECKING:
    from torch import Tensor
    from torch.optim import Optimizer

    from clew.memory.knowledge.aligning.models import Aligner


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


@dataclass(frozen=True, slots=True, eq=False)
class Trained:
    """`aligner` is on the CPU and has the weights of `epoch`, from 1, the best of `epochs`: `validation` is its loss on
    queries that were not learned from. `learned` and `validated` are how many were and were not."""

    aligner: "Aligner"
    epoch: int
    epochs: int
    validation: float
    learned: int
    validated: int


class _Best(NamedTuple):
    loss: float
    epoch: int
    weights: dict[str, Any]


def train(
    lessons: Lessons, views: PartitionViews, parameters: TrainingParameters
) -> Generator[Progress, None, Trained]:
    """On a GPU where there is one. On a CPU the same seed gives the same weights."""
    import torch

    from clew.memory.knowledge.aligning.models import MODELS

    device = "cuda" if torch.cuda.is_available() else "cpu"
    stage = f"{parameters.model}-{parameters.loss}"
    learn, validate = lessons.parted(parameters.seed)
    rng, epoch, best = np.random.default_rng(parameters.seed), 0, _Best(np.inf, 0, {})
    with torch.random.fork_rng():
        torch.manual_seed(parameters.seed)
        aligner = MODELS[parameters.model](views).to(device)
        optimiser = torch.optim.AdamW(aligner.parameters(), lr=parameters.rate, weight_decay=parameters.decay)
        while epoch < parameters.epochs and epoch - best.epoch < parameters.patience:
            yield Progress(stage, epoch, parameters.epochs)
            _learn(aligner, optimiser, lessons, rng.permutation(learn), parameters)
            epoch, loss = epoch + 1, _validated(aligner, lessons, validate, parameters.loss)
            if loss < best.loss:
                best = _Best(loss, epoch, copy.deepcopy(aligner.state_dict()))
    yield Progress(stage, parameters.epochs, parameters.epochs)
    aligner.load_state_dict(best.weights)
    return Trained(aligner.to("cpu").eval(), best.epoch, epoch, best.loss, len(learn), len(validate))


def _learn(
    aligner: "Aligner", optimiser: "Optimizer", lessons: Lessons, order: Ints, parameters: TrainingParameters
) -> None:
    aligner.train()
    for start in range(0, len(order), parameters.batch):
        optimiser.zero_grad()
        loss = _loss(aligner, lessons, order[start : start + parameters.batch], parameters.loss)
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()


def _validated(aligner: "Aligner", lessons: Lessons, places: Ints, loss: Loss) -> float:
    import torch

    aligner.eval()
    parts = np.array_split(places, -(-len(places) // 512))
    with torch.no_grad():
        return float(sum(float(_loss(aligner, lessons, part, loss)) * len(part) for part in parts) / len(places))


def _loss(aligner: "Aligner", lessons: Lessons, places: Ints, loss: Loss) -> "Tensor":
    vectors, words, positives = (
        _tensor(values, aligner)
        for values in (lessons.vectors[places], lessons.word_scores(places), lessons.positives(places))
    )
    return {"infonce": info_nce, "bce": binary}[loss](aligner(vectors, words), positives)


def _tensor(values: Floats, aligner: "Aligner") -> "Tensor":
    import torch

    return torch.from_numpy(np.ascontiguousarray(values)).to(aligner.centroids.device)
