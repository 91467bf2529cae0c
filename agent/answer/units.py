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

from clew.agent.answer.antecedents import read_with
from clew.agent.answer.beside import (
    ANNOUNCES,
    COUNTS,
    LONGEST_CODE,
    LONGEST_LIST,
    MOST_ITEMS,
    REPLY,
    SHORT_LIST,
    SHORT_PARAGRAPH,
    code_at,
    ends_announcing,
    first_behind,
    is_announced,
    members,
    right_below,
    within,
)
from clew.agent.answer.code_lines import ANNOUNCES_CODE
from clew.agent.answer.cores import Core, asks
from clew.agent.answer.steps import are_steps, leads_on, told_steps, ways
from clew.agent.answer.structure import Block, Region, sentences_of
from clew.memory.text import FUNCTION_WORDS, ITEM, SMALL_LABEL, Span, content_words

LONGEST_BEFORE = 40
"""Words of a sentence that comes along for whom it names: a longer one would bury what answers."""

LONGEST_ITEM = 24
"""Words of the items of a list, on average, from which they are clauses, each of which says what the others do not."""

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

_RUN_IN = re.compile(r"(?:What|How|When|Where|Who|Why|Which)\b[^.?!,:;]{0,50}\.$")
"""A heading that stands in the line of its paragraph: 'What is not covered. Filters, and ...'"""

_NAMES_SEVERAL = re.compile(r",.*\b(?:and|or)\b|, .*, ")

_CAPTION = re.compile(r"(?:Table|Figure|Fig\.|Example|Listing|Box)\s+[\dA-Z][\w.-]*\b")
"""How the line above a table or an example begins, between it and what announces it."""

_LABELLED = re.compile(r"\W{0,4}[^\W\d_][\w'’/-]*(?: [\w'’/-]+){0,3}: \S")
"""`By mail: ...`, a line of an address or a form."""

_REVISES = re.compile(
    r"\W*(?:(?:now|then|later|since then),? )?(?:(?:it|this|that|the (?:date|day|price|plan|time|limit)) )?"
    r"(?:(?:has|have|had|was|were|is|are|got) )?(?:(?:since|now|been|then) )*"
    r"(?:moved|postponed|put off|cancell?ed|changed|rescheduled|raised|lowered|extended|replaced|brought forward"
    r"|no longer)\b",
    re.IGNORECASE,
)
UPDATES = re.compile(r"\W*(?:update|correction|edit|later)\b[^.:]{0,20}:", re.IGNORECASE)
"""How a sentence, or a line, begins that says what has become of what the one before says: `Moved to 22 October`."""

_BEGINS = re.compile(r"(?:(?:And|But|Also|Then|Finally|Lastly),? )?(\w+) (\w+)\b")

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


MOST_BEFORE_CODE = 2
"""Sentences that a step is told with, where the last of them announces code."""


def unit_of(core: Core, *, whole_list: bool = False, steps: bool = False, opens: bool = False) -> AnswerUnit:
    """`whole_list`: the question asks for all of a list, `steps`: how something is done. `opens`: what is asked for is
    not in the core."""
    region, block = core.region, core.block
    if block.kind == "item":
        if (whole_list and not _are_clauses(core)) or (steps and are_steps(core)):
            return _list(core)
        return _with_sublist(core)
    if block.kind == "row":
        if whole_list:
            return _list(core)
        head = region.blocks[block.lead] if block.lead >= 0 else None
        return AnswerUnit(core, "row", (*(((head.start, head.end),) if head else ()), core.span))
    if block.kind == "code":
        return _code(core)
    if steps and (told := told_steps(core)):
        return AnswerUnit(core, "sentence", told)
    unit = _sentence(core, whole_list=whole_list, opens=opens or (steps and leads_on(core)))
    sentences = sentences_of(region, block)
    behind = sentences[sentences.index(unit.parts[-1]) + 1 :] if steps and unit.parts[-1] in sentences else []
    announces = 0 < len(behind) <= MOST_BEFORE_CODE and ANNOUNCES_CODE.search(region.text[slice(*behind[-1])])
    if announces and (announced := code_at(region, core.place + 1)):
        return replace(unit, parts=(*unit.parts, *behind, *announced))
    if not steps or unit.parts[-1] != sentences[-1]:
        return unit
    code = code_at(region, core.place + 1) or (ways(core) if len(unit.parts) == 1 else [])
    return replace(unit, parts=(*unit.parts, *code))


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


