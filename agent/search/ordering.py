"""The order of the evidence: one listwise ranking of all that the tools of a round found.

The mass of a passage is a sum over the tools that ran: what each says of it, times a weight that depends on the signals
of the router. `ordering.json` has the weights; `python -m tests.training.search` fits them (a conditional logit).
"""

import json
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np

from clew.memory.datatypes import Floats, Passage
from clew.memory.dialogue.signals import Linear

SHIPPED = Path(__file__).with_name("ordering.json")

FLOOR = -6.0
"""Log share of what a tool did not find, or found last of many."""

RANKED = ("hybrid", "graph", "walk", "clues", "local")

Ordering = Mapping[str, Linear]
"""By tool the weight of what it says, by the signals."""


@cache
def shipped() -> Ordering:
    """The one that comes with Clew."""
    return {tool: Linear(**model) for tool, model in json.loads(SHIPPED.read_text("utf-8")).items()}


def ordered(
    passages: Sequence[Passage], matched: Mapping[str, float], signals: Mapping[str, float], by: Ordering
) -> list[Passage]:
    """The passages by their mass, each with its share of it as the score `mass`. `matched` is `hybrid`'s score of every
    one, which all of them have then. Each passage's `scores` have those of the tools that found it, by their names."""
    ran = [tool for tool in RANKED if any(tool in passage.scores for passage in passages)]
    said = features(passages, matched, ran)
    masses = sum((by[tool].of(signals) * said[tool] for tool in ran if tool in by), np.zeros(len(passages)))
    parts = np.exp(masses - masses.max(initial=-np.inf))
    shares = parts / parts.sum()
    return [
        replace(passages[place], scores={**passages[place].scores, "mass": float(shares[place])})
        for place in np.argsort(-masses, kind="stable").tolist()
    ]


def features(passages: Sequence[Passage], matched: Mapping[str, float], tools: Collection[str]) -> Mapping[str, Floats]:
    """What each of the tools says of every passage, shape (passages,): `hybrid` its score; the others the log of theirs
    as a share of the best."""
    found: dict[str, Floats] = {}
    for tool in tools:
        if tool == "hybrid":
            found[tool] = np.array([matched[passage.id] for passage in passages])
            continue
        scores = [max(passage.scores.get(tool, 0.0), 0.0) for passage in passages]
        best = max(scores, default=0.0) or 1.0
        found[tool] = np.array([max(math.log(score / best), FLOOR) if score else FLOOR for score in scores])
    return found
