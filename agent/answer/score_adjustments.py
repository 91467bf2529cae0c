"""What moves candidates up or down beside the reader. Names that are nearly alike: what is said of "Flex Plus" is no
answer about "Flex", nor what is said of Otto Berg one about Anna Berg. Whether a sentence denies what it tells, and
which of parallel sentences do as the question does: who has not paid, and not who has."""

import re
from collections.abc import Iterator, Sequence
from itertools import chain, permutations
from pathlib import Path, PurePath
from typing import Literal, NamedTuple

import numpy as np

from clew.agent.answer.evidence import Evidence, Request
from clew.memory.datatypes import Floats
from clew.memory.knowledge.document_parts import Candidate, unnumbered
from clew.memory.ports import Encoder
from clew.memory.text import FUNCTION_WORDS, NAMED, content_words, words
from clew.memory.vectors import softmax_at

_PART = re.compile(r"\s*(?:[:>\u00b7|]|\s[-\u2013\u2014])\s+")
"""Separates the parts of a title, and the headings of a path."""

_WORD = re.compile(r"[^\W_]+")
_OPENING = re.compile(r"(?:[-*\u2022] +)?(?:[A-Z]\w{0,3}\. )*([A-Z0-9]\w*(?:[ -][A-Z0-9]\w*)*)")
"""The name at the beginning of a text: words with capitals or numbers, behind what is shortened ("Dr.")."""

_CODE = re.compile(r"\b(?=[\w-]*\d)[^\W\d][\w-]*")
"""A name that contains a number, such as a model number; what stands before the number is its series."""

PHRASE = 3  # words from which a heading counts as a phrase, not only as a topic
BEHIND = 2  # words that a longer name may have more

_Words = tuple[str, ...]
_Kind = Literal["heading", "title", "opening"]


class Name(NamedTuple):
    """The subject of a heading, a title or a paragraph, in lower case. `own`: the words behind the first, as written,
    if that says what kind of thing it is ("Tariff Flex") and they have capitals."""

    kind: _Kind
    words: _Words
    own: _Words = ()


def of_other_names(question: str, evidence: Evidence) -> Floats:
    """Shape (candidates,): 1 if a candidate is about another name that is nearly one in the question, or about another
    code of its series. What it is about is said by the nearest heading, else the title, else its first words."""
    lines, cased = question.casefold().splitlines(), _words(question)
    asked, names = [_words(line) for line in lines], _all_names(evidence)
    known = {
        name
        for name in chain.from_iterable(names)
        if any(_stands(name.words, line) for line in asked) or (name.own and _stands(name.own, cased))
    }
    listed, unlisted = _named_lists({*chain.from_iterable(asked)}, names, evidence)
    known |= listed
    longer = [one.words for one in known]
    known = {one for one in known if not any(one.words != other and _stands(one.words, other) for other in longer)}
    rows = (one.block.group >= 0 for one in evidence.candidates)
    beyond = (
        row and not unlisted.isdisjoint(its) and listed.isdisjoint(its) for row, its in zip(rows, names, strict=True)
    )
    others = (away or _is_of_another(its, known) for away, its in zip(beyond, names, strict=True))
    capitals = {word.casefold() for word in cased if word[0].isupper() or word.isdecimal()}
    beside = _in_other_files(asked, capitals - FUNCTION_WORDS, evidence)
    told = zip(others, _of_other_codes(lines, evidence), (one in beside for one in evidence.sources), strict=True)
    return np.array([*map(any, told)], np.float64)


def _in_other_files(asked: Sequence[_Words], capitals: set[str], evidence: Evidence) -> set[str]:
    """The documents whose folder or file the question does not name, where another of the same name or title lies in a
    folder beside it, or in the same, that the question names: by all words of the folder or file, or by a name or a
    year that the other lacks."""

    def is_named(folder: _Words, other: _Words) -> bool:
        whole = not FUNCTION_WORDS.issuperset(folder) and any(_stands(folder, line) for line in asked)
        return whole or not capitals.isdisjoint({*folder} - {*other})

    files = [(PurePath(one.source.casefold()), one) for one in evidence.documents.values()]
    others = set[str]()
    for (path, one), (other_path, other) in permutations(files, 2):
        parts = zip((*path.parts[:-1], path.stem), (*other_path.parts[:-1], other_path.stem), strict=False)
        apart = [(_words(own), _words(of)) for own, of in parts if own != of]
        alike = path.name == other_path.name or one.title.casefold() == other.title.casefold()
        named = any(is_named(of, own) for own, of in apart) and not any(is_named(own, of) for own, of in apart)
        if alike and named and len(path.parts) == len(other_path.parts):
            others.add(one.id)
    return others


def _named_lists(asked: set[str], names: Sequence[Sequence[Name]], evidence: Evidence) -> tuple[set[Name], set[Name]]:
    """Titles of lists that share words: those that the question names by what the other lacks ("the upper one" of
    "shelf upper" and "shelf lower"), and those others."""
    rows = zip(names, evidence.candidates, strict=True)
    titles = {name for its, one in rows if one.block.group >= 0 for name in its if name.kind == "title"}
    pairs = [
        (one, other)
        for one, other in permutations(titles, 2)
        if {*one.words} & {*other.words} - FUNCTION_WORDS and {*one.words} - {*other.words} <= asked
        if {*one.words} - {*other.words} and not ({*other.words} - {*one.words}) & asked
    ]
    return {one for one, _ in pairs}, {other for _, other in pairs} - {one for one, _ in pairs}


