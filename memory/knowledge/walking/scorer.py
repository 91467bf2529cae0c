"""The mass of a node, as a logarithm: a line and a small network over its features, learned from questions whose
documents are known."""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from clew.memory.datatypes import Floats
from clew.memory.knowledge.walking.features import AROUND, DIRECT

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
class Scorer:
    """`alone` weighs what `DIRECT` names, `within` that and what `AROUND` does."""

    alone: Layer
    within: Layer

    @classmethod
    def unfitted(cls) -> "Scorer":
        """By the cosine alone: what fitting begins with."""
        layers = []
        for count in (len(DIRECT), len(DIRECT) + len(AROUND)):
            none, line = np.zeros((0, count)), np.zeros(count)
            line[DIRECT.index("cosine")] = 1.0
            layers.append(Layer(np.zeros(count), np.ones(count), line, none, np.zeros(0), np.zeros(0)))
        return cls(*layers)


@cache
def load_scorer(path: Path = SHIPPED) -> Scorer:
    """Raises `ValueError` for a file of other features than these."""
    said = json.loads(path.read_text("utf-8"))
    if said["direct"] != list(DIRECT) or said["around"] != list(AROUND):
        raise ValueError(f"{path} is for other features")
    return Scorer(
        *(Layer(**{part: np.array(values) for part, values in said[name].items()}) for name in ("alone", "within"))
    )
