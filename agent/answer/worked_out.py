"""What follows from two dates or amounts that documents state, for the questions of `workings.py`; sums only where the
units agree."""

import re
from collections.abc import Sequence
from datetime import date

from clew.agent.answer.amounts import Amount, amounts, plain_number, stem
from clew.agent.answer.workings import ONE_OF, Working, dates_with_year, measured
from clew.memory.dates import CalendarDate
from clew.memory.text import content_words, split

_UNITS = {"day": 1, "week": 7}
_DAY = 86400.0
_EVERY = re.compile(r"\b(?:(?P<day>daily)|(?P<week>weekly)|(?P<month>monthly)|(?P<year>yearly|annual(?:ly)?))\b", re.I)
_COSTS = r"(?:costs?|is|was|comes? to|runs? to|for)"
_EACH = re.compile(
    rf"\b(?:an?|one|each|every|per) ([a-z]+)(?: [\w'\u2019-]+){{0,4}}? {_COSTS} (?:about )?$", re.IGNORECASE
)
"""Before an amount that is said of one: `A night by the lake costs`."""
_LIMITS = re.compile(
    r"\b(?:at (?:most|least)|max(?:imum)?|min(?:imum)?|up to|times|twice|free|capped|only|except|unless|working"
    r"|compound\w*|discount\w*|reduc\w+|plus)\b|%",
    re.IGNORECASE,
)
"""What makes of an amount more or less than so often itself."""


def result(work: Working, texts: Sequence[str], around: str = "") -> str:
    """In a sentence what follows from a text for each part; empty where it does not. `around` is the paragraph of the
    first text, which may say otherwise."""
    if work.kind == "times":
        return "" if _says_itself(work, around.replace(texts[0], " ")) else _times(work, texts[0])
    if work.kind == "difference":
        return _subtracted(*texts)
    if work.kind == "sum":
        return _added(*texts)
    if work.kind == "which":
        found = compared(work, texts)
        return f"Worked out: {found[0]}." if found else ""
    dates = [dates_with_year(text) for text in texts] + ([dates_with_year(work.given)] if work.given else [])
    if len(dates) == 2 and 1 in map(len, dates):  # 'Ann was born in 1870. She died in 1941.' beside the first of these
        known = min(dates, key=len)
        dates = [one if len(one) == 1 else [day for day in one if day not in known] for one in dates]
    if len(dates) == 2 and texts[0] == texts[-1] and len(dates[0]) == 2 and not work.given:
        one, other = dates[0]
    elif len(dates) == 2 and all(len(found) == 1 for found in dates):
        one, other = dates[0][0], dates[1][0]
    else:
        return ""
    if work.kind == "age":
        return _aged(one, other)
    first, last = sorted((one, other))
    return _between(first, last, work.unit)


def compared(work: Working, texts: Sequence[str]) -> tuple[str, bool] | None:
    """What is said of two sides, and whether the first is what is asked for; None where they are alike, or their
    amounts are of different things."""
    if work.parts[0].startswith("When"):
        days = [dates_with_year(text)[0] for text in texts]
        if days[0].meets(days[1]):
            return None
        first, word, said = days[0] < days[1], "before", [day.text for day in days]
    else:
        pairs = [(a, b) for a in measured(texts[0]) for b in measured(texts[1]) if a.agrees(b)]
        if len(pairs) != 1 or texts[0] == texts[1] or pairs[0][0].value == pairs[0][1].value:
            return None
        (a, b), word = pairs[0], "against"
        first = (a.value < b.value) if work.least else (a.value > b.value)
        said = [texts[0][a.start : a.end], texts[1][b.start : b.end]]
    told = [f"{side}, {value}" for side, value in zip(work.sides, said, strict=True)]
    leading, behind = told if first else reversed(told)
    is_first = first if work.least or word == "against" else not first
    return f"{leading}, {word} {behind}", is_first


def _between(one: CalendarDate, other: CalendarDate, unit: str) -> str:
    told = _span(one, other, unit)
    return f"Worked out: from {one.text} to {other.text} it is {told}." if told and one != other else ""


def _span(one: CalendarDate, other: CalendarDate, unit: str) -> str:
    """As exact as both dates are: days, months or years."""
    if one.day and other.day:
        days = (date(other.year, other.month, other.day) - date(one.year, one.month, one.day)).days
        if unit in _UNITS or (not unit and days < 60):
            return _weeks(days) if unit == "week" else _number(days, "day")
        months = (other.year - one.year) * 12 + other.month - one.month - (other.day < one.day)
        whole = _months(months, unit)
        return f"{whole} ({_number(days, 'day')})" if whole else _number(days, "day")
    if unit in _UNITS:
        return ""
    if one.month and other.month:
        return _months((other.year - one.year) * 12 + other.month - one.month, unit)
    return f"about {_number(other.year - one.year, 'year')}" if unit != "month" and other.year > one.year else ""


