"""What extraction reads and finds: tokens, mentions of entities, relations; and the closed lists of English words and
verb forms, in lower case, that its rules use. `lexicon.txt` has the words and says what each list is for.
"""

import re
from pathlib import Path
from typing import Literal, NamedTuple

from clew.memory.text import FUNCTION_WORDS, Span, word_lists

_LISTS = word_lists(Path(__file__).with_suffix(".txt"))


def _words(name: str) -> frozenset[str]:
    return frozenset(_LISTS[name])


PRONOUNS, NUMBERS, DETERMINERS = _words("pronouns"), _words("numbers"), _words("determiners")
PREPOSITIONS, STOPS = _words("prepositions"), _words("stops")
MONTHS, DAYS = _words("months"), _words("days")
ORGANISATIONS, PLACES, ROLES = _words("organisations"), _words("places"), _words("roles")
HONORIFICS, DROPPED_TITLES = _words("honorifics"), _words("dropped titles")
ABBREVIATED, SUFFIXES = _words("abbreviated"), _words("suffixes")
FIRMS, PARTICLES, IN_NAMES = _words("firms"), _words("particles"), _words("in names")
AMBIGUOUS = _words("ambiguous verbs")
COUNTED = "|".join(_LISTS["counted"])
"""As the alternatives of a regular expression."""

MONTH_NUMBERS = {form: n for n, month in enumerate(_LISTS["months"], 1) for form in (month, month[:3])} | {"sept": 9}

EMPTY = FUNCTION_WORDS | PRONOUNS | NUMBERS
"""Words that are no entity."""

UNNAMED = EMPTY | MONTHS | DAYS
"""Words of which alone no entity is made."""

OPENERS = EMPTY | _words("openers")
OF_HEADS = ((ORGANISATIONS | PLACES | HONORIFICS) - _words("no heads")) | _words("more heads")
PLURAL_JOINERS = ORGANISATIONS | _words("plural joiners")
OWNED = ORGANISATIONS | PLACES | _words("owned")
IN_THE_MIDDLE, JOINERS = _words("in the middle"), _words("joiners")
JOINED_BY_AND, JOINED_BY_AT = _words("joined by and"), _words("joined by at")
ORDINALS = tuple(_LISTS["ordinals"])
NO_TITLES, THINGS_TOO = _words("no titles"), _words("no roles")
ENDS_OF_NOUNS, BEHIND_HEADS, IN_NO_PERSON = _words("ends of nouns"), _words("behind heads"), _words("in no person")
DEFINING, DEFINED = _words("defining"), _words("defined")

COPULAS = _words("copulas")
BE = COPULAS | {"'s"}
AUXILIARIES = BE | _words("auxiliaries")

_IRREGULAR: list[tuple[str, str, str]] = list(zip(*[iter(_LISTS["irregular verbs"])] * 3, strict=True))
PARTICIPLES = frozenset(participle for _, _, participle in _IRREGULAR)
_PAST_OF = {participle: past for _, past, participle in _IRREGULAR}
_NO_VERBS = _words("no verbs")


def _third_person(stem: str) -> str:
    if stem.endswith(("s", "sh", "ch", "x", "z", "o")):
        return stem + "es"
    return stem[:-1] + "ies" if stem.endswith("y") and stem[-2] not in "aeiou" else stem + "s"


_VERB_FORMS = frozenset().union(
    *(forms[1:] for forms in _IRREGULAR),
    map(_third_person, [*_LISTS["regular verbs"], *(present for present, _, _ in _IRREGULAR)]),
    _words("participles in -ing"),
    _words("plural verbs"),
    ("has", "had", "have"),
)


def is_participle(word: str) -> bool:
    """Return whether an English word is a past participle, by the list or by its ending."""
    return word in PARTICIPLES or (word.endswith("ed") and word not in _NO_VERBS)


def past(participle: str) -> str:
    """The past tense of a participle: `wrote` for `written`."""
    return _PAST_OF.get(participle, participle)


def looks_like_a_verb(word: str) -> bool:
    """A form that can be a finite verb or a participle, whatever stands around it. Lower case."""
    return word in _VERB_FORMS or (len(word) > 4 and word.endswith("ed") and word not in _NO_VERBS)


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
