"""Relative dates of a question ("yesterday", "last week", "in March"), counted from a given day."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta

from clew.memory.dates import MONTHS, CalendarDate, FoundDate
from clew.memory.errors import BadInput
from clew.memory.text import NUMBER_WORDS
from clew.memory.weekdays import DAYS

WEEK = 7

_COUNT = rf"(?P<count>\d{{1,3}}|an?|{'|'.join(NUMBER_WORDS[1:13])}|(?:a\s)?couple\sof|a\sfew)"
_UNIT = r"(?P<unit>day|week|weekend|fortnight|month|year)"
_FUTURE = re.compile(
    r"\b(?:will|shall|going to|tomorrow|upcoming|planned|due|next)\b|\bwhen (?:is|are|do|does)\b"
    r"|\b(?:is|are|am)\s(?:\w+\s){0,2}?\w+ing\b",
    re.IGNORECASE,
)
_PREPOSITION = re.compile(
    r"\b(?:on|in|at|since|until|till|by|before|after|during|for|from|to|of|about|between|than|through|over)\s+(?:the\s+)?$",
    re.IGNORECASE,
)
_WITHIN = re.compile(r"\b(?:in|over|during|within|for|throughout|at|on)\s+$", re.IGNORECASE)
_OF = r"(?!\s+of\b)"
_NOWADAYS = r"(?!['\u2019]s\s(?:world|society|standards|terms|money|youth|age|economy|market)\b)"

Range = tuple[date, date]


@dataclass(frozen=True, slots=True)
class RelativeDate:
    """`question[start:end]` stands for the days from `first` to `last`, and `text` can take its place. `named`: it is a
    month's name alone ('in March') or today, which a reader understands as it is."""

    start: int
    end: int
    first: date
    last: date
    text: str
    named: bool = False


def relative_dates(question: str, today: str) -> list[RelativeDate]:
    """In the order of the question, none inside another; `today` is ISO 8601, and empty where nobody knows it."""
    if not today:
        return []
    now, future = date.fromisoformat(today), bool(_FUTURE.search(question))
    found: list[RelativeDate] = []
    taken: list[tuple[int, int]] = []
    for pattern, read in _PATTERNS:
        for match in pattern.finditer(question):
            start, end = match.span("said")
            if any(start < other_end and other_start < end for other_start, other_end in taken):
                continue
            days = read(match, now, future)
            if days and days[0].year >= 1 and not _the_last_of_others(question, match):
                taken.append((start, end))
                text = _put(question, match, days)
                if match.groupdict().get("weekday") and not match["which"]:
                    text = f"{match['weekday']} {text}"  # 'on Monday' may be every Monday
                if within := text.startswith("from ") and _WITHIN.search(question, 0, start):
                    start = within.start()
                said_now = match["said"].casefold() in ("today", "tonight")
                named = said_now or (bool(match.groupdict().get("month_only")) and not match["which"])
                found.append(RelativeDate(start, end, *days, text, named))
    return sorted(found, key=lambda one: one.start)


def check_day(iso: str) -> None:
    """Raises `BadInput` for what is no day as ISO 8601 writes it."""
    try:
        date.fromisoformat(iso)
    except ValueError as error:
        raise BadInput(f"'{iso}' is no day", "write it as 2024-09-03") from error


def dated(question: str, today: str, *, plain: bool = False) -> str:
    """The question with dates in the place of relative ones; as it is where it has none. Where it is `plain`, what a
    reader understands as it is stays: a month's name alone, and today."""
    parts, done = [], 0
    for one in relative_dates(question, today):
        if one.named and plain:
            continue
        parts += [question[done : one.start], one.text]
        done = one.end
    return "".join([*parts, question[done:]])


def days_text(first: date, last: date) -> str:
    """`21 November 2026`, `16 to 22 November 2026`, `November 2026`, `2026`."""
    if (first.month, first.day) == (1, 1) and (last.month, last.day) == (12, 31) and first.year == last.year:
        return str(first.year)
    if first.day == 1 and last == _month(first.year, first.month)[1]:
        return f"{MONTHS[first.month - 1]} {first.year}"
    one, other = (CalendarDate(day.year, day.month, day.day) for day in (first, last))
    if first.year != last.year:
        return f"{one.text} to {other.text}"
    if first.month != last.month:
        return f"{first.day} {MONTHS[first.month - 1]} to {other.text}"
    return FoundDate(0, 0, one, last=other if last > first else None).text


