"""Whether a turn is answered, refused or asked back: three linear models over its signals, in `judge.json`.

The signals are plain numbers by name: of the evidence, of the question, and of the conversation before it. None says
where a question comes from. The models are made by `python -m tests.training.judge`, which says how they are fitted and
measured. A language model's answers and quoted ones are judged alike.
"""

import json
import math
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Literal

import numpy as np

from clew.agent.answer.answer_type import answer_type
from clew.agent.answer.evidence import NAMED, Evidence, encoded_request, request_of, shares_held, title_of
from clew.agent.answer.reader import ReadCandidates, read
from clew.agent.answer.reader_features import FEATURES
from clew.agent.state import Turn
from clew.memory.datatypes import Vectors
from clew.memory.dialogue.context_dependence import POINTING, depends_on_context, has_pronoun, points, unnamed
from clew.memory.dialogue.signals import Linear, asked_back, turn_signals
from clew.memory.ports import Encoder
from clew.memory.text import content_words

SHIPPED, FOREIGN = (Path(__file__).with_name(f"{name}.json") for name in ("judge", "foreign_judge"))

SHORT = 3
"""Different content words of a short question; a longer one says itself what it is about."""

DOUBT = 1.0
"""How far below refusing, as log odds, what is unclear is asked back and not answered."""

JudgeVerdict = Literal["answer", "refuse", "ask back"]


EVIDENCE = (
    *("cosine", "drop", "own_cosine", "held", "held_together", "match", "sentence", "sentence_held", "spread"),
    *("own_held", "own_together", "own_sentence", "own_sentence_held"),
    *("keyword", "in_title", "documents", "kind_unheld", "walk_share"),
)

_POINTED = re.compile(rf"\b(?:{'|'.join(sorted(POINTING))})\b", re.IGNORECASE)
_YES_OR_NO = re.compile(
    r"(?:and |but |so )?(?:is|isn't|are|aren't|was|were|do|does|doesn't|did|didn't|can|could|will|would|has|have|am)\b",
    re.IGNORECASE,
)
_ADVICE = re.compile(
    r"\b(?:recommend|suggest|best|better|favou?rite|your|you think|should i|do i|can i|will i|am i|my|me)\b",
    re.IGNORECASE,
)
_NOW = re.compile(r"\b(?:now|today|currently|current|latest|recent|recently|nowadays|this year|next)\b", re.IGNORECASE)
_AMOUNT = re.compile(
    r"\bhow (?:much|many|long|often|far|old|big)\b|\b(?:cost|price|salary|number|percentage|average)\b", re.I
)


@dataclass(frozen=True, slots=True)
class Decision:
    """Taken where the model's log odds are at least `least`."""

    model: Linear
    least: float

    def margin(self, signals: Mapping[str, float]) -> float:
        """Above 0 where it is taken."""
        return self.model.of(signals) - self.least


@dataclass(frozen=True, slots=True)
class Judge:
    """`refuse`: the documents are about it and do not say it. `foreign`: they are about something else. `ask_back`: it
    is unclear what is asked."""

    refuse: Decision
    foreign: Decision
    ask_back: Decision

    def to_json(self) -> str:
        return json.dumps(asdict(self), indent=2, default=dict) + "\n"


def judge(signals: Mapping[str, float], by: Judge) -> JudgeVerdict:
    """`signals` are those of `turn_signals`. A question that is unclear is asked back where it is doubtful that it can
    be answered, or where it points ("this animal") before anything was said: people would rather be answered.
    Raises `KeyError` for a signal that is not there."""
    refused = max(by.refuse.margin(signals), by.foreign.margin(signals))
    points = signals["pointed_unnamed"] and not signals["history"]
    if (refused >= -DOUBT or points) and may_be_unclear(signals) and by.ask_back.margin(signals) >= 0:
        return "ask back"
    return "refuse" if refused >= 0 else "answer"


def may_be_unclear(signals: Mapping[str, float]) -> bool:
    """Nobody is asked back twice running, and only who leans on what nobody said and could not be put in, or is short
    and has a noun that nothing says which one of, though the library knows of it: most first questions of the
    conversations that were learned from are unclear, most of other people's are not."""
    if signals["words_lacked"] or signals["name_lacked"] or signals["said_out"]:
        return False
    short = signals["content"] <= math.log1p(SHORT) and not signals["own_names"]
    leans = signals["leans"] or signals["points"]
    if signals["history"]:
        return bool(not signals["asked_back"] and (leans or (short and signals["unnamed_ever"])))
    return bool(short and leans)


