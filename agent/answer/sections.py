"""Sections of documents, by what their headings say."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from clew.agent.answer.structure import Region, unnumbered, whole_region
from clew.memory.datatypes import Document
from clew.memory.text import Span, content_words

FEWEST = 30
"""Words of a section that is worth a summary."""

_NAMED = re.compile(
    r"(?:the )?(?:section|chapter|part|paragraph) (?:on|about|of|called|named|titled) (?:the )?(?P<a>.+)"
    r"|(?:the )?(?P<b>.+) (?:section|chapter|part|paragraph)",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"(?:the )?(?:section|chapter|part) (\d{1,2}(?:\.\d{1,2})*)", re.IGNORECASE)
_NUMBER = re.compile(r"\W*(\d{1,2}(?:\.\d{1,2})*)[.)]?\s")


@dataclass(frozen=True, slots=True)
class Section:
    """`document.text[span]` stands under this heading."""

    document: Document
    heading: str
    span: Span


def named_section(words: str) -> str:
    """What `the chapter on joins` is about; empty where they name no section."""
    found = _NAMED.fullmatch(words)
    return found["a"] or found["b"] if found else ""


def number_of_section(words: str) -> str:
    """`3` of `chapter 3`; empty where that is not what they say."""
    found = _NUMBERED.fullmatch(words)
    return found[1] if found else ""


def section_of(words: str, documents: Iterable[Document]) -> Section | None:
    """The first whose heading has these words and no others, or this number; None where there is none worth a
    summary."""
    asked, number = {*content_words(words)}, number_of_section(words)

    def meant(heading: str) -> bool:
        if number:
            return bool(re.match(rf"\W*(?:(?:chapter|section|part) )?{re.escape(number)}(?![\d.]*\d)", heading, re.I))
        return {*content_words(unnumbered(heading))} == asked

    return next((one for document in documents for one in _sections(document, meant)), None) if asked else None


def _sections(document: Document, meant: Callable[[str], bool]) -> Iterable[Section]:
    region = whole_region(document)
    for place, block in enumerate(region.blocks):
        heading = region.of(block)
        if block.kind == "heading" and meant(heading):
            end = _end(region, place)
            if len(region.text[block.end : end].split()) >= FEWEST:
                yield Section(document, " ".join(heading.split()), (block.end, end))


def _end(region: Region, place: int) -> int:
    """Where the next section of its depth begins, by the numbers of the headings; by the next heading without these."""
    number = _NUMBER.match(region.of(region.blocks[place]))
    depth = number[1].count(".") if number else 0
    for block in region.blocks[place + 1 :]:
        if block.kind != "heading":
            continue
        other = _NUMBER.match(region.of(block))
        if number is None or (other and other[1].count(".") <= depth):
            return block.start
    return len(region.text)
