"""Two rounds of one step: from the best chunks over their entities to others, whose mass then ranks all anew.

The chunks that match the question best are the anchors of the first round, those with the most mass the anchors of the
second; so a path has two steps, and restarts are weighted by rank as in personalised PageRank. Unlike there, what a
step is worth is learned: from the sentence that names the entity, and from what the question still lacks.
"""

from dataclasses import dataclass

import numpy as np

from clew.memory.datatypes import Floats, Ints
from clew.memory.knowledge.multihop.features import Asked, Paths, paths_from
from clew.memory.knowledge.multihop.model import Coefficients, log_masses


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


def walk(asked: Asked, pool: Ints, coefficients: Coefficients, parameters: HopParameters) -> list[Round]:
    """The rounds, the last of which ranks; `pool` are the chunks to begin with, at least one."""
    chunks = np.union1d(pool, np.array(sorted(asked.in_title), np.int64))
    masses = coefficients.of_direct(asked.direct(chunks))
    rounds: list[Round] = []
    for _ in range(parameters.rounds):
        asked.query.check()
        best = np.argsort(-masses, kind="stable")[: parameters.anchors]
        rounds.append(_round(asked, chunks, chunks[best], masses[best] - masses[best[0]]))
        chunks, masses = rounds[-1].chunks, rounds[-1].masses(coefficients)
    return rounds


def _round(asked: Asked, before: Ints, anchors: Ints, mass: Floats) -> Round:
    paths = paths_from(asked, anchors, mass)
    chunks = np.union1d(before, paths.chunks)
    return Round(chunks, asked.direct(chunks), paths, np.searchsorted(chunks, paths.chunks))