def _put(question: str, match: re.Match[str], days: Range) -> str:
    """The dates in the place of what was said, with a preposition where there was none."""
    text, before = days_text(*days), question[: match.start("said")]
    said = match.group("said")
    if said.endswith(("'s", "\u2019s")):
        return text if re.search(r"\b(?:the|my|our|your)\s+$", before, re.IGNORECASE) else f"the {text}"
    preposition = "on" if days[0] == days[1] else "in" if " to " not in text else "from"
    if _PREPOSITION.search(before) and not (preposition == "from" and _WITHIN.search(before)):
        return text
    shown = f"{preposition} {text}"
    return shown[0].upper() + shown[1:] if not before.strip() else shown


def _the_last_of_others(question: str, match: re.Match[str]) -> bool:
    """'the last week of the war', 'our last day', 'the tonight show': no date that counts from today."""
    said, before = match.group("said").casefold(), question[: match.start("said")]
    if re.fullmatch(r"(?:the )?last day", said):  # yesterday is called that
        return not _WITHIN.search(before) or not said.startswith("the")
    whose = "" if said.endswith(("'s", "’s")) else r"|my|our|your|his|her|its|their"  # 'our last week's meeting'
    behind_the = re.search(rf"\b(?:the{whose})\s+$", before, re.IGNORECASE) is not None
    return behind_the and re.match(r"(?:last|next|this|previous|to\w+)\b(?!['’])", said) is not None


# What is said, and the days that it means -------------------------------------------------------------------------


def _counted(match: re.Match[str]) -> int:
    count = (match.groupdict().get("count") or "one").casefold()
    if count.isdigit():
        return int(count)
    if count in NUMBER_WORDS:
        return NUMBER_WORDS.index(count)
    return 1 if count in ("a", "an") else 3 if "few" in count else 2


def _month(year: int, month: int) -> Range:
    year, month = year + (month - 1) // 12, (month - 1) % 12 + 1
    following = date(year + month // 12, month % 12 + 1, 1)
    return date(year, month, 1), following - timedelta(1)


def _week(day: date) -> Range:
    monday = day - timedelta(day.weekday())
    return monday, monday + timedelta(WEEK - 1)


def _weekend(day: date) -> Range:
    saturday = _week(day)[0] + timedelta(5)
    return saturday, saturday + timedelta(1)


def _moved(unit: str, now: date, by: int) -> Range:
    """The day, week, weekend, month or year that is so many of them away from today's."""
    if unit == "day":
        return (now + timedelta(by),) * 2
    if unit in ("week", "fortnight", "weekend"):
        day = now + timedelta(WEEK * by * (2 if unit == "fortnight" else 1))
        return _weekend(day) if unit == "weekend" else _week(day)
    if unit == "month":
        return _month(now.year, now.month + by)
    return date(now.year + by, 1, 1), date(now.year + by, 12, 31)


def _of_unit(match: re.Match[str], now: date, _: bool) -> Range:
    which = match.group("which").casefold()
    return _moved(match.group("unit").casefold(), now, {"last": -1, "previous": -1, "next": 1}.get(which, 0))


def _last_weekend(_: re.Match[str], now: date, future: bool) -> Range:
    """That which has begun last, but for a question about what is to come."""
    saturday = _weekend(now)[0]
    return _weekend(now if saturday <= now or future else now - timedelta(WEEK))


def _ago(match: re.Match[str], now: date, _: bool) -> Range:
    """A week ago is a day; months and years ago are months and years."""
    unit, count = match.group("unit").casefold(), _counted(match)
    by = -count if "ago" in match.group("said").casefold() else count
    if unit in ("week", "fortnight"):
        return _moved("day", now, by * WEEK * (2 if unit == "fortnight" else 1))
    return _moved(unit, now, by)


def _ahead(match: re.Match[str], now: date, future: bool) -> Range | None:
    """'What is due in two weeks?'; of what has been, it is how long it took."""
    return _ago(match, now, future) if future else None


def _past(match: re.Match[str], now: date, _: bool) -> Range | None:
    """'The last 3 weeks', 'the past month': up to today."""
    unit, count = match.group("unit").casefold(), _counted(match)
    if unit == "weekend":
        return None
    if unit in ("month", "year"):
        months = count * (12 if unit == "year" else 1)
        first = _month(now.year, now.month - months)[0]
        return min(first.replace(day=1) + timedelta(now.day - 1), now), now
    days = count * {"day": 1, "week": WEEK, "fortnight": 2 * WEEK}[unit]
    return now - timedelta(days), now


def _weekday(match: re.Match[str], now: date, future: bool) -> Range:
    """'On Monday' and 'last Monday' are the last one before today, but for a question about what is to come."""
    which, wanted = (match.group("which") or "").casefold(), match.group("weekday").capitalize()
    number = DAYS.index(wanted)
    if which == "this":
        return (_week(now)[0] + timedelta(number),) * 2
    if which == "next" or (future and which != "last"):
        return (now + timedelta((number - now.weekday() - 1) % WEEK + 1),) * 2
    return (now - timedelta((now.weekday() - number - 1) % WEEK + 1),) * 2


def _of_month(match: re.Match[str], now: date, future: bool) -> Range:
    """'In March' is the last one that has begun, but for a question about what is to come."""
    which, month = (match.group("which") or "").casefold(), MONTHS.index(match.group("month_only").capitalize()) + 1
    year = now.year
    if which == "next" or (future and which not in ("last", "this")):
        year += month < now.month or (which == "next" and month == now.month)
    elif which != "this":
        year -= month > now.month or (which == "last" and month == now.month)
    return _month(year, month)


def _day(by: int) -> Callable[[re.Match[str], date, bool], Range]:
    return lambda _, now, __: (now + timedelta(by),) * 2


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE)


