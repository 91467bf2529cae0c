"""The excerpt of a candidate: with it what is needed to read it, such as the sentence that announces a list, the
column heads of a row, the sentence before code, or the text below a heading or an item that is a question."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, takewhile
from typing import Literal

from clew.memory.knowledge.document_parts import LONGEST, Block, Candidate, Region, sentences_of, which_ask
from clew.memory.text import Span

MOST_ITEMS, LONGEST_LIST, SHORT_LIST = 16, 140, 60
"""A list is quoted whole up to so many items and words; a list of at most `SHORT_LIST` words may have more items."""

LONGEST_CODE = 60  # words of code that are quoted together, over several blocks
REPLY = 45  # words that are quoted of the reply to a question that stands in the document; at least one sentence is


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
        return Excerpt(candidate, "list", _list(region, block))
    if block.kind == "item":
        behind = region.blocks[candidate.place + 1 : candidate.place + 2] if candidate.asks else []
        reply = [one.span for one in behind if one.kind in ("item", "prose")]
        below = reply or _within(region, [one.span for one in region.blocks if block in one.parents], LONGEST_LIST)
        return Excerpt(candidate, "item", (*(one.span for one in block.parents), candidate.span, *below))
    if block.kind in ("row", "field"):
        return Excerpt(candidate, "row", (*([block.lead.span] if block.lead else []), candidate.span))
    if block.kind == "code":
        told = _code_at(region, candidate.place) or [candidate.span]  # of a long one a part
        return Excerpt(candidate, "code", (*_announcing(region, block), *told))
    return _sentence(candidate, whole_list)


def _list(region: Region, block: Block) -> tuple[Span, ...]:
    """The list that the block is an item of, as much as there is room for."""
    items = [one for one in region.blocks if one.group == block.group]
    parts = [item.span for item in items]
    if _too_many(region, parts):  # of each how it begins
        parts = [sentences_of(region, item)[0] for item in items]
    if _too_many(region, parts):
        parts = _within(region, parts[items.index(block) :][:MOST_ITEMS], LONGEST_LIST)
    return (*_announcing(region, items[0]), *parts)


def _too_many(region: Region, parts: Sequence[Span]) -> bool:
    words = sum(len(region.text[slice(*part)].split()) for part in parts)
    return words > LONGEST_LIST or (len(parts) > MOST_ITEMS and words > SHORT_LIST)


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
    if candidate.asks:
        behind = [*spans[at + 1 :], *_first_behind(candidate)]
        asking = which_ask([region.text[slice(*span)] for span in behind])
        parts = (
            _within(region, behind[: next((n for n, asks in enumerate(asking) if n and asks), None)], REPLY) or parts
        )
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
        return [part for part in _list(region, behind) if part[0] >= behind.start]
    if not candidate.text.endswith(":"):
        return []
    return _code_at(region, place) or _first_behind(candidate)[:1]