def _weeks(days: int) -> str:
    weeks, rest = divmod(days, 7)
    return f"{_number(weeks, 'week')} and {_number(rest, 'day')}" if rest else _number(weeks, "week")


def _months(months: int, unit: str) -> str:
    years, rest = (0, months) if unit == "month" else divmod(months, 12)
    return " and ".join(_number(n, name) for n, name in ((years, "year"), (rest, "month")) if n)


def _aged(born: CalendarDate, then: CalendarDate) -> str:
    years = then.year - born.year
    if not 0 < years < 130:
        return ""
    if born.month and then.month and (born.month != then.month or (born.day and then.day)):
        before = (then.month, then.day) < (born.month, born.day)
        when = f"{'on' if then.day else 'in'} {then.text}"
        return f"Worked out: born {born.text}, so {_number(years - before, 'year')} old {when}."
    return f"Worked out: born {born.text}, so {years - 1} or {years} years old in {then.text}."


def _subtracted(one: str, other: str) -> str:
    """Of the only pair of amounts that agree."""
    pairs = [(a, b) for a in measured(one) for b in measured(other) if a.agrees(b)]
    if len(pairs) != 1 or one == other:
        return ""
    (a, b), sides = pairs[0], (one, other)
    if a.value < b.value:
        a, b, sides = b, a, (other, one)
    first, second = sides[0][a.start : a.end], sides[1][b.start : b.end]
    rest = a.written(sides[0], a.value - b.value)
    return f"Worked out: {first} \u2212 {second} = {rest}." if a.value > b.value else f"Worked out: both are {first}."


def _added(one: str, other: str) -> str:
    """Of the only pair of amounts that agree."""
    pairs = [(a, b) for a in measured(one) for b in measured(other) if a.agrees(b)]
    if len(pairs) != 1 or one == other:
        return ""
    ((a, b),) = pairs
    return f"Worked out: {one[a.start : a.end]} + {other[b.start : b.end]} = {a.written(one, a.value + b.value)}."


def _says_itself(work: Working, text: str) -> bool:
    """Whether it has an amount in a sentence with what is counted: `For a week it is 350 euros.`"""
    sentences = (text[slice(*span)] for span in split(text))
    return any(measured(one) and stem(work.what) in content_words(one) for one in sentences)


def _times(work: Working, text: str) -> str:
    """An amount for each one, or for each such time; not where the text has another one, says what so many are or sets
    a limit."""
    every, what = measured(text), stem(work.what)
    asked = amounts(f"{plain_number(work.many)} {work.what}")
    said = any((one.unit, one.value) == (other.unit, other.value) for one in every for other in asked)
    said = said or (work.many == 1 and any(one.per == what for one in every))
    found = [(one, count) for one in every if (count := _count(work, one, text))]
    if len(found) != 1 or said or _LIMITS.search(text):
        return ""
    one, count = found[0]
    if any(other.unit == one.unit or other.per for other in every if other is not one):
        return ""
    whole = one.written(text, one.value * count)
    return f"Worked out: {plain_number(count)} \u00d7 {text[one.start : one.end]} = {whole}."


def _count(work: Working, one: Amount, text: str) -> float:
    """How often it counts; 0 where it does not."""
    what = stem(work.what)
    asked = amounts(f"1 {work.what}" if work.what != "one" else "")[:1]
    per = one.per or next((name or "" for match in _EVERY.finditer(text) for name in [match.lastgroup]), "")
    if not per and (each_one := _EACH.search(text[: one.start])) and stem(each_one[1]) == what:
        per = what  # 'A night costs 21 euros'
    if not per or one.unit == (asked[0].unit if asked else what):
        return 0
    each = amounts(f"1 {per}")
    if asked and each and asked[0].measured and asked[0].unit == each[0].unit:  # two years of so much a month
        if each[0].unit == "second" and each[0].value < _DAY and what != per:
            return 0  # nobody is paid, or parks, for all hours of a day
        count = work.many * asked[0].value / each[0].value
        return count if count > 1 and abs(count - round(count)) < 1e-6 else 0
    same = per == what or per in ONE_OF.get(what, ()) or per == "each"
    return work.many if same and work.many > 1 else 0


def _number(count: int, thing: str) -> str:
    return f"{count:,} {thing}{'' if count == 1 else 's'}"
