"""Two rounds of one step: from the best chunks over their entities to others, whose mass then ranks all anew.

The chunks that match the question best are the anchors of the first round, those with the most mass the anchors of the
second; so a path has two steps, and restarts are weighted by rank as in personalised PageRank. Unlike there, what a
step is worth is learned: from the sentence that names the entity, and from what the question still lacks. The mass of
a chunk is what it has itself, and what the paths to it bring (a conditional logit over both).
"""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from clew.memory.datatypes import Floats, Ints
from clew.memory.knowledge.multihop.paths import DIRECT, PATH, HopQuestion, Paths, paths_from

SHIPPED = Path(__file__).with_name("coefficients.json")
"""Fitted by `python -m tests.training.hops`."""


@dataclass(frozen=True, slots=True)
class Coefficients:
    """Of the features by name; `path` has a `bias` too, the log mass of a path with no features."""

    direct: dict[str, float]
    path: dict[str, float]

    def of_direct(self, features: Floats) -> Floats:
        """Log mass of chunks by themselves; features of shape (chunks, len(DIRECT))."""
        return np.asarray(features @ np.array([self.direct[name] for name in DIRECT]))

    def of_paths(self, features: Floats) -> Floats:
        """Log mass that each path brings; features of shape (paths, len(PATH))."""
        return np.asarray(features @ np.array([self.path[name] for name in PATH]) + self.path["bias"])


def load_coefficients(path: Path = SHIPPED) -> Coefficients:
    return Coefficients(**json.loads(path.read_text("utf-8")))


def log_masses(direct: Floats, paths: Floats, ends: Ints) -> Floats:
    """log(exp(direct) + the sum of exp(paths) that end there), shape (chunks,); path i ends at chunk `ends[i]`."""
    peak = direct.copy()
    np.maximum.at(peak, ends, paths)
    total = np.exp(direct - peak)
    np.add.at(total, ends, np.exp(paths - peak[ends]))
    return np.asarray(peak + np.log(total))


@dataclass(frozen=True, slots=True)
class HopParameters:
    """`anchors` of each round, and how many rounds: what the shipped coefficients were fitted with."""

    anchors: int = 5
    rounds: int = 2


@dataclass(frozen=True, slots=True, eq=False)
class Round:
    """The chunks that one round weighed, their direct features, the paths to them, and the place in `chunks` where each
    path ends."""

    chunks: Ints
    direct: Floats
    paths: Paths
    ends: Ints

    def masses(self, coefficients: Coefficients) -> Floats:
        """Log mass, shape (chunks,)."""
        direct, paths = coefficients.of_direct(self.direct), coefficients.of_paths(self.paths.features)
        return log_masses(direct, paths, self.ends)


def walk(hops: HopQuestion, pool: Ints, coefficients: Coefficients, parameters: HopParameters) -> list[Round]:
    """The rounds, the last of which ranks; `pool` are the chunks to begin with, at least one."""
    chunks = np.union1d(pool, np.array(sorted(hops.in_title), np.int64))
    masses = coefficients.of_direct(hops.direct(chunks))
    rounds: list[Round] = []
    for _ in range(parameters.rounds):
        hops.question.query.check()
        best = np.argsort(-masses, kind="stable")[: parameters.anchors]
        rounds.append(_round(hops, chunks, chunks[best], masses[best] - masses[best[0]]))
        chunks, masses = rounds[-1].chunks, rounds[-1].masses(coefficients)
    return rounds


def _round(hops: HopQuestion, before: Ints, anchors: Ints, mass: Floats) -> Round:
    paths = paths_from(hops, anchors, mass)
    chunks = np.union1d(before, paths.chunks)
    return Round(chunks, hops.direct(chunks), paths, np.searchsorted(chunks, paths.chunks))
