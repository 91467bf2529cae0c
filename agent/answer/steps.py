"""How something is done: the sentences, the list or the code that say it, which are quoted together."""

import re
from itertools import takewhile

from clew.agent.answer.antecedents import PRONOUN
from clew.agent.answer.beside import (
    COUNTS,
    LONGEST_CODE,
    LONGEST_LIST,
    MOST_ITEMS,
    REPLY,
    is_announced,
    members,
    within,
)
from clew.agent.answer.cores import Core, asks
from clew.agent.answer.structure import sentences_of
from clew.memory.text import Span

_NUMBERED = re.compile(r"\s*(?:\(?(?:\d{1,2}|[a-z])[.)]\s|\W*(?:step|stage|phase) \d)", re.IGNORECASE)

_TELLS_HOW = re.compile(
    r"\b(?:(?:can|may|must|has to|have to|should) be|you (?:can|may|must|need|should)|by \w+ing|us(?:e|ing|es)|edit|set"
    r"|run|press|click|select|choose|type|enter|call|with (?:the|this))\b",
    re.IGNORECASE,
)
"""How a sentence looks that may say how something is done."""

_STEP = re.compile(
    r"(?:First(?:ly)?|Second(?:ly)?|Third(?:ly)?|Then|Next|After (?:that|this)|Afterwards|Now|Finally|Last(?:ly)?"
    r"|To begin(?: with)?)\b,? "
)
"""How a sentence begins that tells one of the steps: `Next, switch on the lamp`."""


def told_steps(core: Core) -> tuple[Span, ...]:
    """The sentences that it is one of and that tell how something is done: of a paragraph under a heading that asks
    all, else from the one before the second step to the last step, and what is left behind that; what stands behind
    the first step, where no other is called so."""
    region, spans = core.region, sentences_of(core.region, core.block)
    if asks(core.head.strip()):
        told = within(region, spans, REPLY)
        announces = region.text[slice(*told[-1])].rstrip().endswith(":") if told else True  # what is not in it
        return tuple(told) if core.span in told and not announces else ()
    steps = [at for at, span in enumerate(spans) if _STEP.match(region.text[slice(*span)])]
    if not steps:
        return ()
    first = begins_steps(region.text[slice(*spans[steps[0]])])
    begins = steps[0] if first else max(0, steps[0] - 1)
    only_first = first and len(steps) == 1  # 'First pull its plug. If that fails, ...'
    ends = steps[-1] if steps[-1] + 2 < len(spans) and not only_first else len(spans) - 1
    told = within(region, spans[begins : ends + 1], LONGEST_CODE)
    return tuple(told) if core.span in told and len(told) > 1 else ()


def leads_on(core: Core) -> bool:
    """Whether not it, but the next sentence says how: `The default port is 9120. It can be changed in tarn.conf.`"""
    region, spans = core.region, sentences_of(core.region, core.block)
    behind = region.text[slice(*span)] if (span := next(iter(spans[spans.index(core.span) + 1 :]), None)) else ""
    return bool(PRONOUN.match(behind) and _TELLS_HOW.search(behind) and not _TELLS_HOW.search(core.text))


def begins_steps(text: str) -> bool:
    return bool(re.match(r"(?:First(?:ly)?|To begin(?: with)?)\b,? ", text))


def ways(core: Core) -> list[Span]:
    """What stands below a sentence that says that there are several ways, with code among it."""
    region = core.region
    if not COUNTS.search(core.text):
        return []
    below = takewhile(lambda block: block.kind in ("prose", "code"), region.blocks[core.place + 1 :])
    blocks = {(block.start, block.end): block.kind for block in below}
    spans = within(region, list(blocks), LONGEST_CODE)
    return spans if any(blocks[span] == "code" for span in spans) else []


def are_steps(core: Core) -> bool:
    """Whether its list has numbers, or is announced or asked for and short, and may be quoted whole."""
    region, items = core.region, members(core.region, core.block.group)
    words = sum(len(region.of(item).split()) for item in items)
    numbered = bool(_NUMBERED.match(region.of(items[0])))
    announced = is_announced(region, items[0]) or asks(core.head.strip())
    return len(items) <= MOST_ITEMS and ((numbered and words <= LONGEST_LIST) or (announced and words <= LONGEST_CODE))
