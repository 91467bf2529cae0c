"""Dates of a text: found, compared and written in one way.

The words stand in `dates.txt`, by language. No library does it as well: `dateparser` takes `24/7`, `31 June` and `they
wed` for dates, and 260 times as long; `dateutil` finds none within a text.
"""

import re
from calendar import monthrange
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Literal

from clew.memory.errors import BadInput
from clew.memory.text import Span, word_lists

DateOrder = Literal["day", "month", ""]  # what comes first in `03/09/2024`; empty: nothing says

_WORDS = word_lists(Path(__file__).with_suffix(".txt"))
MONTHS, DAYS = tuple(_WORDS["en months"]), tuple(_WORDS["en days"])
MONTH_BEGINNINGS = tuple(sorted({month[:3] for month in (*MONTHS, *_WORDS["de months"])}))
"""The first three letters of the months, in English and in German."""


def _any(words: Iterable[str]) -> str:
    return f"(?:{'|'.join(words)})"


_MONTH = rf"(?P<month>{_any(MONTHS)}|{_any(_WORDS['en short months'])}\b\.?)"
_DAY = r"(?:3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>1\d{3}|20\d{2})"
_UNTIL = _any(_WORDS["en until"])
_FROM_DAY = rf"(?:(?P<first>{_DAY})\s?(?:-|\u2013|{_UNTIL})\s?)?"


def _forms(*forms: str) -> list[re.Pattern[str]]:
    """Patterns of dates that stand apart from other numbers and from paths."""
    return [re.compile(rf"(?<![\w/.,:\u2013-]){form}(?![\w/]|[.,:-]\d)", re.IGNORECASE) for form in forms]


_NUMERIC = _forms(
    r"(?P<one>\d{1,2})(?P<mark>[/.-])(?P<two>\d{1,2})(?P=mark)(?P<year>1\d{3}|20\d{2})",
    r"(?P<one>\d{1,2})/(?P<two>\d{1,2})/(?P<short>\d{2})",
)
_FORMS = [
    *_forms(
        rf"{_FROM_DAY}(?P<day>{_DAY})(?:\s+of\s+|\s?-\s?|\s+){_MONTH}(?:(?:,?\s+|,|-){_YEAR})?",
        rf"{_MONTH}[\s-](?:the\s)?{_FROM_DAY}(?P<day>{_DAY})(?:(?:\s?,\s?|\s){_YEAR})?",
        rf"{_MONTH}(?:\s+of\s+|,?\s+|-){_YEAR}",
        rf"{_YEAR}(?P<mark>[-/.])(?P<number>0[1-9]|1[0-2])(?P=mark)(?P<day>0[1-9]|[12]\d|3[01])(?:T[\d:.]+Z?)?",
        rf"{_YEAR}-(?P<number>0[1-9]|1[0-2])",
    ),
    *_NUMERIC,
]

_NUMBERS = re.compile(r"[0-9](?:[^0-9]{0,40}[0-9])*")
_AROUND = 20  # characters on both sides of a number that hold the rest of its date
_CENTURY = 70  # two digits below it are of this century

_UNCLEAR = re.compile(rf"{_any(_WORDS['en unclear months'])}\b")
_LONE_YEAR = re.compile(r"(?<![\w.,:$\u00a3\u20ac#/\u2013-])(?:1[1-9]\d{2}|20\d{2})(?![\w%/\u2013-]|[.,:]\d)")
_PLAIN_MONTHS = {month.lower() for month in MONTHS}.difference(_WORDS["en unclear months"])
_LONE_MONTH = re.compile(
    rf"\b(?:{_any(MONTHS)}|{_any(sorted(_PLAIN_MONTHS))}|(?<=\bin )(?:may|march)|(?<=\bof )(?:may|march))\b"
)
""""may" and "march" in small letters are months only with "in" or "of"."""

_BEGINS, _GOES_ON = re.compile(r"(?:^|[.?!\n])\W*$"), re.compile(r"\s+[^\W\d_]")
"""What stands before and behind "May" at the beginning of a sentence that asks for permission."""


