"""What extraction reads and finds: tokens, mentions of entities, and relations between them."""

import re
from typing import Literal, NamedTuple

from clew.memory.text import Span

EntityKind = Literal["person", "place", "organisation", "work", "date", "term", "name"]
"""`name` where no other kind is known."""


class Mention(NamedTuple):
    """An entity in a text: `text` is the source's `[start:end]`, unchanged."""

    text: str
    start: int
    end: int
    kind: EntityKind = "name"


class RelationMention(NamedTuple):
    """`subject` `relation` `object`, in this direction, as the sentence at `[start:end]` of the source says.

    `relation` is the verb without its auxiliaries, with the preposition that leads to the object (`born in`), or the
    noun by which one is the other's (`capital of`). The subject may stand in an earlier sentence, for a pronoun.
    """

    subject: Mention
    relation: str
    object: Mention
    start: int
    end: int


_PART = r"[^\W_]+(?:[\u0300-\u036f]+[^\W_]*)*"
_TOKEN = re.compile(
    r"(?<!\w)(?:[^\W\d_]\.)+(?:[^\W\d_](?![\w'’]))?"  # initials: J. B.R. U.S.A
    r"|\d+(?:[.,:]\d+)*[^\W_]*"
    rf"|{_PART}(?:['’‐&-]{_PART})*"
)
_PREFIXED = re.compile(r"(?:[a-z]|al|el|ibn|as|ash|ar|an|at)['’-]?[^\W\d_a-z]")
"""d'Arc, al-Assad, iPhone."""


class Token(NamedTuple):
    """A word at `[start:end]`, without the 's of a possessive. `low` is it in lower case, without full stops."""

    text: str
    start: int
    end: int
    low: str
    capital: bool
    possessive: bool

    @property
    def initial(self) -> bool:
        """Whether it stands for one or more given names: `J.`, `B.R.`."""
        return self.capital and len(self.low) <= 3 and self.text.endswith(".")


def tokens(text: str, sentence: Span) -> list[Token]:
    """The words and numbers of a sentence, in order."""
    return [_token(match, sentence[1]) for match in _TOKEN.finditer(text, *sentence)]


def _token(match: re.Match[str], sentence_end: int) -> Token:
    word, start, end = match.group(), match.start(), match.end()
    possessive = len(word) > 2 and word[-1] in "sS" and word[-2] in "'’"
    if possessive:
        word, end = word[:-2], end - 2
    elif len(word) == 2 and word[1] == "." and end == sentence_end:
        word, end = word[:1], end - 1  # the full stop is the sentence's
    capital = word[0].isupper()
    if not capital and not (word.isascii() and word.islower()):  # most words are small letters alone
        capital = word[0].islower() and _PREFIXED.match(word) is not None
    return Token(word, start, end, word.replace(".", "").casefold(), capital, possessive)
