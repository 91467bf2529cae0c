"""Which of two names is the fuller one of the same person."""

import re
from dataclasses import dataclass
from functools import cached_property

from clew.memory.knowledge.extracting.datatypes import Kind
from clew.memory.knowledge.extracting.lexicon import EMPTY, ORGANISATIONS, PARTICLES, PLACES, SUFFIXES, WORKS

_SHORTEST_SURNAME, _SHORTEST_ACRONYM, _LONGEST_ACRONYM = 3, 3, 7
_NO_GIVEN_NAMES = frozenset(
    """
    new north south east west northern southern eastern western central great greater united upper lower old saint st
    san santa los las el lake mount fort port royal national world international summer winter grand
    """.split()
)


@dataclass(frozen=True)
class Name:
    """A key with what the library says it is, and one way in which it is written."""

    key: str
    kinds: frozenset[Kind]
    surface: str

    @cached_property
    def words(self) -> list[str]:
        """Without `Jr`: the last is the surname."""
        words = self.key.split()
        return words[:-1] if len(words) > 2 and words[-1] in SUFFIXES else words

    @property
    def last(self) -> str:
        return self.words[-1] if self.words else ""

    @cached_property
    def given(self) -> list[str]:
        """The words before the surname and its particles; of initials each letter."""
        given: list[str] = []
        for place, word in enumerate(self.words[:-1]):
            if word in PARTICLES and place:
                continue
            given.extend(word if self._are_initials(word, place) else [word])
        return given

    def _are_initials(self, word: str, place: int) -> bool:
        """Whether it is so written: B. R., B.R. or BR. Only the first word can have several letters."""
        if len(word) == 1 or place or len(word) > 3 or not word.isalpha():
            return len(word) == 1
        dotted = r"\.\s*".join(word)
        return word.upper() in self.surface.split() or re.search(dotted, self.surface.casefold()) is not None

    @cached_property
    def could_be_person(self) -> bool:
        """Two to five words, none of them a place's, a firm's or a number."""
        words = self.words
        if not 2 <= len(words) <= 5 or self.kinds & {"place", "organisation", "date", "work", "term"}:
            return False
        if words[0] in _NO_GIVEN_NAMES or words[-1] in ORGANISATIONS | PLACES | WORKS:
            return False
        return all(word.isalpha() and (word not in EMPTY or word in PARTICLES or len(word) == 1) for word in words)

    @property
    def is_person(self) -> bool:
        return "person" in self.kinds and self.could_be_person

    @property
    def can_be_short(self) -> bool:
        """A lone surname, or a surname with initials only."""
        if self.kinds & {"place", "organisation", "date", "work", "term"} or not self.words:
            return False
        if len(self.words) == 1:
            return len(self.key) >= _SHORTEST_SURNAME and self.key.isalpha()
        return self.could_be_person and all(len(part) == 1 for part in self.given)

    @property
    def is_acronym(self) -> bool:
        letters = self.surface.replace(".", "")
        return _SHORTEST_ACRONYM <= len(letters) <= _LONGEST_ACRONYM and letters.isalpha() and letters.isupper()

    @cached_property
    def acronym(self) -> str:
        """The first letters of its words, small ones left out; empty for one word."""
        words = [word for word in self.words if word not in EMPTY]
        return "".join(word[0] for word in words) if len(words) > 2 else ""


def stands_for(short: Name, full: Name) -> bool:
    """Whether a surname, or initials with one, can be said for the fuller name of a person.

    Initials have to be those of the given names, from the first: `B. R.` is `Bhimrao Ramji`, `J.` is `J. R. R.`
    """
    if short.key == full.key or short.last != full.last or len(full.words) < 2:
        return False
    if len(short.words) == 1:
        return True
    initials, given = short.given, full.given
    if any(len(one) > 1 for one in initials):
        return False
    fuller = len(given) > len(initials) or any(len(one) > 1 for one in given)
    return (
        fuller and len(initials) <= len(given) and all(b.startswith(a) for a, b in zip(initials, given, strict=False))
    )


def fuller(title: str, name: Name) -> bool:
    """Whether a name has the words of a document's title and more between its first and its last."""
    words = title.split()
    if len(words) < 2 or len(name.words) <= len(words):
        return False
    return words[0] == name.words[0] and words[-1] == name.last and set(words) <= set(name.words)