@cache
def shipped_judge() -> Judge:
    """The one that comes with Clew."""
    values = json.loads(SHIPPED.read_text("utf-8"))
    return Judge(**{name: Decision(Linear(**made["model"]), made["least"]) for name, made in values.items()})


@cache
def foreign_judge() -> Judge:
    """For a question in another language than English, of documents in it too, found by the vectors of
    `clew[multilingual]`; `python -m tests.training.foreign_judge DATA` fits it. Nothing is asked back."""
    made = json.loads(FOREIGN.read_text("utf-8"))
    refuse = Decision(Linear(**made["model"]), made["least"])
    return Judge(refuse, refuse, replace(refuse, least=math.inf))


OF_UNITS = (
    *("unit", "unit_ahead", "unit_held", "unit_focus", "unit_lacks", "unit_unmeasured"),
    *("answered", "answered_first", "answered_second"),
)
UNREAD = 3.3
"""The log odds that are taken where nothing was read together with the question: the middle of what is answered."""

FIRST = 3
"""The likeliest candidates, of which one has to hold the kind of thing that is asked for."""


def signals(turn: Turn, evidence: Evidence) -> dict[str, float]:
    """Of a turn before its answer."""
    return {
        **_of_units(turn, evidence),
        **_of_evidence(turn, evidence),
        **_of_question(turn, evidence),
        **_of_conversation(turn, evidence.encoder),
    }


def _of_units(turn: Turn, evidence: Evidence) -> dict[str, float]:
    """Of the candidates that the reader takes for the likeliest: how good and how far ahead the first is, what they
    hold, and how likely one of them answers, read together with the question."""
    if not evidence.candidates:
        return dict.fromkeys(OF_UNITS, 0.0)
    encoded = encoded_request(request_of(turn), evidence)
    reading = read(encoded, evidence)
    found, scores = reading.features, reading.alone
    order = np.argsort(-scores, kind="stable")
    first = order[:FIRST].tolist()
    texts = [f"{evidence.heads[place]} {evidence.texts[place]}" for place in first]
    held, head, focus = (FEATURES.index(name) for name in ("held", "held_head", "focus"))
    return {
        "unit": float(scores[order[0]]),
        "unit_ahead": float(scores[order[0]] - scores[order[1:8]].mean()) if len(order) > 1 else 0.0,
        "unit_held": float(max(max(found[place, held], found[place, head]) for place in first)),
        "unit_focus": float(max(found[place, focus] for place in first)),
        "unit_lacks": float(bool(encoded.asked.expected) and not any(map(encoded.asked.holds, texts))),
        "unit_unmeasured": float(bool(encoded.asked.measure) and not any(map(encoded.asked.measures, texts))),
        **_answered(reading),
    }


def _answered(reading: ReadCandidates) -> dict[str, float]:
    """The log odds that the best, the one that would be quoted first, and the second best answer."""
    odds = reading.odds[np.isfinite(reading.odds)]
    if not len(odds):
        return dict.fromkeys(("answered", "answered_first", "answered_second"), UNREAD)
    second, best = np.sort(odds)[[-2, -1]] if len(odds) > 1 else (odds[0], odds[0])
    first = reading.odds[reading.scores.argmax()]
    return {"answered": float(best), "answered_first": float(first), "answered_second": float(second)}


