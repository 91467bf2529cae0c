"""The questions that Clew makes of titles and headings and offers: they are understood as what they were made of."""

import re
from functools import cache
from typing import NamedTuple

from clew.agent.talk.lines import line
from clew.memory.text import BELOW, LANGUAGES

_NAME, _NUMBERING = "\0", re.compile(r"^[\s#*]*(?:\(?\d+(?:\.\d+)*[.)]?\s+)?")


class MadeOf(NamedTuple):
    """The titles that a question was made of, the heading if it has one, and its language."""

    titles: tuple[str, ...] = ()
    heading: str = ""
    language: str = ""


def offer(language: str, heading: str = "", *titles: str) -> str:
    """The question of what is said of a heading, in one or two documents of these titles or on from the last answer; of
    what one is about; without either, of what all are about."""
    kind = ("and about", "says", "both")[len(titles)] if heading else ("all", "about")[len(titles)]
    title, other = (*titles, "", "")[:2]
    return line(f"offer {kind}", language, title=title, other=other, heading=heading)


@cache
def _forms() -> list[tuple[int, bool, str, re.Pattern[str]]]:
    """How many titles each has, whether a heading, in which language."""
    made = [(n, h, one) for n, h in ((0, True), (1, False), (1, True), (2, True)) for one in LANGUAGES]
    said = [(n, h, one, offer(one, _NAME * h, *[_NAME] * n)) for n, h, one in made]
    return [(n, h, one, re.compile(re.escape(text).replace(re.escape(_NAME), "([^“”]+)"))) for n, h, one, text in said]


def made_of(question: str) -> MadeOf:
    """Nothing for any other question."""
    for titles, headed, language, form in _forms():
        if match := form.fullmatch(question.strip()):
            return MadeOf(match.groups()[:titles], match.groups()[-1] if headed else "", language)
    return MadeOf()


def bare(heading: str) -> str:
    """A heading without those above it, its number and its marks."""
    return _NUMBERING.sub("", heading.rpartition(BELOW)[2]).strip(" .:#*")
