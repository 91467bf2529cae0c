"""The entities of a text by rules, without a model (seed 001, section 2: the step that there is spaCy's).

Names with titles, initials and particles; works in quotes or italics; dates; the document's title; terms of several
words. Rules of English: in a script without capitals only what stands in quotes and the title are found.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from clew.memory.knowledge.extracting.datatypes import Kind, Mention
from clew.memory.knowledge.extracting.dates import dates, years
from clew.memory.knowledge.extracting.lexicon import DAYS, EMPTY, MONTHS
from clew.memory.knowledge.extracting.names import Names
from clew.memory.knowledge.extracting.terms import terms
from clew.memory.knowledge.extracting.tokens import tokens
from clew.memory.knowledge.extracting.works import works
from clew.memory.sentences import Span, split

LONGEST = 120
"""Characters of an entity."""

_DISAMBIGUATED = re.compile(r"\s*\([^()]*\)\s*$")
_HE = re.compile(r"(?:He|She|His|Her)\b")
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")


def entities(text: str, title: str = "") -> list[Mention]:
    """In order, none inside another, each `text[start:end]`. No pronoun, number or determiner is one.

    `text` may be a whole document or one chunk: what recurs, and what a lone capital means, is judged within it.
    """
    sentences = split(text)
    words = [tokens(text, sentence) for sentence in sentences]
    fixed = [*works(text), *dates(text)]
    taken = [(mention.start, mention.end) for mention in fixed if mention.kind != "name"]
    names = list(Names(text, words, taken, title))
    person = _is_about_a_person(text, title, sentences)
    titles = list(_titles(text, title, "person" if person else "name"))
    candidates = [  # of two with the same place the first is taken: the one that says more of its kind
        *(titles if person else ()),
        *fixed,
        *names,
        *titles,
        *years(text),
        *terms(text, words),
    ]
    return _with_one_kind(list(apart(filter(is_entity, candidates), len(text))))


def title_name(title: str) -> str:
    """What a document's title names, without what tells it from others: `Metropolis` for `Metropolis (film)`."""
    return _DISAMBIGUATED.sub("", title).strip() or title.strip()


def is_entity(mention: Mention) -> bool:
    """Whether it is more than pronouns, numbers, determiners and the like, and of a sane length."""
    words = [word.casefold() for word in _WORD.findall(mention.text)]
    if not words or len(mention.text) > LONGEST or not any(map(str.isalnum, mention.text)):
        return False
    if mention.kind == "date":
        return True
    empty = EMPTY | MONTHS | DAYS
    return not all(word in empty or (word[0].isdigit() and word.isnumeric()) for word in words)


def _is_about_a_person(text: str, title: str, sentences: Sequence[Span]) -> bool:
    """Whether the text begins with its title, of several words, and goes on: he or she."""
    name = title_name(title)
    if len(sentences) < 2 or not 2 <= len(name.split()) <= 4 or not text.startswith(name):
        return False
    return _HE.match(text, sentences[1][0]) is not None


def _titles(text: str, title: str, kind: Kind) -> Iterator[Mention]:
    """Where the text has the document's title, whole or up to its colon."""
    name = title_name(title)
    for part in dict.fromkeys((name, name.split(":")[0].strip())):
        if 2 < len(part) <= LONGEST:
            for match in re.finditer(rf"(?<!\w){re.escape(part)}(?!\w)", text, re.IGNORECASE):
                if match.group()[0].isupper() or " " in part:
                    yield Mention(match.group(), match.start(), match.end(), kind)


def apart(candidates: Iterable[Mention], length: int) -> Iterator[Mention]:
    """Of those that overlap the longest, of equal ones the first in the list; in the order of the text."""
    free = bytearray(length)
    kept: list[Mention] = []
    for mention in sorted(candidates, key=lambda one: one.start - one.end):
        if not any(free[mention.start : mention.end]):
            free[mention.start : mention.end] = b"\1" * (mention.end - mention.start)
            kept.append(mention)
    yield from sorted(kept, key=lambda one: one.start)


def _with_one_kind(mentions: list[Mention]) -> list[Mention]:
    """What is a person in one place is a person in all, under the surname alone too."""
    kinds: dict[str, Kind] = {}
    for mention in mentions:
        if mention.kind not in ("name", "term"):
            kinds.setdefault(mention.text.casefold(), mention.kind)
            if mention.kind == "person":
                kinds.setdefault(mention.text.split()[-1].casefold(), "person")
    return [
        Mention(m.text, m.start, m.end, kinds.get(m.text.casefold(), m.kind)) if m.kind == "name" else m
        for m in mentions
    ]
