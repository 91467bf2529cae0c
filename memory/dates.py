"""Dates in a text, however they are written: found, written out in one way, compared, and made words for a search.

Grammars of English in closed forms: a day of a month, a month of a year, a number with a year, spans of days. A month
alone and a year alone are left as they are, but for `asked_times`.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from clew.memory.weekdays import days_written_out

DateOrder = Literal["day", "month", ""]
"""What comes first in `03/09/2024`; empty: nothing says."""

MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
          "December")  # fmt: skip

_MONTH = (
    r"(?P<month>january|february|march|april|may|june|july|august|september|october|november|december"
    r"|(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b\.?)"
)
_DAY = r"(?:3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>1\d{3}|20\d{2})"
_TO = r"\s?(?:-|\u2013|to|until|till|through)\s?"
_FORMS = tuple(
    re.compile(rf"(?<![\w/.,:\u2013-]){form}(?![\w/]|[.,:-]\d)", re.IGNORECASE)
    for form in (
        rf"(?:(?P<first>{_DAY}){_TO})?(?P<day>{_DAY})(?:\s+of\s+|\s?-\s?|\s+){_MONTH}(?:(?:,?\s+|,|-){_YEAR})?",
        rf"{_MONTH}[\s-](?:the\s)?(?:(?P<first>{_DAY}){_TO})?(?P<day>{_DAY})(?:(?:\s?,\s?|\s){_YEAR})?",
        rf"{_MONTH}(?:\s+of\s+|,?\s+|-){_YEAR}",
        rf"{_YEAR}(?P<mark>[-/.])(?P<number>0[1-9]|1[0-2])(?P=mark)(?P<day>0[1-9]|[12]\d|3[01])(?:T[\d:.]+Z?)?",
        r"(?P<one>\d{1,2})(?P<mark>[/.-])(?P<two>\d{1,2})(?P=mark)(?P<year>1\d{3}|20\d{2})",
        r"(?P<one>\d{1,2})/(?P<two>\d{1,2})/(?P<short>\d{2})",
        rf"{_YEAR}-(?P<number>0[1-9]|1[0-2])",
    )
)
_NAMED, _NUMBERED, _NUMERIC = _FORMS[:3], _FORMS[3:], _FORMS[4:6]
_MARKED = re.compile(r"\d[-/.]\d")
_DIGITS = re.compile(r"[0-9]+")
_MONTH_NAME = re.compile("jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec", re.IGNORECASE)
_AROUND = 20
"""Characters on both sides of a number that hold the rest of its date."""

_VERB = re.compile(r"(?:may|march|mar|dec)\b")
"""Months that are words of another meaning without a capital: in front of a number they count only with a year."""

_LONE_YEAR = re.compile(r"(?<![\w.,:$\u00a3\u20ac#/\u2013-])(?:1[1-9]\d{2}|20\d{2})(?![\w%/\u2013-]|[.,:]\d)")
_PLAIN_MONTHS = "|".join(month.lower() for month in MONTHS if month not in ("May", "March"))
_LONE_MONTH = re.compile(rf"\b(?:{'|'.join(MONTHS)}|{_PLAIN_MONTHS}|(?<=\bin )(?:may|march)|(?<=\bof )(?:may|march))\b")
"""'may' and 'march' in small letters are months where something is in or of them."""

_BEGINS, _GOES_ON = re.compile(r"(?:^|[.?!\n])\W*$"), re.compile(r"\s+[^\W\d_]")
"""Before the first word of a sentence and behind it, where 'May' asks for leave."""

_OPENS = re.compile(r"[\s#>*_\[(-]*(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*[.,]?\s+)?")
"""What may stand before the date of an entry of a diary."""

_CENTURY = 70
"""Two digits below it are of this century."""


@dataclass(frozen=True, slots=True, order=True)
class CalendarDate:
    """A day, a month or a year; 0 for what is not said."""

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
        """Whether they can be the same day: what both say is the same, and they say one thing both."""
        pairs = ((self.year, other.year), (self.month, other.month), (self.day, other.day))
        both = [(one, two) for one, two in pairs if one and two]
        return bool(both) and all(one == two for one, two in both)


@dataclass(frozen=True, slots=True)
class FoundDate:
    """`text[start:end]` is `date`, or `other` where day and month cannot be told apart; `last` ends a span of days that
    begins at `date`."""

    start: int
    end: int
    date: CalendarDate
    other: CalendarDate | None = None
    last: CalendarDate | None = None

    @property
    def days(self) -> tuple[CalendarDate, ...]:
        """All readings; of a span each day of its month."""
        if self.last and self.last.month == self.date.month and self.last.day:
            return tuple(
                CalendarDate(self.date.year, self.date.month, day) for day in range(self.date.day, self.last.day + 1)
            )
        return tuple(filter(None, (self.date, self.other, self.last)))

    @property
    def text(self) -> str:
        """As a person writes it: `3 September 2024`, `16 to 22 November 2026`."""
        if self.last and self.last.month == self.date.month:
            return f"{self.date.day} to {self.last.text}"
        if self.last:
            return f"{self.date.text} to {self.last.text}"
        return f"{self.date.text} {self.other.text}" if self.other else self.date.text

    def meets(self, date: CalendarDate) -> bool:
        """Whether the date may be this one, or lie in this span."""
        return any(date.meets(day) for day in self.days)


def date_of(iso: str) -> CalendarDate:
    """Of `2024-09-03`, `2024-09` or `2024`; of an empty text no date at all."""
    return CalendarDate(*map(int, iso.split("-"))) if iso else CalendarDate()


def found_dates(text: str, order: DateOrder = "") -> list[FoundDate]:
    """In the order of the text, none inside another. `order` is that of numbers which can be read both ways."""
    found = [
        date
        for start, end in _windows(text)
        for marks, forms in ((_MONTH_NAME, _NAMED), (_MARKED, _NUMBERED))
        if marks.search(text, start, end)
        for form in forms
        for match in form.finditer(text, start, end)
        if (date := _read(match, order))
    ]
    kept: list[FoundDate] = []
    for one in sorted(found, key=lambda date: (date.start, -date.end)):
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
    return kept


def _windows(text: str) -> Iterator[tuple[int, int]]:
    """The parts of a text in which a date can be, apart: what lies around numbers. A date has a month's name there, or
    a mark between numbers."""
    start = end = -1
    for number in _DIGITS.finditer(text):
        if number.start() - _AROUND > end:
            if end > 0:
                yield start, end
            start = max(0, number.start() - _AROUND)
        end = number.end() + _AROUND
    if end > 0:
        yield start, end


def asked_times(text: str, order: DateOrder = "") -> list[FoundDate]:
    """The dates of a question, with the months and the years that stand alone."""
    found = found_dates(text, order)
    blank = list(text)
    for one in found:
        blank[one.start : one.end] = " " * (one.end - one.start)
    rest = "".join(blank)
    for match in _LONE_YEAR.finditer(rest):
        found.append(FoundDate(*match.span(), CalendarDate(int(match.group()))))
    for match in _LONE_MONTH.finditer(rest):
        asks = _BEGINS.search(rest[: match.start()]) and _GOES_ON.match(rest, match.end())
        if match.group() not in ("May", "March") or not asks:
            found.append(FoundDate(*match.span(), CalendarDate(0, MONTHS.index(match.group().capitalize()) + 1)))
    return sorted(found, key=lambda date: date.start)


def order_of(texts: Iterable[str]) -> DateOrder:
    """Day or month first, by the numbers that can be read in one way only; empty where there are none or of both."""
    orders = {
        order
        for text in texts
        if _MARKED.search(text)
        for start, end in _windows(text)
        if _MARKED.search(text, start, end)
        for form in _NUMERIC
        for match in form.finditer(text, start, end)
        if (order := _shown(match))
    }
    return orders.pop() if len(orders) == 1 else ""


def written_out(text: str) -> str:
    """With every date in one way, `3 September 2024`; one that can be read in two ways as both. Abbreviated days of the
    week in full."""
    return days_written_out(_replaced(text, ((date, date.text) for date in found_dates(text))))


def search_text(text: str, order: DateOrder = "") -> str:
    """As `written_out`, and behind each day a word that all ways of writing that day of the year share: `d0903`."""
    return _replaced(text, ((date, " ".join([date.text, *_words(date)])) for date in found_dates(text, order)))


def day_words(text: str, order: DateOrder = "") -> dict[str, str]:
    """The words that `search_text` adds -> the dates as they are written."""
    return {word: text[date.start : date.end] for date in found_dates(text, order) for word in _words(date)}


def _words(date: FoundDate) -> list[str]:
    return [f"d{day.month:02}{day.day:02}" for day in date.days if day.day]


def _replaced(text: str, replacements: Iterable[tuple[FoundDate, str]]) -> str:
    parts, done = [], 0
    for date, words in replacements:
        parts += [text[done : date.start], words]
        done = date.end
    return "".join([*parts, text[done:]])


def _read(match: re.Match[str], order: DateOrder) -> FoundDate | None:
    """None where it is no date: the 31st of June, a span of years, the verb `may`."""
    parts = match.groupdict()
    if parts.get("one"):
        return _numeric(match, order)
    year, named = int(parts.get("year") or 0), parts.get("month")
    day, first = _number(parts.get("day")), _number(parts.get("first"))
    if not named and not day and year % 100 < int(parts["number"]):
        return None  # 2008-12 may be five years
    if not named and not day and match.string[match.end() : match.end() + 1] == "\u2013":
        return None
    if named and not year and _VERB.match(named) and match.start("month") == match.start():
        return None
    month = _month_number(named) if named else int(parts["number"])
    date = CalendarDate(year, month, day)
    if not _exists(date) or (first and first >= day):
        return None
    if first:
        return FoundDate(*match.span(), CalendarDate(year, month, first), last=date)
    return FoundDate(*match.span(), date)


def _numeric(match: re.Match[str], order: DateOrder) -> FoundDate | None:
    parts = match.groupdict()
    year = int(parts["year"]) if parts.get("year") else 2000 + int(parts["short"])
    year -= 100 if not parts.get("year") and year % 100 >= _CENTURY else 0
    one, two = int(parts["one"]), int(parts["two"])
    readings = [(month, day) for month, day, first in ((two, one, "day"), (one, two, "month")) if order in ("", first)]
    dates = [date for month, day in readings if _exists(date := CalendarDate(year, month, day))]
    if not dates and order:
        dates = [date for month, day in ((two, one), (one, two)) if _exists(date := CalendarDate(year, month, day))]
    if not dates or not one or not two:
        return None
    return FoundDate(*match.span(), dates[0], dates[1] if len(dates) > 1 and dates[0] != dates[1] else None)


def _shown(match: re.Match[str]) -> DateOrder:
    one, two = int(match["one"]), int(match["two"])
    return "day" if 12 < one <= 31 and 0 < two <= 12 else "month" if 12 < two <= 31 and 0 < one <= 12 else ""


def _exists(date: CalendarDate) -> bool:
    longest = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
    return 1 <= date.month <= 12 and date.day <= longest[date.month - 1]


def _number(text: str | None) -> int:
    digits = re.match(r"\d+", text or "")
    return int(digits.group()) if digits else 0


def _month_number(name: str) -> int:
    return next(n for n, month in enumerate(MONTHS, 1) if month[:3].casefold() == name[:3].casefold())


def lines_with_dates(text: str) -> Iterator[tuple[int, CalendarDate]]:
    """The characters at which lines begin that are a date, or begin with one, and these dates: entries of a diary."""
    for date in found_dates(text):
        before = text[text.rfind("\n", 0, date.start) + 1 : date.start]
        if _OPENS.fullmatch(before):
            yield date.start - len(before), date.date
