"""Units: what of a document answers as it stands, and is quoted whole.

A core is a sentence, an item of a list, a row of a table or a block of code: what is weighed. Its unit is the core with
what has to be read with it: a list's items with what announces them, a row with the heads of its columns, code with the
sentence before it, the sentence that names what a pronoun stands for, what stands below a heading that asks.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, takewhile
from typing import Literal

from clew.agent.answer.antecedents import PRONOUN, read_with
from clew.agent.answer.cores import LONGEST, Core, asks
from clew.agent.answer.structure import Block, Region, sentences_of
from clew.memory.text import ITEM, Span

MOST_ITEMS, LONGEST_LIST, SHORT_LIST = 16, 140, 60
"""Items and words of a list that is quoted whole; words of one that may have any number of items."""

LONGEST_BEFORE = 40
"""Words of a sentence that comes along for whom it names: a longer one would bury what answers."""

LONGEST_CODE = 60
"""Words of code that is quoted with what stands behind it, an empty line between."""

LONGEST_ITEM = 24
"""Words of the items of a list, on average, from which they are clauses, each of which says what the others do not."""

SHORT_PARAGRAPH = 12
"""Words of a paragraph that, among others like it, is as good as an item of a list."""

_NUMBERED = re.compile(r"\s*(?:\(?(?:\d{1,2}|[a-z])[.)]\s|\W*(?:step|stage|phase) \d)", re.IGNORECASE)

REPLY = 45
"""Words that are quoted of what answers a question that a document asks itself; one sentence at least."""

_ANNOUNCES = re.compile(
    r"(?::|\.\.\.|\u2026|\b(?:commands?|run|execute))[*_\"'\u201d\u2019]*$"
    r"|\b(?:following|as follows|these are|are these)\b[^.]*[.:]$"
)

_LABELS = {
    "reason": re.compile(
        r"\W*(?:(?:the )?(?:root )?(?:cause|reason|explanation)s?|why|because|grund|ursache|raison|motiv[eo]|causa"
        r"|kialo)\b[^.:]{0,20}: ",
        re.IGNORECASE,
    ),
    "remedy": re.compile(
        r"\W*(?:(?:the )?(?:cure|fix|solution|remedy|workaround|action|repair)s?|what to do|how to|lösung|abhilfe)"
        r"\b[^.:]{0,20}: ",
        re.IGNORECASE,
    ),
}
"""How a line begins that says why, or what to do about it."""

_TELLS_HOW = re.compile(
    r"\b(?:(?:can|may|must|has to|have to|should) be|you (?:can|may|must|need|should)|by \w+ing|us(?:e|ing|es)|edit|set"
    r"|run|press|click|select|choose|type|enter|call|with (?:the|this))\b",
    re.IGNORECASE,
)
"""How a sentence looks that may say how something is done."""

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

_STEP = re.compile(
    r"(?:First(?:ly)?|Second(?:ly)?|Third(?:ly)?|Then|Next|After (?:that|this)|Afterwards|Now|Finally|Last(?:ly)?"
    r"|To begin(?: with)?)\b,? "
)
"""How a sentence begins that tells one of the steps: `Next, switch on the lamp`."""

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


def unit_of(core: Core, *, whole_list: bool = False, steps: bool = False, opens: bool = False) -> AnswerUnit:
    """`whole_list`: the question asks for all of a list, `steps`: how something is done. `opens`: what is asked for is
    not in the core."""
    region, block = core.region, core.block
    if block.kind == "item":
        if (whole_list and not _are_clauses(core)) or (steps and _are_steps(core)):
            return _list(core)
        return _with_sublist(core)
    if block.kind == "row":
        if whole_list:
            return _list(core)
        head = region.blocks[block.lead] if block.lead >= 0 else None
        return AnswerUnit(core, "row", (*(((head.start, head.end),) if head else ()), core.span))
    if block.kind == "code":
        return _code(core)
    if steps and (told := _told_steps(core)):
        return AnswerUnit(core, "sentence", told)
    unit = _sentence(core, whole_list=whole_list, opens=opens or (steps and _leads_on(core)))
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


def _told_steps(core: Core) -> tuple[Span, ...]:
    """The sentences that it is one of and that tell how something is done: of a paragraph under a heading that asks
    all, else from the one before the second step to the last step, and what is left behind that; none where there is
    but one step."""
    region, spans = core.region, sentences_of(core.region, core.block)
    if asks(core.head.strip()):
        told = _within(region, spans, REPLY)
        announces = region.text[slice(*told[-1])].rstrip().endswith(":") if told else True  # what is not in it
        return tuple(told) if core.span in told and not announces else ()
    steps = [at for at, span in enumerate(spans) if _STEP.match(region.text[slice(*span)])]
    if not steps:
        return ()
    begins = steps[0] if begins_steps(region.text[slice(*spans[steps[0]])]) else max(0, steps[0] - 1)
    ends = steps[-1] if steps[-1] + 2 < len(spans) else len(spans) - 1
    told = _within(region, spans[begins : ends + 1], LONGEST_CODE)
    return tuple(told) if core.span in told and len(told) > 1 else ()


def _leads_on(core: Core) -> bool:
    """Whether not it, but the next sentence says how: `The default port is 9120. It can be changed in tarn.conf.`"""
    region, spans = core.region, sentences_of(core.region, core.block)
    behind = region.text[slice(*span)] if (span := next(iter(spans[spans.index(core.span) + 1 :]), None)) else ""
    return bool(PRONOUN.match(behind) and _TELLS_HOW.search(behind) and not _TELLS_HOW.search(core.text))


def begins_steps(text: str) -> bool:
    return bool(re.match(r"(?:First(?:ly)?|To begin(?: with)?)\b,? ", text))


def gives_reason(text: str) -> bool:
    """`Reason: ...`, which is told where it is asked why."""
    return bool(_LABELS["reason"].match(text))


def with_label(core: Core, kind: Literal["reason", "remedy"]) -> AnswerUnit | None:
    """With the line of its section, right behind its paragraph or among the items behind it, whose label says why it is
    so, or what to do about it; such a line itself comes with what it is said of. None where there is none."""
    region, blocks = core.region, core.region.blocks
    labelled = [bool(_LABELLED.match(region.of(block))) for block in blocks]
    first = core.place
    while first and labelled[first] and blocks[first - 1].head == core.block.head:
        first -= 1
    behind = takewhile(lambda at: labelled[at] and blocks[at].head == core.block.head, range(first + 1, len(blocks)))
    told = next((at for at in behind if _LABELS[kind].match(region.of(blocks[at]))), None)
    if told is None or core.place not in (first, told) or (core.place == told and blocks[first].kind != "item"):
        return None
    said = core.span if core.place == first else (blocks[first].start, blocks[first].end)
    return AnswerUnit(core, "sentence", (said, (blocks[told].start, blocks[told].end)))


def _members(region: Region, group: int) -> list[Block]:
    return [block for block in region.blocks if block.group == group]


def _list(core: Core) -> AnswerUnit:
    region, block = core.region, core.block
    items = _members(region, block.group)
    place = items.index(block)
    lead = region.blocks[items[0].lead] if items[0].lead >= 0 else None
    parts = [(item.start, item.end) for item in items]
    if not _too_many(region, whole := _with_code(region, items)):
        return AnswerUnit(core, "list", (*_announcing(region, lead), *whole))
    if _too_many(region, parts):  # of each how it begins
        parts = [sentences_of(region, item)[0] for item in items]
    while len(parts) > 1 and _too_many(region, parts):
        if place < len(parts) - 1:
            parts.pop()
        else:
            parts.pop(0)
            place -= 1
    return AnswerUnit(core, "list", (*_announcing(region, lead), *parts))


def _with_code(region: Region, items: Sequence[Block]) -> list[Span]:
    """The items of a list, and the code that stands between them."""
    first, last = (region.blocks.index(items[at]) for at in (0, -1))
    return [(one.start, one.end) for one in region.blocks[first : last + 1] if one in items or one.kind == "code"]


def _too_many(region: Region, parts: Sequence[Span]) -> bool:
    words = sum(len(region.text[slice(*part)].split()) for part in parts)
    return words > LONGEST_LIST or (len(parts) > MOST_ITEMS and words > SHORT_LIST)


def _with_sublist(core: Core) -> AnswerUnit:
    """An item that ends with a colon goes on with those behind it."""
    region, block = core.region, core.block
    parts = [core.span]
    if region.of(block).endswith(":") and core.place + 1 < len(region.blocks):
        behind = region.blocks[core.place + 1]
        parts += [(behind.start, behind.end)] if behind.kind in ("item", "code", "prose") else []
    return AnswerUnit(core, "item", tuple(parts))


def _are_clauses(core: Core) -> bool:
    """Whether the items of its list are paragraphs that nothing announces, as those of a contract."""
    region, items = core.region, _members(core.region, core.block.group)
    words = sum(len(region.of(item).split()) for item in items)
    return words > LONGEST_ITEM * len(items) and not _is_announced(region, items[0])


def _is_announced(region: Region, item: Block) -> bool:
    return item.lead >= 0 and bool(_ANNOUNCES.search(region.of(region.blocks[item.lead])))


def _are_steps(core: Core) -> bool:
    """Whether its list has numbers, or is announced and short, and may be quoted whole."""
    region, items = core.region, _members(core.region, core.block.group)
    words = sum(len(region.of(item).split()) for item in items)
    numbered = bool(_NUMBERED.match(region.of(items[0])))
    announced = _is_announced(region, items[0])
    return len(items) <= MOST_ITEMS and ((numbered and words <= LONGEST_LIST) or (announced and words <= LONGEST_CODE))


def _code(core: Core) -> AnswerUnit:
    region, block = core.region, core.block
    lead = region.blocks[block.lead] if block.lead >= 0 else None
    return AnswerUnit(core, "code", (*_announcing(region, lead, code=True), *_code_at(region, core.place)))


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


def _announcing(region: Region, lead: Block | None, *, code: bool = False) -> tuple[Span, ...]:
    """The last sentence of the block before a list or code, where it announces that; of a paragraph also where it only
    counts things, or stands before code."""
    if lead is None or lead.kind not in ("prose", "item"):
        return ()
    last = sentences_of(region, lead)[-1:]
    text = region.text[slice(*last[0])]
    announces = _ANNOUNCES.search(text) or (lead.kind == "prose" and (code or _COUNTS.search(text)))
    return tuple(last) if announces else ()


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
    before = read_with(region, core.place, core.span)
    if before is not None and len(region.text[slice(*before)].split()) <= LONGEST_BEFORE:
        parts.insert(0, before)
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
    prose = takewhile(lambda block: block.kind == "prose", region.blocks[place + 1 :])
    short = list(takewhile(lambda block: len(region.of(block).split()) <= SHORT_PARAGRAPH, prose))
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


def is_item(text: str) -> bool:
    return bool(ITEM.match(text))
