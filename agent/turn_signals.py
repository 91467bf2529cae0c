"""What tells whether a turn can be answered: of what was found, of the question, and of the conversation before it.

Plain numbers by name, for `judging`. None says where a question comes from.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clew.agent.candidates import candidates
from clew.agent.picking import covered, kinds_of, word_weights
from clew.memory.datatypes import Passage, Recalled, Subgraph, Wording
from clew.memory.dialogue.context_dependence import POINTING, depends_on_context, has_pronoun, points, unnamed
from clew.memory.dialogue.signals import asked_back, turn_signals
from clew.memory.knowledge.chunking import embedded_text
from clew.memory.ports import Encoder
from clew.memory.words import content_words

EVIDENCE = (
    *("cosine", "drop", "own_cosine", "held", "held_together", "match", "sentence", "sentence_held", "spread"),
    *("own_held", "own_together", "own_sentence", "own_sentence_held"),
    *("keyword", "in_title", "documents", "kind_unheld", "walk_share"),
)

READ = 8
"""Passages that are looked at."""

_NAMED = re.compile(r"(?<!^)(?<![.?!] )\b(?:[A-Z][\w'-]+|\d[\w.,]*\w|\d)")
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
class Asked:
    """A turn before its answer: the question as typed and as it stands alone, what of the conversation was recalled,
    the wordings that were searched, the passages in the order in which they are read, and what was walked."""

    question: str
    rewritten: str
    recalled: Recalled
    wordings: Sequence[Wording]
    passages: Sequence[Passage]
    walk: Subgraph | None = None


def signals(asked: Asked, encoder: Encoder) -> dict[str, float]:
    return {**_of_evidence(asked, encoder), **_of_question(asked), **_of_conversation(asked, encoder)}


def _of_evidence(asked: Asked, encoder: Encoder) -> dict[str, float]:
    """Cosines and the shares of the question's words, by their rarity, that passages and sentences hold."""
    read = asked.passages[:READ]
    if not read:
        return dict.fromkeys(EVIDENCE, 0.0)
    found = candidates(read, 90)
    weights = word_weights(dict.fromkeys(content_words(asked.rewritten), 1.0), found)
    texts = [f"{passage.title} {passage.heading} {passage.text}" for passage in read]
    shares = np.array([covered(weights, text) for text in texts])
    vectors = encoder.encode([embedded_text(passage) for passage in read], "passage")
    own, whole = encoder.encode([asked.question, asked.rewritten], "query")
    cosines = np.sort(vectors @ whole)[::-1]
    said = encoder.encode([one.text for one in found], "passage") @ whole if found else np.zeros(1, np.float32)
    own_said = encoder.encode([one.text for one in found], "passage") @ own if found else np.zeros(1, np.float32)
    own_weights = word_weights(dict.fromkeys(content_words(asked.question), 1.0), found)
    best = [found[place].text for place in np.argsort(-said)[:5]] if found else []
    kinds = kinds_of(asked.rewritten)
    values = {
        "cosine": cosines[0],
        "drop": cosines[0] - cosines[1:5].mean() if len(cosines) > 1 else 0.0,
        "own_cosine": (vectors @ own).max(),
        "held": shares.max(),
        "held_together": covered(weights, " ".join(texts)),
        "match": (vectors @ whole + 0.3 * shares).max(),
        "sentence": said.max(),
        "sentence_held": max((covered(weights, one.text) for one in found), default=0.0),
        "own_held": max(covered(own_weights, text) for text in texts),
        "own_together": covered(own_weights, " ".join(texts)),
        "own_sentence": own_said.max(),
        "own_sentence_held": max((covered(own_weights, one.text) for one in found), default=0.0),
        "spread": 1.0 - _likeness(vectors[:5]),
        "keyword": max(passage.scores.get("keyword", 0.0) for passage in read),
        "in_title": max(covered(weights, _title(passage)) for passage in read),
        "documents": len({_title(passage) for passage in read[:5]}) / 5,
        "kind_unheld": float(bool(kinds) and not any(re.search(kind, text) for kind in kinds for text in best)),
        "walk_share": max(asked.walk.scores, default=0.0) if asked.walk else 0.0,
    }
    return {name: float(value) for name, value in values.items()}


def _of_question(asked: Asked) -> dict[str, float]:
    held = set(content_words(" ".join(f"{p.title} {p.heading} {p.text}" for p in asked.passages[:READ])))
    names = [name.group() for name in _NAMED.finditer(asked.rewritten) if content_words(name.group())]
    own_names = [name for name in _NAMED.findall(asked.question) if content_words(name)]
    unheld = [name for name in own_names if not set(content_words(name)) <= held]
    return {
        "words": math.log1p(len(asked.question.split())),
        "content": math.log1p(len(set(content_words(asked.question)))),
        "names": float(bool(names)),
        "own_names": float(bool(own_names)),
        "names_unheld": len(unheld) / len(own_names) if own_names else 0.0,
        "yes_or_no": float(bool(_YES_OR_NO.match(asked.question.strip()))),
        "advice": float(bool(_ADVICE.search(asked.question))),
        "now": float(bool(_NOW.search(asked.question))),
        "amount": float(bool(_AMOUNT.search(asked.question))),
    }


def _of_conversation(asked: Asked, encoder: Encoder) -> dict[str, float]:
    said, selected = asked.recalled.extracted, asked.recalled.selected
    turn = turn_signals(asked.question, said, selected, encoder) if said else {}
    nouns = unnamed(asked.question, [sentence.text for sentence in said])
    ever = unnamed(asked.question, [])
    pointed = {match.group().casefold() for match in _POINTED.finditer(asked.question)}
    last = max((sentence.turn for sentence in said), default=0)
    answered = any(sentence.speaker == "agent" and sentence.turn == last for sentence in said)
    own = next((wording.weight for wording in asked.wordings if wording.name == "question"), 1.0)
    return {
        "history": float(bool(said)),
        "leans": float(depends_on_context(asked.question)),
        "leans_alone": float(depends_on_context(asked.question) and not said),
        "pronoun": float(has_pronoun(asked.question)),
        "clarifies": turn.get("clarifies", 0.0),
        "said_before": turn.get("said_before", 0.0),
        "last_turn": turn.get("last_turn", 0.0),
        "context": turn.get("context", 0.0),
        "unrelated": float(bool(said)) * (1.0 - turn.get("last_turn", 0.0)),
        "unnamed": float(bool(nouns)),
        "pointed_unnamed": float(bool(nouns) and bool(pointed)),
        "unnamed_ever": float(bool(ever)),
        "points": float(points(asked.question)),
        "unanswered_before": float(bool(said) and not answered),
        "asked_back": float(bool(said) and asked_back(said)),
        "own_share": own,
    }


def _likeness(vectors: NDArray[np.float32]) -> float:
    """The mean cosine of any two."""
    if len(vectors) < 2:
        return 1.0
    cosines = vectors @ vectors.T
    return float((cosines.sum() - np.trace(cosines)) / (len(vectors) * (len(vectors) - 1)))


def _title(passage: Passage) -> str:
    """Where there is no title, the first line does for one."""
    return passage.title or passage.heading or passage.text.lstrip().split("\n", 1)[0][:100]
