"""Days of the week, dates and amounts of a question, and whether a text agrees with them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from clew.agent.answer.amounts import Amount, amounts
from clew.memory.dates import DAYS, WEEKDAYS, CalendarDate, FoundDate, asked_times, days_in_full

_SETS = ((re.compile(r"\b(?:daily|every ?day|each day|all week|seven days a week)\b", re.I), range(7)),
         (re.compile(r"\b(?:on )?(?:weekdays|working days|workdays)\b", re.I), range(5)),
         (re.compile(r"\b(?:at )?(?:the )?weekends?\b", re.I), (5, 6)))  # fmt: skip
_MORE = re.compile(
    r"\b(?:more|longer|larger|bigger|higher|heavier|older|later|over|above|after|since|exceeds?)\b(?: than)?", re.I
)
_LESS = re.compile(
    r"\b(?:less|fewer|shorter|smaller|lower|lighter|younger|cheaper|earlier|under|below|before|within)\b(?: than)?",
    re.I,
)
_LEAST = re.compile(r"\b(?:at least|minimum(?: of)?|from|not less than|no less than|or more)\b", re.I)
_MOST = re.compile(
    r"\b(?:at most|up to|maximum(?: of)?|max\.?|not more than|no more than|until|or less|within|limit)\b", re.I
)

_HOUR = r"\d{1,2}(?:[:.]\d\d)?(?: ?[ap]\.?m)?"
CLOCK = re.compile(rf"\b(?:\d{{1,2}}(?::\d\d| ?[ap]\.?m)|{_HOUR}\s?[-\u2013]\s?{_HOUR})\b")
"""`6:30`, `7 am`, `7-13`"""


@dataclass(frozen=True, slots=True)
class Values:
    """`days` count from Monday; `spans` are where they all stand."""

    days: frozenset[int] = frozenset()
    dates: tuple[FoundDate, ...] = ()
    amounts: tuple[Amount, ...] = ()
    spans: tuple[tuple[int, int], ...] = ()
    sign: int = 0
    """1: more than they, or after; -1: less than they, or before."""

    def __bool__(self) -> bool:
        return bool(self.days or self.dates or self.amounts)

    def without(self, text: str) -> str:
        """A text without them, as they are written there."""
        return _blank(text, values_of(text, any(not one.measured for one in self.amounts)).spans) if self else text


def values_of(text: str, counted: bool = True) -> Values:
    """A number without a unit is none; one of things that are `counted` may be left out."""
    days, spans = _days(text)
    dates = tuple(asked_times(text))
    spans += [(one.start, one.end) for one in dates]
    found = tuple(one for one in amounts(_blank(text, spans)) if one.unit and (counted or one.measured))
    sign = 0
    for start in [one.start for one in dates] + [one.start for one in found]:
        before = text[:start].rstrip()
        for pattern, meant in ((_MORE, 1), (_LESS, -1)):
            if said := next((match for match in pattern.finditer(before) if match.end() == len(before)), None):
                sign = meant
                spans.append(said.span())
    return Values(days, dates, found, (*spans, *((one.start, one.end) for one in found)), sign)


def compared(asked: Values, kind: str, text: str) -> bool | None:
    """Whether a text agrees with the values of a question; None where it has nothing to compare them with, or too much.
    Of what may be done (`kind`), a bound of the text says up to where."""
    held = values_of(text)
    if asked.days:
        return asked.days <= held.days if held.days else None
    if len(asked.dates) == 1 and not asked.amounts:
        return _dated(asked.dates[0], held.dates, asked.sign)
    if len(asked.amounts) == 1 and not asked.dates:
        one = asked.amounts[0]
        same = [other for other in held.amounts if other.unit == one.unit]
        return _counted(one, same[0], asked.sign, kind, text) if len(same) == 1 else None
    return None


def _dated(asked: FoundDate, held: Sequence[FoundDate], sign: int) -> bool | None:
    if len(held) != 1 or held[0].last or asked.other or held[0].other:
        return None
    one, other = asked.date, held[0].date
    if sign:
        if not (one.year and other.year):
            return None
        short = CalendarDate(other.year, other.month if one.month else 0, other.day if one.day else 0)
        if short == one or (one.month and not other.month):
            return None
        return (short > one) == (sign > 0)
    if (one.year and not other.year) or (one.month and not other.month) or (one.day and not other.day):
        return None
    return one.meets(other)


def _counted(asked: Amount, held: Amount, sign: int, kind: str, text: str) -> bool | None:
    around = text[max(0, held.start - 25) : held.end + 10]
    least, most = bool(_LEAST.search(around)), bool(_MOST.search(around) or _LESS.search(around))
    if least or most or _MORE.search(around):
        if kind != "may" or sign or least == most:
            return None
        return asked.value <= held.value if most else asked.value >= held.value
    if sign:
        return held.value > asked.value if sign > 0 else held.value < asked.value
    return abs(held.value - asked.value) < 1e-6 * max(1.0, asked.value)


def _days(text: str) -> tuple[frozenset[int], list[tuple[int, int]]]:
    """From 0, Monday; and where they stand."""
    written = days_in_full(text, every=True).casefold()
    found = {number for number, day in enumerate(DAYS) if day.casefold() in written}
    spans = [match.span() for match in WEEKDAYS.finditer(text)]
    for pattern, days in _SETS:
        for match in pattern.finditer(text):
            found |= set(days)
            spans.append(match.span())
    return frozenset(found), spans


def _blank(text: str, spans: Sequence[tuple[int, int]]) -> str:
    kept = list(text)
    for start, end in spans:
        kept[start:end] = " " * (end - start)
    return "".join(kept)
