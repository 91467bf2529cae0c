"""Days that a question counts from today (`yesterday`, `last week`), and the question with dates in their place.

What people say, and which days it means, stands in `relative_dates.txt`, each row with an example that is its test.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date, timedelta
from pathlib import Path

from clew.memory.dates import DAYS, MONTHS, CalendarDate, FoundDate, place_of, replaced
from clew.memory.text import NUMBER_WORDS

Days = tuple[date, date]  # the first and the last of them

_LINES = [line for line in Path(__file__).with_suffix(".txt").read_text("utf-8").splitlines() if line[:1] != "#"]
_PARTS = dict(line.split(" = ") for line in _LINES if " = " in line)
_PREPOSITIONS = _PARTS["prepositions"].split()


def _rows() -> Iterator[tuple[re.Pattern[str], str]]:
    """A pattern for what is said, and which days it means."""
    for said, means, *_ in (line.split(" | ") for line in _LINES if " | " in line):
        whole = re.sub(r"{(\w+)}", lambda part: _PARTS[part[1]], said)
        whole = rf"\b{whole}(?:['\u2019]s\b)?(?=\W|$)(?!\s+of\b)"
        yield re.compile(whole.replace(" ", r"\s"), re.IGNORECASE), means


_ROWS = tuple(_rows())


@dataclass(frozen=True, slots=True)
class RelativeDate:
    """`question[start:end]` stands for the days from `first` to `last`, and `text` can take its place."""

    start: int
    end: int
    first: date
    last: date
    text: str


def relative_dates(question: str, today: str) -> list[RelativeDate]:
    """The relative dates of a question in order, none within another; `today` is ISO 8601, empty if unknown."""
    found: list[RelativeDate] = []
    for pattern, means in _ROWS if today else ():
        for match in pattern.finditer(question):
            if all(match.end() <= other.start or other.end <= match.start() for other in found):
                days = _days_of(match, means, date.fromisoformat(today))
                found.append(RelativeDate(*match.span(), *days, _in_place(match, days)))
    return sorted(found, key=lambda one: one.start)


def dated(question: str, today: str, *, but_today: bool = False) -> str:
    """The question with dates in place of relative ones; `but_today`: "today" stays, as it may mean nowadays."""
    kept = date.fromisoformat(today) if but_today and today else None
    found = (one for one in relative_dates(question, today) if one.first != kept)
    return replaced(question, (((one.start, one.end), one.text) for one in found))


def days_text(first: date, last: date) -> str:
    """`21 November 2026`, `16 to 22 November 2026`, `November 2026`, `2026`."""
    if (first, last) == _moved("year", first, 0):
        return str(first.year)
    begin, end = (CalendarDate(day.year, day.month, day.day) for day in (first, last))
    if (first, last) == _moved("month", first, 0):
        return replace(begin, day=0).text
    if (first.year, first.month) == (last.year, last.month):
        return FoundDate(0, 0, begin, last=end if last > first else None).text
    return f"{begin.text} to {end.text}"


def _in_place(match: re.Match[str], days: Days) -> str:
    """The dates with a preposition where there was none."""
    text = days_text(*days)
    if match[0].endswith(("'s", "\u2019s")):
        return f"the {text}"
    before = match.string[: match.start()].casefold().split()
    if before and before[-1] in _PREPOSITIONS:
        return text
    return f"{'on' if days[0] == days[1] else 'from' if ' to ' in text else 'in'} {text}"


def _days_of(match: re.Match[str], means: str, now: date) -> Days:
    """The days that `means` stands for."""
    part = {name: (said or "").casefold() for name, said in match.groupdict().items()}
    which, unit, count = part.get("which", ""), part.get("unit", ""), _count(part.get("count", ""))
    if means == "unit":
        return _moved(unit, now, {"this": 0, "next": 1}.get(which, -1))
    if means == "weekday":
        return _moved("day", now, _nearest(place_of(part["day"], DAYS) - now.weekday(), 7, which))
    if means == "month":
        return _moved("month", now, _nearest(1 + place_of(part["month"], MONTHS) - now.month, 12, which))
    if means.startswith("day "):
        unit, count = "day", int(means[4:])
    elif means != "ahead":
        count = -count
    first, last = _moved("day", now, 7 * count) if unit == "week" else _moved(unit, now, count)
    return (first, now) if means == "up to today" else (first, last)


def _count(said: str) -> int:
    """The number: 1 for `a`, 2 for `a couple of`, 3 for `a few`."""
    if said in NUMBER_WORDS or said.isdigit():
        return NUMBER_WORDS.index(said) if said in NUMBER_WORDS else int(said)
    return 1 if said in ("a", "an") else 3 if "few" in said else 2


def _nearest(away: int, cycle: int, which: str) -> int:
    """The distance to the next or the last of what recurs after `cycle`, and is `away` from now this time."""
    return {"this": away, "next": away % cycle or cycle}.get(which, -(-away % cycle or cycle))


def _moved(unit: str, now: date, by: int) -> Days:
    """The day, week, weekend, month or year that is so many of them from today's."""
    if unit == "day":
        return (now + timedelta(by),) * 2
    if unit == "year":
        return date(now.year + by, 1, 1), date(now.year + by, 12, 31)
    if unit == "month":
        first, after = (date(now.year + at // 12, at % 12 + 1, 1) for at in (now.month - 1 + by, now.month + by))
        return first, after - timedelta(1)
    monday = now + timedelta(7 * by - now.weekday())
    return monday + timedelta(5 if unit == "weekend" else 0), monday + timedelta(6)
