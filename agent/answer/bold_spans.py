"""The part of an answer that is most of it, shown in bold: a name for `who`, a date for `when`, a number with its unit
for `how many`, a place for `where`, the code of a command. None where the kind is not known, or nothing is likely.

A logistic model for each kind, in `spans.json`, weighs how a candidate stands to the question's words; it is made by
`python -m tests.training.spans`, which says what it is fitted on.
"""

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Literal

from clew.agent.answer.answer_type import AnswerType
from clew.agent.state import BoldSpan, Claim
from clew.memory.dialogue.signals import Linear
from clew.memory.knowledge.extraction.entities import dates, entities, years
from clew.memory.knowledge.extraction.lexicon import Mention
from clew.memory.text import Span, content_words, stems_and_words, words

SHIPPED = Path(__file__).with_suffix(".json")

SpanKind = Literal["person", "name", "place", "time", "quantity", "code"]

FEATURES = (
    *("before", "behind", "near", "beside_verb", "opens", "by", "at", "is", "called", "brackets", "comma"),
    *("person", "place", "work", "known_kind", "words", "held", "same_clause", "order", "unit_asked", "from"),
    *("focus_held", "focus_near", "all_held", "first_held", "last_held", "unheld"),
    *("nested", "question_words"),
)

FOCUS = 2
"""Content words on each side of what asks."""

_PEOPLE = (
    r"person|man|woman|boy|girl|actor|actress|author|writer|poet|painter|artist|singer|musician|rapper|composer|director"
    r"|producer|player|king|queen|emperor|president|minister|scientist|inventor|architect|captain|coach|character|leader"
    r"|philosopher|general|doctor|driver|manager|owner|founder|photographer|colleague|vendor"
)
_PLACES = (
    r"cit(?:y|ies)|town|village|countr(?:y|ies)|states?|count(?:y|ies)|province|region|continent|islands?|river|street"
    r"|district|borough|capital|place|mountain|lake|sea|ocean"
)
_NAMED = (
    r"band|company|companies|film|movie|book|novel|magazine|newspaper|journal|universit(?:y|ies)|college|school|team"
    r"|club|album|song|single|series|show|station|airport|party|language|organi[sz]ation|museum|church|ship|war|battle"
    r"|treaty|act|prize|award|medal|god|planet|festival|dynasty|empire|railway|hospital|agency|brand|software|library|language|comedy|franchise|sitcom"
    r"|opera|play|poem|breed|species|plant|street|hotel|restaurant|shop"
)
_OWN = r"(?:(?!(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|of|the|a|an)\b)[\w-]+ )"
"""A word between `which` and its noun."""

_START = r"(?:^|\b(?:in|at|on|by|for|from|to|of|with|under|and|but|so) )"
_SIGNS: Mapping[SpanKind, str] = {
    "code": (r"\b(?:what|which) (?:\w+ )?(?:command|option|flag|function|method|class|parameter|argument|setting"
                 r"|keyword|statement|pragma|variable|operator|module|package)\b"),
    "time": (r"\bwhen\b(?! (?:you|i|we|they|the|a|an|it|there)\b)|\b(?:what|which) (?:\w+ )?(?:year|date|day|month"
                 r"|century|decade|weekday)\b|\b(?:at|from) what time\b|^what time\b"),
    "quantity": (r"\bhow (?:many|much|long|far|old|tall|high|deep|big|large|heavy|wide|fast|often|thick)\b"
                     r"|\b(?:what|which) (?:is|are|was|were) the (?:\w+ ){0,2}(?:price|cost|fee|rent|number|amount|size"
                     r"|age|height|length|weight|distance|percentage|share|population|limit|temperature|speed)\b"
                     r"|\b(?:what|which) (?:percentage|number|temperature)\b"),
    "person": (rf"{_START}(?:who|whom|whose)\b|\b(?:what|which) {_OWN}{{0,3}}(?:{_PEOPLE})s?\b(?!['’])"),
    "place": (rf"{_START}where\b|\b(?:what|which) {_OWN}{{0,2}}(?:{_PLACES})\b"),
    "name": (rf"\b(?:what|which) {_OWN}{{0,3}}(?:{_NAMED})s?\b|\bwhat\b.*\b(?:called|named|nicknamed)\W*$"
                 r"|\bname of\b|\bwhat(?:'s| is| was) (?:\w+ )*name\b"),
}  # fmt: skip
_ASKS = {kind: re.compile(pattern, re.IGNORECASE) for kind, pattern in _SIGNS.items()}
_NUMBER = (
    r"(?:(?<![\w.,-])\d[\d,]*(?:\.\d+)?(?![\w-])|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen"
    r"|(?:thir|four|fif|six|seven|eigh|nine)teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty(?:-\w+)?|half a|no)\b)"
)
_UNIT = (
    r"(?:%|percent|per cent|°\s?[CF]?|degrees?|[kcm]?m\b|km/h|mph|kg|g\b|mg|lbs?|ft|ms\b|[kmgt]b\b|h\b|min\b|seconds?"
    r"|minutes?|hours?|days?|weeks?|months?|years?|decades?|centur(?:y|ies)|euros?|eur|dollars?|usd|pounds?|cents?|crowns"
    r"|francs|miles?|met(?:re|er)s?|kilomet(?:re|er)s?|centimet(?:re|er)s?|feet|foot|inch(?:es)?|acres?|hectares?|litres?"
    r"|liters?|grams?|kilograms?|tons?|tonnes?|knots|square (?:miles?|kilomet(?:re|er)s?|met(?:re|er)s?|feet)|times)"
)
_QUANTITY = re.compile(
    rf"[$€£¥]\s?\d[\d,]*(?:\.\d+)?(?: (?:thousand|million|billion|trillion))?"
    rf"|{_NUMBER}(?:\s?[–-]\s?\d[\d,.]*|\s(?:to|or)\s{_NUMBER})?(?: (?:hundred|thousand|million|billion|trillion))*"
    rf"(?:[ -]?{_UNIT}(?:\s(?:a|per) \w+)?(?!\w))?",
    re.IGNORECASE,
)
_TIME = re.compile(
    r"\b\d{1,2}[:.]\d\d(?:\s?[ap]\.?m\b)?|(?<![\d:.])\b\d{1,2}\s?[ap]\.?m\b\.?|\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?\b"
    r"|\b(?:noon|midnight)\b|\b(?:January|February|March|April|May|June|July|August|September|October|November|December)"
    r"(?: \d{1,2}(?:st|nd|rd|th)?)?\b"
)
_CODE = re.compile(
    r"`([^`\n]+)`|(?<!\S)(--?[a-z][\w-]*|[\w.]+\([^()\n]{0,40}\)|(?:[a-z]\w*[._])+\w+|[A-Z]{3,}(?:[ _][A-Z]{2,})*"
    r"|\w+/\w[\w/.-]*)(?=[\s.,;:]|$)"
)
_SPOT = re.compile(
    r"\b(?:in|at|near|on|under|behind|inside|outside|above|below|beside|next to) (?P<spot>(?:the|an?|our|my|your|his"
    r"|her|its|their) (?:[\w-]+ ){0,2}?[\w-]+)(?=[.,;:)]|$| (?:and|of|in|on|at|by|with|where|which|that|for|to|from)\b)"
)
_NESTED = re.compile(r"(?<=\w[ ,])(?:that|who|whose|which|where|when)\b|\bof the\b|'s\b", re.IGNORECASE)
"""What a question of several steps is made of."""

