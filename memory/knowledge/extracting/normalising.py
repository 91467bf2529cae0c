"""One key for the ways in which one name or date is written."""

import re
import unicodedata

from clew.memory.knowledge.extracting.lexicon import MONTHS

DROPPED = frozenset(
    """
    dr mr mrs ms prof rev gen col capt lt sgt maj adm sen gov hon professor doctor sir dame president senator governor
    reverend congressman congresswoman mayor chancellor colonel lieutenant sergeant admiral
    """.split()
)
"""Titles that are no part of a key. `Saint`, `King` and `General` can be: Saint Petersburg, General Motors."""

FIRMS = frozenset("inc ltd llc corp plc".split())

_OWN = re.compile(r"['’ʼ]s?(?=\W*$)", re.IGNORECASE)
_APOSTROPHE = re.compile(r"['’‘ʼ`´]")
_APART = re.compile(r"[^\w\u0300-\u036f]+|_+")
_ORDER = ("january february march april may june july august september october november december").split()
_NUMBERS = {month[:3]: number for number, month in enumerate(_ORDER, 1)}
_DAY = re.compile(r"(\d{1,2})(?:st|nd|rd|th)?")
_YEAR = re.compile(r"\d{4}")


def normalised(surface: str) -> str:
    """Lower case; no full stops, apostrophes, titles, `the`; initials as one word; accents stay; a day as 1916-05-09.

    `Dr. B. R. Ambedkar`, `B.R. Ambedkar` and `BR Ambedkar's` give `br ambedkar`. What is normalised stays so.
    """
    key = surface
    for _ in range(8):
        before, key = key, _once(key)
        if key == before:
            break
    return key


def _once(surface: str) -> str:
    text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", surface).casefold())
    text = _APOSTROPHE.sub("", _OWN.sub("", text))
    words = _APART.sub(" ", text).split()
    if (day := _day(words)) is not None:
        return day
    words = _initials_joined(words)
    while len(words) > 1 and (words[0] == "the" or (words[0] in DROPPED and words[1] not in ("of", "and"))):
        words = words[1:]
    while len(words) > 1 and words[-1] in FIRMS:
        words = words[:-1]
    return " ".join(words)


def _initials_joined(words: list[str]) -> list[str]:
    joined: list[str] = []
    single = False
    for word in words:
        if len(word) == 1 and word.isalpha() and single:
            joined[-1] += word
        else:
            joined.append(word)
        single = len(word) == 1 and word.isalpha()
    return joined


def _day(words: list[str]) -> str | None:
    """The date in one order where the words are a day, a month and a year, or a month and a year."""
    words = [word for word in words if word != "of"]
    months = [word for word in words if word in MONTHS or (word in _NUMBERS or word == "sept")]
    years = [word for word in words if _YEAR.fullmatch(word)]
    days = [match.group(1) for word in words if (match := _DAY.fullmatch(word))]
    if len(months) != 1 or len(years) != 1 or len(days) > 1 or len(words) != 2 + len(days):
        return None
    return "-".join([years[0], f"{_NUMBERS[months[0][:3]]:02}", *(f"{int(day):02}" for day in days)])
