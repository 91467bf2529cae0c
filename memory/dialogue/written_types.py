"""What a phrase is by how it is written: a date, a time, money, a number."""

import re
from pathlib import Path

from clew.memory.text import word_lists

_DETERMINERS = word_lists(Path(__file__).with_name("context_words.txt"))["determiners"]

_MONTH = re.compile(
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\.?",
    re.IGNORECASE,
)
_DAY = re.compile(
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:to|yester)day|tomorrow|week(?:end|day)s?", re.IGNORECASE
)
_MONEY = re.compile(r"[$€£]\s?\d|\d\s?(?:[$€£]|euros?\b|dollars?\b|pounds?\b|cents?\b)", re.IGNORECASE)
_NUMERIC_DATE = re.compile(r"\d{1,2}([/.-])\d{1,2}\1(?:\d{2}|\d{4})|\d{4}-\d{2}-\d{2}")
_PERIOD = re.compile(
    r"(?:spring|summer|autumn|winter|year|month|week|night|day|morning|afternoon|evening|quarter|century|decade|hour"
    r"|minute|second|time|end|beginning|moment|past|future|while)s?",
    re.IGNORECASE,
)
AGO = re.compile(rf"\w+ {_PERIOD.pattern} (?:ago|before|earlier|later)", re.IGNORECASE)
"""'a year ago', 'two days later'"""
TIMES = ("day", "month", "date", "year", "period")


def written_type(text: str) -> str:
    """What a phrase is by how it is written: money, day, month, date, year, period, number, or nothing of these."""
    words = text.split()
    dated = words[0].isdigit() or re.fullmatch(r"\d+", words[-1]) is not None  # '3 may', 'march 2024'
    if _MONEY.search(text):
        return "money"
    if any(_DAY.fullmatch(word) for word in words) and len(words) <= 4:
        return "day"
    if _NUMERIC_DATE.fullmatch(words[-1]):
        return "date"
    if (
        any(_MONTH.fullmatch(word) and (word[0].isupper() or len(words) == 1 or dated) for word in words)
        and len(words) <= 4
    ):
        return "date" if any(character.isdigit() for character in text) else "month"
    if re.fullmatch(r"(?:the )?\d{1,2}(?:st|nd|rd|th)", text):
        return "date"
    if re.fullmatch(r"(?:the )?(?:1[0-9]|20)\d\ds?", text):
        return "year"
    if AGO.fullmatch(text):
        return "period"
    surname = len(words) > 1 and words[0].isalpha() and words[0].istitle() and words[-1].istitle()
    if _PERIOD.fullmatch(words[-1]) and (words[0].casefold() in _DETERMINERS or not surname):
        return "period"
    return "number" if re.fullmatch(r"[\d.,%]+\w{0,2}", words[0]) else ""


_DAY_NAME = re.compile(r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?")
_FULL_MONTH = re.compile(r"january|february|march|april|may|june|july|august|september|october|november|december")