NATION = re.compile(r"\w+(?:an|ish|ese|ic)$|(?:French|Dutch|Greek|Welsh|Swiss|Thai|Czech)$")
"""What is somebody's or something's, and no place."""

_CLAUSE = re.compile(r"[.;:!?](?=\s)|\n")


def span_kind(question: str, asked: AnswerType) -> SpanKind | None:
    """What a part in bold would be; None where that is not known, or several things are asked for."""
    if asked.form not in ("fact", "steps", "list") or re.match(r"who (?:all )?(?:are|were)\b", question, re.IGNORECASE):
        return None
    kind = next((kind for kind, pattern in _ASKS.items() if pattern.search(question)), None)
    return kind if kind == "name" or not asked.defined else None


def bolded(claims: Sequence[Claim], question: str, asked: AnswerType, around: str) -> list[Claim]:
    """With the span of at most one of these claims, those that answer a question; `around` is what stands above
    them, titles and headings."""
    kind = span_kind(question, asked)
    found = likeliest(kind, question, asked, [claim.text for claim in claims], around) if kind else None
    if found is None:
        return list(claims)
    place, (start, end) = found
    return [replace(c, span=BoldSpan(start, end)) if n == place else c for n, c in enumerate(claims)]


def likeliest(
    kind: SpanKind, question: str, asked: AnswerType, texts: Sequence[str], around: str = ""
) -> tuple[int, Span] | None:
    """The text by its place, and the span in it; None where none is likely enough."""
    least = _shipped()[kind][1]
    if not focus_of(kind, question) & set(content_words(" ".join((around, *texts)))):
        return None
    best = max(scored(kind, question, asked, texts, around), key=lambda one: one[0], default=None)
    return (best[1], best[2]) if best and best[0] >= least else None


def scored(
    kind: SpanKind, question: str, asked: AnswerType, texts: Sequence[str], around: str = ""
) -> list[tuple[float, int, Span]]:
    """The log odds of each candidate, with the text by its place and the span in it."""
    model, whole = _shipped()[kind][0], " ".join((around, *texts))
    return [
        (model.of(dict(zip(FEATURES, features(kind, question, asked, text, span, whole), strict=True))), place, span)
        for place, text in enumerate(texts)
        for span in candidates(kind, question, text)
    ]


def candidates(kind: SpanKind, question: str, text: str) -> Iterator[Span]:
    """The spans of this kind in a text, none that the question holds."""
    held = f" {' '.join(words(question))} "
    found = [span for span in _of_kind(kind, text) if span[0] < span[1]]
    for start, end in dict.fromkeys(found):
        own = " ".join(words(text[start:end]))
        if kind == "code" or (own and f" {own} " not in held):
            yield start, end


