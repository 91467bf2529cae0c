"""What of a document is quoted.

A candidate is what may be quoted: a sentence, an item, a row or a block of code. Its excerpt adds what is needed to
read it: the sentence that announces a list, the column heads of a row, the sentence before code, the text below a
heading or an item that is a question."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, takewhile
from typing import Literal

from clew.memory.datatypes import Document, Passage
from clew.memory.knowledge.document_parts import (
    LONGEST,
    RUNNING_HEAD,
    Block,
    Region,
    region_of,
    sentences_of,
)
from clew.memory.text import BELOW, ITEM, Span

LONGEST_LIST = 140  # words of a list that is quoted whole
LONGEST_CODE = 60  # words of code that are quoted together, over several blocks
REPLY = 45  # words that are quoted of the reply to a question that stands in the document; at least one sentence is


@dataclass(frozen=True, eq=False)
class Candidate:
    """A possible quotation. `passage` is the place of its passage in the evidence, `place` that of its block, `span`
    its range in the text of its region."""

    passage: int
    region: Region
    place: int
    span: Span

    @cached_property
    def block(self) -> Block:
        return self.region.blocks[self.place]

    @cached_property
    def text(self) -> str:
        return " ".join(RUNNING_HEAD.sub(" ", self.region.text[slice(*self.span)]).split())

    @cached_property
    def position(self) -> int:
        """The character of the document where it begins."""
        return self.region.offset + self.span[0]

    @cached_property
    def head(self) -> str:
        """The headings and list items that it stands under; empty if there are none."""
        return BELOW.join(filter(None, (self.region.path(self.block.head), *self.parents)))

    @cached_property
    def lead(self) -> str:
        """The sentence that announces it, if it is an item, a row or code; else empty."""
        lead = self.block.lead
        return self.region.paths.get(lead.start) or self.region.of(lead) if lead else ""

    @property
    def parents(self) -> list[str]:
        """The list items that contain it, the outermost first, without their marks."""
        return [ITEM.sub("", self.region.of(one), count=1).strip(" :") for one in self.block.parents]


def candidates_of(passages: Sequence[Passage], documents: Mapping[str, Document]) -> list[Candidate]:
    """The candidates of all passages; each once, although passages overlap."""
    found: dict[tuple[str, int], Candidate] = {}
    for number, passage in enumerate(passages):
        region = region_of(passage, documents.get(passage.document))
        first = passage.start - region.offset
        last = first + len(passage.text)
        for place, block in enumerate(region.blocks):
            subject = block.kind == "field" and region.of(block).endswith(passage.title)
            if block.kind == "heading" or subject or region.heads_columns(place):
                continue
            whole = block.kind != "prose" and len(region.of(block).split()) <= LONGEST
            for start, end in [block.span] if whole else sentences_of(region, block):
                text = region.text[start:end]
                if end > first and start < last and len(text.split()) <= LONGEST and re.search(r"\w", text):
                    of_document = passage.document, region.offset + start
                    found.setdefault(of_document, Candidate(number, region, place, (start, end)))
    return list(found.values())


def asks(text: str) -> bool:
    return bool(re.search(r"\?[\"”’')\]*_]*$", text))


# Excerpts -----------------------------------------------------------------------------------------------------------

ExcerptKind = Literal["sentence", "item", "row", "list", "code"]


@dataclass(frozen=True, slots=True, eq=False)
class Excerpt:
    """What is quoted: parts of a region's text in order. The candidate is one of them, within one, or a question of the
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
        """Whether this part is code, whose lines are shown as they are."""
        return any(one.kind == "code" and one.start <= part[0] < one.end for one in self.candidate.region.blocks)


