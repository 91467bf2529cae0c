"""The summary of a document: its most central sentences, one of each section or part, quoted in its order."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from clew.memory.datatypes import Document, Floats, Vectors
from clew.memory.dates import found_dates
from clew.memory.knowledge.document_parts import Block, Region, whole_region
from clew.memory.text import LABEL, LEANING, Span, words
from clew.memory.vectors import unit

MOST_WORDS, OF_ENTRIES = 110, 140
"""Of a summary, and of one that tells short sections one by one."""

MOST_PARTS, MOST_SECTIONS = 6, 8
"""A document with more sections than `MOST_SECTIONS` is cut into so many parts of about equal length; otherwise each
section is summarised."""

SHORT_SECTION = 60
"""Words up to which a section is short, as in minutes: then its first sentence says what it is about."""

FIRST = 0.12
"""What a sentence gains for being the first of its section."""

FEWEST, READABLE, LONGEST, TOO_LONG = 7, 24, 60, 0.012
"""Words that a sentence should have at least and at most, that it may have at most, and the cost of each word too
many."""

LEANS = 0.15
"""What a sentence loses if it refers to the one before it."""

REDUNDANT = 0.8
"""The cosine from which a sentence repeats another."""

_NO_SENTENCE = re.compile(r"https?://|@\w|\bdoi\b|\u00a9|\||^\W*R?> |\w\([^ )]*\)|[=<>{}\\]|\. \. \.", re.IGNORECASE)
_NO_LABEL = re.compile(r"[=<>{}()\[\]/\\\"\u201c]|https?:|\d{3}|--")
NUMBERING = re.compile(r"^[\s#*]*(?:\(?\d+(?:\.\d+)*[.)]?\s+)?")


@dataclass(frozen=True, slots=True)
class SummaryLine:
    """A sentence of a summary, `document.text[start:end]`, and the heading above it."""

    label: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, eq=False)
class _Told:
    """A sentence that may be chosen: number `place` of the document, under the heading `section`."""

    place: int
    span: Span
    section: Block | None
    text: str
    is_first: bool
    is_item: bool


def summary_of(
    document: Document, spans: Sequence[Span], vectors: Vectors, most_words: int = MOST_WORDS
) -> list[SummaryLine]:
    """The summary of a document. `spans` are its sentences, with their `vectors`, shape (sentences, d). Empty if
    nothing in it reads like a sentence. The most central sentences are nearest to the mean of all, and of their own
    part."""
    region = whole_region(document)
    heads = _headings(region, document)
    told = _told(region, spans)
    if not told:
        return []
    own = unit(np.asarray([vectors[one.place] for one in told], np.float32))
    parts = _parts(told)
    scores = _scores(told, own, parts)
    apart = unit(own - own.mean(axis=0)) if len(told) > 2 else own  # each was embedded with the title
    chosen = sorted(_chosen(told, apart, scores, parts, most_words))
    return [SummaryLine(heads[told[place].section], *told[place].span) for place in chosen]


def _headings(region: Region, document: Document) -> Mapping[Block | None, str]:
    """For each heading its text as a label; empty for the title, and for None, which is before the first heading."""
    found: dict[Block | None, str] = {None: ""}
    marked, title = {mark.start for mark in document.headings}, words(document.title)
    for block in region.blocks:
        if block.kind == "heading":
            dated = bool(found_dates(region.of(block)))
            plain = region.of(block) if dated else NUMBERING.sub("", region.of(block))
            label = " ".join(plain.strip("#*_ =-\u00b6").split()).rstrip(":.")
            said = words(label) not in ([], title) and len(label.split()) <= 10
            sure = block.start in marked or (not document.pages and label[:1].isupper() and not label.endswith(","))
            found[block] = label if said and sure and (dated or not _NO_LABEL.search(label)) else ""
    return found


def _told(region: Region, spans: Sequence[Span]) -> list[_Told]:
    """The sentences of prose and of longer items; if there are none, other lines."""
    blocks = region.blocks
    starts = np.array([block.start for block in blocks], np.int64)
    found: list[_Told] = []
    lines: tuple[str, ...] = ("prose", "item", "row", "code")
    for least, others in ((4, lines[:1]), (1, lines)):
        seen: set[Block | None] = set()
        for place, (start, end) in enumerate(spans):
            at = int(np.searchsorted(starts, start, "right")) - 1
            if at < 0 or end > blocks[at].end:
                continue
            block, text = blocks[at], " ".join(region.text[start:end].split())
            if region.heads_columns(at):
                continue
            entry = block.kind == "item" and (text[-1] in ".!" or len(text.split()) > FEWEST)
            if (entry or block.kind in others) and _reads(text, block.kind, least):
                found.append(_Told(place, (start, end), block.head, text, block.head not in seen, block.kind == "item"))
                seen.add(block.head)
        if found:
            break
    return found


def _reads(text: str, kind: str, least: int) -> bool:
    """Whether it reads like a sentence. `least`: the words that a sentence of prose needs."""
    length = len(text.split())
    if not (least if kind == "prose" else 1) <= length <= LONGEST or text[-1] in ":?" or text[0] in ",;)":
        return False
    if (_NO_SENTENCE.search(text) and kind != "row") or (kind == "prose" and text[0].islower()):
        return False
    return kind == "row" or sum(character.isalpha() or character.isspace() for character in text) >= 0.65 * len(text)


def _parts(told: Sequence[_Told]) -> list[list[int]]:
    """The sentences by section; if there are too few or too many sections, by parts of about equal length."""
    sections: dict[Block | None, list[int]] = {}
    for place, one in enumerate(told):
        sections.setdefault(one.section, []).append(place)
    if 3 <= len(sections) <= MOST_SECTIONS:
        return list(sections.values())
    lengths = np.cumsum([len(one.text.split()) for one in told])
    count = min(MOST_PARTS, len(told))
    cuts = [0, *np.searchsorted(lengths, lengths[-1] * np.arange(1, count) / count).tolist(), len(told)]
    return [list(range(start, end)) for start, end in pairwise(cuts) if start < end]


def _scores(told: Sequence[_Told], vectors: Vectors, parts: Sequence[Sequence[int]]) -> Floats:
    scores = np.asarray(vectors @ unit(vectors.mean(axis=0, keepdims=True))[0], np.float64)
    for part in parts:
        scores[list(part)] += vectors[list(part)] @ unit(vectors[list(part)].mean(axis=0, keepdims=True))[0]
    for place, one in enumerate(told):
        length = len(one.text.split())
        scores[place] += FIRST * one.is_first - LEANS * bool(LEANING.match(one.text))
        scores[place] -= TOO_LONG * max(0, length - READABLE) + 0.05 * max(0, FEWEST - length)
    return scores


def _chosen(
    told: Sequence[_Told], vectors: Vectors, scores: Floats, parts: Sequence[Sequence[int]], most_words: int
) -> list[int]:
    """The best sentence of each part, the longest parts first, without repetitions. In documents of short sections,
    such as minutes: the first of each section, then list items and what has a label (`Decision: ...`), then others."""
    chosen: list[int] = []
    lengths = [len(one.text.split()) for one in told]

    def take(places: Sequence[int]) -> None:
        left = most_words - sum(lengths[place] for place in chosen)
        for place in places:
            new = place not in chosen and (lengths[place] <= left or not chosen)
            if new and all(float(vectors[place] @ vectors[other]) < REDUNDANT for other in chosen):
                chosen.append(place)
                return

    if len(parts) > 2 and all(sum(lengths[place] for place in part) <= SHORT_SECTION for part in parts):
        most_words = most_words * OF_ENTRIES // MOST_WORDS
        labelled = [one.is_item or bool(LABEL.match(one.text)) for one in told]
        for places in (*parts, *([place] for place in sorted(range(len(told)), key=lambda place: not labelled[place]))):
            take(places)
        return chosen
    take([place for place, length in enumerate(lengths) if FEWEST <= length <= READABLE * 2][:1])
    for part in sorted(parts, key=lambda part: -sum(lengths[place] for place in part)):
        if not any(place in part for place in chosen):
            take(sorted(part, key=lambda place: (-scores[place], place)))
    return chosen
