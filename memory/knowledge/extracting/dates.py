"""Dates in a text, by rules."""

import re
from collections.abc import Iterator

from clew.memory.knowledge.extracting.datatypes import Mention

_MONTH = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December"
    r"|(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\b\.?)"
)
_DAY = r"(?:3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th)?"
_YEAR = r"(?:1\d{3}|20\d{2})"
_DATE = re.compile(
    rf"(?<![\w.])(?:{_DAY}\s(?:of\s)?{_MONTH}(?:\s?,?\s{_YEAR})?"
    rf"|{_MONTH}\s{_DAY}(?:\s?,?\s{_YEAR})?(?!\w)(?!:\d)"
    rf"|{_MONTH}(?:\sof)?,?\s{_YEAR}"
    rf"|{_YEAR}-(?:0\d|1[0-2])-(?:[0-2]\d|3[01])"
    r"|[12]\d{2}0['’]?s"
    r"|(?:\d{1,2}(?:st|nd|rd|th)|(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth"
    r"|thirteenth|fourteenth|fifteenth|sixteenth|seventeenth|eighteenth|nineteenth|twentieth|twenty-first))"
    r"[\s-][Cc]entur(?:y|ies)(?:\s(?:BCE?|CE|AD)\b)?"
    r"|\d{1,4}\s(?:BCE?|AD)\b|AD\s\d{1,4}"
    rf"|{_YEAR}\s?[–-]\s?(?:{_YEAR}|\d\d))(?!\w)"
)
_LONE_YEAR = re.compile(r"(?<![\w.,:$£€#–-])(?:1[1-9]\d{2}|20\d{2})(?![\w%–-]|[.,:]\d)")
_COUNTED = re.compile(
    r"\s(?:km|m|ft|mi|miles?|feet|foot|met(?:er|re)s?|kilomet(?:er|re)s?|square|acres?|hectares?|people|persons|men"
    r"|women|inhabitants|residents|households|students|pupils|members|employees|copies|votes|seats|units|dollars"
    r"|pounds|euros|tons?|tonnes|kg|hours|days|years|times|species|million|thousand|percent|per)\b"
)


def dates(text: str) -> Iterator[Mention]:
    """Days, months with a year, decades, centuries and spans of years."""
    for match in _DATE.finditer(text):
        yield Mention(match.group(), match.start(), match.end(), "date")


def years(text: str) -> Iterator[Mention]:
    """Numbers that stand alone, look like a year, and count nothing."""
    for match in _LONE_YEAR.finditer(text):
        if not _COUNTED.match(text, match.end()):
            yield Mention(match.group(), match.start(), match.end(), "date")
