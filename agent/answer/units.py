"""Units: what of a document answers as it stands, and is quoted whole.

A core is a sentence, an item of a list, a row of a table or a block of code: what is weighed. Its unit is the core with
what has to be read with it: a list's items with what announces them, a row with the heads of its columns, code with the
sentence before it, the sentence that names what a pronoun stands for, what stands below a heading that asks.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, takewhile
from typing import Literal

from clew.agent.answer.structure import RUNNING_HEAD, Block, Region, region_of, sentences_of, unnumbered
from clew.memory.datatypes import Document, Passage
from clew.memory.text import ITEM, Span

LONGEST = 90
"""Words of a core."""

MOST_ITEMS, LONGEST_LIST, SHORT_LIST = 16, 140, 60
"""Items and words of a list that is quoted whole; words of one that may have any number of items."""

LONGEST_CODE = 60
"""Words of code that is quoted with what stands behind it, an empty line between."""

SHORT_PARAGRAPH = 12
"""Words of a paragraph that, among others like it, is as good as an item of a list."""

_NUMBERED = re.compile(r"\s*(?:\(?(?:\d{1,2}|[a-z])[.)]\s|\W*(?:step|stage|phase) \d)", re.IGNORECASE)

REPLY = 45
"""Words that are quoted of what answers a question that a document asks itself; one sentence at least."""

PRONOUN = re.compile(
    r"[\"“‘'(]*(?:(?:However|But|And|So|Also|Then|Thus|Therefore|Hence|Otherwise|Instead),? )?"
    r"(?:it|he|she|they|this|these|those|its|his|her|their|that|such|both|neither|the (?:former|latter|same)"
    r"|(?:to|by) [a-z]+ (?:this|these|those))\b",
    re.IGNORECASE,
)
"""How a sentence begins that the one before has to be read with."""

_CONNECTIVE = re.compile(
    r"(?:However|Otherwise|Instead|Therefore|Thus|Hence|Then|Also|But|So|And|Nevertheless"
    r"|Moreover|In addition|For example"
    r"|For instance|In this case|In that case)\b"
)
_ANNOUNCES = re.compile(
    r"(?::|\.\.\.|\u2026|\b(?:commands?|run|execute))[*_\"'\u201d\u2019]*$"
    r"|\b(?:following|as follows|these are|are these)\b[^.]*[.:]$"
)


@dataclass(frozen=True, slots=True, eq=False)
class Core:
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


_RUN_IN = re.compile(r"(?:What|How|When|Where|Who|Why|Which)\b[^.?!,:;]{0,50}\.$")
"""A heading that stands in the line of its paragraph: 'What is not covered. Filters, and ...'"""

_COUNTS = re.compile(
    r"\b(?:two|three|four|five|six|seven|eight|nine|ten|several|various|many|different|number of|some|these"
    r"|following)\b(?: \w+){0,3} \w+s\b",
    re.IGNORECASE,
)
"""How a sentence says that there are several things, which the next one may name: 'There are four types of it.'"""

_NAMES_SEVERAL = re.compile(r",.*\b(?:and|or)\b|, .*, ")

_CAPTION = re.compile(r"(?:Table|Figure|Fig\.|Example|Listing|Box)\s+[\dA-Z][\w.-]*\b")
"""How the line above a table or an example begins, between it and what announces it."""

_POINTER = re.compile(r"\W*(?:See|Refer to) .*\bfor (?:(?:further|more|full) )?(?:details|information|discussion)\W*")
"""A sentence that only says where more stands."""

_PUBLICATION = re.compile(r"\b[A-Z][\w'’-]+, (?:[A-Z]\.[ -]?){1,3}[^()]{0,80}\((?:19|20)\d\d[a-z]?\)")
"""In an entry of a bibliography: `Cortes, C. & Vapnik, V. (1995)`."""

_SALUTATION = re.compile(
    r"\W*(?:Dear|Hello|Hi|Kind regards|Best wishes|Yours|Sehr geehrte\w*|Liebe\w*|Ch[eè]re?s?|Estimad[oa]s?|Gentile"
    r"|Kara(?:j|n|jn)?)\b[^.:;!?]{0,50},"
)
"""A line of a letter: `Dear Ms Orde,`."""

_LABELLED = re.compile(r"\W{0,4}[^\W\d_][\w'’/-]*(?: [\w'’/-]+){0,3}: \S")
"""`By mail: ...`, a line of an address or a form."""

_REVISES = re.compile(
    r"\W*(?:(?:now|then|later|since then),? )?(?:(?:it|this|that|the (?:date|day|price|plan|time|limit)) )?"
    r"(?:(?:has|have|had|was|were|is|are|got) )?(?:(?:since|now|been|then) )*"
    r"(?:moved|postponed|put off|cancell?ed|changed|rescheduled|raised|lowered|extended|replaced|brought forward"
    r"|no longer)\b",
    re.IGNORECASE,
)
_UPDATES = re.compile(r"\W*(?:update|correction|edit|later)\b[^.:]{0,20}:", re.IGNORECASE)
"""How a sentence, or a line, begins that says what has become of what the one before says: `Moved to 22 October`."""

UnitKind = Literal["sentence", "item", "row", "list", "code"]


@dataclass(frozen=True, slots=True, eq=False)
class AnswerUnit:
    """Parts of the text of a region, in its order; the core is one of them or within one."""

    core: Core
    kind: UnitKind
    parts: tuple[Span, ...]

    @property
    def texts(self) -> tuple[str, ...]:
        return tuple(self.core.region.text[start:end] for start, end in self.parts)

    @property
    def words(self) -> int:
        return sum(len(text.split()) for text in self.texts)

    def is_code(self, part: Span) -> bool:
        """Whether its lines are shown as they stand."""
        return any(block.kind == "code" and block.start <= part[0] < block.end for block in self.core.region.blocks)


def cores_of(passages: Sequence[Passage], documents: Mapping[str, Document]) -> list[Core]:
    """Of all passages, each once: chunks overlap."""
    found: dict[tuple[str, int], Core] = {}
    for number, passage in enumerate(passages):
        region = region_of(passage, documents.get(passage.document))
        first = passage.start - region.offset
        last = first + len(passage.text)
        for core in _of_region(region, number):
            if core.span[1] > first and core.span[0] < last:
                found.setdefault((passage.document, core.position), core)
    return list(found.values())


def _of_region(region: Region, passage: int) -> Iterator[Core]:
    for place, block in enumerate(region.blocks):
        if block.kind in ("heading", "contents") or region.heads_columns(place):
            continue
        whole = block.kind != "prose" and len(region.of(block).split()) <= LONGEST
        for span in [(block.start, block.end)] if whole else sentences_of(region, block):
            text = region.text[slice(*span)]
            if len(text.split()) > LONGEST or not re.search(r"\w", text):
                continue
            if not (_POINTER.fullmatch(text) or _SALUTATION.fullmatch(text) or _PUBLICATION.search(text)):
                yield Core(passage, region, place, span)


def unit_of(core: Core, *, whole_list: bool = False, steps: bool = False, opens: bool = False) -> AnswerUnit:
    """`whole_list`: the question asks for all of a list, `steps`: how something is done. `opens`: what is asked for is
    not in the core."""
    region, block = core.region, core.block
    if block.kind == "item":
        if whole_list or (steps and _are_steps(core)):
            return _list(core)
        return _with_sublist(core)
    if block.kind == "row":
        if whole_list:
            return _list(core)
        head = region.blocks[block.lead] if block.lead >= 0 else None
        return AnswerUnit(core, "row", (*(((head.start, head.end),) if head else ()), core.span))
    if block.kind == "code":
        return _code(core)
    unit = _sentence(core, whole_list=whole_list, opens=opens)
    last = unit.parts[-1] == sentences_of(region, block)[-1]
    if not (steps and last):
        return unit
    code = _code_at(region, core.place + 1) or (_ways(core) if len(unit.parts) == 1 else [])
    return replace(unit, parts=(*unit.parts, *code))


def _ways(core: Core) -> list[Span]:
    """What stands below a sentence that says that there are several ways, with code among it."""
    region = core.region
    if not _COUNTS.search(core.text):
        return []
    below = takewhile(lambda block: block.kind in ("prose", "code"), region.blocks[core.place + 1 :])
    blocks = {(block.start, block.end): block.kind for block in below}
    spans = _within(region, list(blocks), LONGEST_CODE)
    return spans if any(blocks[span] == "code" for span in spans) else []


def _members(region: Region, group: int) -> list[Block]:
    return [block for block in region.blocks if block.group == group]


def _list(core: Core) -> AnswerUnit:
    region, block = core.region, core.block
    items = _members(region, block.group)
    place = items.index(block)
    lead = region.blocks[items[0].lead] if items[0].lead >= 0 else None
    parts = [(item.start, item.end) for item in items]
    while len(parts) > 1 and (
        (words := sum(len(region.text[slice(*part)].split()) for part in parts)) > LONGEST_LIST
        or (len(parts) > MOST_ITEMS and words > SHORT_LIST)
    ):
        if place < len(parts) - 1:
            parts.pop()
        else:
            parts.pop(0)
            place -= 1
    return AnswerUnit(core, "list", (*_announcing(region, lead), *parts))


def _with_sublist(core: Core) -> AnswerUnit:
    """An item that ends with a colon goes on with those behind it."""
    region, block = core.region, core.block
    parts = [core.span]
    if region.of(block).endswith(":") and core.place + 1 < len(region.blocks):
        behind = region.blocks[core.place + 1]
        parts += [(behind.start, behind.end)] if behind.kind in ("item", "code", "prose") else []
    return AnswerUnit(core, "item", tuple(parts))


def _are_steps(core: Core) -> bool:
    """Whether its list has numbers, or is announced and short, and may be quoted whole."""
    region, items = core.region, _members(core.region, core.block.group)
    words = sum(len(region.of(item).split()) for item in items)
    numbered = bool(_NUMBERED.match(region.of(items[0])))
    announced = items[0].lead >= 0 and bool(_ANNOUNCES.search(region.of(region.blocks[items[0].lead])))
    return len(items) <= MOST_ITEMS and ((numbered and words <= LONGEST_LIST) or (announced and words <= LONGEST_CODE))


def _code(core: Core) -> AnswerUnit:
    region, block = core.region, core.block
    lead = region.blocks[block.lead] if block.lead >= 0 else None
    return AnswerUnit(core, "code", (*_announcing(region, lead), *_code_at(region, core.place)))


def _code_at(region: Region, place: int) -> list[Span]:
    """The block of code there, and those behind it while they have `LONGEST_CODE` words together; none where there is
    no code, or it alone is longer than a core may be."""
    code = list(takewhile(lambda block: block.kind == "code", region.blocks[place:]))
    counts = accumulate(len(region.of(block).split()) for block in code)
    return [
        (block.start, block.end)
        for n, (block, count) in enumerate(zip(code, counts, strict=True))
        if count <= (LONGEST_CODE if n else LONGEST)
    ]


def _announcing(region: Region, lead: Block | None) -> tuple[Span, ...]:
    """The last sentence of the block that announces a list or code; of an item where it ends as one does."""
    if lead is None or lead.kind not in ("prose", "item"):
        return ()
    last = sentences_of(region, lead)[-1:]
    return tuple(last) if lead.kind == "prose" or _ANNOUNCES.search(region.text[slice(*last[0])]) else ()


def _sentence(core: Core, *, whole_list: bool, opens: bool) -> AnswerUnit:
    region, block = core.region, core.block
    spans = sentences_of(region, block)
    at = spans.index(core.span)
    parts = [core.span]
    if asks(core.text):
        parts += _within(region, [*spans[at + 1 :], *_behind(core)], REPLY)
    elif at == 0 and _RUN_IN.match(core.text):
        parts += _within(region, spans[1:], REPLY)
    elif at + 1 < len(spans) and (opens or (whole_list and _counts(core.text, region.text[slice(*spans[at + 1])]))):
        parts.append(spans[at + 1])
    elif whole_list and at + 2 == len(spans) and _COUNTS.search(core.text) and _ends_announcing(region, spans[-1]):
        parts += [spans[-1], *_announced(core, said=True, whole=True)]  # 'It has three goals. These are:'
    last, said = at == len(spans) - 1, _ends_announcing(region, core.span)
    if last and (said or (whole_list and core.text.count(",") < 2)):
        parts += _announced(core, said, whole_list)
    if (PRONOUN.match(core.text) or _CONNECTIVE.match(core.text)) and at:
        parts.insert(0, spans[at - 1])
    if len(parts) == 1:
        parts += _revised(core, spans[at + 1 :])
    return AnswerUnit(core, "list" if len(parts) > 3 else "sentence", tuple(parts))


def _revised(core: Core, behind: Sequence[Span]) -> list[Span]:
    """What stands right behind it and says what has become of it: the next sentence, or the next line."""
    region = core.region
    if behind:
        text = region.text[slice(*behind[0])]
        return [*behind[:1]] if _REVISES.match(text) or _UPDATES.match(text) else []
    return [span for span in _behind(core)[:1] if _UPDATES.match(region.text[slice(*span)])]


def _ends_announcing(region: Region, span: Span) -> bool:
    return bool(_ANNOUNCES.search(" ".join(region.text[slice(*span)].split())))


def _counts(text: str, behind: str) -> bool:
    """Whether it says that there are several things, and what stands behind it names them."""
    return bool(_COUNTS.search(text) and not _NAMES_SEVERAL.search(text) and _NAMES_SEVERAL.search(behind))


def _within(region: Region, spans: Sequence[Span], words: int) -> list[Span]:
    """The first, and those behind it while they have so many words together; none from the next question on."""
    texts = [region.text[slice(*span)] for span in spans]
    spans = spans[: next((n for n, text in enumerate(texts) if n and asks(text)), len(spans))]
    counts = accumulate(len(region.text[slice(*span)].split()) for span in spans)
    return [
        span for number, (span, count) in enumerate(zip(spans, counts, strict=True)) if not number or count <= words
    ]


def _behind(core: Core) -> list[Span]:
    """The first sentences of the block behind it."""
    region = core.region
    if core.place + 1 >= len(region.blocks):
        return []
    behind = region.blocks[core.place + 1]
    return sentences_of(region, behind)[:2] if behind.kind in ("prose", "item") else []


def _announced(core: Core, said: bool, whole: bool) -> list[Span]:
    """The list or the code behind its block; with `whole` the short paragraphs, too, that are as good as a list."""
    region, place = core.region, core.place
    if said and _is_caption(region, place + 1):
        place += 1
    if place + 1 >= len(region.blocks):
        return []
    behind = region.blocks[place + 1]
    if behind.kind in ("item", "row"):
        inner = Core(core.passage, region, place + 1, (behind.start, behind.end))
        return [part for part in _list(inner).parts if part[0] >= behind.start]
    if said and behind.kind == "code":
        return _code_at(region, place + 1)
    if said and (lines := _labelled(region, place + 1)):
        return lines
    short = list(
        takewhile(lambda block: block.kind == "prose" and _is_short(region, block), region.blocks[place + 1 :])
    )
    if said and whole and len(short) > 2:
        counts = accumulate(len(region.of(block).split()) for block in short)
        return [(one.start, one.end) for one, count in zip(short, counts, strict=True) if count <= LONGEST_CODE]
    return _behind(core)[:1] if said else []


def _labelled(region: Region, place: int) -> list[Span]:
    """The lines with labels there, one under the other, that may have been taken for headings."""
    lines = takewhile(lambda one: _LABELLED.match(region.of(one)), region.blocks[place:])
    return _within(region, [(one.start, one.end) for one in lines], SHORT_LIST)


def _is_caption(region: Region, place: int) -> bool:
    block = region.blocks[place] if place < len(region.blocks) else None
    return block is not None and block.kind == "heading" and bool(_CAPTION.match(region.of(block)))


def _is_short(region: Region, block: Block) -> bool:
    return len(region.of(block).split()) <= SHORT_PARAGRAPH


def asks(text: str) -> bool:
    return bool(re.search(r"\?[\"”’')\]*_]*$", text))


def is_item(text: str) -> bool:
    return bool(ITEM.match(text))
