"""Recognises what is not a question about the documents: a greeting, thanks, a call for help, for a shorter answer, for
the source.

A softmax over the words and letters of a phrase, `intents.json`, made by `python -m tests.training.talk` from phrases
in six languages and from questions. A phrase counts as talk only if it is likely enough and all of its words occur in
such phrases: "more" is talk, "more details on the lease" is a question."""

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import takewhile
from pathlib import Path
from typing import Literal, get_args

import numpy as np

from clew.memory.text import LANGUAGES, common_words, unaccented
from clew.memory.vectors import softmax

# fmt: off
Intent = Literal[
    "greeting", "thanks", "bye", "ack", "help", "identity", "first", "last", "all",
    "repeat", "shorter", "more", "reword", "sure", "where", "wrong",
]
# fmt: on
"""`ack`: "I see"; `first`, `last` and `all`: the person asks for their own questions; from `repeat` on they are about
the last answer."""

INTENTS: tuple[Intent, ...] = get_args(Intent)
SOCIAL: tuple[Intent, ...] = ("ack", "greeting", "thanks", "bye")
"""What may stand before a question; of several the last in this list counts."""

CLOSING: tuple[Intent, ...] = ("thanks", "bye")
"""What may stand behind a question."""

ABOUT_ANSWER: tuple[Intent, ...] = ("repeat", "shorter", "more", "reword", "sure", "where", "wrong")
"""About the last answer; if such a phrase has a word of its own, it is a new question."""

QUESTION = "question"
LONGEST = 16
"""Words that a phrase of talk may have."""

LIKELY, CERTAIN = 0.5, 0.9
"""The probability of being no question that is required, and that for a phrase with a word of its own
(docs/figures.md)."""

SHIPPED = Path(__file__).with_name("intents.json")

_WORD = re.compile(r"[^\W_]+")
_PIECE = re.compile(r"(?<=[.!?\u2026;])\s+|\n+|\s+[\u2013\u2014-]\s+|(?<=,)\s+(?=[^\WA-Z_]|[¿¡])")
"""Between sentences; behind a comma only before what goes on in lower case."""


@dataclass(frozen=True, slots=True)
class IntentModel:
    """`weights[feature][place]` is what a feature adds to the class at that place; the last class is a question.
    `words` are those of the training phrases, with their languages."""

    classes: tuple[str, ...]
    intercepts: tuple[float, ...]
    weights: Mapping[str, Mapping[str, float]]
    words: Mapping[str, str]

    def probabilities(self, phrase: str) -> dict[str, float]:
        """The probability of each class."""
        found = features(phrase)
        totals = np.array(self.intercepts)
        for feature in found:
            for place, weight in self.weights.get(feature, {}).items():
                totals[int(place)] += weight / math.sqrt(len(found))
        return dict(zip(self.classes, softmax(totals).tolist(), strict=True))


@dataclass(frozen=True, slots=True)
class Heard:
    """What a turn says: the intent, None for a question; the language, or empty; and the question without greetings or
    thanks around it."""

    intent: Intent | None
    language: str
    question: str


@lru_cache(maxsize=64)
def heard(text: str) -> Heard:
    """What a turn says. Depends on nothing else, and is fast."""
    text = " ".join(text.split())
    pieces = [piece for piece in _PIECE.split(text) if _WORD.search(piece)]
    intents = [_intent_of(piece) for piece in pieces]
    known = [one for one in intents if one]
    if known and len(known) == len(intents):
        wanted = max(reversed(known), key=lambda one: SOCIAL.index(one) if one in SOCIAL else len(SOCIAL))
        return Heard(wanted, spoken(text), text)
    asks = any("?" in piece for piece, one in zip(pieces, intents, strict=True) if not one)
    if not asks and (whole := _intent_of(text)):
        return Heard(whole, spoken(text), text)
    first = len([*takewhile(SOCIAL.__contains__, intents)])  # courtesies before the question, and behind it
    last = len(pieces) - len([*takewhile(CLOSING.__contains__, reversed(intents))])
    if last - first == len(pieces):
        return Heard(None, "", text)
    return Heard(None, "", text[text.index(pieces[first]) : text.rindex(pieces[last - 1]) + len(pieces[last - 1])])


def _intent_of(phrase: str) -> Intent | None:
    """The intent of a phrase, None for a question. Of several words, one may be its own, in small letters, if it is
    almost certain that the phrase is talk."""
    words = _WORD.findall(phrase)
    known = shipped_intents().words
    own = [word for word in words if (bare := unaccented(word)) not in known and bare not in common_words()]
    fits = len("".join(words)) >= 2 and len(words) <= LONGEST
    if not fits or len(own) > (len(words) > 1) or not all(map(str.islower, own)):
        return None
    found = shipped_intents().probabilities(phrase)
    best = max(INTENTS, key=lambda one: found[one])
    likely = 1 - found[QUESTION] >= (CERTAIN if own else LIKELY) and found[best] > found[QUESTION]
    return best if likely and not (own and best in ABOUT_ANSWER) else None


def spoken(phrase: str) -> str:
    """The language that most of its words belong to; empty if two have equally many."""
    found = dict.fromkeys(LANGUAGES, 0.0)
    for word in plain(phrase).split():
        having = shipped_intents().words.get(word, "").split()
        for language in having:
            found[language] += 1 / len(having)
    best, second = sorted(LANGUAGES, key=lambda one: -found[one])[:2]
    return best if found[best] > found[second] else ""


def plain(phrase: str) -> str:
    """Its words in lower case without accents, and question marks as words."""
    return " ".join(re.findall(r"[^\W_]+|[?\uff1f]", unaccented(phrase)))


def features(phrase: str) -> Sequence[str]:
    """Words, pairs of neighbours, and runs of 2 to 4 letters, each once: `w:more`, `p:more about`, `mor`."""
    words = plain(phrase).split()
    found = dict.fromkeys(f"w:{word}" for word in words)
    found |= dict.fromkeys(f"p:{one} {other}" for one, other in zip(["^", *words], [*words, "$"], strict=True))
    for word in words:
        padded = f" {word} "
        found |= dict.fromkeys(padded[at : at + n] for n in (2, 3, 4) for at in range(len(padded) - n + 1))
    return list(found)


@cache
def shipped_intents() -> IntentModel:
    """The one that comes with Clew."""
    values = json.loads(SHIPPED.read_text("utf-8"))
    return IntentModel(tuple(values["classes"]), tuple(values["intercepts"]), values["weights"], values["words"])