def _of_other_codes(lines: Sequence[str], evidence: Evidence) -> list[bool]:
    """Whether each candidate has no code of the question, but one of its series: KX-200S or KX-100 for KX-200."""
    asked = {code for line in lines for code in _CODE.findall(line)}
    codes = ({*_CODE.findall(text.casefold())} for text in evidence.texts)
    series = {re.split(r"\d", code, maxsplit=1)[0] for code in asked}
    return [not asked & said and any(re.split(r"\d", one, maxsplit=1)[0] in series for one in said) for said in codes]


def _all_names(evidence: Evidence) -> list[list[Name]]:
    """The names that each candidate is about."""
    heads = {head: unnumbered(head) for head in {one.head for one in evidence.candidates}}
    titles = [passage.title for passage in evidence.passages]
    return [list(_names(one, heads[one.head], titles[one.passage])) for one in evidence.candidates]


def _names(candidate: Candidate, head: str, title: str) -> Iterator[Name]:
    """The names that a candidate below this heading is about, the nearest first: those with capitals or numbers, or of
    three words (two for a list)."""
    block = candidate.block
    openings = (candidate.text, candidate.region.text[block.start : block.end] if block.kind == "prose" else "")
    told: list[tuple[_Kind, str]] = [
        *(("heading", part) for part in reversed(_PART.split(head))),
        *(("title", part) for part in reversed(_PART.split(title))),
        *(("opening", opening[1]) for opening in map(_OPENING.match, openings) if opening),
    ]
    for kind, text in told:
        words, written = _words(text.casefold()), _words(text)
        capital = all(word[0].isupper() or word.isdigit() for word in written)
        fewest = 2 if kind == "title" and block.group >= 0 else 3
        if words and (capital or len(words) >= fewest) and words[0] not in FUNCTION_WORDS:
            yield Name(kind, words, written[1:] if capital and kind != "opening" else ())


def _words(text: str) -> _Words:
    return tuple(_WORD.findall(text))


def _stands(name: _Words, words: _Words) -> bool:
    """Whether the words contain the name, in any order: "the upper shelf" is "shelf upper"."""
    own = sorted(name)
    return any(sorted(words[place : place + len(name)]) == own for place in range(len(words) - len(name) + 1))


def _is_of_another(names: Sequence[Name], asked: set[Name]) -> bool:
    for name in names:
        if any(name.words == one.words for one in asked):
            return False
        if any(_are_alike(name.words, one.words) for one in asked if one.kind == name.kind):
            return True
    return False


def asked_headings(question: str, evidence: Evidence) -> list[list[int]]:
    """For each candidate the lengths, in words, of the headings above it that the question contains completely."""
    asked, found = _words(question.casefold()), dict[str, list[int]]()
    for head in {one.head for one in evidence.candidates}:
        parts = (_words(unnumbered(part).casefold()) for part in _PART.split(head))
        found[head] = [len(words) for words in parts if words and _stands(words, asked)]
    return [found[one.head] for one in evidence.candidates]


def by_named_authors(question: str, evidence: Evidence) -> Floats:
    """Shape (candidates,): 1 if the document was written by somebody whom the question names."""
    asked = {name.casefold().removesuffix("'s") for name in NAMED.findall(question)}
    by = {id_: asked.intersection(_words(one.author.casefold())) for id_, one in evidence.documents.items()}
    return np.array([float(bool(by.get(one))) for one in evidence.sources])


def _are_alike(one: _Words, other: _Words) -> bool:
    """Whether one is the other with a word or two more at the end, or they differ in exactly one word."""
    short, long = sorted((one, other), key=len)
    if len(short) < len(long):
        return long[: len(short)] == short and len(long) <= len(short) + BEHIND
    return len(one) > 1 and sum(own != of for own, of in zip(one, other, strict=True)) == 1


# Negation -----------------------------------------------------------------------------------------------------------

CLASSES = ("affirmed", "denied")
SHIPPED = Path(__file__).with_name("negation.json")

SURE = 0.75  # the probability from which a text counts as denying, or as not denying


OTHERS = 4  # content words that a sentence may have beside those of the question, to be about nothing else


def denied(texts: Sequence[str], encoder: Encoder) -> Floats:
    """Shape (texts,): the probability of each that it denies something."""
    vectors, model = encoder.encode(list(texts), "sentence"), softmax_at(SHIPPED, CLASSES)
    return np.array([model.probabilities(one, words(text))["denied"] for one, text in zip(vectors, texts, strict=True)])


def opposed(request: Request, evidence: Evidence) -> Floats:
    """Shape (candidates,): 1 if a candidate denies and the question does not, or the other way round, while another
    sentence of its document, with the same words of the question, agrees with it. Both have few other words."""
    said = denied([request.rewritten, *evidence.texts], evidence.encoder)
    agrees, differs = (said[1:] >= SURE, said[1:] <= 1 - SURE)[:: 1 if said[0] >= SURE else -1]
    asked = frozenset(content_words(request.rewritten))
    told = [
        (source, asked & own if len(own - asked) <= OTHERS else frozenset[str]())
        for source, own in zip(evidence.sources, evidence.candidate_words, strict=True)
    ]
    agreeing = [one for one, does in zip(told, agrees, strict=True) if does]
    return np.array(
        [
            does and bool(held) and any(document == other and held <= own for other, own in agreeing)
            for (document, held), does in zip(told, differs, strict=True)
        ],
        float,
    )
