"""The mass of a node, as a logarithm: a line and a small network over its features, learned from questions whose
documents are known; each node of a walk is weighed once, when its mass is first needed."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from clew.memory.datatypes import Floats, Ints
from clew.memory.knowledge.walking.features import AROUND, DIRECT, Looked, Standing

SIMILARITY = (DIRECT.index("cosine"), DIRECT.index("sentence"))

SHIPPED = Path(__file__).with_name("scorer.json")
"""Fitted by `python -m tests.training.walk`."""


@dataclass(frozen=True, eq=False)
class Layer:
    """log mass = slope . x + output . relu(hidden x + bias), of x = (features - mean) / deviation.

    Shapes: (features,) of mean, deviation and slope, (units, features) of hidden, (units,) of bias and output.
    """

    mean: Floats
    deviation: Floats
    slope: Floats
    hidden: Floats
    bias: Floats
    output: Floats

    def __call__(self, features: Floats) -> Floats:
        """Shape (nodes, features) to (nodes,)."""
        x = (features - self.mean) / self.deviation
        return np.asarray(x @ self.slope + np.maximum(x @ self.hidden.T + self.bias, 0) @ self.output)


@dataclass(frozen=True, eq=False)
class NodeScorer:
    """`alone` weighs what `DIRECT` names, `within` that and what `AROUND` does."""

    alone: Layer
    within: Layer

    @classmethod
    def unfitted(cls) -> "NodeScorer":
        """By the cosine alone: what fitting begins with."""
        layers = []
        for count in (len(DIRECT), len(DIRECT) + len(AROUND)):
            none, line = np.zeros((0, count)), np.zeros(count)
            line[DIRECT.index("cosine")] = 1.0
            layers.append(Layer(np.zeros(count), np.ones(count), line, none, np.zeros(0), np.zeros(0)))
        return cls(*layers)


@cache
def load_scorer(path: Path = SHIPPED) -> NodeScorer:
    """Raises `ValueError` for a file of other features than these."""
    said = json.loads(path.read_text("utf-8"))
    if said["direct"] != list(DIRECT) or said["around"] != list(AROUND):
        raise ValueError(f"{path} is for other features")
    return NodeScorer(
        *(Layer(**{part: np.array(values) for part, values in said[name].items()}) for name in ("alone", "within"))
    )


class Weighing:
    """Of `looked` the log masses `alone` are known: what stands around a node is looked up there."""

    def __init__(self, looked: Looked, alone: Floats, scorer: NodeScorer) -> None:
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
