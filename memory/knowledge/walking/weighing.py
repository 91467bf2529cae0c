"""The masses of nodes, each weighed once, when it is first asked for."""

from collections.abc import Callable, Mapping

import numpy as np

from clew.memory.datatypes import Floats, Ints
from clew.memory.knowledge.walking.features import DIRECT, Looked, Standing
from clew.memory.knowledge.walking.scorer import Scorer

SIMILARITY = (DIRECT.index("cosine"), DIRECT.index("sentence"))


class Weighing:
    """Of `looked` the log masses `alone` are known: what stands around a node is looked up there."""

    def __init__(self, looked: Looked, alone: Floats, scorer: Scorer) -> None:
        self._looked = looked
        self._standing = Standing.of(looked.nodes, alone)
        self._scorer = scorer
        self._masses: dict[int, float] = {}
        self._expected: dict[int, float] = {}
        self._similar: dict[int, float] = {}
        self._more = 0.0

    def __call__(self, rows: Ints) -> Floats:
        """Log masses, with what is around each; shape (rows,)."""
        fresh = _missing(rows, self._masses)
        if len(fresh):
            looked = self._looked.taken_over(fresh)
            alone = self._scorer.alone(looked.direct)
            masses = self._scorer.within(np.hstack([looked.direct, looked.around(self._standing)]))
            self._more = self._more or float(np.median(masses - alone))
            self._masses.update(zip(fresh.tolist(), masses.tolist(), strict=True))
            self._expected.update(self._masses)
            self._note(looked)
        return np.array([self._masses[row] for row in rows.tolist()])

    def expected(self, rows: Ints) -> Floats:
        """The same as far as it is known; else what a node weighs by itself, and what the first ones weighed more."""
        fresh = _missing(rows, self._expected)
        if len(fresh):
            looked = self._looked.taken_over(fresh)
            alone = self._scorer.alone(looked.direct) + self._more
            self._expected.update(zip(fresh.tolist(), alone.tolist(), strict=True))
            self._note(looked)
        return np.array([self._expected[row] for row in rows.tolist()])

    def _note(self, looked: Looked) -> None:
        similar = looked.direct[:, SIMILARITY].max(axis=1)
        self._similar.update(zip(looked.nodes.tolist(), similar.tolist(), strict=True))

    def ranked(self) -> tuple[Ints, Floats]:
        """All nodes that were looked at, and their masses, as far as they are known; best first."""
        nodes = np.array(sorted(self._expected), np.int64)
        masses = np.array([self._expected[node] for node in nodes.tolist()])
        order = np.argsort(-masses, kind="stable")
        return nodes[order], masses[order]

    def answers(self, least: float) -> Callable[[int], bool]:
        """Whether a node, or a sentence of it, is so similar to the question that it answers it."""
        return lambda node: self._similar[node] >= least


def _missing(rows: Ints, known: Mapping[int, float]) -> Ints:
    return np.array(sorted({row for row in rows.tolist() if row not in known}), np.int64)
