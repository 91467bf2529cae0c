"""Two rounds of one step: from the best chunks over their entities to others, whose mass then ranks all anew.

The chunks that match the question best are the anchors of the first round, those with the most mass the anchors of the
second; so a path has two steps, and restarts are weighted by rank as in personalised PageRank. Unlike there, what a
step is worth is learned: from the sentence that names the entity, and from what the question still lacks. The mass of
a chunk is what it has itself, and what the paths to it bring (a conditional logit over both).
"""

from dataclasses import dataclass

import numpy as np

from clew.memory.datatypes import Floats, Ints
from clew.memory.knowledge.walking.features import Looked, NodeScorer
from clew.memory.knowledge.walking.paths import HopQuestion, Paths, paths_from
from clew.memory.parameters import Few


def log_masses(own: Floats, paths: Floats, ends: Ints) -> Floats:
    """log(exp(own) + the sum of exp(paths) that end there), shape (chunks,); path i ends at chunk `ends[i]`."""
    peak = own.copy()
    np.maximum.at(peak, ends, paths)
    total = np.exp(own - peak)
    np.add.at(total, ends, np.exp(paths - peak[ends]))
    return np.asarray(peak + np.log(total))


@dataclass(frozen=True, slots=True)
class HopParameters:
    """`anchors` of each round, and how many rounds: what the shipped scorer was fitted with."""

    anchors: Few = 5
    rounds: Few = 2


@dataclass(frozen=True, slots=True, eq=False)
class Round:
    """The chunks that one round weighed, the paths to them, and the place in `looked.nodes` where each path ends."""

    looked: Looked
    paths: Paths
    ends: Ints

    def masses(self, scorer: NodeScorer) -> Floats:
        """Log mass, shape (chunks,)."""
        return log_masses(scorer.before_paths(self.looked.direct), scorer.path(self.paths.features), self.ends)


def hop(looked: Looked, hops: HopQuestion, scorer: NodeScorer, parameters: HopParameters) -> list[Round]:
    """The rounds, the last of which ranks; they begin with what was looked at, at least one chunk."""
    masses = scorer.before_paths(looked.direct)
    rounds: list[Round] = []
    for _ in range(parameters.rounds):
        looked.question.query.check()
        best = np.argsort(-masses, kind="stable")[: parameters.anchors]
        paths = paths_from(hops, looked.nodes[best], masses[best] - masses[best[0]])
        looked = looked.taken_over(np.union1d(looked.nodes, paths.chunks))
        rounds.append(Round(looked, paths, np.searchsorted(looked.nodes, paths.chunks)))
        masses = rounds[-1].masses(scorer)
    return rounds
