"""Whom or what a sentence means whose subject is a pronoun: the sentence before that names it."""

import re
from collections.abc import Iterator, Sequence, Set
from itertools import islice

from clew.agent.answer.cores import SALUTATION
from clew.agent.answer.structure import Region, sentences_of
from clew.memory.dialogue.word_classes import FIRST_NAMES
from clew.memory.text import FUNCTION_WORDS, Span, content_words

PRONOUN = re.compile(
    r"[\"“‘'(]*(?:(?:However|But|And|So|Also|Then|Thus|Therefore|Hence|Otherwise|Instead),? )?"
    r"(?:it|he|she|they|this|these|those|its|his|her|their|that|such|both|neither|the (?:former|latter|same)"
    r"|(?:to|by) [a-z]+ (?:this|these|those))\b(?! (?:who|whom|whose|which)\b)",
    re.IGNORECASE,
)
"""How a sentence begins that the one before has to be read with; not `He who ...`."""

_CONNECTIVE = re.compile(
    r"(?:Since then|For (?:that|this) reason|As a result|Because of (?:that|this)|However|Otherwise|Instead|Therefore"
    r"|Thus|Hence|Then|Also|But|So|And|Nevertheless|Moreover|In addition|For example|For instance"
    r"|On the (?:other hand|contrary)|By contrast|In contrast"
    r"|(?:In|With|By|For|On|From|After|Before|Without|Because of|Due to|Of|To do) (?:this|that|these|those|so))\b"
)
_STANDS_FOR = re.compile(
    r"[\"“‘'(]*(?:(?:However|But|And|So|Also|Then|Thus|Therefore|Hence|Otherwise|Instead),? )?"
    r"(?:(?:In|On|At|By|From|During|After|Before|Since|Until) [^,.;:]{1,40}?,? (?=s?he\b))?"
    r"(?P<pronoun>it|its|he|his|she|her|they|their)\b(?! (?:who|whom|whose|which)\b)",
    re.IGNORECASE,
)
"""`In 1866 she moved` too."""

_GENDER = {"he": "he", "his": "he", "she": "she", "her": "she"}

_NAME = re.compile(
    r"(?:(?:Dr|Mrs?|Ms|Prof|St)\b\.? )?[A-ZÀ-Þ][\w'’-]*(?: (?:(?:van|von|de|der|la|du) )*[A-ZÀ-Þ][\w'’-]*\.?)*"
)
_INTRODUCES = re.compile(
    rf"(?P<whose>His|Her|Their|Its) [a-z]+(?: [a-z]+)? (?:is|was)(?: called| named)? (?P<name>{_NAME.pattern})"
)
"""`Her brother is Per Lie.`"""

FURTHEST = 5
"""Sentences that are looked through, back from the one with the pronoun."""


def read_with(region: Region, place: int, span: Span) -> Span | None:
    """The sentence that this one, of the block at this place, has to be read with: that which names whom its pronoun
    stands for; of others that begin so, or with `However`, the one before it. None where there is none."""
    text = region.text[slice(*span)]
    found = _STANDS_FOR.match(text)
    if found and (naming := _naming(region, place, span, found["pronoun"].casefold())):
        return naming
    spans = sentences_of(region, region.blocks[place])
    at = spans.index(span)
    return spans[at - 1] if at and (PRONOUN.match(text) or _CONNECTIVE.match(text)) else None


def is_of_another(region: Region, place: int, span: Span, question: str) -> bool:
    """Whether its subject is a pronoun that stands for somebody else than those whom the question names: `Dr. Amin came
    too. He was born in Lahore.` tells nothing of Dr. Bose."""
    found = _STANDS_FOR.match(region.text[slice(*span)])
    before = read_with(region, place, span) if found else None
    if not found or before is None:
        return False
    naming = region.text[slice(*before)]
    introduced = _introduced(naming, found["pronoun"].casefold())
    meant = _words(introduced) or _first_name(region, before)
    is_person = found["pronoun"].casefold() in _GENDER
    asked = [name for name in map(_words, _asked(question)) if name]
    if not asked or not meant or not (is_person or len(meant) > 1) or {*meant} <= {*content_words(question)}:
        return False
    held = {*content_words(naming), *content_words(region.text[slice(*span)])}
    return not any(_is_meant(name, meant, held) if is_person else held.issuperset(name) for name in asked)


