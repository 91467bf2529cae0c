"""The questions that Clew makes of titles and headings and offers: they are understood as what they were made of."""

import re

from clew.memory.text import BELOW

ABOUT, SAYS, BOTH = "What is “{}” about?", "What does “{}” say about “{}”?", "What do “{}” and “{}” say about “{}”?"
AND_ABOUT = "And about “{}”?"

_FORMS = [re.compile(re.escape(form).replace(r"\{\}", "([^“”]+)")) for form in (AND_ABOUT, ABOUT, SAYS, BOTH)]
_NUMBERING = re.compile(r"^[\s#*]*(?:\(?\d+(?:\.\d+)*[.)]?\s+)?")


def made_of(question: str) -> tuple[tuple[str, ...], str]:
    """The titles that it was made of, and the heading if it has one; neither for any other question."""
    said = [match.groups() if (match := form.fullmatch(question.strip())) else () for form in _FORMS]
    names = max(said, key=len)
    return (names[:-1], names[-1]) if names[1:] or said[0] else (names, "")


def bare(heading: str) -> str:
    """A heading without those above it, its number and its marks."""
    return _NUMBERING.sub("", heading.rpartition(BELOW)[2]).strip(" .:#*")
