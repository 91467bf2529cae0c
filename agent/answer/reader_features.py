"""What the reader weighs of each candidate: plain features of its meaning, its words, its form, and of the question."""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from clew.agent.answer.answer_type import AnswerType
from clew.agent.answer.evidence import EncodedRequest, Evidence, share_held
from clew.agent.answer.excerpts import Candidate, asks
from clew.memory.datatypes import Floats, Vectors
from clew.memory.text import content_word_sets, content_words, written_words

OF_MEANING = (
    *("cosine", "own_cosine", "around", "head", "asking_head", "below", "below_asking", "passage", "centred"),
    *("rank", "score"),
)
OF_WORDS = ("held", "held_head", "held_around", "focus", "pairs", "numbers", "no_numbers")
OF_KINDS = (
    *("quantity", "time", "person", "place", "reason", "no_quantity", "no_time", "no_person", "no_place", "no_reason"),
    *("measures", "holds_near"),
)
OF_FORM = (
    *("question", "item", "row", "code", "announces", "list_item", "steps_item", "steps_code", "enumerates"),
    *("length", "short", "pronoun", "said", "first", "defines", "date_only"),
)
ASKED_FORMS = ("fact", "list", "steps", "comparison", "yes-no")
ASKING_WORDS = tuple("who whose when where why how many much long which what can do is".split())
OF_QUESTION = (*ASKED_FORMS, *("defined", "expected", "measure", "asked_words"), *ASKING_WORDS)
FEATURES = (*OF_MEANING, *OF_WORDS, *OF_KINDS, *OF_FORM, *OF_QUESTION)

ANY_FORM = ("question", "item", "row", "code", "announces", "length", "short", "said", "first", "date_only")
"""Those of form that are the same in all languages."""

FOREIGN_FEATURES = (
    *(*OF_MEANING, *OF_WORDS, *ANY_FORM, "digits"),
    *(f"behind: {name}" for name in (*OF_MEANING, *OF_WORDS)),
)
_OWN, _BEHIND = ([FEATURES.index(name) for name in (*OF_MEANING, *OF_WORDS, *form)] for form in (ANY_FORM, ()))

KINDS = ("quantity", "time", "person", "place", "reason")
_GROUPS = {**dict.fromkeys(("duration", "money", "number"), "quantity"), "name": "person"}

PRONOUN = re.compile(
    r"[\"“‘'(]*(?:(?:However|But|And|So|Also|Then|Thus|Therefore|Hence|Otherwise|Instead),? )?"
    r"(?:it|he|she|they|this|these|those|its|his|her|their|that|such|both|neither|the (?:former|latter|same)"
    r"|(?:to|by) [a-z]+ (?:this|these|those))\b(?! (?:who|whom|whose|which)\b)",
    re.IGNORECASE,
)
"""How a sentence begins that the one before has to be read with; not `He who ...`."""

_ENUMERATION = re.compile(r"\w+(?: \w+){0,3}, (?:\w+ ?){1,4}(?:, | and | or )")
_NUMBER = re.compile(r"\d+(?:[.,:/-]\d+)*")
_IS = re.compile(
    r"\b(?:is|are|was|were|means?|refers? to|stands? for|denotes?|called|=|implements?|provides?|lets?|allows?|enables?"
    r"|controls?|describes?|represents?|aims)\b"
)


_IS_A = re.compile(
    r"(?:is|are|was|were) (?:an?|the|one|any)\b|means?\b|refers? to\b|stands? for\b|denotes?\b|aims to\b|="
)
_SET_OFF = re.compile(r"\([^()]*\)|(?<=\w), (?:[^,]*, ?|[^,]*$)")
"""`Laika (Russian: Barker)`, `Laika, a dog from Moscow, `."""

_APPOSED = r"(?:,| \(| [\u2013\u2014-]) ?(?:an?|the|one of|his|her|its|our|their|my) \w"


def features(request: EncodedRequest, evidence: Evidence) -> Floats:
    """Shape (candidates, `FEATURES`)."""
    if not evidence.candidates:
        return np.zeros((0, len(FEATURES)))
    beside = _neighbours(evidence.candidates)
    parts = (
        _of_meaning(request, evidence, *beside),
        _of_words(request, evidence, *beside),
        _of_kinds(request.asked, evidence.texts, beside[1]),
        _of_form(request, evidence),
        np.tile(_of_question(request), (len(evidence.candidates), 1)),
    )
    return np.concatenate(parts, axis=1)