def excerpt_of(candidate: Candidate, *, whole_list: bool = False) -> Excerpt:
    """The excerpt of a candidate. `whole_list`: the question asks for a whole list."""
    region, block = candidate.region, candidate.block
    if block.kind in ("item", "row") and whole_list:
        return _list(candidate)
    if block.kind == "item":
        behind = region.blocks[candidate.place + 1 : candidate.place + 2] if asks(candidate.text) else []
        reply = [one.span for one in behind if one.kind in ("item", "prose")]
        below = reply or _within(region, [one.span for one in region.blocks if block in one.parents], LONGEST_LIST)
        return Excerpt(candidate, "item", (*(one.span for one in block.parents), candidate.span, *below))
    if block.kind in ("row", "field"):
        return Excerpt(candidate, "row", (*([block.lead.span] if block.lead else []), candidate.span))
    if block.kind == "code":
        told = _code_at(region, candidate.place) or [candidate.span]  # of a long one a part
        return Excerpt(candidate, "code", (*_announcing(region, block), *told))
    return _sentence(candidate, whole_list)


def _list(candidate: Candidate) -> Excerpt:
    """The list that the candidate is an item of, as much as there is room for."""
    region, block = candidate.region, candidate.block
    items = [one for one in region.blocks if one.group == block.group]
    parts = [item.span for item in items]
    if _within(region, parts, LONGEST_LIST) != parts:  # of each how it begins
        parts = [sentences_of(region, item)[0] for item in items]
    if _within(region, parts, LONGEST_LIST) != parts:
        parts = _within(region, parts[items.index(block) :], LONGEST_LIST)
    return Excerpt(candidate, "list", (*_announcing(region, items[0]), *parts))


def _code_at(region: Region, place: int) -> list[Span]:
    """The block of code at this place and those that follow and begin no other part, up to `LONGEST_CODE` words; empty
    if it is no code or too long."""
    blocks = region.blocks[place:]
    code = takewhile(lambda one: one.kind == "code" and (one is blocks[0] or one.start not in region.paths), blocks)
    return _within(region, [block.span for block in code], LONGEST_CODE, first=LONGEST)


def _within(region: Region, spans: Sequence[Span], words: int, first: float = math.inf) -> list[Span]:
    """The first spans, up to so many `words` in all; the first one may have `first` words."""
    counts = accumulate(len(region.text[slice(*span)].split()) for span in spans)
    return [span for n, (span, count) in enumerate(zip(spans, counts, strict=True)) if count <= (words if n else first)]


def _announcing(region: Region, block: Block) -> tuple[Span, ...]:
    """The sentence that announces a list (if it ends with a colon) or code; empty if there is none."""
    lead = block.lead
    if lead is None or lead.kind not in ("prose", "item"):
        return ()
    return tuple(sentences_of(region, lead)[-1:]) if block.kind == "code" or region.of(lead).endswith(":") else ()


def _sentence(candidate: Candidate, whole_list: bool) -> Excerpt:
    """The excerpt of a sentence: if it is a question, the reply up to the next question; else the sentence, with the
    list or code that it announces."""
    region, spans = candidate.region, sentences_of(candidate.region, candidate.block)
    at = spans.index(candidate.span)
    parts, last = [candidate.span], at == len(spans) - 1
    if asks(candidate.text):
        behind = [*spans[at + 1 :], *_first_behind(candidate)]
        asking = (n for n, span in enumerate(behind) if n and asks(region.text[slice(*span)]))
        parts = _within(region, behind[: next(asking, None)], REPLY) or parts
    if last and (whole_list or candidate.text.endswith(":")):
        parts += _announced(candidate)
    return Excerpt(candidate, "list" if len(parts) > 3 else "sentence", tuple(parts))


def _first_behind(candidate: Candidate) -> list[Span]:
    """The first two sentences of the block behind it."""
    behind = candidate.region.blocks[candidate.place + 1 : candidate.place + 2]
    return [span for one in behind if one.kind in ("prose", "item") for span in sentences_of(candidate.region, one)[:2]]


def _announced(candidate: Candidate) -> list[Span]:
    """The list or code behind its block; behind a colon, if there is neither, the next sentence."""
    region, place = candidate.region, candidate.place + 1
    behind = region.blocks[place] if place < len(region.blocks) else None
    if behind and behind.kind in ("item", "row"):
        inner = Candidate(candidate.passage, region, place, behind.span)
        return [part for part in _list(inner).parts if part[0] >= behind.start]
    if not candidate.text.endswith(":"):
        return []
    return _code_at(region, place) or _first_behind(candidate)[:1]
