"""Candidates and excerpts: what of a document is weighed, and what of it answers as it stands and is quoted whole.

A candidate is a sentence, an item of a list, a row of a table or a block of code. Its excerpt is it with what has to be
read with it: the items of a list with what announces them, a row with the heads of its columns, code with the sentence
before it, what stands below a heading that asks, or behind an item that does.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, takewhile
from typing import Literal

from clew.agent.answer.structure import (
    LONGEST,
    RUNNING_HEAD,
    Block,
    Region,
    region_of,
    sentences_of,
    unnumbered,
)
from clew.memory.datatypes import Document, Passage
from clew.memory.text import BELOW, ITEM, Span

MOST_ITEMS, LONGEST_LIST, SHORT_LIST = 16, 140, 60
"""Items and words of a list that is quoted whole; words of one that may have any number of items."""

LONGEST_ITEM = 24
"""Words of the items of a list, on average, from which they are clauses, each of which says what the others do not."""

LONGEST_CODE = 60
"""Words of code that is quoted with what stands behind it, an empty line between."""

REPLY = 45
"""Words that are quoted of what answers a question that a document asks itself; one sentence at least."""


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """Of the passage at this place of the evidence: `span` in the text of its region, `place` that of its block."""

    passage: int
    region: Region
    place: int
    span: Span

    block: Block = field(init=False)
    text: str = field(init=False)
    position: int = field(init=False)  # the character of its document where it begins
    head: str = field(init=False)  # the heading and the items that it stands under; empty where there is none
    lead: str = field(init=False)  # what announces it, if it is an item, a row or code

    def __post_init__(self) -> None:
        """Each is read many times, and made once."""
        blocks, text = self.region.blocks, self.region.text
        block = blocks[self.place]
        announces = blocks[block.lead] if block.lead >= 0 else None
        lead = self.region.paths.get(announces.start) or self.region.of(announces) if announces else ""
        head = BELOW.join(filter(None, (self.region.path(block.head), *self.parents)))
        own = " ".join(RUNNING_HEAD.sub(" ", text[slice(*self.span)]).split())
        values = (block, own, self.region.offset + self.span[0], head, lead)
        for name, value in zip(("block", "text", "position", "head", "lead"), values, strict=True):
            object.__setattr__(self, name, value)

    @property
    def parents(self) -> list[str]:
        """The items that it stands in, the outermost first, without their marks."""
        parents = map(self.region.of, self.region.parents(self.region.blocks[self.place]))
        return [ITEM.sub("", text, count=1).strip(" :") for text in parents]

    @property
    def above(self) -> str:
        """Its heading, without the number of a section, and what announces it."""
        return f"{unnumbered(self.head)} {self.lead}"


def candidates_of(passages: Sequence[Passage], documents: Mapping[str, Document]) -> list[Candidate]:
    """Of all passages, each once: chunks overlap."""
    found: dict[tuple[str, int], Candidate] = {}
    for number, passage in enumerate(passages):
        region = region_of(passage, documents.get(passage.document))
        first = passage.start - region.offset
        last = first + len(passage.text)
        for one in _of_region(region, number):
            if one.span[1] > first and one.span[0] < last:
                found.setdefault((passage.document, one.position), one)
    return list(found.values())


def _of_region(region: Region, passage: int) -> Iterator[Candidate]:
    for place, block in enumerate(region.blocks):
        if block.kind == "heading" or region.heads_columns(place):
            continue
        whole = block.kind != "prose" and len(region.of(block).split()) <= LONGEST
        for span in [block.span] if whole else sentences_of(region, block):
            text = region.text[slice(*span)]
            if len(text.split()) <= LONGEST and re.search(r"\w", text):
                yield Candidate(passage, region, place, span)


def asks(text: str) -> bool:
    return bool(re.search(r"\?[\"”’')\]*_]*$", text))


# Excerpts -----------------------------------------------------------------------------------------------------------

ExcerptKind = Literal["sentence", "item", "row", "list", "code"]


@dataclass(frozen=True, slots=True, eq=False)
class Excerpt:
    """Parts of the text of a region, in its order; the candidate is one of them, within one, or the question of a
    document that they answer."""

    candidate: Candidate
    kind: ExcerptKind
    parts: tuple[Span, ...]

    @property
    def texts(self) -> tuple[str, ...]:
        return tuple(self.candidate.region.text[start:end] for start, end in self.parts)

    @property
    def words(self) -> int:
        return sum(len(text.split()) for text in self.texts)

    def is_code(self, part: Span) -> bool:
        """Whether its lines are shown as they stand."""
        return any(
            block.kind == "code" and block.start <= part[0] < block.end for block in self.candidate.region.blocks
        )


def excerpt_of(candidate: Candidate, *, whole_list: bool = False, opens: bool = False) -> Excerpt:
    """`whole_list`: the question asks for all of a list. `opens`: what is asked for is not in the candidate."""
    region, block = candidate.region, candidate.block
    if block.kind in ("item", "row") and whole_list and not _are_clauses(candidate):
        return _list(candidate)
    if block.kind == "item":
        behind = region.blocks[candidate.place + 1 : candidate.place + 2] if asks(candidate.text) else []
        reply = (one.span for one in behind if one.kind in ("item", "prose"))
        return Excerpt(candidate, "item", (*(one.span for one in region.parents(block)), candidate.span, *reply))
    if block.kind == "row":
        head = [region.blocks[block.lead].span] if block.lead >= 0 else []
        return Excerpt(candidate, "row", (*head, candidate.span))
    if block.kind == "code":
        told = _code_at(region, candidate.place) or [candidate.span]  # of a long one a part
        return Excerpt(candidate, "code", (*_announcing(region, block), *told))
    return _sentence(candidate, whole_list=whole_list, opens=opens)


def members(region: Region, group: int) -> list[Block]:
    """The blocks of a list or a table."""
    return [block for block in region.blocks if block.group == group]


def is_item(text: str) -> bool:
    return bool(ITEM.match(text))


# Lists and code ---------------------------------------------------------------------------------------------------


def _list(candidate: Candidate) -> Excerpt:
    """The items around the candidate for which there is room, and the code that stands between them."""
    region, block = candidate.region, candidate.block
    items = members(region, block.group)
    place = items.index(block)
    first, last = (region.blocks.index(items[at]) for at in (0, -1))
    whole = [one.span for one in region.blocks[first : last + 1] if one in items or one.kind == "code"]
    if not _too_many(region, whole):
        return Excerpt(candidate, "list", (*_announcing(region, items[0]), *whole))
    parts = [item.span for item in items]
    if _too_many(region, parts):  # of each how it begins
        parts = [sentences_of(region, item)[0] for item in items]
    while len(parts) > 1 and _too_many(region, parts):
        if place < len(parts) - 1:
            parts.pop()
        else:
            parts.pop(0)
            place -= 1
    return Excerpt(candidate, "list", (*_announcing(region, items[0]), *parts))


def _are_clauses(candidate: Candidate) -> bool:
    """Whether the items of its list are paragraphs that nothing announces, as those of a contract."""
    region, items = candidate.region, members(candidate.region, candidate.block.group)
    words = sum(len(region.of(item).split()) for item in items)
    return words > LONGEST_ITEM * len(items) and not _announcing(region, items[0])


def _too_many(region: Region, parts: Sequence[Span]) -> bool:
    words = sum(len(region.text[slice(*part)].split()) for part in parts)
    return words > LONGEST_LIST or (len(parts) > MOST_ITEMS and words > SHORT_LIST)


def _code_at(region: Region, place: int) -> list[Span]:
    """The block of code there, and those behind it while they have `LONGEST_CODE` words together; none where there is
    no code, or it alone is longer than a candidate may be."""
    code = list(takewhile(lambda block: block.kind == "code", region.blocks[place:]))
    counts = accumulate(len(region.of(block).split()) for block in code)
    each = enumerate(zip(code, counts, strict=True))
    return [block.span for n, (block, count) in each if count <= (LONGEST_CODE if n else LONGEST)]


def _announcing(region: Region, block: Block) -> tuple[Span, ...]:
    """The last sentence of the block before a list, where it ends with a colon, and before code."""
    lead = region.blocks[block.lead] if block.lead >= 0 else None
    if lead is None or lead.kind not in ("prose", "item"):
        return ()
    return tuple(sentences_of(region, lead)[-1:]) if block.kind == "code" or region.of(lead).endswith(":") else ()


# Sentences --------------------------------------------------------------------------------------------------------


def _sentence(candidate: Candidate, *, whole_list: bool, opens: bool) -> Excerpt:
    """What answers it where it asks; else with the sentence behind it where that holds what is asked for, and with the
    list or the code that it announces."""
    region, block = candidate.region, candidate.block
    spans = sentences_of(region, block)
    at = spans.index(candidate.span)
    parts, last = [candidate.span], at == len(spans) - 1
    if asks(candidate.text):
        parts = _reply(region, [*spans[at + 1 :], *_first_behind(candidate)]) or parts
    elif opens and not last:
        parts.append(spans[at + 1])
    if last and (whole_list or candidate.text.endswith(":")):
        parts += _announced(candidate)
    return Excerpt(candidate, "list" if len(parts) > 3 else "sentence", tuple(parts))


def _reply(region: Region, spans: Sequence[Span]) -> list[Span]:
    """The first, and those behind it while they have `REPLY` words together; none from the next question on."""
    texts = [region.text[slice(*span)] for span in spans]
    spans = spans[: next((n for n, text in enumerate(texts) if n and asks(text)), len(spans))]
    counts = accumulate(len(region.text[slice(*span)].split()) for span in spans)
    return [span for n, (span, count) in enumerate(zip(spans, counts, strict=True)) if not n or count <= REPLY]


def _first_behind(candidate: Candidate) -> list[Span]:
    """The first sentences of the block behind it."""
    region = candidate.region
    if candidate.place + 1 >= len(region.blocks):
        return []
    behind = region.blocks[candidate.place + 1]
    return sentences_of(region, behind)[:2] if behind.kind in ("prose", "item") else []


def _announced(candidate: Candidate) -> list[Span]:
    """The list or the code behind its block; behind a colon the next sentence, where there is neither."""
    region, place = candidate.region, candidate.place + 1
    behind = region.blocks[place] if place < len(region.blocks) else None
    if behind is not None and behind.kind in ("item", "row"):
        inner = Candidate(candidate.passage, region, place, behind.span)
        return [part for part in _list(inner).parts if part[0] >= behind.start]
    if not candidate.text.endswith(":"):
        return []
    return _code_at(region, place) or _first_behind(candidate)[:1]
