"""The mass of a chunk: what it has itself, and what the paths to it bring (a conditional logit over both)."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Self

import numpy as np

from clew.memory.datatypes import Floats, Ints
from clew.memory.knowledge.multihop.features import DIRECT, PATH

SHIPPED = Path(__file__).with_name("coefficients.json")
"""Fitted by `python -m tests.training.hops`."""


@dataclass(frozen=True, slots=True)
class Coefficients:
    """Of the features by name; `path` has a `bias` too, the log mass of a path with no features."""

    direct: dict[str, float]
    path: dict[str, float]

    @classmethod
    def from_vector(cls, values: Floats) -> Self:
        """In the order of `DIRECT`, bias, `PATH`."""
        numbers = [float(value) for value in values]
        return cls(
            dict(zip(DIRECT, numbers, strict=False)),
            dict(zip(("bias", *PATH), numbers[len(DIRECT) :], strict=True)),
        )

    def of_direct(self, features: Floats) -> Floats:
        """Log mass of chunks by themselves; features of shape (chunks, len(DIRECT))."""
        return np.asarray(features @ np.array([self.direct[name] for name in DIRECT]))

    def of_paths(self, features: Floats) -> Floats:
        """Log mass that each path brings; features of shape (paths, len(PATH))."""
        return np.asarray(features @ np.array([self.path[name] for name in PATH]) + self.path["bias"])

    def to_json(self) -> str:
        return json.dumps(asdict(self), indent=1) + "\n"


def load_coefficients(path: Path = SHIPPED) -> Coefficients:
    return Coefficients(**json.loads(path.read_text("utf-8")))


def log_masses(direct: Floats, paths: Floats, ends: Ints) -> Floats:
    """log(exp(direct) + the sum of exp(paths) that end there), shape (chunks,); path i ends at chunk `ends[i]`."""
    peak = direct.copy()
    np.maximum.at(peak, ends, paths)
    total = np.exp(direct - peak)
    np.add.at(total, ends, np.exp(paths - peak[ends]))
    return np.asarray(peak + np.log(total))
