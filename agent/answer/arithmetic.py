"""The arithmetic of answers: whether the calculations in their sentences are right, and which of their numbers no
passage has to have; and by how much two values differ, where a question asks for that."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import date
from decimal import Decimal
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

from clew.agent.answer.evidence import Evidence
from clew.agent.search.rounds import said_by
from clew.memory.datatypes import Passage
from clew.memory.errors import BadInput
from clew.memory.language.answer_type import answer_type
from clew.memory.text import NAMED, content_words, written_words
from clew.memory.vectors import softmax_at
from clew.tools.calculate import COUNTS, YEAR, calculate, in_text, measured
from clew.tools.calculate import number as value_of

FEWEST_DIGITS = 2
"""Of a result that is said again and rounded: nearly any is 1 or 0 so."""

PERCENT = ("%", "percent")
"""Units whose numbers a factor has as hundredths."""

NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_EQUALS = re.compile(rf"([^=≈\n]*)[=≈]\s*[€$£]?({NUMBER.pattern})(?=([^=≈\n]*))")
_FACTOR = re.compile(rf"{NUMBER.pattern}(?=\s*[*×])|(?:(?<=[*/×÷])|(?<=[*/×÷] )){NUMBER.pattern}")
_STEP = re.compile(r"[-+−–]\s*(1)\b")


class Sum(NamedTuple):
    """A right calculation: what stands before the sign, the numbers of its result as written, and its values."""

    before: str
    results: set[str]
    values: list[Decimal]


def arithmetic(text: str, cited: Sequence[Passage] = (), asked: str = "") -> set[str]:
    """The numbers of a text that do not have to stand in a passage: the results of its right calculations, and of those
    of a tool that it cites, rounded or not; and what `_spared` says of operands."""
    sums = [*right_sums(text)]
    results = {number for one in sums for number in one.results}
    told = {*NUMBER.findall(ungrouped(asked)), *results}
    results = results.union(*(_spared(one.before, cited, told) for one in sums))
    values = [value for one in sums for value in one.values]
    for one in cited:
        values += [] if one.document else map(value_of, NUMBER.findall(ungrouped(one.text))[-1:])
    numbers = set(NUMBER.findall(text))
    return results | {one for one in numbers if any(_rounds(value, one, FEWEST_DIGITS) for value in values)}


def right_sums(text: str) -> Iterator[Sum]:
    """The right calculations of a text (`1200 - 950 = 250`), as far as they are written out."""
    for before, result, behind in _EQUALS.findall(re.sub(r"(?<=[\s\d])x(?=[\s\d])", "×", text)):
        value = _sum_at_end(before)
        if isinstance(value, date) and value in in_text(f"{result}{behind}")[:1]:
            yield Sum(before, {result, str(value.year), *_STEP.findall(before)}, [])
        if isinstance(value, Decimal):
            values = [value, value * 100] if _FACTOR.search(before) else [value]
            if any(_rounds(one, result) for one in values):
                yield Sum(before, {result}, values)


def _spared(before: str, cited: Sequence[Passage], told: set[str]) -> set[str]:
    """The operands of a sum that no passage has to have: those that are `told`; counts that others are multiplied or
    divided by, where another operand is known; and for 10 percent of a passage 0.1, 0.9 and 1.1."""
    held, factors = ungrouped(" ".join(said_by(cited))), _FACTOR.findall(before)
    known = told.union(NUMBER.findall(held)).intersection(NUMBER.findall(before))
    parts = {value_of(NUMBER.findall(number)[0]) / 100 for unit, number in measured(held) if unit in PERCENT}
    counts = (one for one in factors if one.isdigit() and value_of(one) in COUNTS and known - {one})
    return (known & told) | {*counts} | {one for one in factors if {value_of(one), abs(1 - value_of(one))} & parts}


def _rounds(value: Decimal, number: str, digits: int = 1) -> bool:
    """Whether it is this number as far as that is written, in so many digits at least if it is not the same."""
    near = abs(value - value_of(number)) <= Decimal(5).scaleb(-len(re.sub(r"^\d+[.,]?", "", number)) - 1)
    return near and (value == value_of(number) or sum(map(str.isdigit, number)) >= digits)


def _sum_at_end(before: str) -> Decimal | date | None:
    """The value of the longest sum that a text ends with, whatever its units; days are read as they are written."""
    bare = re.sub(r"[^\W\d_]+|[€$£%°:,;.](?!\d)", " ", before)
    for text in (before, bare):
        for match in re.finditer(r"(?<![\d.,])[(\d]", text):
            with suppress(BadInput):
                return in_text(calculate(text[match.start() :]).rpartition("=")[2])[0]
    return None


def ungrouped(text: str) -> str:
    """The text with numbers as 384400 in place of 384,400."""
    return re.sub(r"(?<=\d)(?<!\b0)[.,](?=\d{3}(?!\d))", "", text)


# Differences --------------------------------------------------------------------------------------------------------

CLASSES, SURE = ("difference", "other"), 0.7
"""The classes of the linear model that tells such questions, and the probability that is needed."""

SHIPPED = Path(__file__).with_name("differences.json")

READ = 16  # the best candidates, which are searched for values


def masked(question: str) -> list[str]:
    """The question's words in lower case, with NAME and NUMBER in the place of names and numbers."""
    said = list[str]()
    for place, word in enumerate(written_words(question)):
        mask = "NUMBER" if any(map(str.isdigit, word)) else "NAME" if place and word[0].isupper() else word.casefold()
        said += [mask] if said[-1:] != [mask] or mask.islower() else []
    return said