@dataclass(frozen=True, slots=True, order=True)
class CalendarDate:
    """A day, a month or a year; a part that is not given is 0."""

    year: int = 0
    month: int = 0
    day: int = 0

    @property
    def iso(self) -> str:
        """`2024-09-03`, `2024-09`, `2024`; empty without a year."""
        parts = (f"{self.year:04}", f"{self.month:02}" if self.month else "", f"{self.day:02}" if self.day else "")
        return "-".join(filter(None, parts)) if self.year else ""

    @property
    def text(self) -> str:
        """`3 September 2024`, `3 September`, `September 2024`, `2024`."""
        parts = (str(self.day or ""), MONTHS[self.month - 1] if self.month else "", str(self.year or ""))
        return " ".join(filter(None, parts))

    def meets(self, other: "CalendarDate") -> bool:
        """Whether both can be the same day: the parts that both give are equal, and there is one."""
        pairs = ((self.year, other.year), (self.month, other.month), (self.day, other.day))
        both = [(one, two) for one, two in pairs if one and two]
        return bool(both) and all(one == two for one, two in both)


@dataclass(frozen=True, slots=True)
class FoundDate:
    """A date in a text, `text[start:end]`: `date`, or `other` if day and month can be swapped; `last` ends a span of
    days that begins at `date`, in the same month."""

    start: int
    end: int
    date: CalendarDate
    other: CalendarDate | None = None
    last: CalendarDate | None = None

    @property
    def span(self) -> Span:
        return self.start, self.end

    @property
    def days(self) -> tuple[CalendarDate, ...]:
        """All possible dates; of a span each of its days."""
        if self.last:
            return tuple(replace(self.date, day=day) for day in range(self.date.day, self.last.day + 1))
        return (self.date, self.other) if self.other else (self.date,)

    @property
    def text(self) -> str:
        """As a person writes it: `3 September 2024`, `16 to 22 November 2026`; if it is ambiguous, both."""
        if self.last:
            return f"{self.date.day} to {self.last.text}"
        return f"{self.date.text} {self.other.text}" if self.other else self.date.text

    def meets(self, date: CalendarDate) -> bool:
        """Whether the date may be this one, or lie in this span."""
        return any(date.meets(day) for day in self.days)


def date_of(iso: str) -> CalendarDate:
    """The date written as `2024-09-03`, `2024-09` or `2024`; an empty date for an empty text."""
    return CalendarDate(*map(int, iso.split("-"))) if iso else CalendarDate()


def check_day(iso: str) -> None:
    """Raises `BadInput` if it is no day in ISO 8601."""
    try:
        date.fromisoformat(iso)
    except ValueError as error:
        raise BadInput(f"'{iso}' is not a date", "write it as 2024-09-03") from error


def found_dates(text: str, order: DateOrder = "") -> list[FoundDate]:
    """Days, spans of days and months of a year, in the order of the text, none within another. `order` is that of
    ambiguous numbers."""
    found = [one for match in _matches(text, _FORMS) if (one := _read(match, order))]
    kept: list[FoundDate] = []
    for one in sorted(found, key=lambda one: (one.start, -one.end)):
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
    return kept


def _matches(text: str, forms: Sequence[re.Pattern[str]]) -> Iterator[re.Match[str]]:
    """What these patterns match around the numbers of a text."""
    for near in _NUMBERS.finditer(text):
        for form in forms:
            yield from form.finditer(text, max(0, near.start() - _AROUND), near.end() + _AROUND)


def asked_times(text: str, order: DateOrder = "") -> list[FoundDate]:
    """The dates of `found_dates`, and months and years that stand alone."""
    found = found_dates(text, order)
    rest = replaced(text, ((one.span, " " * (one.end - one.start)) for one in found))  # where things stand stays
    for match in _LONE_YEAR.finditer(rest):
        found.append(FoundDate(*match.span(), CalendarDate(int(match.group()))))
    for match in _LONE_MONTH.finditer(rest):
        asks = _BEGINS.search(rest[: match.start()]) and _GOES_ON.match(rest, match.end())
        if match.group() not in ("May", "March") or not asks:
            found.append(FoundDate(*match.span(), CalendarDate(0, 1 + place_of(match.group(), MONTHS))))
    return sorted(found, key=lambda one: one.start)


def dates_of_each(texts: Iterable[str]) -> list[tuple[FoundDate, ...]]:
    """The dates of each text, by `asked_times`."""
    return [tuple(asked_times(text)) for text in texts]


def order_of(texts: Iterable[str]) -> DateOrder:
    """Whether day or month comes first, by numbers that are not ambiguous; empty if there are none, or both orders."""
    matches = (match for text in texts for match in _matches(text, _NUMERIC))
    numbers = ((int(match["one"]), int(match["two"])) for match in matches)
    found = {one > 12 for one, two in numbers if 0 < min(one, two) <= 12 < max(one, two) <= 31}
    return "" if len(found) != 1 else "day" if found.pop() else "month"