def _list(core: Core) -> AnswerUnit:
    region, block = core.region, core.block
    items = members(region, block.group)
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
    elif (lead := _begun(region, block)) is not None:
        parts.insert(0, lead)
    elif _is_title(region, core.place):
        parts += within(region, sentences_of(region, region.blocks[core.place + 1]), REPLY)
    return AnswerUnit(core, "item", tuple(parts))


def _begun(region: Region, item: Block) -> Span | None:
    """What announces an item that is the end of its sentence: `A point is called` of `- noise, otherwise`."""
    goes_on = re.match(r"\W*[a-z]", region.of(item)) is not None
    lead = region.blocks[item.lead] if item.lead >= 0 else None
    if lead is None or not goes_on or re.search(r"[.!?:;,][\"'”’)*_]*$", region.of(lead)):
        return None
    span = (lead.start, lead.end) if lead.kind == "heading" else sentences_of(region, lead)[-1]
    return span if len(region.text[slice(*span)].split()) <= LONGEST_BEFORE else None


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


def _are_clauses(core: Core) -> bool:
    """Whether the items of its list are paragraphs that nothing announces, as those of a contract."""
    region, items = core.region, members(core.region, core.block.group)
    words = sum(len(region.of(item).split()) for item in items)
    return words > LONGEST_ITEM * len(items) and not is_announced(region, items[0])


def _code(core: Core) -> AnswerUnit:
    region, block = core.region, core.block
    lead = region.blocks[block.lead] if block.lead >= 0 else None
    told = code_at(region, core.place) or [core.span]  # of a long one a part
    return AnswerUnit(core, "code", (*_announcing(region, lead, code=True), *told))


def _announcing(region: Region, lead: Block | None, *, code: bool = False) -> tuple[Span, ...]:
    """The last sentence of the block before a list or code, where it announces that; of a paragraph also where it only
    counts things, or stands before code."""
    if lead is None or lead.kind not in ("prose", "item"):
        return ()
    last = sentences_of(region, lead)[-1:]
    text = region.text[slice(*last[0])]
    announces = ANNOUNCES.search(text) or (lead.kind == "prose" and (code or COUNTS.search(text)))
    return tuple(last) if announces else ()


def _sentence(core: Core, *, whole_list: bool, opens: bool) -> AnswerUnit:
    region, block = core.region, core.block
    spans = sentences_of(region, block)
    at = spans.index(core.span)
    parts = [core.span]
    if asks(core.text):
        parts += within(region, [*spans[at + 1 :], *first_behind(core)], REPLY)
    elif at == 0 and _RUN_IN.match(core.text):
        parts += within(region, spans[1:], REPLY)
    elif COUNTS.search(core.text) and (each := _each_in_order(region, spans[at + 1 :])):
        parts += each
    elif at + 1 < len(spans) and (opens or (whole_list and _counts(core.text, region.text[slice(*spans[at + 1])]))):
        parts.append(spans[at + 1])
    elif whole_list and (row := in_a_row(core)):
        parts = row
    elif whole_list and at + 2 == len(spans) and COUNTS.search(core.text) and ends_announcing(region, spans[-1]):
        parts += [spans[-1], *_announced(core, said=True, whole=True)]  # 'It has three goals. These are:'
    last, said = at == len(spans) - 1, ends_announcing(region, core.span)
    replies = whole_list and asks(core.head.strip())  # 'Which files are there?' above a paragraph and its list
    if (last and (said or (whole_list and core.text.count(",") < 2))) or (replies and _leads(core)):
        parts += _announced(core, said, whole_list)
    before = read_with(region, core.place, parts[0]) or _told_of(core)
    if before is not None and len(region.text[slice(*before)].split()) <= LONGEST_BEFORE:
        parts.insert(0, before)
    if len(parts) == 1:
        parts += _revised(core, spans[at + 1 :])
    return AnswerUnit(core, "list" if len(parts) > 3 else "sentence", tuple(parts))


def _each_in_order(region: Region, behind: Sequence[Span]) -> list[Span]:
    """The sentences that tell one by one of what was counted: 'The first was a pair of boots. The second was ...'"""
    told = list(takewhile(lambda span: _IN_ORDER.match(region.text[slice(*span)]), behind))
    return within(region, told, SHORT_LIST) if len(told) > 1 else []


_IN_ORDER = re.compile(
    r"(?:And |But |Then )?(?:(?:the|a) )?(?:first|second|third|fourth|fifth|next|last|other|one|another)\b",
    re.IGNORECASE,
)