class _Value(NamedTuple):
    """A number or a day in a candidate, and the words of the question that the candidate or its headings have."""

    place: int
    unit: str
    text: str
    words: frozenset[str]
    head: str

    def belongs_to(self, other: "_Value") -> bool:
        """Whether these two may be what is compared: values of one unit in one sentence; or in two sentences, each with
        a word of the question that the other lacks, or both with the same words under one heading."""
        apart = self.words - other.words and other.words - self.words
        beside = self.words == other.words and self.head == other.head != ""
        return self.unit == other.unit and (self.place == other.place or bool(apart) or beside)


def difference(question: str, order: Sequence[int], evidence: Evidence) -> tuple[tuple[int, ...], str] | None:
    """The places of the candidates with the two values (one, if a sentence has both), and the sum as text. None if no
    difference is asked for, or it is not clear which two values are meant: the pair has to have more words of the
    question than others, and all its names and numbers. Of several units the one that the question names counts.
    `order` are places of candidates, best first."""
    vector = evidence.encoder.encode([question], "sentence")[0]
    if softmax_at(SHIPPED, CLASSES).probabilities(vector, masked(question))[CLASSES[0]] < SURE:
        return None
    asked, wanted = {*content_words(question)}, answer_type(question)
    named = {*content_words(" ".join(NAMED.findall(question)))}
    words = {place: frozenset(asked.intersection(_told(place, evidence))) for place in order[:READ]}
    most = max((len(one | other) for one in words.values() for other in words.values()), default=0)
    values = [
        _Value(place, unit, text, words[place], evidence.candidates[place].head)
        for place in words
        for unit, text in measured(evidence.texts[place])
        if not asked.issuperset(content_words(text))
    ]
    count = Counter((one.place, one.unit) for one in values)
    pairs = [
        (one, other)
        for one, other in combinations(values, 2)
        if one.belongs_to(other) and named <= one.words | other.words and len(one.words | other.words) == most
        if sum(count[place, one.unit] for place in {one.place, other.place}) == 2
    ]
    of_unit = [pair for pair in pairs if pair[0].unit in content_words(wanted.counted or question)]
    of_kind = [pair for pair in pairs if all(wanted.holds(one.text for one in pair))]
    pairs = of_unit if of_unit or wanted.counted else of_kind or pairs
    sums = {_sum((one.text, other.text)): (one.place, other.place) for one, other in reversed(pairs)}
    plain = len(sums) == len({one.unit for one, _ in pairs}) == 1
    return next(((tuple(dict.fromkeys(places)), text) for text, places in sums.items() if plain and text), None)


def _told(place: int, evidence: Evidence) -> list[str]:
    """The content words of a candidate, its headings and its title."""
    candidate = evidence.candidates[place]
    title = evidence.passages[candidate.passage].title
    return content_words(f"{evidence.texts[place]} {evidence.heads[place]} {candidate.head} {title}")


def _sum(values: tuple[str, str]) -> str:
    """The larger value minus the smaller one, with the result; empty if it cannot be computed."""
    try:
        one, other = (calculate(f"{first} - {last}") for first, last in (values, values[::-1]))
    except BadInput:
        return ""
    shown = other if " = -" in one else one
    return f"{shown} years" if all(map(YEAR.fullmatch, values)) else shown