def written_out(texts: Iterable[str]) -> list[str]:
    """The texts with all dates written as `3 September 2024` (ambiguous ones both ways), and days of the week in
    full."""
    return [days_in_full(replaced(text, ((one.span, one.text) for one in found_dates(text)))) for text in texts]


def blanked(text: str, dates: Iterable[FoundDate]) -> str:
    """A text with a space in the place of each of its dates, which are given in their order."""
    return replaced(text, ((one.span, " ") for one in dates))


def replaced(text: str, replacements: Iterable[tuple[Span, str]]) -> str:
    """The text with other words at these places, which are given in order."""
    parts, done = [], 0
    for (start, end), words in replacements:
        parts += [text[done:start], words]
        done = end
    return "".join([*parts, text[done:]])


def _read(match: re.Match[str], order: DateOrder) -> FoundDate | None:
    """The date; None if it is none: the 31st of June, a span of years, the verb `may`."""
    parts = match.groupdict()
    if parts.get("one"):
        return _read_numbers(match, order)
    year, named = int(parts.get("year") or 0), parts.get("month")
    day, first = (int((parts.get(name) or "0").rstrip("sthndr")) for name in ("day", "first"))
    if not named and not day:
        behind = match.string[match.end() : match.end() + 1]
        if year % 100 < int(parts["number"]) or behind == "\u2013":
            return None  # 2008-12 may be five years
    if named and not year and _UNCLEAR.match(named) and match.start("month") == match.start():
        return None
    end = CalendarDate(year, 1 + place_of(named, MONTHS) if named else int(parts["number"]), day)
    if not _exists(end) or (first and first >= day):
        return None
    begin, last = (CalendarDate(year, end.month, first), end) if first else (end, None)
    return FoundDate(*match.span(), begin, last=last)


def _read_numbers(match: re.Match[str], order: DateOrder) -> FoundDate | None:
    parts = match.groupdict()
    short = int(parts.get("short") or 0)
    year = int(parts.get("year") or 0) or short + (2000 if short < _CENTURY else 1900)
    one, two = int(parts["one"]), int(parts["two"])
    readings = {"day": CalendarDate(year, two, one), "month": CalendarDate(year, one, two)}
    dates = {name: reading for name, reading in readings.items() if reading.day and _exists(reading)}
    if not dates:
        return None
    first, *others = [dates[order]] if order in dates else dict.fromkeys(dates.values())
    return FoundDate(*match.span(), first, *others)


def _exists(one: CalendarDate) -> bool:
    """Whether there is such a day in some year: the 29th of February is one."""
    return 1 <= one.month <= 12 and one.day <= monthrange(2000, one.month)[1]


def place_of(name: str, names: Sequence[str]) -> int:
    """The number of a month or a day of the week, from 0, also for abbreviations."""
    return next(place for place, one in enumerate(names) if one[:3].casefold() == name[:3].casefold())


# Days of the week ------------------------------------------------------------------------------------------------

_WEEKDAY = rf"(?:{_any(DAYS)}s?|{_any(_WORDS['en short days'])})\b\.?"
WEEKDAYS = re.compile(
    rf"\b(?P<first>{_WEEKDAY})(?:\s*(?:-|\u2013|\u2014|{_UNTIL})\s*(?P<last>{_WEEKDAY}))?", re.IGNORECASE
)
_BESIDE_DAY = re.compile(rf"\s*(?:$|[-\u2013\u2014,;:/|&)]|\d|{_any(_WORDS['en beside days'])}\b)")


def days_in_full(text: str) -> str:
    """With abbreviated days of the week in full, and of one day to another every one with what they are called together
    (`Saturday Sunday weekend 9-12`). 'He sat there' stays."""

    def written(match: re.Match[str]) -> str:
        first, last = match["first"], match["last"]
        if not last and (not _is_day(match) or first.casefold().rstrip("s.").endswith("day")):
            return match[0]
        start, end = (place_of(name, DAYS) for name in (first, last or first))
        days = [day % 7 for day in range(start, end + (1 if end >= start else 8))]
        together = {(0, 1, 2, 3, 4): " weekdays", (5, 6): " weekend"}.get(tuple(days), "")
        return " ".join(DAYS[day] for day in days) + together

    return WEEKDAYS.sub(written, text)


def _is_day(match: re.Match[str]) -> bool:
    """Whether it names a day: `Sun` needs a capital, and something beside it that goes with a day."""
    name = match[0].rstrip(".")
    beside = name.casefold() not in ("sat", "sun") or _BESIDE_DAY.match(match.string, match.end())
    return len(name) > 4 or (name[0].isupper() and bool(beside))