_OWN = r"(?:['\u2019]s\b)?"
_MONTH_NAMES = "|".join(MONTHS)
_PATTERNS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], date, bool], Range | None]], ...] = (
    (_pattern(r"\b(?P<said>the day before yesterday)\b"), _day(-2)),
    (_pattern(r"\b(?P<said>the day after tomorrow)\b"), _day(2)),
    (_pattern(rf"\b(?P<said>(?:yesterday|last night){_OWN})(?:\s(?:morning|afternoon|evening|night))?"), _day(-1)),
    (_pattern(rf"\b(?P<said>tomorrow{_OWN})(?:\s(?:morning|afternoon|evening|night))?"), _day(1)),
    (_pattern(rf"\b(?P<said>(?:today|tonight|this (?:morning|afternoon|evening)){_NOWADAYS}{_OWN})"), _day(0)),
    (_pattern(rf"\b(?P<said>{_COUNT}\s{_UNIT}s?\sago)\b"), _ago),
    (_pattern(rf"\b(?P<said>in\s{_COUNT}\s{_UNIT}s?['\u2019](?:s\s)?\s?time)\b"), _ago),
    (_pattern(rf"\b(?P<said>in\s{_COUNT}\s{_UNIT}s?)(?=[?.!]|$)"), _ahead),
    (_pattern(rf"\b(?P<said>the\s(?:last|past)\s(?:{_COUNT}\s)?{_UNIT}s?){_OF}(?=\W|$)"), _past),
    (_pattern(rf"\b(?P<said>(?:last|past)\s{_COUNT}\s{_UNIT}s?){_OF}(?=\W|$)"), _past),
    (_pattern(rf"\b(?P<said>(?P<which>last|previous|this|next)\s{_UNIT}{_OWN})(?=\W|$){_OF}"), _of_unit),
    (_pattern(r"\b(?:at|on|over)\s(?P<said>(?P<which>the)\s(?P<unit>weekend))\b"), _last_weekend),
    (
        _pattern(rf"\b(?P<said>(?:(?P<which>last|this|next)\s)(?P<weekday>{'|'.join(DAYS)}){_OWN})\b{_OF}"),
        _weekday,
    ),
    (_pattern(rf"\bon\s(?P<said>(?P<which>)(?P<weekday>{'|'.join(DAYS)}))\b(?!\s(?:the\s)?\d|\s\w+s\b)"), _weekday),
    (
        _pattern(
            rf"(?:\b(?:in|during|since|until|for|by)\s|(?<=\s)(?=last|this|next))"
            rf"(?P<said>(?:(?P<which>last|this|next)\s)?(?P<month_only>{_MONTH_NAMES}))\b(?!\.?,?\s(?:of\s)?(?:the\s)?\d)"
        ),
        _of_month,
    ),
)
