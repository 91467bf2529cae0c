"""Which unit answers: a linear scorer over plain features of every core, in `reader.json`.

Made by `python -m tests.training.reader`, which says what it is fitted on and how it is measured.
"""

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np

from clew.agent.answer.asked import Asked
from clew.agent.answer.evidence import Evidence
from clew.agent.answer.units import PRONOUN, Core, asks
from clew.memory.datatypes import Floats, Vectors
from clew.memory.text import content_word_sets, content_words

SHIPPED = Path(__file__).with_name("reader.json")

FEATURES = (
    *("cosine", "own_cosine", "around", "head", "asking_head", "passage", "rank", "score"),
    *("held", "held_head", "held_around", "focus", "centred", "pairs"),
    *("quantity", "time", "person", "place", "reason", "no_quantity", "no_time", "no_person", "no_place", "no_reason"),
    *("measures", "holds_near"),
    *("question", "item", "row", "code", "announces", "list_item", "steps_item", "steps_code", "enumerates"),
    *("length", "short", "pronoun", "said", "first", "defines", "date_only"),
)

KINDS = ("quantity", "time", "person", "place", "reason")

_ENUMERATION = re.compile(r"\w+(?: \w+){0,3}, (?:\w+ ?){1,4}(?:, | and | or )")
_IS = re.compile(r"\b(?:is|are|was|were|means?|refers? to|stands? for|denotes?|called|=)\b")


@dataclass(frozen=True, slots=True, eq=False)
class Sought:
    """`own` and `whole` are vectors of the question as asked and as it stands alone; `weights` stem -> weight, summing
    to 1; `said`: what the assistant has just said, by its words."""

    asked: Asked
    question: str
    own: Vectors
    whole: Vectors
    weights: Mapping[str, float]
    said: frozenset[str] = frozenset()


def features(sought: Sought, evidence: Evidence) -> Floats:
    """Shape (cores, `FEATURES`)."""
    cores, passages, texts, heads = evidence.cores, evidence.passages, evidence.texts, evidence.heads
    if not cores:
        return np.zeros((0, len(FEATURES)))
    words, vectors = evidence.core_words, evidence.core_vectors
    over = content_word_sets([f"{core.head} {core.lead} {passages[core.passage].title}" for core in cores])
    before, behind = _neighbours(cores)
    near = [_near(words, n, p) for n, p in zip(before, behind, strict=True)]
    around = vectors + 0.5 * _at(vectors, before) + 0.5 * _at(vectors, behind)
    around = _unit(around)
    middle = vectors.mean(axis=0)
    centred = _unit(vectors - middle) @ _unit(sought.whole - middle)
    weights, asked = sought.weights, sought.asked
    held = [_share(weights, own) for own in words]
    pairs = _pairs(sought.question)
    head_cosines = evidence.head_vectors @ sought.whole
    passage_cosines = evidence.passage_vectors @ sought.whole
    stems = content_words(asked.defined) if asked.defined else []
    rows = []
    for n, core in enumerate(cores):
        text, kind = texts[n], core.block.kind
        above = texts[before[n]] if before[n] >= 0 else ""
        asking = max(
            float(head_cosines[n]) if asks(heads[n].rstrip()) else 0.0,
            float(vectors[before[n]] @ sought.whole) if asks(above) else 0.0,
        )
        holds = asked.holds(text)
        expected = [_group(name) for name in asked.expected]
        held_kinds = [float(holds and kind in expected) for kind in KINDS]
        count = len(text.split())
        rows.append(
            (
                float(vectors[n] @ sought.whole),
                float(vectors[n] @ sought.own),
                float(around[n] @ sought.whole),
                float(head_cosines[n]),
                asking,
                float(passage_cosines[core.passage]),
                1 / (1 + core.passage),
                float(passages[core.passage].score),
                held[n],
                _share(weights, words[n] | over[n]) - held[n],
                _share(weights, words[n] | near[n]) - held[n],
                _focus(weights, words[n], over[n]),
                float(centred[n]),
                _share_of_pairs(pairs, text),
                *held_kinds,
                *(float(kind in expected and not holds) for kind in KINDS),
                float(bool(asked.measure) and asked.measures(text)),
                float(not holds and any(asked.holds(texts[at]) for at in (behind[n],) if at >= 0)),
                float(asks(text)),
                float(kind == "item"),
                float(kind == "row"),
                float(kind == "code"),
                float(text.endswith((":", "...", "\u2026"))),
                float(asked.form == "list" and kind in ("item", "row")),
                float(asked.form == "steps" and kind == "item"),
                float(asked.form == "steps" and (kind == "code" or text.endswith(":"))),
                float(asked.form == "list" and bool(_ENUMERATION.search(text))),
                math.log1p(count),
                float(count < 5),
                float(bool(PRONOUN.match(text))),
                float(plain(text) in sought.said),
                1 / (1 + core.position / 200),
                float(bool(stems) and _defines(stems, text)),
                float(not words[n]),
            )
        )
    return np.array(rows)


def _neighbours(cores: Sequence[Core]) -> tuple[list[int], list[int]]:
    """The place of the core before each and behind it, in the same part of the document; -1 where there is none."""
    order = sorted(range(len(cores)), key=lambda n: (id(cores[n].region), cores[n].position))
    before, behind = [-1] * len(cores), [-1] * len(cores)
    for one, other in pairwise(order):
        if cores[one].region is cores[other].region:
            before[other], behind[one] = one, other
    return before, behind


def _at(vectors: Vectors, places: Sequence[int]) -> Vectors:
    found = vectors[np.maximum(places, 0)].copy()
    found[np.array(places) < 0] = 0
    return found


def _unit(vectors: Vectors) -> Vectors:
    unit: Vectors = vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-6)
    return unit


def _group(expected: str) -> str:
    return "quantity" if expected in ("duration", "money", "number") else expected


def _focus(weights: Mapping[str, float], held: frozenset[str], over: frozenset[str]) -> float:
    """The share of the question's words that do not stand above it already."""
    rest = {stem: weight for stem, weight in weights.items() if stem not in over}
    return _share(rest, held) / total if (total := sum(rest.values())) else 0.0


def _near(words: Sequence[frozenset[str]], before: int, behind: int) -> frozenset[str]:
    return (words[before] if before >= 0 else frozenset()) | (words[behind] if behind >= 0 else frozenset())


def _share(weights: Mapping[str, float], held: frozenset[str]) -> float:
    return sum(weight for stem, weight in weights.items() if stem in held)


def _pairs(question: str) -> set[tuple[str, str]]:
    stems = content_words(question)
    return set(pairwise(stems))


def _share_of_pairs(pairs: set[tuple[str, str]], text: str) -> float:
    return len(pairs & _pairs(text)) / len(pairs) if pairs else 0.0


def _defines(stems: Sequence[str], text: str) -> bool:
    """`SQLite is an embedded SQL database engine`: what is defined stands before the first verb of being."""
    verb = _IS.search(text)
    subject = set(content_words(text[: verb.start()])) if verb else set()
    return bool(subject) and set(stems) <= subject and len(subject) <= len(set(stems)) + 4


def plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


@dataclass(frozen=True, slots=True)
class Reader:
    """`weights` by feature."""

    weights: Mapping[str, float]

    def scores(self, found: Floats) -> Floats:
        scores: Floats = found @ np.array([self.weights.get(name, 0.0) for name in FEATURES])
        return scores


@cache
def shipped_reader() -> Reader:
    """The one that comes with Clew."""
    return Reader(**json.loads(SHIPPED.read_text("utf-8")))
