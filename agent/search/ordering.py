"""The order of the evidence: one ranking of all passages that the tools of a round found.

The score ("mass") of a passage is a sum over the tools that ran: the tool's score times a weight that depends on the
router's signals. The weights are in `ordering.json`, fitted by `python -m tests.training.search` (a conditional
logit)."""

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
"""The log share given to passages that a tool did not find, or ranked last of many."""

RANKED = ("hybrid", "graph", "walk", "clues", "local")

Ordering = Mapping[str, Linear]
"""For each tool a linear model that gives its weight from the signals."""


@cache
def shipped() -> Ordering:
    """The one that comes with Clew."""
    return {tool: Linear(**model) for tool, model in json.loads(SHIPPED.read_text("utf-8")).items()}


def ordered(
    passages: Sequence[Passage], matched: Mapping[str, float], signals: Mapping[str, float], by: Ordering
) -> list[Passage]:
    """The passages, best first, each with its share of the total mass as the score `mass`. `matched` is `hybrid`'s
    score of each passage; their other scores are by the tools' names."""
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
    """What each tool says of each passage, shape (passages,): for `hybrid` its score, for others the log of their score
    as a share of their best."""
    found: dict[str, Floats] = {}
    for tool in tools:
        if tool == "hybrid":
            found[tool] = np.array([matched[passage.id] for passage in passages])
            continue
        scores = [max(passage.scores.get(tool, 0.0), 0.0) for passage in passages]
        best = max(scores, default=0.0) or 1.0
        found[tool] = np.array([max(math.log(score / best), FLOOR) if score else FLOOR for score in scores])
    return found
