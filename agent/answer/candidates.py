"""Candidates: the sentences, items of lists, rows of tables and blocks of code that are weighed."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

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
        for span in [(block.start, block.end)] if whole else sentences_of(region, block):
            text = region.text[slice(*span)]
            if len(text.split()) <= LONGEST and re.search(r"\w", text):
                yield Candidate(passage, region, place, span)


def asks(text: str) -> bool:
    return bool(re.search(r"\?[\"”’')\]*_]*$", text))