def foreign_features(request: EncodedRequest, evidence: Evidence, own: Floats) -> Floats:
    """Shape (candidates, `FOREIGN_FEATURES`), of the question, whose `features` are `own`, and of it behind the one
    before."""
    digits = [[any(map(str.isdecimal, text))] for text in evidence.texts]
    behind = features(request.behind, evidence) if request.behind else own
    return np.concatenate([own[:, _OWN], np.reshape(digits, (-1, 1)), behind[:, _BEHIND]], axis=1)


def _of_meaning(request: EncodedRequest, evidence: Evidence, before: Sequence[int], behind: Sequence[int]) -> Floats:
    vectors, whole = evidence.candidate_vectors, request.whole
    around = _unit(vectors + 0.5 * _at(vectors, before) + 0.5 * _at(vectors, behind))
    middle = vectors.mean(axis=0)
    cosines, heads = vectors @ whole, evidence.head_vectors @ whole
    heads_ask, texts_ask = [asks(head.rstrip()) for head in evidence.heads], list(map(asks, evidence.texts))
    asked = [
        max(
            float(heads[n]) if heads_ask[n] else 0.0,
            float(cosines[above]) if above >= 0 and texts_ask[above] else 0.0,
        )
        for n, above in enumerate(before)
    ]
    places, below = [candidate.passage for candidate in evidence.candidates], _below(evidence.candidates)
    columns = (
        cosines,
        vectors @ request.own,
        around @ whole,
        heads,
        asked,
        below,
        np.multiply(below, asked),
        (evidence.passage_vectors @ whole)[places],
        _unit(vectors - middle) @ _unit(whole - middle),
        [1 / (1 + place) for place in places],
        [evidence.passages[place].score for place in places],
    )
    return np.stack([np.asarray(column, np.float64) for column in columns], axis=1)


def _of_words(request: EncodedRequest, evidence: Evidence, before: Sequence[int], behind: Sequence[int]) -> Floats:
    words, weights, pairs = evidence.candidate_words, request.weights, _pairs(request.question)
    numbers = _numbers(request.question)
    each = ((one, evidence.passages[one.passage]) for one in evidence.candidates)
    titles = [f"{one.head} {one.lead} {passage.title}" for one, passage in each]
    rows = []
    for n, over in enumerate(content_word_sets(titles, evidence.language)):
        held, near = share_held(weights, words[n]), _near(words, before[n], behind[n])
        rows.append(
            (
                held,
                share_held(weights, over),
                share_held(weights, near),
                _focus(weights, words[n], over),
                len(pairs & _pairs(evidence.texts[n])) / len(pairs) if pairs else 0.0,
                bool(numbers & (said := _numbers(f"{titles[n]} {evidence.texts[n]}"))),
                bool(numbers) and not numbers & said,
            )
        )
    return np.array(rows)


def _of_kinds(asked: AnswerType, texts: Sequence[str], behind: Sequence[int]) -> Floats:
    expected = {_GROUPS.get(name, name) for name in asked.expected}
    wanted = np.array([kind in expected for kind in KINDS], np.float64)
    holds = [asked.holds(text) for text in texts]
    rows = [
        (
            *(wanted * held),
            *(wanted * (not held)),
            bool(asked.measure) and asked.measures(text),
            not held and next_ >= 0 and holds[next_],
        )
        for text, held, next_ in zip(texts, holds, behind, strict=True)
    ]
    return np.array(rows, np.float64)


def _of_form(request: EncodedRequest, evidence: Evidence) -> Floats:
    form, rows = request.asked.form, []
    stems = content_words(request.asked.defined) if request.asked.defined else []
    each = zip(evidence.candidates, evidence.texts, evidence.candidate_words, evidence.plain_texts, strict=True)
    for candidate, text, words, plain_text in each:
        kind, count, announces = candidate.block.kind, len(text.split()), text.endswith((":", "...", "\u2026"))
        rows.append(
            (
                asks(text),
                kind == "item",
                kind == "row",
                kind == "code",
                announces,
                form == "list" and kind in ("item", "row"),
                form == "steps" and kind == "item",
                form == "steps" and (kind == "code" or text.endswith(":")),
                form == "list" and bool(_ENUMERATION.search(text)),
                math.log1p(count),
                count < 5,
                bool(PRONOUN.match(text)),
                plain_text in request.said,
                1 / (1 + candidate.position / 200),
                _defines(stems, request.asked.defined, text) if stems else 0.0,
                not words,
            )
        )
    return np.array(rows, np.float64)


