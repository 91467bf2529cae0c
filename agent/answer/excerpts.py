"""Excerpts: what of a document answers as it stands, and is quoted whole.

A candidate is a sentence, an item of a list, a row of a table or a block of code: what is weighed. Its excerpt is the
candidate with what has to be read with it: the items of a list with what announces them, a row with the heads of its
columns, code with the sentence before it, what stands below a heading that asks.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, takewhile
from typing import Literal

from clew.agent.answer.candidates import Candidate, asks
from clew.agent.answer.structure import LONGEST, Block, Region, sentences_of
from clew.memory.text import ITEM, Span

MOST_ITEMS, LONGEST_LIST, SHORT_LIST = 16, 140, 60
"""Items and words of a list that is quoted whole; words of one that may have any number of items."""

LONGEST_ITEM = 24
"""Words of the items of a list, on average, from which they are clauses, each of which says what the others do not."""

LONGEST_CODE = 60
"""Words of code that is quoted with what stands behind it, an empty line between."""

SHORT_PARAGRAPH = 12
"""Words of a paragraph that, among others like it, is as good as an item of a list."""

REPLY = 45
"""Words that are quoted of what answers a question that a document asks itself; one sentence at least."""

ANNOUNCES = re.compile(
    r"(?::|\.\.\.|\u2026|\b(?:commands?|run|execute))[*_\"'\u201d\u2019]*$"
    r"|\b(?:following|as follows|these are|are these)\b[^.]*[.:]$"
)
"""How what announces a list or code ends, or says so."""

COUNTS = re.compile(
    r"\b(?:two|three|four|five|six|seven|eight|nine|ten|several|various|many|different|number of|some|these"
    r"|following)\b(?: \w+){0,3} \w+s\b",
    re.IGNORECASE,
)
"""How a sentence says that there are several things, which the next one may name."""

_NAMES_SEVERAL = re.compile(r",.*\b(?:and|or)\b|, .*, ")
_RUN_IN = re.compile(r"(?:What|How|When|Where|Who|Why|Which)\b[^.?!,:;]{0,50}\.$")
"""A heading that stands in the line of its paragraph."""

_CAPTION = re.compile(r"(?:Table|Figure|Fig\.|Example|Listing|Box)\s+[\dA-Z][\w.-]*\b")
"""How the line above a table or an example begins, between it and what announces it."""

_LABELLED = re.compile(r"\W{0,4}[^\W\d_][\w'’/-]*(?: [\w'’/-]+){0,3}: \S")
"""`By mail: ...`, a line of an address or a form."""

_NUMBERED = re.compile(r"\s*(?:\(?(?:\d{1,2}|[a-z])[.)]\s|\W*(?:step|stage|phase) \d)", re.IGNORECASE)
"""How an item of a list of steps begins."""

ExcerptKind = Literal["sentence", "item", "row", "list", "code"]


@dataclass(frozen=True, slots=True, eq=False)
class Excerpt:
    """Parts of the text of a region, in its order; the candidate is one of them or within one."""

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


def excerpt_of(candidate: Candidate, *, whole_list: bool = False, steps: bool = False, opens: bool = False) -> Excerpt:
    """`whole_list`: the question asks for all of a list, `steps`: how something is done. `opens`: what is asked for is
    not in the candidate."""
    region, block = candidate.region, candidate.block
    if block.kind == "item":
        if (whole_list and not _are_clauses(candidate)) or (steps and _are_steps(candidate)):
            return _list(candidate)
        return _with_sublist(candidate)
    if block.kind == "row":
        if whole_list:
            return _list(candidate)
        head = region.blocks[block.lead] if block.lead >= 0 else None
        return Excerpt(candidate, "row", (*(((head.start, head.end),) if head else ()), candidate.span))
    if block.kind == "code":
        return _code(candidate)
    unit = _sentence(candidate, whole_list=whole_list, opens=opens)
    code = _code_at(region, candidate.place + 1) if steps and unit.parts[-1] == sentences_of(region, block)[-1] else []
    return replace(unit, parts=(*unit.parts, *code)) if code else unit


def members(region: Region, group: int) -> list[Block]:
    """The blocks of a list or a table."""
    return [block for block in region.blocks if block.group == group]


def is_announced(region: Region, item: Block) -> bool:
    return item.lead >= 0 and bool(ANNOUNCES.search(region.of(region.blocks[item.lead])))


def is_item(text: str) -> bool:
    return bool(ITEM.match(text))


# Lists and code ---------------------------------------------------------------------------------------------------


def _list(candidate: Candidate) -> Excerpt:
    region, block = candidate.region, candidate.block
    items = members(region, block.group)
    place = items.index(block)
    lead = region.blocks[items[0].lead] if items[0].lead >= 0 else None
    parts = [(item.start, item.end) for item in items]
    if not _too_many(region, whole := _with_code(region, items)):
        return Excerpt(candidate, "list", (*_announcing(region, lead), *whole))
    if _too_many(region, parts):  # of each how it begins
        parts = [sentences_of(region, item)[0] for item in items]
    while len(parts) > 1 and _too_many(region, parts):
        if place < len(parts) - 1:
            parts.pop()
        else:
            parts.pop(0)
            place -= 1
    return Excerpt(candidate, "list", (*_announcing(region, lead), *parts))


def _with_code(region: Region, items: Sequence[Block]) -> list[Span]:
    """The items of a list, and the code that stands between them."""
    first, last = (region.blocks.index(items[at]) for at in (0, -1))
    return [(one.start, one.end) for one in region.blocks[first : last + 1] if one in items or one.kind == "code"]


def _too_many(region: Region, parts: Sequence[Span]) -> bool:
    words = sum(len(region.text[slice(*part)].split()) for part in parts)
    return words > LONGEST_LIST or (len(parts) > MOST_ITEMS and words > SHORT_LIST)


def _with_sublist(candidate: Candidate) -> Excerpt:
    """An item that ends with a colon goes on with what stands behind it; one that is a title with its paragraph."""
    region, block = candidate.region, candidate.block
    parts = [candidate.span]
    if region.of(block).endswith(":") and candidate.place + 1 < len(region.blocks):
        behind = region.blocks[candidate.place + 1]
        parts += [(behind.start, behind.end)] if behind.kind in ("item", "code", "prose") else []
    elif _is_title(region, candidate.place):
        parts += _within(region, sentences_of(region, region.blocks[candidate.place + 1]), REPLY)
    return Excerpt(candidate, "item", tuple(parts))


def _is_title(region: Region, place: int) -> bool:
    """Whether an item is what the paragraph behind it is about, and so are others: each stands alone in its list, and
    is no sentence."""
    return sum(_stands_above(region, at) for at in range(len(region.blocks) - 1)) > 1 and _stands_above(region, place)


def _stands_above(region: Region, place: int) -> bool:
    if place + 1 >= len(region.blocks):
        return False
    item, behind = region.blocks[place : place + 2]
    alone = item.kind == "item" and behind.kind == "prose" and len(members(region, item.group)) == 1
    return alone and not re.search(r"[.!;,:][\"'”’)*_]*$", region.of(item))


def _are_clauses(candidate: Candidate) -> bool:
    """Whether the items of its list are paragraphs that nothing announces, as those of a contract."""
    region, items = candidate.region, members(candidate.region, candidate.block.group)
    words = sum(len(region.of(item).split()) for item in items)
    return words > LONGEST_ITEM * len(items) and not is_announced(region, items[0])


def _are_steps(candidate: Candidate) -> bool:
    """Whether its list has numbers, or is announced or asked for and short, and may be quoted whole."""
    region, items = candidate.region, members(candidate.region, candidate.block.group)
    words = sum(len(region.of(item).split()) for item in items)
    numbered = bool(_NUMBERED.match(region.of(items[0])))
    announced = is_announced(region, items[0]) or asks(candidate.head.strip())
    return len(items) <= MOST_ITEMS and ((numbered and words <= LONGEST_LIST) or (announced and words <= LONGEST_CODE))


def _code(candidate: Candidate) -> Excerpt:
    region, block = candidate.region, candidate.block
    lead = region.blocks[block.lead] if block.lead >= 0 else None
    told = _code_at(region, candidate.place) or [candidate.span]  # of a long one a part
    return Excerpt(candidate, "code", (*_announcing(region, lead, code=True), *told))


def _code_at(region: Region, place: int) -> list[Span]:
    """The block of code there, and those behind it while they have `LONGEST_CODE` words together; none where there is
    no code, or it alone is longer than a candidate may be."""
    code = list(takewhile(lambda block: block.kind == "code", region.blocks[place:]))
    counts = accumulate(len(region.of(block).split()) for block in code)
    return [
        (block.start, block.end)
        for n, (block, count) in enumerate(zip(code, counts, strict=True))
        if count <= (LONGEST_CODE if n else LONGEST)
    ]


def _announcing(region: Region, lead: Block | None, *, code: bool = False) -> tuple[Span, ...]:
    """The last sentence of the block before a list or code, where it announces that; of a paragraph also where it only
    counts things, or stands before code."""
    if lead is None or lead.kind not in ("prose", "item"):
        return ()
    last = sentences_of(region, lead)[-1:]
    text = region.text[slice(*last[0])]
    announces = ANNOUNCES.search(text) or (lead.kind == "prose" and (code or COUNTS.search(text)))
    return tuple(last) if announces else ()


# Sentences --------------------------------------------------------------------------------------------------------


def _sentence(candidate: Candidate, *, whole_list: bool, opens: bool) -> Excerpt:
    """With what answers it where it asks, the sentence behind it where that holds what is asked for, and the list or
    the code that it announces."""
    region, block = candidate.region, candidate.block
    spans = sentences_of(region, block)
    at = spans.index(candidate.span)
    parts = [candidate.span]
    if asks(candidate.text):
        parts += _within(region, [*spans[at + 1 :], *_first_behind(candidate)], REPLY)
    elif at == 0 and _RUN_IN.match(candidate.text):
        parts += _within(region, spans[1:], REPLY)
    elif at + 1 < len(spans) and (
        opens or (whole_list and _counts(candidate.text, region.text[slice(*spans[at + 1])]))
    ):
        parts.append(spans[at + 1])
    last, said = at == len(spans) - 1, bool(ANNOUNCES.search(candidate.text))
    replies = (
        whole_list and asks(candidate.head.strip()) and _leads(candidate)
    )  # a paragraph and its list under a question
    if (last and (said or (whole_list and candidate.text.count(",") < 2))) or replies:
        parts += _announced(candidate, said, whole_list)
    return Excerpt(candidate, "list" if len(parts) > 3 else "sentence", tuple(parts))


def _within(region: Region, spans: Sequence[Span], words: int) -> list[Span]:
    """The first, and those behind it while they have so many words together; none from the next question on."""
    texts = [region.text[slice(*span)] for span in spans]
    spans = spans[: next((n for n, text in enumerate(texts) if n and asks(text)), len(spans))]
    counts = accumulate(len(region.text[slice(*span)].split()) for span in spans)
    return [span for n, (span, count) in enumerate(zip(spans, counts, strict=True)) if not n or count <= words]


def _first_behind(candidate: Candidate) -> list[Span]:
    """The first sentences of the block behind it."""
    region = candidate.region
    if candidate.place + 1 >= len(region.blocks):
        return []
    behind = region.blocks[candidate.place + 1]
    return sentences_of(region, behind)[:2] if behind.kind in ("prose", "item") else []


def _leads(candidate: Candidate) -> bool:
    """Whether a list stands behind its paragraph."""
    behind = candidate.region.blocks[candidate.place + 1 : candidate.place + 2]
    return any(block.kind == "item" and block.lead == candidate.place for block in behind)


def _counts(text: str, behind: str) -> bool:
    """Whether it says that there are several things, and what stands behind it names them."""
    return bool(COUNTS.search(text) and not _NAMES_SEVERAL.search(text) and _NAMES_SEVERAL.search(behind))


def _announced(candidate: Candidate, said: bool, whole: bool) -> list[Span]:
    """The list or the code behind its block; with `whole` the short paragraphs, too, that are as good as a list."""
    region, place = candidate.region, candidate.place
    if said and _is_caption(region, place + 1):
        place += 1
    if place + 1 >= len(region.blocks):
        return []
    behind = region.blocks[place + 1]
    if behind.kind in ("item", "row"):
        inner = Candidate(candidate.passage, region, place + 1, (behind.start, behind.end))
        return [part for part in _list(inner).parts if part[0] >= behind.start]
    if said and behind.kind == "code":
        return _code_at(region, place + 1)
    if said and (lines := _labelled(region, place + 1) or _right_below(region, place)):
        return lines
    prose = takewhile(lambda block: block.kind == "prose", region.blocks[place + 1 :])
    short = list(takewhile(lambda block: len(region.of(block).split()) <= SHORT_PARAGRAPH, prose))
    if said and whole and len(short) > 2:
        counts = accumulate(len(region.of(block).split()) for block in short)
        return [(one.start, one.end) for one, count in zip(short, counts, strict=True) if count <= LONGEST_CODE]
    return _first_behind(candidate)[:1] if said else []


def _labelled(region: Region, place: int) -> list[Span]:
    """The lines with labels there, one under the other, that may have been taken for headings."""
    lines = takewhile(lambda one: _LABELLED.match(region.of(one)), region.blocks[place:])
    return _within(region, [(one.start, one.end) for one in lines], SHORT_LIST)


def _right_below(region: Region, place: int) -> list[Span]:
    """Several short lines with no empty line between: `Opening hours:`, `Mon-Fri 9:00-18:00`, `Sat 9:00-13:00`."""
    blocks = list(takewhile(lambda block: block.kind == "prose", region.blocks[place + 1 :]))
    before = [region.blocks[place], *blocks]
    close = (region.text[one.end : other.start].count("\n") < 2 for one, other in zip(before, blocks, strict=False))
    short = [block for block, _ in takewhile(lambda each: each[1], zip(blocks, close, strict=True))]
    short = list(takewhile(lambda block: len(region.of(block).split()) <= SHORT_PARAGRAPH, short))
    return _within(region, [(one.start, one.end) for one in short], SHORT_LIST) if len(short) > 1 else []


def _is_caption(region: Region, place: int) -> bool:
    block = region.blocks[place] if place < len(region.blocks) else None
    return block is not None and block.kind == "heading" and bool(_CAPTION.match(region.of(block)))
