"""Calculations in the sentences of an answer: whether they are right, and which of their numbers no passage has to
have."""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import date
from decimal import Decimal
from typing import NamedTuple

from clew.agent.search.rounds import said_by
from clew.memory.datatypes import Passage
from clew.memory.errors import BadInput
from clew.tools.calculate import COUNTS, calculate, in_text, measured
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
    held, factors = ungrouped(" ".join(map(said_by, cited))), _FACTOR.findall(before)
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
