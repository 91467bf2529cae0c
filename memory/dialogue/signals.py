"""Signals of how a question refers to its conversation: of the whole turn, and of each word said before; and the linear
model over the signals of a word.

`terms` gives the odds that the question needs a word of the conversation to stand alone; `forms` are the weights of the
wordings before anything is found. They are in `learned.json`, made by `make train`."""

import json
import math
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from clew.memory.datatypes import Sentence, Vector
from clew.memory.dialogue.context_dependence import clarifies, depends_on_context, has_pronoun
from clew.memory.parameters import Logit
from clew.memory.ports import Encoder
from clew.memory.text import content_words, stems_and_words

BACK = 3
"""Earlier turns whose words are considered."""

_CAPITAL = re.compile(r"(?<=\s)[A-Z]\w+")


@dataclass(frozen=True, slots=True)
class Word:
    """A word of the conversation that the question does not have, as it is written there, and its signals."""

    text: str
    signals: Mapping[str, float]


def turn_signals(
    question: str, history: Sequence[Sentence], selected: Sequence[Sentence], encoder: Encoder
) -> dict[str, float]:
    """The signals of a question by name; `history` are the sentences before it, `selected` the context that MMR chose
    of them.

    `last_turn` and `last_question` are the highest cosines of the question with what was said in the previous turn,
    `context` the cosine with the mean of the selected sentences, `said_before` the share of its words that were said
    before."""
    said, last_turn = recent(history, selected, BACK), _last_turn(history)
    last = [sentence for sentence in said if sentence.turn == last_turn]
    vector = encoder.encode([question], "sentence")[0]
    stems = set(content_words(question))
    before = {stem for sentence in said for stem in content_words(sentence.text)}
    mean = mean_vector(selected, encoder)
    return {
        "leans": float(depends_on_context(question)),
        "pronoun": float(has_pronoun(question)),
        "clarifies": float(clarifies(question, asked_back(history))),
        "capital": float(bool(_CAPITAL.search(question))),
        "words": math.log1p(len(question.split())),
        "said_before": len(stems & before) / max(1, len(stems)),
        "last_turn": _nearest(vector, last, encoder),
        "last_question": _nearest(vector, [one for one in last if one.speaker == "user"], encoder),
        "context": 0.0 if mean is None else float(mean @ vector),
    }


def words(
    question: str, history: Sequence[Sentence], selected: Sequence[Sentence], turn: Mapping[str, float]
) -> list[Word]:
    """The words that the question may need, in the order said; `turn` are its `turn_signals`."""
    known = set(content_words(question))
    where: dict[str, list[Sentence]] = defaultdict(list)
    surface: dict[str, str] = {}
    for sentence in recent(history, selected, BACK):
        for position, (stem, word) in enumerate(stems_and_words(sentence.text)):
            if stem in known or len(word) < 2:
                continue
            where[stem].append(sentence)
            is_name = position > 0 and word[0].isupper()  # the first word has its capital from the sentence
            if stem not in surface or (is_name and surface[stem][0].islower()):
                surface[stem] = word
    last, context = _last_turn(history), {sentence.text for sentence in selected}
    opening = next((one for one in history if one.turn == last and one.speaker == "agent"), None)
    each = ((surface[stem], _word_signals(found, last, opening, context)) for stem, found in where.items())
    return [Word(text, {**turn, **own}) for text, own in each]


def recent(history: Sequence[Sentence], selected: Sequence[Sentence], back: int) -> list[Sentence]:
    """The sentences of the first turn, of the last `back` turns, and of the selected context: so the cost does not grow
    with the conversation."""
    last, context = _last_turn(history), {sentence.text for sentence in selected}
    return [one for one in history if one.turn > last - back or one.turn == 1 or one.text in context]


def _last_turn(history: Sequence[Sentence]) -> int:
    return max((sentence.turn for sentence in history), default=0)


def asked_back(history: Sequence[Sentence]) -> bool:
    """Whether the last words of the assistant were a question."""
    last = [sentence for sentence in history if sentence.speaker == "agent"][-1:]
    return bool(last) and last[0].turn == history[-1].turn and last[0].text.rstrip().endswith("?")


def mean_vector(sentences: Sequence[Sentence], encoder: Encoder) -> Vector | None:
    """The mean direction of all sentences, (d,), of unit length; None if there are none, or they cancel out."""
    if not sentences:
        return None
    mean = encoder.encode([sentence.text for sentence in sentences], "sentence").mean(axis=0)
    length = float(np.linalg.norm(mean))
    return np.asarray(mean / length, np.float32) if length > 1e-6 else None


def _word_signals(
    sentences: Sequence[Sentence], last_turn: int, opening: Sentence | None, context: Set[str]
) -> dict[str, float]:
    """The signals of a word in these sentences; `opening` is the first sentence of the last answer, `context` are the
    texts of the selected ones."""
    last = [sentence for sentence in sentences if sentence.turn == last_turn]
    return {
        "in_last_question": float(any(sentence.speaker == "user" for sentence in last)),
        "in_last_answer": float(any(sentence.speaker == "agent" for sentence in last)),
        "opens_last_answer": float(opening in last),
        "in_first_question": float(any(sentence.turn == 1 and sentence.speaker == "user" for sentence in sentences)),
        "in_context": float(any(sentence.text in context for sentence in sentences)),
        "turns": math.log1p(len({sentence.turn for sentence in sentences})),
    }


def _nearest(vector: Vector, sentences: Sequence[Sentence], encoder: Encoder) -> float:
    """The highest cosine with these sentences; 0 if there are none."""
    if not sentences:
        return 0.0
    return float((encoder.encode([sentence.text for sentence in sentences], "sentence") @ vector).max())


SHIPPED = Path(__file__).with_name("learned.json")


@dataclass(frozen=True, slots=True)
class Linear:
    """A linear model over signals by name."""

    intercept: Logit
    weights: Mapping[str, float]

    def of(self, signals: Mapping[str, float]) -> float:
        """Raises `KeyError` for a signal that is not there."""
        return self.intercept + sum(weight * signals[name] for name, weight in self.weights.items())


@dataclass(frozen=True, slots=True)
class RewriteModel:
    """`terms` scores words of the conversation; `forms` are the shares of the wordings by name."""

    terms: Linear
    forms: Mapping[str, float]

    def probability(self, signals: Mapping[str, float]) -> float:
        """The probability that the question needs the word with these signals."""
        return 1 / (1 + math.exp(-self.terms.of(signals)))


@cache
def shipped() -> RewriteModel:
    """The one that comes with Clew."""
    values = json.loads(SHIPPED.read_text("utf-8"))
    return RewriteModel(Linear(**values["terms"]), values["forms"])