def _of_kind(kind: SpanKind, text: str) -> Iterator[Span]:
    if kind == "code":
        for match in _CODE.finditer(text):
            yield match.span(match.lastindex or 0)
        return
    dated = [(one.start, one.end) for one in (*dates(text), *years(text))]
    if kind == "time":
        clock = [match.span() for match in _TIME.finditer(text)]
        yield from dated
        yield from (one for one in clock if not any(a < one[1] and one[0] < b for a, b in dated))
    elif kind == "quantity":
        for match in _QUANTITY.finditer(text):
            if not any(a <= match.start() < b for a, b in dated):
                yield match.start(), match.start() + len(match[0].rstrip(" ,.-"))
    else:
        for one in _mentions(text):
            if one.kind not in ("date", "term") and not (kind == "place" and NATION.match(one.text)):
                yield one.start, one.end
        if kind == "place":
            yield from (match.span("spot") for match in _SPOT.finditer(text))


@lru_cache(maxsize=16)
def _mentions(text: str) -> tuple[Mention, ...]:
    return tuple(entities(text))


def focus_of(kind: SpanKind, question: str) -> set[str]:
    """The stems beside what asks: `a film created by who`: film, creat."""
    asks = _ASKS[kind].search(question)
    if asks is None:
        return set()
    behind = content_words(question[asks.end() :])[:FOCUS]
    return {*behind, *content_words(question[: asks.start()])[-FOCUS:]}


def features(kind: SpanKind, question: str, asked: AnswerType, text: str, span: Span, whole: str) -> list[float]:
    """Of a candidate, `FEATURES` in their order: how near to the question's words it stands, and behind what; `whole`
    is all that is quoted, with what stands above it."""
    stems, narrow = set(content_words(question)), focus_of(kind, question)
    around = set(content_words(whole))
    asks = _ASKS[kind].search(question)
    beside = content_words(question[asks.end() :] if asks else question)
    beside = beside or content_words(question[: asks.start()] if asks else "")[-1:]
    rest = stems - set(content_words(asks[0] if asks else ""))
    tokens = [(match.start(), match.end()) for match in re.finditer(r"[^\W_]+(?:['’-][^\W_]+)*", text)]
    focus = [place for place, token in enumerate(tokens) if stems & set(content_words(text[slice(*token)]))]
    inside = [place for place, token in enumerate(tokens) if token[0] < span[1] and span[0] < token[1]] or [0]
    first, last = inside[0], inside[-1]
    back = min((first - place for place in focus if place < first), default=30)
    ahead = min((place - last for place in focus if place > last), default=30)
    cuts = [0, *(match.end() for match in _CLAUSE.finditer(text)), len(text) + 1]
    clause = next((a, b) for a, b in pairwise(cuts) if a <= span[0] < b)
    same = {place for place in focus if clause[0] <= tokens[place][0] < clause[1]}
    told = {stem for place in same for stem in content_words(text[slice(*tokens[place])])}
    ahead_of, behind_of = text[: span[0]].rstrip(" \"'“‘(").casefold(), text[span[1] :].lstrip(" \"'”’").casefold()
    mention = next((one.kind for one in _mentions(text) if (one.start, one.end) == span), "")
    own = [stem for stem, _ in stems_and_words(text[slice(*span)])]
    values = (
        1 / back,
        1 / ahead,
        1 / min(back, ahead),
        min(back, ahead) == 1,
        not ahead_of,
        ahead_of.endswith(" by"),
        bool(re.search(r"\b(?:in|at|on|near|to|under|inside)$", ahead_of)),
        bool(re.search(r"\b(?:is|are|was|were)$", ahead_of)),
        bool(re.search(r"\b(?:called|named|known as|titled|as|nicknamed)$", ahead_of)),
        text[: span[0]].endswith("("),
        behind_of.startswith(","),
        mention == "person",
        mention == "place",
        mention == "work",
        (mention, kind) in (("person", "person"), ("place", "place"), ("organisation", "name"), ("work", "name")),
        math.log1p(len(inside)),
        len(rest.intersection(own)) / max(1, len(own)),
        len(told) / max(1, len(stems)),
        1 / (1 + text[: span[0]].count(" ")),
        kind == "quantity" and asked.measures(text[slice(*span)]) and bool(re.search(_UNIT, text[slice(*span)], re.I)),
        ahead_of.endswith(" from"),
        len(narrow & around) / max(1, len(narrow)),
        max(
            (1 / max(1, first - n, n - last) for n in focus if narrow & set(content_words(text[slice(*tokens[n])]))),
            default=0,
        ),
        len(stems & around) / max(1, len(stems)),
        bool(beside) and beside[0] in around,
        bool(beside) and beside[-1] in around,
        math.log1p(len(stems - around)),
        len(_NESTED.findall(question)),
        math.log1p(len(stems)),
    )
    return [float(value) for value in values]


@cache
def _shipped() -> Mapping[SpanKind, tuple[Linear, float]]:
    values = json.loads(SHIPPED.read_text("utf-8"))
    return {kind: (Linear(**made["model"]), made["least"]) for kind, made in values.items()}
