"""Whether a turn is answered, refused or asked back, by three linear models over its signals, in `judge.json`; and what
is said where nothing answers: a refusal with what is near, or a question back with what may be meant.

The signals are plain numbers by name: of the evidence, of the question, and of the conversation before it. None says
where a question comes from. The models are made by `python -m tests.training.judge`, which says how they are fitted and
measured. A language model's answers and quoted ones are judged alike.
"""

import json
import math
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Literal

import numpy as np

from clew.agent.answer.evidence import Evidence, encoded_request, request_of, shares_held, title_of
from clew.agent.answer.reader import FEATURES, read
from clew.agent.search.rounds import said_by
from clew.agent.state import Answer, Claim, Turn
from clew.agent.talk.lines import refusal
from clew.memory.datatypes import Passage
from clew.memory.dialogue.signals import (
    Linear,
    asked_back,
    depends_on_context,
    has_demonstrative,
    has_pronoun,
    points,
    turn_signals,
    unnamed,
)
from clew.memory.dialogue.utterances import MOST_CHOICES, clarifying_question
from clew.memory.language.answer_type import answer_type, asks_yes_or_no
from clew.memory.ports import Encoder
from clew.memory.text import NAMED, compiled_patterns, content_word_sets, content_words, written_words

SHIPPED, FOREIGN = (Path(__file__).with_name(f"{name}.json") for name in ("judge", "foreign_judge"))

SHORT = 3  # different content words of a short question; a longer one says itself what it is about
DOUBT = 1.0  # how far below a refusal, as log odds, an unclear question is still asked back and not answered

JudgeVerdict = Literal["answer", "refuse", "ask back"]

_SIGNS = compiled_patterns(Path(__file__).with_suffix(".txt"))


@dataclass(frozen=True, slots=True)
class Decision:
    """A yes-or-no decision: yes where the log odds of the model are at least `least`."""

    model: Linear
    least: float

    def margin(self, signals: Mapping[str, float]) -> float:
        """By how much the log odds exceed `least`; negative for no."""
        return self.model.of(signals) - self.least


@dataclass(frozen=True, slots=True)
class Judge:
    """`refuse`: the documents are about it and do not say it. `foreign`: they are about something else. `ask_back`: it
    is unclear what is asked."""

    refuse: Decision
    foreign: Decision
    ask_back: Decision


def judge(signals: Mapping[str, float], by: Judge) -> JudgeVerdict:
    """Answer, refuse or ask back, by the signals of `signals`. An unclear question is asked back if it is doubtful that
    it can be answered, or if it points ("this animal") before anything was said; otherwise people would rather be
    answered. Raises `KeyError` for a signal that is missing."""
    refused = max(by.refuse.margin(signals), by.foreign.margin(signals))
    points = signals["pointed_unnamed"] and not signals["history"]
    if (refused >= -DOUBT or points) and may_be_unclear(signals) and by.ask_back.margin(signals) >= 0:
        return "ask back"
    return "refuse" if refused >= 0 else "answer"


def may_be_unclear(signals: Mapping[str, float]) -> bool:
    """Whether asking back is allowed at all: never twice in a row, and only if the question refers to something that
    nobody mentioned, or is short and has a noun that does not say which one is meant. (Most first questions in the
    training conversations are unclear; most of other people's are not.)"""
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


UNREAD = 3.3
"""The log odds used where no candidate was read together with the question: the median of answered questions."""

FIRST = 3  # the best candidates, one of which has to contain the kind of thing that is asked for


def signals(turn: Turn, evidence: Evidence) -> dict[str, float]:
    """The signals of a turn before its answer; those of the evidence are 0 where there is none. With vectors that know
    the question's language, its vector is a signal too."""
    meaning = evidence.encoder.encode([turn.meant], "query")[0] if evidence.foreign else ()
    of_meaning = {f"meaning {place}": float(value) for place, value in enumerate(meaning)}
    told = _of_question(turn, evidence) | _of_conversation(turn, evidence.encoder) | of_meaning
    found = _of_candidates(turn, evidence) | _of_evidence(turn, evidence) if evidence.candidates else {}
    return defaultdict(float, told | found)


def _of_candidates(turn: Turn, evidence: Evidence) -> dict[str, float]:
    """Signals of the candidates that the reader ranks first: how good the first is, its lead, what they contain, and
    how likely one of them answers when read together with the question."""
    encoded = encoded_request(request_of(turn), evidence)
    asked, reading = encoded.asked, read(encoded, evidence)
    found, scores = reading.features, reading.alone
    order = np.argsort(-scores, kind="stable")
    first = order[:FIRST].tolist()
    texts = [f"{evidence.heads[place]} {evidence.texts[place]}" for place in first]
    held, head, focus = (FEATURES.index(name) for name in ("held", "held_head", "focus"))
    odds = np.sort(reading.odds[np.isfinite(reading.odds)])
    return {
        "unit": float(scores[order[0]]),
        "unit_ahead": float(scores[order[0]] - scores[order[1:8]].mean()) if len(order) > 1 else 0.0,
        "unit_held": float(found[first][:, [held, head]].max()),
        "unit_focus": float(found[first, focus].max()),
        "unit_lacks": float(bool(asked.expected) and not any(asked.holds(texts))),
        "unit_unmeasured": float(bool(asked.measure) and not any(map(asked.measures, texts))),
        "answered": float(odds[-1]) if len(odds) else UNREAD,
        "answered_first": float(reading.odds[reading.scores.argmax()]) if len(odds) else UNREAD,
        "answered_second": float(odds[-2:][0]) if len(odds) else UNREAD,
    }


