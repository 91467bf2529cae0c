"""The questions that Clew makes of titles and headings and offers: they are understood as what they were made of."""

import re

from clew.memory.text import BELOW

ABOUT, SAYS, BOTH = "What is “{}” about?", "What does “{}” say about “{}”?", "What do “{}” and “{}” say about “{}”?"

_FORMS = [re.compile(re.escape(form).replace(r"\{\}", "([^“”]+)")) for form in (ABOUT, SAYS, BOTH)]
_NUMBERING = re.compile(r"^[\s#*]*(?:\(?\d+(?:\.\d+)*[.)]?\s+)?")


def made_of(question: str) -> tuple[tuple[str, ...], str]:
    """The titles that it was made of, and the heading if it has one; no titles for any other question."""
    names = next((match.groups() for form in _FORMS if (match := form.fullmatch(question.strip()))), ())
    return (names[:-1], names[-1]) if names[1:] else (names, "")


def bare(heading: str) -> str:
    """A heading without those above it, its number and its marks."""
    return _NUMBERING.sub("", heading.rpartition(BELOW)[2]).strip(" .:#*")
