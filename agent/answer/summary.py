"""The summary of a document: its most central sentences, one of each section or part, quoted in its order; short lists
are told whole."""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise

import numpy as np

from clew.agent.answer.candidates import answers_nothing
from clew.agent.answer.excerpts import SHORT_LIST, is_announced, members
from clew.agent.answer.structure import Block, Region, sentences_of, whole_region
from clew.memory.datatypes import Document, Floats, Vectors
from clew.memory.dates import found_dates
from clew.memory.text import Span, content_words
from clew.memory.vectors import unit

MOST_WORDS = 110
MOST_PARTS = 6
"""Parts that a document of more sections is cut into, each about as long as the others."""

MOST_SECTIONS = 8
"""Sections that are told one by one."""

SHORT_SECTION = 60
"""Words of a section in which the first sentence says what it is about, as in minutes."""

FIRST, ABSTRACT, COMMON = 0.12, 0.08, 0.5
"""What a sentence gains as the first of its section, in an abstract, and where its words are those that the document
says most."""

LONGEST_LEAD = 40
"""Words of a first sentence that is always told."""

FEWEST, READABLE, TOO_LONG = 7, 24, 0.012
"""Words that a sentence should have at least and at most, and what each further one costs."""

OPEN, REFERS, UNENDED, SPOKEN = 0.15, 0.15, 0.2, 0.5
"""What a sentence loses that begins with a pronoun, sends to another place, has no end, or is what somebody says."""

NARRATED = 3
"""Sentences that tell a story without those that somebody says."""

FIRST_OF = 3
"""Sentences from the beginning among which the first is."""

REDUNDANT = 0.8
"""The cosine from which a sentence says what was said already."""

_ASIDE = re.compile(
    r"\W*(?:[\dIVX]+[.)]? ?)?(?:references?|bibliography|acknowledge?ments?|(?:table of )?contents|navigation|see also"
    r"|further reading|license|copyright.*|footnotes?|notes|external links|about the authors?|affiliations?|search|menu"
    r"|index)\W*",
    re.IGNORECASE,
)
_ABSTRACT = re.compile(r"\W*(?:abstract|summary|overview|introduction|conclusions?|in short)\W*", re.IGNORECASE)
_OPENS = re.compile(
    r"[\"\u201c-]*(?:(?:it|he|she|they|his|her|their|its|them|such|however|but|and|also|then|so|thus|therefore|otherwise"
    r"|no|yes)\b|(?:after|before|in|on|at|by|when|since|until|from|with|for|to) [^,.;:]{1,40}?,? (?:he|she|they)\b"
    r"|(?:this|these|those|that|there) (?:is|are|was|were|will|can|may|has|have|had|would|could|does|did"
    r"|means)\b)",
    re.IGNORECASE,
)
_CONNECTS = re.compile(
    r"(?:here|therefore|hence|first|second|finally|moreover|for example|for instance|as|in the following|note|you|i"
    r"|we)\b",
    re.IGNORECASE,
)
_REFERS = re.compile(
    r"\b(?:see (?:also )?(?:the |section|chapter|figure|table|below|above|for)|refer to|check out"
    r"|(?:figure|table|section|fig\.|eq\.) ?\d|for (?:more|further) (?:info|details))",
    re.IGNORECASE,
)
_POINTS = re.compile(
    r"\W*(?:see also\b|refer to |see .*\bfor (?:more|further|details?)\b|see (?:the )?(?:sections?|pages?|chapters?"
    r"|figures?|tables?|appendi\w+|documentation|manual|above|below|next|previous|https?:|[\"\u201c\[(]"
    r"|\S+\.(?:md|html?|txt|pdf)\b))",
    re.IGNORECASE,
)
"""What only says where something stands: `See the section on fees.`"""
_SPOKEN = re.compile(
    r"[\"\u201c\u201e\u00ab\u2018]|.*[,:!?] ?[\"\u201c\u201e\u00ab\u2018\u2019](?=[A-Z])"
    r"|'[^']+[,.!?]' (?:[a-z]+ ){1,3}"
)
_NO_SENTENCE = re.compile(
    r"https?://|@\w|\bdoi\b|\s~\s|\u00a9|\||^\W*R?> |\w\([^ )]*\)|[=<>{}\\]|\bet al\.$|\. \. \."
    r"|^(?:figure|table|fig\.) ?\d",
    re.IGNORECASE,
)
_NO_LABEL = re.compile(r"[=<>{}()\[\]/\\\"\u201c]|https?:|\d{3}|--")
_END_MATTER = re.compile(
    r"^\W*(?:\d+\.? )?(?:references|bibliography|literature cited|works cited)\W*$", re.IGNORECASE | re.MULTILINE
)
_NUMBERING = re.compile(r"^\s*(?:#+\s*)?(?:\d+(?:\.\d+)*[.)]?\s+)?")


