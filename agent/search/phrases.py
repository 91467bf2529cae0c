"""Words that a question has in quotation marks, versions and options, and names that it leaves out."""

import re

from clew.memory.datatypes import Passage
from clew.memory.knowledge.library import LibraryStore
from clew.memory.text import content_words, written_words
from clew.tools.base import passages_of

LOOKED_AT = 400
"""Chunks with all words of a phrase that are read for it."""

FEWEST = 2
"""Words of a phrase; a single one is looked for like others."""

_QUOTED = re.compile(
    r"[\"\u201c\u201d\u201e\u00ab\u00bb]([^\"\u201c\u201d\u201e\u00ab\u00bb]{2,}?)[\"\u201c\u201d\u201e\u00ab\u00bb]"
)
_EXACT = re.compile(r"\b[A-Z][\w-]* \d+(?:\.\d+)+\b|(?<![\w-])--?[A-Za-z][\w-]*")
_NAME = r"(?:[A-Z\d][\w'\u2019-]*)(?: (?:[A-Z\d][\w'\u2019-]*))*"
_LEFT_OUT = re.compile(
    rf"\b(?:besides|except(?: for)?|other than|apart from|aside from|excluding|not counting|leaving out)"
    rf" (?:the )?({_NAME})"
)


def phrases_of(text: str) -> tuple[str, ...]:
    """What stands in quotation marks."""
    return tuple(" ".join(match.split()) for match in _QUOTED.findall(text))


def longer(question: str) -> list[str]:
    """Its phrases of several words."""
    return [phrase for phrase in phrases_of(question) if len(written_words(phrase)) >= FEWEST]


def versions(question: str) -> list[str]:
    """Its names with a number of several parts (`Debian 3.0`, whose parts alone are numbers like others), and options
    of commands (`-x`, `--force`)."""
    return _EXACT.findall(question)


def left_out(question: str) -> frozenset[str]:
    """The stems of a name that it leaves out: `besides Birch`; none where it leaves out nothing, or no name."""
    match = _LEFT_OUT.search(question)
    return frozenset(content_words(match[1])) if match else frozenset()


def holds_phrase(text: str, phrase: str) -> bool:
    """Whether a text has a phrase as it is, whatever the white space and, but for options, the capitals."""
    if phrase.startswith("-"):  # an option, whose capital tells it from another
        return bool(re.search(rf"(?<![\w-]){re.escape(phrase)}(?!\w)", text.replace("\u2212", "-")))
    return bool(re.search(rf"(?<!\w){re.escape(_plain(phrase))}(?!\w)", _plain(text)))


def holding(phrase: str, store: LibraryStore, scope: frozenset[str] | None) -> list[Passage]:
    """The passages that have a phrase in title or text, the first of the library."""
    chunks = store.chunks(store.vocabulary.holding(written_words(phrase), scope)[:LOOKED_AT])
    return [one for one in passages_of(chunks, "phrase") if _has(one, phrase)]


def _has(passage: Passage, phrase: str) -> bool:
    return holds_phrase(f"{passage.title}\n{passage.text}", phrase)


def _plain(text: str) -> str:
    return " ".join(text.casefold().replace("\u2019", "'").split())
