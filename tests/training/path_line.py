"""Fitting what paths bring to the walk's scorer, beside what it weighs a chunk by itself.

A conditional logit: the relevant chunks of a question share its weight, all others that the rounds came to are its
alternatives; L2 on all coefficients but the bias and the share of the mass alone.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from clew.memory.datatypes import Floats, Ints
from clew.memory.knowledge.walking.features import PATH, HopQuestion, Looked, NodeScorer, PathLine
from clew.tools.graph import HopParameters, Round, hop

BEGINNING = PathLine(1.0, -2.0, np.zeros(len(PATH)))
"""Where fitting starts from: what weighs most by itself is the anchor."""

L2 = 1.0
ALTERNATIONS = 3
"""The rounds depend on the coefficients and they on the rounds: so often one after the other."""


@dataclass(frozen=True, slots=True, eq=False)
class HopExample:
    """A question of several hops: where its rounds begin, which nodes are relevant (shape (nodes of the library,)), and
    its weight."""

    looked: Looked
    hops: HopQuestion
    relevant: NDArray[np.bool_]
    weight: float


def fit_paths(examples: Sequence[HopExample], scorer: NodeScorer) -> PathLine:
    """To what `scorer` weighs alone; its own line of paths is not looked at. Without examples the beginning."""
    line, scale = BEGINNING, None
    for alternation in range(ALTERNATIONS if examples else 0):
        parameters = HopParameters(rounds=2 if alternation else 1)
        rounds = [
            (example, one, example.weight / len(made))
            for example in examples
            for made in [hop(example.looked, example.hops, replace(scorer, path=line), parameters)]
            for one in made
        ]
        table = table_of(rounds, scorer)
        scale = scale_of(table) if scale is None else scale
        line = line_of(_fitted(table, scale))
    return line


def line_of(values: Floats) -> PathLine:
    """In the order own, bias, `PATH`."""
    return PathLine(float(values[0]), float(values[1]), values[2:])


class Table(NamedTuple):
    """All rounds one after the other. What each chunk weighs alone (chunks,), `paths` with a 1 first (paths, ...), and
    the chunk where each path ends; `starts` of each round's chunks; `wanted` is each chunk's share of its round's
    weight."""

    alone: Floats
    paths: Floats
    ends: Ints
    starts: Ints
    wanted: Floats


def table_of(rounds: Sequence[tuple[HopExample, Round, float]], scorer: NodeScorer) -> Table:
    sizes = np.array([len(one.looked.nodes) for _, one, _ in rounds])
    starts = np.cumsum(sizes) - sizes
    wanted = []
    for example, one, weight in rounds:
        relevant = example.relevant[one.looked.nodes]
        wanted.append(weight * relevant / max(1, relevant.sum()))
    paths = np.concatenate([one.paths.features for _, one, _ in rounds])
    return Table(
        np.concatenate([scorer.alone(one.looked.direct) for _, one, _ in rounds]),
        np.hstack([np.ones((len(paths), 1)), paths]),
        np.concatenate([one.ends + start for (_, one, _), start in zip(rounds, starts, strict=True)]),
        starts,
        np.concatenate(wanted),
    )


def scale_of(table: Table) -> Floats:
    """Of each feature its deviation; 1 for the mass alone, the bias and a feature that is the same everywhere."""
    deviations = table.paths[:, 1:].std(axis=0)
    return np.concatenate([np.ones(2), np.where(deviations > 1e-6, deviations, 1.0)])


def _fitted(table: Table, scale: Floats) -> Floats:
    from scipy.optimize import minimize

    beginning = np.array([BEGINNING.own, BEGINNING.bias, *BEGINNING.slope])
    found = minimize(loss_of(table, scale), beginning, jac=True, method="L-BFGS-B", options={"maxiter": 500})
    return np.asarray(found.x / scale)


def loss_of(table: Table, scale: Floats) -> Callable[[Floats], tuple[float, Floats]]:
    """The loss of coefficients of scaled features, and its slope."""
    import torch

    alone, wanted, paths = (torch.from_numpy(one) for one in (table.alone, table.wanted, table.paths / scale[1:]))
    chunks, rounds = len(alone), len(table.starts)
    of_round = torch.from_numpy(np.repeat(np.arange(rounds), np.diff([*table.starts, chunks])))
    ends = torch.cat([torch.arange(chunks), torch.from_numpy(table.ends)])
    weights = torch.zeros(rounds, dtype=torch.float64).index_add(0, of_round, wanted)

    def log_sums(values: torch.Tensor, places: torch.Tensor, count: int) -> torch.Tensor:
        peak = torch.full((count,), -torch.inf, dtype=torch.float64).scatter_reduce(0, places, values.detach(), "amax")
        return peak + torch.zeros_like(peak).index_add(0, places, torch.exp(values - peak[places])).log()

    def loss(values: Floats) -> tuple[float, Floats]:
        given = torch.tensor(values, dtype=torch.float64, requires_grad=True)
        mass = log_sums(torch.cat([alone * given[0], paths @ given[1:]]), ends, chunks)
        value = weights @ log_sums(mass, of_round, rounds) - wanted @ mass + L2 / 2 * (given[2:] ** 2).sum()
        (slope,) = torch.autograd.grad(value, given)
        return value.item(), slope.numpy()

    return loss