@dataclass(frozen=True, slots=True)
class SummaryLine:
    """`document.text[start:end]`, and the heading that it stands under."""

    label: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, eq=False)
class _Told:
    """What may be told: sentence `place` of the document, in a block under the heading `section`; `spoken`:
    somebody says it. Of a short list `items` are what announces it and its items, and `text` all of them."""

    place: int
    span: Span
    section: int
    block: int
    text: str
    is_first: bool
    spoken: bool = False
    items: tuple[Span, ...] = ()


def summary_of(
    document: Document, spans: Sequence[Span], vectors: Vectors, most_words: int = MOST_WORDS
) -> list[SummaryLine]:
    """`spans` are the sentences of the document with their `vectors`, shape (sentences, d). None where nothing of it
    reads as a sentence. Central is what is near to the mean of all, and of its own part."""
    region = whole_region(document)
    heads = _headings(region, document)
    told = _entries(region, spans) or _told(region, spans, heads)
    told = _narrated(told)
    if not told:
        return []
    own = unit(np.asarray([vectors[one.place] for one in told], np.float32))
    parts = _parts(told)
    scores = _scores(told, own, parts, heads)
    apart = unit(own - own.mean(axis=0)) if len(told) > 2 else own  # each was embedded with the title
    chosen = _chosen(told, apart, scores, parts, most_words)
    lines = [
        (told[place].section, span) for place in sorted(chosen) for span in told[place].items or [told[place].span]
    ]
    return [SummaryLine(heads[section], *span) for section, span in lines]


def first_sentence(document: Document, spans: Sequence[Span], most: int) -> Span | None:
    """The one that it begins with, where that reads as a sentence and has at most so many words."""
    region = whole_region(document)
    told = _told(region, spans, _headings(region, document))
    first = next((one for one in told[:FIRST_OF] if _stands_alone(one.text)), None)
    return first.span if first and len(first.text.split()) <= most else None


def _stands_alone(text: str) -> bool:
    opens = _OPENS.match(text) or _CONNECTS.match(text) or _REFERS.search(text)
    named = any(word[0].islower() for word in text.split()[1:]) and text[0].isupper()
    return len(text.split()) >= 5 and text[-1] == "." and named and not opens


def _headings(region: Region, document: Document) -> Mapping[int, str]:
    """Block -> heading as a label; empty for the title, and before the first."""
    found, marked = {-1: ""}, {mark.start for mark in document.headings}
    title = _plain(document.title)
    for place, block in enumerate(region.blocks):
        if block.kind == "heading":
            dated = bool(found_dates(region.of(block)))
            plain = region.of(block) if dated else _NUMBERING.sub("", region.of(block))
            label = " ".join(plain.strip("#*_ =-\u00b6").split()).rstrip(":.")
            said = _plain(label) and _plain(label) != title and len(label.split()) <= 10
            sure = block.start in marked or (not document.pages and label[:1].isupper() and not label.endswith(","))
            found[place] = label if said and sure and (dated or not _NO_LABEL.search(label)) else ""
    return found


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


