"""The entities of a text by rules, without a model (seed 001, section 2: the step that there is spaCy's).

Names with titles, initials and particles; works in quotes or italics; dates; the document's title; terms of several
words. Rules of English: in a script without capitals only what stands in quotes and the title are found.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from clew.memory.knowledge.extraction import lexicon
from clew.memory.knowledge.extraction.lexicon import EntityKind, Mention, Token, tokens
from clew.memory.knowledge.extraction.proper_names import Names
from clew.memory.text import Span, read_pattern, split

LONGEST_ENTITY = 120
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
        *_recurring(text, words),
    ]
    return _with_one_kind(list(apart(filter(is_entity, candidates), len(text))))


def title_name(title: str) -> str:
    """What a document's title names, without its disambiguation: `Metropolis` for `Metropolis (film)`."""
    return _DISAMBIGUATED.sub("", title).strip() or title.strip()


def is_entity(mention: Mention) -> bool:
    """Whether it is more than pronouns, numbers, determiners and the like, and of a sane length."""
    words = [word.casefold() for word in _WORD.findall(mention.text)]
    if not words or len(mention.text) > LONGEST_ENTITY or not any(map(str.isalnum, mention.text)):
        return False
    if mention.kind == "date":
        return True
    return not all(word in lexicon.UNNAMED or (word[0].isdigit() and word.isnumeric()) for word in words)


def _is_about_a_person(text: str, title: str, sentences: Sequence[Span]) -> bool:
    """Whether the text begins with its title, of several words, and goes on: he or she."""
    name = title_name(title)
    if len(sentences) < 2 or not 2 <= len(name.split()) <= 4 or not text.startswith(name):
        return False
    return _HE.match(text, sentences[1][0]) is not None


def _titles(text: str, title: str, kind: EntityKind) -> Iterator[Mention]:
    """Where the text has the document's title, whole or up to its colon."""
    name = title_name(title)
    for part in dict.fromkeys((name, name.split(":")[0].strip())):
        if 2 < len(part) <= LONGEST_ENTITY:
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
    kinds: dict[str, EntityKind] = {}
    for mention in mentions:
        if mention.kind not in ("name", "term"):
            kinds.setdefault(mention.text.casefold(), mention.kind)
            if mention.kind == "person":
                kinds.setdefault(mention.text.split()[-1].casefold(), "person")
    return [m._replace(kind=kinds.get(m.text.casefold(), "name")) if m.kind == "name" else m for m in mentions]


_QUOTED = re.compile(read_pattern(Path(__file__).with_name("quoted.txt")))
"""A work's name has 100 characters at most."""

_TITLE = re.compile(
    r"«[ \u00a0\u202f]?(?P<a>[^\s«»][^«»\n]{0,58}[^\s«».,;])[ \u00a0\u202f]?»"
    r"|《(?P<b>[^《》\n]{2,60})》|〈(?P<c>[^〈〉\n]{2,60})〉|『(?P<d>[^『』\n]{2,60})』"
)
"""Guillemets and title marks name a work whatever its letters are; what ends in a full stop is speech."""


def works(text: str) -> Iterator[Mention]:
    """What stands in title marks, and in quotes or italics what has the capitals of a name.

    In quotes one word may be any name; more are a work.
    """
    for match in _TITLE.finditer(text):
        start, end = match.span(match.lastgroup or 0)
        yield Mention(text[start:end], start, end, "work")
    for match in _QUOTED.finditer(text):
        start, end = match.span(match.lastindex or 0)
        part = text[start:end].rstrip(",;")
        words = _WORD.findall(part)
        if _is_work_name(part, words):
            yield Mention(part, start, start + len(part), "work" if len(words) > 1 else "name")


def _is_work_name(part: str, words: list[str]) -> bool:
    """Capitals on half of the words that carry content, and no whole sentence."""
    content = [word for word in words if word.casefold() not in lexicon.EMPTY]
    if not content or len(words) > 12 or not (part[0].isupper() or part[0].isdigit()):
        return False
    named = sum(word[0].isupper() for word in content)
    return named > 0 and 2 * named >= len(content) and not (part.endswith(".") and len(words) > 4)


_DATE = re.compile(rf"(?<![\w.])(?:{read_pattern(Path(__file__).with_name('dates.txt'))})(?!\w)")
_LONE_YEAR = re.compile(r"(?<![\w.,:$£€#–-])(?:1[1-9]\d{2}|20\d{2})(?![\w%–-]|[.,:]\d)")
_COUNTED = re.compile(rf"\s(?:{lexicon.COUNTED})\b")


def dates(text: str) -> Iterator[Mention]:
    """Days, months with a year, decades, centuries and spans of years."""
    for match in _DATE.finditer(text):
        yield Mention(match.group(), match.start(), match.end(), "date")


def years(text: str) -> Iterator[Mention]:
    """Numbers that stand alone, look like a year, and count nothing."""
    for match in _LONE_YEAR.finditer(text):
        if not _COUNTED.match(text, match.end()):
            yield Mention(match.group(), match.start(), match.end(), "date")


LEAST_USES = 2
"""How often a text has to use a term."""


def _recurring(text: str, sentences: Sequence[Sequence[Token]]) -> Iterator[Mention]:
    """Terms of two nouns, or of an adjective and a noun, that are used at least so often."""
    found: dict[tuple[str, str], list[Span]] = defaultdict(list)
    for one, other in (pair for words in sentences for pair in pairwise(words)):
        joined = not one.possessive and one.low != other.low and text[one.end : other.start].isspace()
        if joined and _could_be_noun(one) and _could_be_noun(other):
            found[one.low, other.low].append((one.start, other.end))
    for spans in found.values():
        if len(spans) >= LEAST_USES:
            yield from (Mention(text[start:end], start, end, "term") for start, end in spans)


def _could_be_noun(token: Token) -> bool:
    """Whether it is a small word that may be a noun or an adjective."""
    low = token.low
    other = low in lexicon.OPENERS or (low.endswith("ly") and low != "family") or lexicon.looks_like_a_verb(low)
    return not (token.capital or len(low) < 3 or other) and token.text[0].isalpha()
