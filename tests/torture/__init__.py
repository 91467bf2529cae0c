"""What no accident may do to a library or a conversation, part by part: `make torture`.

A part is a module of this folder with `points(run)`, which yields for each thing that it tried its name and what went
wrong, empty where nothing did. What it tries is drawn from `run.chance` alone, so that a seed says it again.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

Points = Iterator[tuple[str, str]]


class Skipped(Exception):
    """A part cannot run on this machine; says why."""


@dataclass(frozen=True, slots=True)
class Run:
    """`folder` is empty and the part's own; `share` of all points are tried; `documents` are for `orders`."""

    seed: int
    share: float
    folder: Path
    documents: Path | None = None

    def chance(self, name: str) -> random.Random:
        """One for each purpose, so that one does not change what another draws."""
        return random.Random(f"{self.seed} {name}")

    def some(self, points: int) -> int:
        """How many of these are tried, at least one."""
        return max(1, round(points * self.share))