def _told(region: Region, spans: Sequence[Span], heads: Mapping[int, str]) -> list[_Told]:
    blocks = region.blocks
    starts = np.array([block.start for block in blocks], np.int64)
    ends = [match.start() for match in _END_MATTER.finditer(region.text, len(region.text) // 2)]
    last = ends[0] if ends else len(region.text)
    idle = {at for at, block in enumerate(blocks) if answers_nothing(region, block)}
    found: list[_Told] = []
    seen: set[int] = set()
    for least, others in ((4, ()), (2, ()), (1, ("item", "row", "code")), (1, ("item", "row", "code", "heading"))):
        for place, (start, end) in enumerate(spans):
            at = int(np.searchsorted(starts, start, "right")) - 1
            block = blocks[at] if at >= 0 else None
            head = heads.get(block.head, "") if block else ""
            if block is None or end > min(block.end, last) or _ASIDE.fullmatch(head) or at in idle:
                continue
            text = " ".join(region.text[start:end].split())
            entry = block.kind == "item" and (text[-1] in ".!" or len(text.split()) > FEWEST)
            shortest = 1 if head.endswith("?") and block.head not in seen else least  # 'Can I pay by card? In cash.'
            if (entry or block.kind == "prose" or block.kind in others) and _reads(text, block.kind, shortest):
                spoken = bool(_SPOKEN.match(text)) or _in_speech(region.text[block.start : start])
                found.append(_Told(place, (start, end), block.head, at, text, block.head not in seen, spoken))
                seen.add(block.head)
        if found:
            break
    return _with_lists(found, region, spans, heads)


def _with_lists(told: Sequence[_Told], region: Region, spans: Sequence[Span], heads: Mapping[int, str]) -> list[_Told]:
    """With the short lists whole, in the place of their items and in sections of which nothing else is told."""
    ends = {end: place for place, (_, end) in enumerate(spans)}
    sections, labelled = {one.section for one in told}, {head for head, label in heads.items() if label}
    of_items = {region.blocks[one.block].group for one in told if region.blocks[one.block].kind == "item"}
    lists: dict[int, _Told] = {}
    for at, block in enumerate(region.blocks):
        fresh = block.head in labelled and block.head not in sections and not _ASIDE.fullmatch(heads[block.head])
        if block.kind != "item" or block.group in lists or not (block.group in of_items or fresh):
            continue
        items = members(region, block.group)
        inside = [(one.start, one.end) for one in items]
        inside = [*_leading(region, items[0], ends), *inside]
        words = sum(len(region.text[slice(*span)].split()) for span in inside)
        if len(items) > 1 and words <= SHORT_LIST and all(end in ends for _, end in inside):
            text = " ".join(" ".join(region.text[slice(*span)].split()) for span in inside)
            place = ends[items[0].end]
            lists[block.group] = _Told(place, inside[0], block.head, at, text, fresh, items=tuple(inside))
            sections.add(block.head)
    kept = [one for one in told if region.blocks[one.block].group not in lists or one.items]
    return sorted([*kept, *lists.values()], key=lambda one: one.place)


def _leading(region: Region, item: Block, ends: Mapping[int, int]) -> list[Span]:
    """The sentence that announces a list."""
    if not is_announced(region, item) or (lead := region.blocks[item.lead]).kind != "prose":
        return []
    last = sentences_of(region, lead)[-1]
    return [last] if last[1] in ends else []


def _narrated(told: list[_Told]) -> list[_Told]:
    """Without what somebody says, where enough is left."""
    plain = [one for one in told if not one.spoken]
    return plain if len(plain) >= NARRATED else told


def _in_speech(before: str) -> bool:
    """Whether what stands before it in its paragraph has opened quotation marks that it has not closed."""
    opened, closed = len(re.findall(r"[\u201c\u2018](?=\w)", before)), len(re.findall(r"[^\w\s][\u201d\u2019]", before))
    return opened > closed


def _entries(region: Region, spans: Sequence[Span]) -> list[_Told]:
    """Of a document that is mostly items of several sentences, as minutes may be: of each the beginning, to the end of
    the first sentence that says something (`1. Parking. The county offers permits.`); nothing of another document."""
    items = [(at, block) for at, block in enumerate(region.blocks) if block.kind == "item"]
    inside = [[n for n, (start, end) in enumerate(spans) if b.start <= start and end <= b.end] for _, b in items]
    words = sum(len(region.of(block).split()) for _, block in items)
    if len(items) < 3 or words < len(region.text.split()) / 2 or sum(map(len, inside)) < 2 * len(items):
        return []
    found = []
    for (at, block), places in zip(items, inside, strict=True):
        long = [n for n in places if len(region.text[block.start : spans[n][1]].split()) >= FEWEST]
        last = next(iter(long or places[-1:]), None)
        if last is not None:
            span = block.start, spans[last][1]
            found.append(_Told(last, span, -1, at, " ".join(region.text[slice(*span)].split()), is_first=True))
    return found


def _reads(text: str, kind: str, least: int) -> bool:
    """`least`: the words of a sentence of prose; of others one is enough."""
    words = text.split()
    if not (least if kind == "prose" else 1) <= len(words) <= 60 or text[-1] in ":?" or text[0] in ",;)":
        return False
    if _POINTS.match(text) or (_NO_SENTENCE.search(text) and kind != "row") or (kind == "prose" and text[0].islower()):
        return False
    letters = sum(character.isalpha() or character.isspace() for character in text)
    return letters >= 0.65 * len(text)


def _parts(told: Sequence[_Told]) -> list[list[int]]:
    """The sentences by sections; of a document of one or two, or of many, by parts of about one length."""
    sections: dict[int, list[int]] = {}
    for place, one in enumerate(told):
        sections.setdefault(one.section, []).append(place)
    if len(told) > 2 and all(one.section == -1 and one.is_first for one in told):
        return [[place] for place in range(len(told))]
    if 3 <= len(sections) <= MOST_SECTIONS:
        return list(sections.values())
    lengths = np.cumsum([len(one.text.split()) for one in told])
    count = min(MOST_PARTS, len(told))
    cuts = [0, *np.searchsorted(lengths, lengths[-1] * np.arange(1, count) / count).tolist(), len(told)]
    return [list(range(start, end)) for start, end in pairwise(cuts) if start < end]


def _scores(
    told: Sequence[_Told], vectors: Vectors, parts: Sequence[Sequence[int]], heads: Mapping[int, str]
) -> Floats:
    scores = np.asarray(vectors @ unit(vectors.mean(axis=0, keepdims=True))[0], np.float64)
    for part in parts:
        scores[list(part)] += vectors[list(part)] @ unit(vectors[list(part)].mean(axis=0, keepdims=True))[0]
    words = [set(content_words(one.text)) for one in told]
    counts = Counter(chain.from_iterable(words))
    most = math.log1p(max(counts.values(), default=1))
    for place, one in enumerate(told):
        length = len(one.text.split())
        common = [math.log1p(counts[word]) / most for word in words[place]]
        scores[place] += COMMON * (sum(common) / len(common) if common else 0) + FIRST * one.is_first
        scores[place] += ABSTRACT * bool(_ABSTRACT.fullmatch(heads[one.section]))
        scores[place] -= TOO_LONG * max(0, length - READABLE) + 0.05 * max(0, FEWEST - length)
        scores[place] -= OPEN * bool(_OPENS.match(one.text)) + REFERS * bool(_REFERS.search(one.text))
        scores[place] -= SPOKEN * one.spoken
        scores[place] -= UNENDED * (one.text[-1] not in '.!\u2026"\u201d)')
    return scores


def _chosen(
    told: Sequence[_Told], vectors: Vectors, scores: Floats, parts: Sequence[Sequence[int]], most_words: int
) -> list[int]:
    """The best of each part, the longest parts first, then of what is left; never twice the same. Of short sections, as
    minutes have them, the first."""
    chosen: list[int] = []
    lengths = [len(one.text.split()) for one in told]

    def take(places: Sequence[int]) -> None:
        left = most_words - sum(lengths[place] for place in chosen)
        for place in places:
            new = place not in chosen and (lengths[place] <= left or not chosen)
            if new and all(float(vectors[place] @ vectors[other]) < REDUNDANT for other in chosen):
                chosen.append(place)
                return

    sizes = [sum(lengths[place] for place in part) for part in parts]
    entries = len(parts) > 2 and max(sizes) <= SHORT_SECTION
    order = sorted(range(len(parts)), key=lambda part: 0 if entries else -sizes[part])
    ranked = [sorted(part, key=lambda place: (-scores[place], place)) for part in parts]
    if not entries and (lead := _lead(told)) is not None:
        take([lead])
    for part in order:
        if not any(place in parts[part] for place in chosen):
            take(parts[part] if entries else ranked[part])
    for part in sorted(order, key=lambda part: -scores[ranked[part][0]]) if entries else order:
        if sum(lengths[place] for place in chosen) < most_words / 2:
            take(ranked[part])
    return chosen


def _lead(told: Sequence[_Told]) -> int | None:
    """The first sentence of the first running text: of a block of several sentences, or a long one."""
    blocks = Counter(one.block for one in told)
    for place, one in enumerate(told):
        words = len(one.text.split())
        if (blocks[one.block] > 1 or words > FEWEST * 2) and 4 <= words <= LONGEST_LEAD:
            return place if one.text[-1] in ".!" else None
    return None
