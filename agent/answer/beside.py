"""What stands beside a core: the sentences, the list and the code that are quoted with it."""

import re
from collections.abc import Sequence
from itertools import accumulate, takewhile

from clew.agent.answer.code_lines import LONGEST
from clew.agent.answer.cores import Core, asks
from clew.agent.answer.structure import Block, Region, sentences_of
from clew.memory.text import Span

MOST_ITEMS, LONGEST_LIST, SHORT_LIST = 16, 140, 60
"""Items and words of a list that is quoted whole; words of one that may have any number of items."""

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
"""How a sentence says that there are several things, which the next one may name: 'There are four types of it.'"""


def members(region: Region, group: int) -> list[Block]:
    return [block for block in region.blocks if block.group == group]


def is_announced(region: Region, item: Block) -> bool:
    return item.lead >= 0 and bool(ANNOUNCES.search(region.of(region.blocks[item.lead])))


def ends_announcing(region: Region, span: Span) -> bool:
    return bool(ANNOUNCES.search(" ".join(region.text[slice(*span)].split())))


def within(region: Region, spans: Sequence[Span], words: int) -> list[Span]:
    """The first, and those behind it while they have so many words together; none from the next question on."""
    texts = [region.text[slice(*span)] for span in spans]
    spans = spans[: next((n for n, text in enumerate(texts) if n and asks(text)), len(spans))]
    counts = accumulate(len(region.text[slice(*span)].split()) for span in spans)
    return [
        span for number, (span, count) in enumerate(zip(spans, counts, strict=True)) if not number or count <= words
    ]


def first_behind(core: Core) -> list[Span]:
    """The first sentences of the block behind it."""
    region = core.region
    if core.place + 1 >= len(region.blocks):
        return []
    behind = region.blocks[core.place + 1]
    return sentences_of(region, behind)[:2] if behind.kind in ("prose", "item") else []


def code_at(region: Region, place: int) -> list[Span]:
    """The block of code there, and those behind it while they have `LONGEST_CODE` words together; none where there is
    no code, or it alone is longer than a core may be."""
    code = list(takewhile(lambda block: block.kind == "code", region.blocks[place:]))
    counts = accumulate(len(region.of(block).split()) for block in code)
    return [
        (block.start, block.end)
        for n, (block, count) in enumerate(zip(code, counts, strict=True))
        if count <= (LONGEST_CODE if n else LONGEST)
    ]


def right_below(region: Region, place: int) -> list[Span]:
    """Several short lines with no empty line between: `Opening hours:`, `Mon-Fri 9:00-18:00`, `Sat 9:00-13:00`."""
    blocks = list(takewhile(lambda block: block.kind == "prose", region.blocks[place + 1 :]))
    before = [region.blocks[place], *blocks]
    close = (region.text[one.end : other.start].count("\n") < 2 for one, other in zip(before, blocks, strict=False))
    short = [block for block, _ in takewhile(lambda each: each[1], zip(blocks, close, strict=True))]
    short = list(takewhile(lambda block: len(region.of(block).split()) <= SHORT_PARAGRAPH, short))
    return within(region, [(one.start, one.end) for one in short], SHORT_LIST) if len(short) > 1 else []
