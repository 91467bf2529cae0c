"""What each wording of the question is worth, by what it found first, and which of them a person reads.

The scores of a passage by each wording are summed with these weights (`tools/base.py`). They are a softmax over the
wordings that there are, however many: each starts from the prior of its kind, which the wordings of a kind share, and
gains or loses by its signals. The model is in `forms.json`, made by `python -m tests.training.forms`.
"""

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Literal

import numpy as np

from clew.agent.state import Turn
from clew.memory.datatypes import Wording
from clew.memory.dialogue.rewriting import rewritten
from clew.memory.dialogue.utterances import tidy
from clew.memory.knowledge.question import Matches

Kind = Literal["question", "rewrite", "words"]
"""The question as it is; a rewriting that can be read; one with single words behind it, which is only searched."""

WORDS = frozenset({"expanded"})
"""The names of wordings that are no sentence."""

FIRST = 10
"""Hits of a wording that are looked at."""

SHIPPED = Path(__file__).with_name("forms.json")


@dataclass(frozen=True, slots=True)
class FormModel:
    """`priors` are shares by kind, `signals` what a signal adds to a wording's logit, and `stays` is the weight from
    which the question is read as it is."""

    priors: Mapping[str, float]
    signals: Mapping[str, float] = field(default_factory=dict)
    stays: float = 0.5


@cache
def shipped() -> FormModel:
    """The one that comes with Clew."""
    return FormModel(**json.loads(SHIPPED.read_text("utf-8")))


def kind_of(wording: Wording) -> Kind:
    if wording.name in WORDS:
        return "words"
    return "question" if wording.name == "question" else "rewrite"


def weighed(wordings: Sequence[Wording], found: Matches, model: FormModel | None = None) -> tuple[Wording, ...]:
    """The wordings with their weights, which sum to 1, and the one that won; `found` has a row for each.

    The question as it is wins where it has enough of the weight, or no rewriting is there: words behind a rewriting
    speak for it. Else the heaviest rewriting wins, of like ones the first; never a list of words.
    """
    model = model or shipped()
    kinds = [kind_of(wording) for wording in wordings]
    many = Counter(kinds)
    signals = form_signals(found)
    logits = [
        math.log(model.priors[kind] / many[kind])
        + sum(weight * signals[name][place] for name, weight in model.signals.items())
        for place, kind in enumerate(kinds)
    ]
    odds = np.exp(np.array(logits) - max(logits))
    shares = (odds / odds.sum()).tolist()
    winner = _winner(kinds, shares, model.stays)
    return tuple(
        replace(wording, weight=share, won=place == winner)
        for place, (wording, share) in enumerate(zip(wordings, shares, strict=True))
    )


def settled(turn: Turn, wordings: tuple[Wording, ...]) -> Turn:
    """The turn with these wordings, weighed, and with all that follows from the weights: what a person reads, whether
    earlier turns stand in front of it, the question with the words that it needs, the weight of the question as it is.
    """
    made = rewritten(tidy(next(wording.text for wording in wordings if wording.won)), wordings)
    return replace(
        turn,
        rewritten=made.text,
        with_history=made.with_history,
        expanded=made.expanded,
        own_weight=made.own_weight,
        wordings=wordings,
    )


def _winner(kinds: Sequence[Kind], shares: Sequence[float], stays: float) -> int:
    rewrites = [place for place, kind in enumerate(kinds) if kind == "rewrite"]
    own = kinds.index("question") if "question" in kinds else -1
    if own >= 0 and (not rewrites or shares[own] >= stays):
        return own
    return max(rewrites or range(len(kinds)), key=lambda place: shares[place])


def form_signals(found: Matches) -> dict[str, list[float]]:
    """By name, of each wording, less the mean over the wordings: 0 everywhere where there is one, or nothing is found.

    `best` is the score of its first hit, `first` the mean of its first `FIRST`, `gap` what the former has more than the
    latter; `agrees` is the share of its first hits that another wording has among its own, on average; `held` and
    `near` are the share of its words that its first hit holds and the cosine to it.
    """
    forms, count = found.scores.shape
    names = ("best", "first", "gap", "agrees", "held", "near")
    if not count or forms < 2:
        return {name: [0.0] * forms for name in names}
    order = np.argsort(-found.scores, axis=1, kind="stable")[:, :FIRST]
    scores = np.take_along_axis(found.scores, order, axis=1)
    hits = [set(row.tolist()) for row in order]
    shared = [
        np.mean([len(own & other) / len(own) for at, other in enumerate(hits) if at != place])
        for place, own in enumerate(hits)
    ]
    top = [found.ids[row[0]] for row in order]
    held = [of_form[id_].score if id_ in of_form else 0.0 for of_form, id_ in zip(found.hits, top, strict=True)]
    near = np.take_along_axis(found.cosines, order[:, :1], axis=1)[:, 0]
    best, first = scores[:, 0], scores.mean(axis=1)
    values = zip(names, (best, first, best - first, shared, held, near), strict=True)
    return {name: (np.asarray(row, np.float64) - np.mean(row)).tolist() for name, row in values}
