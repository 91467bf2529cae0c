"""Days of the week in a text, abbreviated or not, one by one or from one to another."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

_SHORT = tuple(day[:3].casefold() for day in DAYS)
_DAY = r"\b(mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:days?)?\b\.?"
_SPAN = re.compile(rf"{_DAY}\s*(?:-|\u2013|\u2014|to|until|till|through)\s*{_DAY}", re.IGNORECASE)
_ONE = re.compile(_DAY, re.IGNORECASE)
_BESIDE = re.compile(
    r"\s*(?:$|[-\u2013\u2014,;:/|&)]|\d|(?:and|or|to|closed|open|noon|only|from|at|till|until|not|mornings?|afternoons?|evenings?)\b)"
)
"""What stands behind an abbreviation that is also a word: `Sat 7-13`, `Sun closed`."""


@dataclass(frozen=True, slots=True)
class FoundDays:
    """`text[start:end]` names these, from 0 for Monday."""

    days: tuple[int, ...]
    start: int
    end: int
    short: bool
    """Whether one of them is abbreviated."""


def found_days(text: str) -> Iterator[FoundDays]:
    """In the order of the text: `Mon-Fri`, `Saturday`; not "he sat there", nor "the Sun"."""
    done = 0
    for match in _ONE.finditer(text):
        if match.start() < done:
            continue
        if span := _SPAN.match(text, match.start()):
            first, last = (_SHORT.index(span[n][:3].casefold()) for n in (1, 2))
            days = tuple(day % 7 for day in range(first, last + 1 if last >= first else last + 8))
            short = span[0].casefold().count("day") != 2
            yield FoundDays(days, *span.span(), short)
            done = span.end()
        elif _is_day(match):
            short = not match[0].casefold().rstrip("s.").endswith("day")
            yield FoundDays((_SHORT.index(match[1][:3].casefold()),), *match.span(), short)
            done = match.end()


def _is_day(match: re.Match[str]) -> bool:
    name = match[0].rstrip(".").casefold()
    if len(name) > 4:
        return True
    return match[0][0].isupper() and (name not in ("sat", "sun") or bool(_BESIDE.match(match.string, match.end())))


_TOGETHER = {(0, 1, 2, 3, 4): " weekdays", (5, 6): " weekend"}


def days_written_out(text: str) -> str:
    """With every abbreviated day in full, and each day from one to another, with what they are called together:
    `Saturday Sunday weekend 9-12`."""
    return _replaced(text, lambda one: " ".join(DAYS[day] for day in one.days) + _TOGETHER.get(one.days, ""))


def days_in_full(text: str) -> str:
    """With every abbreviated day in full, to be read: `Monday-Friday 9-12`."""
    return _replaced(text, lambda one: "-".join(DAYS[day] for day in dict.fromkeys((one.days[0], one.days[-1]))))


def _replaced(text: str, written: Callable[[FoundDays], str]) -> str:
    """What is not abbreviated stays, but for days from one to another."""
    parts, done = [], 0
    for one in found_days(text):
        if one.short or len(one.days) > 1:
            parts += [text[done : one.start], written(one)]
            done = one.end
    return "".join([*parts, text[done:]])
