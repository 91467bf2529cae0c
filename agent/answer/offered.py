"""The questions that Clew makes of titles and headings and offers: they are understood as what they were made of."""

import re

from clew.memory.text import BELOW

ABOUT, SAYS, BOTH = "What is “{}” about?", "What does “{}” say about “{}”?", "What do “{}” and “{}” say about “{}”?"
AND_ABOUT = "And about “{}”?"
"""Of a heading of the document that the last answer is from."""

_FORMS = [re.compile(re.escape(form).replace(r"\{\}", "([^“”]+)")) for form in (ABOUT, SAYS, BOTH, AND_ABOUT)]
_NUMBERING = re.compile(r"^[\s#*]*(?:\(?\d+(?:\.\d+)*[.)]?\s+)?")


def made_of(question: str) -> tuple[tuple[str, ...], str]:
    """The titles that it was made of, and the heading if it has one; neither for any other question."""
    form, names = next(
        ((one, match.groups()) for one in _FORMS if (match := one.fullmatch(question.strip()))), (None, ())
    )
    return (names[:-1], names[-1]) if names[1:] or form is _FORMS[-1] else (names, "")


def bare(heading: str) -> str:
    """A heading without those above it, its number and its marks."""
    return _NUMBERING.sub("", heading.rpartition(BELOW)[2]).strip(" .:#*")