def _leads(core: Core) -> bool:
    """Whether a list stands behind its paragraph."""
    behind = core.region.blocks[core.place + 1 : core.place + 2]
    return any(block.kind == "item" and block.lead == core.place for block in behind)


def in_a_row(core: Core) -> list[Span]:
    """The sentences around it that begin as it does, one after the other, as good as the items of a list: `He owed ten
    crowns to the miller. He owed ...`; none where it stands alone."""
    region, spans = core.region, sentences_of(core.region, core.block)
    at, begins = spans.index(core.span), [_beginning(region.text[slice(*span)]) for span in spans]
    if not begins[at]:
        return []
    behind = list(takewhile(lambda n: begins[n] == begins[at], range(at, len(spans))))
    before = list(takewhile(lambda n: begins[n] == begins[at], range(at - 1, -1, -1)))
    row = [spans[n] for n in (*reversed(before), *behind)]
    return within(region, row, SHORT_LIST) if len(row) > 1 else []


def _beginning(text: str) -> str:
    """Subject and verb; empty where the verb says little."""
    found = _BEGINS.match(text)
    return "" if not found or found[2].casefold() in FUNCTION_WORDS else f"{found[1]} {found[2]}".casefold()


LEAST_SMALL, MOST_OWN = 2, 2
"""Lines in small letters from which all are notes; words of its own of an update that says nothing new."""


def _told_of(core: Core) -> Span | None:
    """The line or the code that a paragraph is about whose sentence has no subject: `adds an event that ...` below a
    command."""
    region, before = core.region, core.region.blocks[core.place - 1] if core.place else None
    opens = core.span[0] == core.block.start and core.text[:1].islower()
    others = sum(region.of(block)[:1].islower() for block in region.blocks if block.kind == "prose")
    opens = opens and others < LEAST_SMALL and not SMALL_LABEL.match(core.text)  # notes in small letters
    if before is None or not opens or before.kind not in ("code", "prose", "heading"):
        return None
    line = "\n" not in region.of(before) and not re.search(r"[.!?:,;]$", region.of(before))
    return (before.start, before.end) if line or before.kind == "code" else None


def _revised(core: Core, behind: Sequence[Span]) -> list[Span]:
    """What stands right behind it and says what has become of it: the next sentence, or the next line."""
    region = core.region
    if behind:
        text = region.text[slice(*behind[0])]
        return [*behind[:1]] if _REVISES.match(text) or UPDATES.match(text) else []
    return [span for span in first_behind(core)[:1] if _updates(core, span)]


def _updates(core: Core, span: Span) -> bool:
    """Whether a line is an update of the core; behind an empty line only where it has nothing of its own."""
    text = core.region.text[slice(*span)]
    if not UPDATES.match(text):
        return False
    own = [word for word in content_words(UPDATES.sub("", text, count=1)) if word.isalpha()]
    near = core.region.text[core.span[1] : span[0]].count("\n") < 2
    return near or len(own) <= MOST_OWN or bool({*own} & {*content_words(core.text)})


def _counts(text: str, behind: str) -> bool:
    """Whether it says that there are several things, and what stands behind it names them."""
    return bool(COUNTS.search(text) and not _NAMES_SEVERAL.search(text) and _NAMES_SEVERAL.search(behind))


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
        return code_at(region, place + 1)
    if said and (lines := _labelled(region, place + 1) or right_below(region, place)):
        return lines
    prose = takewhile(lambda block: block.kind == "prose", region.blocks[place + 1 :])
    short = list(takewhile(lambda block: len(region.of(block).split()) <= SHORT_PARAGRAPH, prose))
    if said and whole and len(short) > 2:
        counts = accumulate(len(region.of(block).split()) for block in short)
        return [(one.start, one.end) for one, count in zip(short, counts, strict=True) if count <= LONGEST_CODE]
    return first_behind(core)[:1] if said else []


def _labelled(region: Region, place: int) -> list[Span]:
    """The lines with labels there, one under the other, that may have been taken for headings."""
    lines = takewhile(lambda one: _LABELLED.match(region.of(one)), region.blocks[place:])
    return within(region, [(one.start, one.end) for one in lines], SHORT_LIST)


def _is_caption(region: Region, place: int) -> bool:
    block = region.blocks[place] if place < len(region.blocks) else None
    return block is not None and block.kind == "heading" and bool(_CAPTION.match(region.of(block)))


def is_item(text: str) -> bool:
    return bool(ITEM.match(text))