def _of_question(request: EncodedRequest) -> list[float]:
    """The same for all candidates: what else counts depends on it."""
    wanted, words = request.asked, set(written_words(request.question.casefold()))
    known = bool(wanted.defined), bool(wanted.expected), bool(wanted.measure), math.log1p(len(request.question.split()))
    return [
        *(float(wanted.form == form) for form in ASKED_FORMS),
        *known,
        *(float(word in words) for word in ASKING_WORDS),
    ]


def _neighbours(candidates: Sequence[Candidate]) -> tuple[list[int], list[int]]:
    """The place of the candidate before each and behind it, in the same part of the document; -1 where there is
    none."""
    order = sorted(range(len(candidates)), key=lambda n: (id(candidates[n].region), candidates[n].position))
    before, behind = [-1] * len(candidates), [-1] * len(candidates)
    for one, other in pairwise(order):
        if candidates[one].region is candidates[other].region:
            before[other], behind[one] = one, other
    return before, behind


def _below(candidates: Sequence[Candidate]) -> list[float]:
    """1 for the first candidate under a heading, a half for the second, a third for the next."""
    below, seen = [0.0] * len(candidates), Counter[tuple[int, int]]()
    for n in sorted(range(len(candidates)), key=lambda n: candidates[n].position):
        section = id(candidates[n].region), candidates[n].block.head
        seen[section] += 1
        below[n] = 1 / seen[section]
    return below


def _at(vectors: Vectors, places: Sequence[int]) -> Vectors:
    found = vectors[np.maximum(places, 0)].copy()
    found[np.array(places) < 0] = 0
    return found


def _unit(vectors: Vectors) -> Vectors:
    unit: Vectors = vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-6)
    return unit


def _focus(weights: Mapping[str, float], held: frozenset[str], over: frozenset[str]) -> float:
    """The share that it holds of the question's words that do not stand above it already; of all, where all do."""
    rest = {stem: weight for stem, weight in weights.items() if stem not in over} or weights
    return share_held(rest, held) / total if (total := sum(rest.values())) else 0.0


def _near(words: Sequence[frozenset[str]], before: int, behind: int) -> frozenset[str]:
    return (words[before] if before >= 0 else frozenset()) | (words[behind] if behind >= 0 else frozenset())


def _pairs(question: str) -> set[tuple[str, str]]:
    return set(pairwise(content_words(question)))


def _numbers(text: str) -> set[str]:
    """As they are written, '3.0' and '1,250' too."""
    return set(_NUMBER.findall(text))


def _defines(stems: Sequence[str], defined: str, text: str) -> float:
    """1 where what is defined stands before the first verb of being: `The code base of SQLite is kept by ...`; a half
    more where nothing else does, but for what is set off from it, and a thing is said to be it, no state of it: `SQLite
    is an embedded SQL database engine`, and not `is tested with care`. Between them where it is named beside what it
    is: `Laika, a dog from Moscow, ...`."""
    apposed = 1.25 * bool(re.search(rf"\b{re.escape(defined)}{_APPOSED}", text, re.IGNORECASE))
    verb = _IS.search(text)
    before = text[: verb.start()] if verb else ""
    subject = content_words(before)
    stems = _without_kind(stems, subject, text[verb.end() :] if verb else "")
    if not subject or not set(stems) <= set(subject) or len(set(subject)) > len(set(stems)) + 4:
        return apposed
    alone = set(content_words(_SET_OFF.sub(" ", before))) == set(stems)
    return 1.5 if alone and verb and _IS_A.match(text, verb.start()) else max(1.0, apposed)


KIND = 60
"""Characters behind a verb of being that say what kind of thing something is."""


def _without_kind(stems: Sequence[str], subject: Sequence[str], behind: str) -> Sequence[str]:
    """What is defined, without what it is said to be behind the verb: `zoo is an R package` defines the zoo package."""
    missing = [stem for stem in stems if stem not in subject]
    is_kind = len(stems) > 1 and missing in ([stems[0]], [stems[-1]]) and missing[0] in content_words(behind[:KIND])
    return [stem for stem in stems if stem not in missing] if is_kind else stems