def _of_evidence(turn: Turn, evidence: Evidence) -> dict[str, float]:
    """Cosines, and the shares of the question's words (weighted by rarity) that passages and sentences contain."""
    read = evidence.passages
    weights, own_weights = (
        evidence.word_weights(dict.fromkeys(content_words(text), 1.0)) for text in (turn.rewritten, turn.meant)
    )
    own, whole = evidence.encoder.encode([turn.meant, turn.rewritten], "query")
    vectors, units = evidence.passage_vectors, evidence.candidate_vectors
    shares, own_shares = (shares_held(one, evidence.passage_words) for one in (weights, own_weights))
    units_shares, own_units_shares = (shares_held(one, evidence.candidate_words) for one in (weights, own_weights))
    together, own_together = (shares_held(one, [evidence.words])[0] for one in (weights, own_weights))
    cosines, near = np.sort(vectors @ whole)[::-1], units @ whole
    best = [evidence.texts[place] for place in np.argsort(-near)[:5]]
    wanted, likeness = answer_type(turn.rewritten), vectors[:5] @ vectors[:5].T
    pairs = len(likeness) * (len(likeness) - 1)
    values = {
        "cosine": cosines[0],
        "drop": cosines[0] - cosines[1:5].mean() if len(cosines) > 1 else 0.0,
        "own_cosine": (vectors @ own).max(),
        "held": shares.max(),
        "held_together": together,
        "match": (vectors @ whole + 0.3 * shares).max(),
        "sentence": near.max(),
        "sentence_held": units_shares.max(),
        "own_held": own_shares.max(),
        "own_together": own_together,
        "own_sentence": (units @ own).max(),
        "own_sentence_held": own_units_shares.max(),
        "spread": 1.0 - float((likeness.sum() - np.trace(likeness)) / pairs) if pairs else 0.0,
        "keyword": max(passage.scores.get("keyword", 0.0) for passage in read),
        "in_title": shares_held(weights, evidence.title_words).max(),
        "documents": len({title_of(passage) for passage in read[:5]}) / 5,
        "kind_unheld": float(bool(wanted.expected) and not any(wanted.holds(best))),
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
        "yes_or_no": float(asks_yes_or_no(question)),
        **{name: float(bool(pattern.search(question))) for name, pattern in _SIGNS.items()},
    }


def _of_conversation(turn: Turn, encoder: Encoder) -> dict[str, float]:
    question, before, selected = turn.meant, turn.recalled.extracted, turn.recalled.selected
    known = turn_signals(question, before, selected, encoder) if before else {}
    nouns = unnamed(question, [sentence.text for sentence in before])
    ever = unnamed(question, [])
    last = max((sentence.turn for sentence in before), default=0)
    put_in = {*content_words(turn.rewritten)} - {*content_words(turn.meant)}
    leans_on = depends_on_context(turn.rewritten) or unnamed(turn.rewritten, [sentence.text for sentence in before])
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
        "pointed_unnamed": float(bool(nouns and has_demonstrative(question))),
        "unnamed_ever": float(bool(ever)),
        "points": float(points(question)),
        "unanswered_before": float(bool(before) and not answered),
        "asked_back": float(bool(before) and asked_back(before)),
        "own_share": turn.wordings[0].weight if turn.wordings else 1.0,
        "said_out": float(bool(before and put_in) and not leans_on),
    }


# Refused ----------------------------------------------------------------------------------------------------------

NEAR = 0.22
"""The cosine from which a passage is worth naming in a refusal: three in four questions about something else find none,
nineteen in twenty of the others do."""

MOST_MISSING = 2  # words that a refusal names


def nothing_indexed() -> Answer:
    return _refused(Answer("nothing-indexed", ()))


def refused(passages: Sequence[Passage], missing: Sequence[str], question: str) -> Answer:
    """A refusal that names the words `missing` from the documents and the nearest titles, among them those of passages
    with all names of the question."""
    names = {word for name in NAMED.findall(question) for word in written_words(name)}
    near = (
        passage.title
        for passage, said in zip(passages, said_by(passages), strict=True)
        if passage.scores.get("cosine", 1.0) >= NEAR or (names and names <= {*written_words(said)})
    )
    nearest = tuple(dict.fromkeys(filter(None, near)))[:3]
    return _refused(Answer("nothing-found", (), missing=tuple(missing[:MOST_MISSING]), nearest=nearest))


def _refused(answer: Answer) -> Answer:
    return replace(answer, claims=(Claim(refusal(answer, "en")),))


# Asked back -------------------------------------------------------------------------------------------------------


def ask_back(question: str, before: Sequence[str], passages: Sequence[Passage], language: str) -> Answer:
    """A question back in this language: it names the noun of the question that is unclear, if there is one, and offers
    2 to 4 titles of the passages, best first. `before` are the sentences said so far."""
    noun = next(iter(unnamed(question, before)), "")
    stems, held = {*content_words(noun)}, content_word_sets([f"{p.title} {p.heading} {p.text}" for p in passages])
    order = sorted(range(len(passages)), key=lambda place: not stems <= held[place])
    titles = (re.sub(r"[;:?\u2026\s]+", " ", passages[place].title).strip() for place in order)
    choices = list(dict.fromkeys(filter(None, titles)))[:MOST_CHOICES]
    shown = tuple(choices) if len(choices) > 1 else ()
    return Answer("unclear", (Claim(clarifying_question(noun, choices, language)),), nearest=shown)
