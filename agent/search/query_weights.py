"""The weight of each wording of the question, by what it found, and which wording is shown to the person.

A passage's score is the weighted sum of its scores by each wording (`tools/base.py`). The weights are a softmax over
the wordings: each starts from the prior of its kind and gains or loses by its signals. The model is in
`query_weights.json`, made by `make train`."""

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Literal, get_args

import numpy as np

from clew.agent.state import Turn
from clew.memory.datatypes import Wording
from clew.memory.dialogue.signals import turn_signals
from clew.memory.dialogue.utterances import tidy
from clew.memory.knowledge.question import Matches
from clew.memory.ports import Encoder
from clew.memory.text import content_words
from clew.memory.vectors import softmax

Kind = Literal["question", "rewrite", "before", "words"]
"""The question as typed; a rewriting that can be shown; and two that are only searched: the previous question with this
one behind it, and a rewriting with single words added."""

KINDS: tuple[Kind, ...] = get_args(Kind)

SEARCHED: Mapping[str, Kind] = {"before": "before", "expanded": "words"}
"""The wordings that are never shown, and their kinds."""

VARIANTS = frozenset({"dated", "spelling", "cognates"})
"""Wordings that are the question with a date or a word written differently, or its words in another language: they
share the question's weight."""

FIRST = 10
"""Hits of each wording that are compared."""

SHORT = 2
"""Content words up to which a question is short."""

OF_TURN = ("leans", "pronoun", "clarifies", "capital", "last_turn", "context")
"""Signals that only the question as typed has (see `turn_signals`); 0 for other wordings."""

SHIPPED = Path(__file__).with_name("query_weights.json")


@dataclass(frozen=True, slots=True)
class WeightModel:
    """`priors` are shares by kind, `signals` what each signal adds to the logit; if the question's own weight is at
    least `stays`, it is shown as typed."""

    priors: Mapping[str, float]
    signals: Mapping[str, float] = field(default_factory=dict)
    stays: float = 0.5


@cache
def shipped() -> WeightModel:
    """The one that comes with Clew."""
    return WeightModel(**json.loads(SHIPPED.read_text("utf-8")))


def kind_of(wording: Wording) -> Kind:
    """Return the kind of a wording, by which its weight is learned."""
    return SEARCHED.get(wording.name, "question" if wording.name == "question" else "rewrite")


def weighed(
    wordings: Sequence[Wording], found: Matches, of_turn: Mapping[str, float], model: WeightModel
) -> tuple[Wording, ...]:
    """The wordings with their weights, which sum to 1, and the winner marked. `found` has a row for each; `of_turn` are
    the signals from `said`.

    The question as typed wins if its weight is at least `stays`, or if there is no rewriting; else the heaviest
    rewriting, never a list of words. Its variants divide its weight with it in their given proportions, and if it wins,
    the heaviest of them does (the last of equals)."""
    own = [place for place, wording in enumerate(wordings) if wording.name not in VARIANTS]
    kinds = [kind_of(wordings[place]) for place in own]
    rows = replace(
        found, scores=found.scores[own], cosines=found.cosines[own], hits=[found.hits[place] for place in own]
    )
    weights = shares(kinds, form_signals([wordings[place] for place in own], rows, of_turn), model)
    asked, rewritten = ([place for place, one in enumerate(kinds) if one == kind] for kind in ("question", "rewrite"))
    stays = asked and (not rewritten or weights[asked[0]] >= model.stays)
    winner = own[asked[0] if stays else max(rewritten or range(len(own)), key=weights.__getitem__)]
    given = {place: wording.weight for place, wording in enumerate(wordings)}
    made = given | dict(zip(own, weights, strict=True))
    alike = [place for place, one in enumerate(wordings) if one.name in VARIANTS or kind_of(one) == "question"]
    if total := sum(given[place] for place in alike):
        share = sum(made[place] for place in alike if place in own) / total
        made |= {place: share * given[place] for place in alike}
        winner = max(alike, key=lambda place: (given[place], place)) if winner in alike else winner
    return tuple(replace(one, weight=made[place], won=place == winner) for place, one in enumerate(wordings))


def settled(turn: Turn, found: Matches, encoder: Encoder, model: WeightModel) -> Turn:
    """The turn with its wordings weighed, and with the winner as the question that is shown."""
    wordings = weighed(turn.wordings, found, said(turn, encoder), model)
    return turn.reworded(tidy(next(wording.text for wording in wordings if wording.won)), wordings)


def apart(wordings: Sequence[Wording], found: Matches) -> tuple[float, float]:
    """The total weight of the wordings made from the conversation, and the average overlap of the first hits of two
    wordings; 0 and 1 for a question alone. `found` has a row for each."""
    own = [place for place, wording in enumerate(wordings) if wording.name not in VARIANTS]
    if len(own) < 2:
        return 0.0, 1.0
    made = sum(wordings[place].weight for place in own if kind_of(wordings[place]) != "question")
    _, agree = _of_hits(replace(found, scores=found.scores[own]))
    return made, sum(agree) / len(agree)


def said(turn: Turn, encoder: Encoder) -> dict[str, float]:
    """Signals of how the question refers to the conversation; empty if there is none."""
    recalled = turn.recalled
    if not recalled.extracted:
        return {}
    return turn_signals(turn.meant, recalled.extracted, recalled.selected, encoder)


def shares(kinds: Sequence[Kind], signals: Sequence[Mapping[str, float]], model: WeightModel) -> list[float]:
    """The weights of wordings of these kinds with these signals; they sum to 1."""
    many = Counter(kinds)
    logits = [
        math.log(model.priors[kind] / many[kind]) + sum(weight * own[name] for name, weight in model.signals.items())
        for kind, own in zip(kinds, signals, strict=True)
    ]
    return [float(share) for share in softmax(np.array(logits))]


def form_signals(
    wordings: Sequence[Wording], found: Matches, of_turn: Mapping[str, float]
) -> tuple[dict[str, float], ...]:
    """The signals of each wording.

    `gap`: how far its first hit scores above the mean of its first `FIRST`; `agrees`: the share of these that other
    wordings found too. `backed` is `agrees` of the question as typed; `short` and `OF_TURN` are 0 for others."""
    gaps, agree = _of_hits(found)
    made = []
    for wording, gap, agrees in zip(wordings, gaps, agree, strict=True):
        own = kind_of(wording) == "question" and len(wordings) > 1
        short = float(own and len(set(content_words(wording.text))) <= SHORT)
        turn = {name: of_turn[name] if own else 0.0 for name in OF_TURN}
        made.append({"gap": gap, "agrees": agrees, "backed": agrees * own, "short": short, **turn})
    return tuple(made)


def _of_hits(found: Matches) -> tuple[list[float], list[float]]:
    forms, count = found.scores.shape
    if not count or forms < 2:
        return [0.0] * forms, [0.0] * forms
    order = np.argsort(-found.scores, axis=1, kind="stable")[:, :FIRST]
    scores = np.take_along_axis(found.scores, order, axis=1)
    hits = [set(row.tolist()) for row in order]
    shared = [
        sum(len(own & other) for at, other in enumerate(hits) if at != place) / (forms - 1) / len(own)
        for place, own in enumerate(hits)
    ]
    return (scores[:, 0] - scores.mean(axis=1)).tolist(), shared