def _is_meant(name: Sequence[str], meant: Sequence[str], held: Set[str]) -> bool:
    """Whether somebody may be meant by it: `Marit Lie` is not, where that is `Per Lie`."""
    relative = len(name) > 1 and len(meant) > 1 and name[-1] == meant[-1] and not {*name[:-1]} & {*meant[:-1]}
    return name[-1] in held and not relative


def _naming(region: Region, place: int, span: Span, pronoun: str) -> Span | None:
    """The nearest sentence before that does not itself begin with a pronoun; of a man or a woman, that begins with a
    name, of one as the pronoun says, or that introduces somebody."""
    gender = _GENDER.get(pronoun)
    for one in islice(_before(region, place, span), FURTHEST):
        if SALUTATION.fullmatch(region.text[slice(*one)]):
            continue  # whom a letter greets is not whom it tells of
        if _introduced(text := region.text[slice(*one)], pronoun):
            return one
        if not _STANDS_FOR.match(text) and (not gender or _is_of(gender, region, one)):
            return one
    return None


def _is_of(gender: str, region: Region, span: Span) -> bool:
    text = region.text[slice(*span)]
    if titled := {which for which, pattern in _TITLED.items() if pattern.search(text)}:
        return gender in titled
    return bool(_first_name(region, span)) and _may_be_called(gender, text)


_TITLED = {
    "he": re.compile(r"\b(?:Mr|Herr|Sir|(?:[Gg]rand)?(?:father|son)|[Bb]rother|[Hh]usband|[Nn]ephew|[Uu]ncle|Dad)\b"),
    "she": re.compile(
        r"\b(?:Mrs|Ms|Miss|Frau|(?:[Gg]rand)?(?:mother|daughter)|[Ss]ister|[Ww]ife|[Nn]iece|[Aa]unt|Mum)\b"
    ),
}
"""How a man or a woman is spoken of who may have no name."""


def _may_be_called(gender: str, name: str) -> bool:
    """Whether the first name is one of his, or hers, or nobody's that is known."""
    return FIRST_NAMES.get(name.split()[0], gender) == gender


def _introduced(text: str, pronoun: str) -> str:
    """The name in `Her brother is Per Lie.` for `he`; none for `she`, who is rather whose brother he is."""
    found, gender = _INTRODUCES.match(text), _GENDER.get(pronoun)
    if not found or not gender or _GENDER.get(found["whose"].casefold()) == gender:
        return ""
    return found["name"] if _may_be_called(gender, found["name"]) else ""


def _before(region: Region, place: int, span: Span) -> Iterator[Span]:
    """The sentences before it, back from it, over the paragraphs of its section."""
    spans = sentences_of(region, region.blocks[place])
    yield from reversed(spans[: spans.index(span)])
    head = region.blocks[place].head
    for block in reversed(region.blocks[:place]):
        if block.kind != "prose" or block.head != head:
            return
        yield from reversed(sentences_of(region, block))


def _first_name(region: Region, span: Span) -> list[str]:
    """The words of the name that a sentence begins with; empty where it begins with another word. One word alone is a
    name where it is a common one, or has its capital in the middle of a sentence too."""
    found = _NAME.match(region.text[slice(*span)].lstrip("\"“‘'("))
    name = found[0] if found else ""
    if not name or name.split()[0].casefold() in FUNCTION_WORDS:
        return []
    alone = " " not in name and name not in FIRST_NAMES
    return [] if alone and not re.search(rf"[\w,] {re.escape(name)}\b", region.text) else _words(name)


def _asked(question: str) -> Iterator[str]:
    """The names in a question; `Emmeline's brother` and `the brother of Emmeline` are others."""
    for match in _NAME.finditer(question):
        owns = match[0].endswith(("'s", "’s", "'", "’")) or question[: match.start()].endswith(" of ")
        if not owns:
            yield match[0]


def _words(name: str) -> list[str]:
    return [word for word in content_words(name) if word not in ("dr", "mr", "mrs", "ms", "prof", "st")]