def _of_evidence(turn: Turn, evidence: Evidence) -> dict[str, float]:
    """Cosines and the shares of the question's words, by their rarity, that passages and sentences hold."""
    read, found = evidence.passages, evidence.candidates
    if not read:
        return dict.fromkeys(EVIDENCE, 0.0)
    weights = evidence.word_weights(dict.fromkeys(content_words(turn.rewritten), 1.0))
    own_weights = evidence.word_weights(dict.fromkeys(content_words(turn.meant), 1.0))
    shares = np.array(shares_held(weights, evidence.passage_words))
    together, own_together = (shares_held(each, [evidence.words])[0] for each in (weights, own_weights))
    own, whole = evidence.encoder.encode([turn.meant, turn.rewritten], "query")
    vectors = evidence.passage_vectors
    cosines = np.sort(vectors @ whole)[::-1]
    nothing = np.zeros(1, np.float32)
    near = evidence.candidate_vectors @ whole if found else nothing
    own_near = evidence.candidate_vectors @ own if found else nothing
    best = [evidence.texts[place] for place in np.argsort(-near)[:5]] if found else []
    wanted = answer_type(turn.rewritten)
    values = {
        "cosine": cosines[0],
        "drop": cosines[0] - cosines[1:5].mean() if len(cosines) > 1 else 0.0,
        "own_cosine": (vectors @ own).max(),
        "held": shares.max(),
        "held_together": together,
        "match": (vectors @ whole + 0.3 * shares).max(),
        "sentence": near.max(),
        "sentence_held": max(shares_held(weights, evidence.candidate_words), default=0.0),
        "own_held": max(shares_held(own_weights, evidence.passage_words)),
        "own_together": own_together,
        "own_sentence": own_near.max(),
        "own_sentence_held": max(shares_held(own_weights, evidence.candidate_words), default=0.0),
        "spread": 1.0 - _likeness(vectors[:5]),
        "keyword": max(passage.scores.get("keyword", 0.0) for passage in read),
        "in_title": max(shares_held(weights, evidence.title_words)),
        "documents": len({title_of(passage) for passage in read[:5]}) / 5,
        "kind_unheld": float(bool(wanted.expected) and not any(map(wanted.holds, best))),
        "walk_share": max(turn.walk.scores, default=0.0) if turn.walk else 0.0,
    }
    return {name: float(value) for name, value in values.items()}


def _of_question(turn: Turn, evidence: Evidence) -> dict[str, float]:
    question = turn.meant
    names = [name.group() for name in NAMED.finditer(turn.rewritten) if content_words(name.group())]
    own_names = [name for name in NAMED.findall(question) if content_words(name)]
    unheld = [name for name in own_names if not set(content_words(name)) <= evidence.words]
    lacked = evidence.lacked(question)
    named = [word for word in lacked if any(word in name for name in own_names)]
    return {
        "words": math.log1p(len(question.split())),
        "content": math.log1p(len(set(content_words(question)))),
        "names": float(bool(names)),
        "own_names": float(bool(own_names)),
        "names_unheld": len(unheld) / len(own_names) if own_names else 0.0,
        "name_lacked": float(bool(named)),
        "words_lacked": min(3, len(lacked) - len(named)) / 3,
        "yes_or_no": float(bool(_YES_OR_NO.match(question.strip()))),
        "advice": float(bool(_ADVICE.search(question))),
        "now": float(bool(_NOW.search(question))),
        "amount": float(bool(_AMOUNT.search(question))),
    }


def _of_conversation(turn: Turn, encoder: Encoder) -> dict[str, float]:
    question, before, selected = turn.meant, turn.recalled.extracted, turn.recalled.selected
    known = turn_signals(question, before, selected, encoder) if before else {}
    nouns = unnamed(question, [sentence.text for sentence in before])
    ever = unnamed(question, [])
    pointed = {match.group().casefold() for match in _POINTED.finditer(question)}
    last = max((sentence.turn for sentence in before), default=0)
    answered = any(sentence.speaker == "agent" and sentence.turn == last for sentence in before)
    return {
        "history": float(bool(before)),
        "leans": float(depends_on_context(question)),
        "leans_alone": float(depends_on_context(question) and not before),
        "pronoun": float(has_pronoun(question)),
        "clarifies": known.get("clarifies", 0.0),
        "said_before": known.get("said_before", 0.0),
        "last_turn": known.get("last_turn", 0.0),
        "context": known.get("context", 0.0),
        "unrelated": float(bool(before)) * (1.0 - known.get("last_turn", 0.0)),
        "unnamed": float(bool(nouns)),
        "pointed_unnamed": float(bool(nouns) and bool(pointed)),
        "unnamed_ever": float(bool(ever)),
        "points": float(points(question)),
        "unanswered_before": float(bool(before) and not answered),
        "asked_back": float(bool(before) and asked_back(before)),
        "own_share": turn.own_weight,
        "said_out": float(bool(before) and _is_said_out(turn)),
    }


def _is_said_out(turn: Turn) -> bool:
    """Whether the conversation said what the question leans on, and nothing more is left to be said."""
    put_in = {*content_words(turn.rewritten)} - {*content_words(turn.meant)}
    said = [sentence.text for sentence in turn.recalled.extracted]
    return bool(put_in) and not (depends_on_context(turn.rewritten) or unnamed(turn.rewritten, said))


def _likeness(vectors: Vectors) -> float:
    """The mean cosine of any two."""
    if len(vectors) < 2:
        return 1.0
    cosines = vectors @ vectors.T
    return float((cosines.sum() - np.trace(cosines)) / (len(vectors) * (len(vectors) - 1)))
