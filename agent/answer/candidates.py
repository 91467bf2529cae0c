"""Candidates: the sentences, items of lists, rows of tables and blocks of code that are weighed."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

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
from clew.memory.text import Span


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """Of the passage at this place of the evidence: `span` in the text of its region, `place` that of its block."""

    passage: int
    region: Region
    place: int
    span: Span

    @property
    def block(self) -> Block:
        return self.region.blocks[self.place]

    @property
    def text(self) -> str:
        return " ".join(RUNNING_HEAD.sub(" ", self.region.text[slice(*self.span)]).split())

    @property
    def position(self) -> int:
        """The character of its document where it begins."""
        return self.region.offset + self.span[0]

    @property
    def head(self) -> str:
        """The heading that it stands under; empty where there is none."""
        head = self.block.head
        return self.region.of(self.region.blocks[head]) if head >= 0 else ""

    @property
    def lead(self) -> str:
        """What announces it, if it is an item, a row or code."""
        lead = self.block.lead
        return self.region.of(self.region.blocks[lead]) if lead >= 0 else ""

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
        for span in [(block.start, block.end)] if whole else sentences_of(region, block):
            text = region.text[slice(*span)]
            if len(text.split()) <= LONGEST and re.search(r"\w", text):
                yield Candidate(passage, region, place, span)


def asks(text: str) -> bool:
    return bool(re.search(r"\?[\"”’')\]*_]*$", text))
