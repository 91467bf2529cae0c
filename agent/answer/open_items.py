"""What is still to do, by the documents: the boxes that are not ticked, and what stands below "To do"."""

import re
from collections import Counter
from collections.abc import Sequence

from clew.agent.answer import cues
from clew.agent.answer.cores import Core
from clew.agent.answer.evidence import Evidence
from clew.agent.answer.quotation import composed_of
from clew.agent.answer.selection import Picked
from clew.agent.answer.sides import name_of
from clew.agent.answer.units import unit_of
from clew.agent.state import Answer
from clew.memory.text import content_words

_ASKED = re.compile(
    r"\bwhat(?:['’]?s| is| are)? (?:(?:still|left|there|else|yet|remaining) )*(?:to (?:do|be done)|not (?:yet )?done"
    r"|undone|unfinished|outstanding|pending)\b"
    r"|\bwhat (?:still )?(?:has|have|needs?) (?:still )?(?:to be done|doing)\b"
    r"|\bwhat (?:do|does|must|should|did) \w+ still (?:have|need) to do\b"
    r"|\b(?:what|which) (?:tasks|items|things|points|jobs|work) (?:is|are) (?:still )?(?:open|left|undone)\b"
    r"|\b(?:to-?dos?(?: list)?|(?:open|outstanding|remaining) (?:tasks|items|points|jobs))\b",
    re.IGNORECASE,
)
_OF_ASKING = frozenset(
    content_words("still left remaining open outstanding pending list task item job work done do show give tell see")
)

MOST = 12
"""Items that are quoted."""


def open_items(question: str, evidence: Evidence) -> Answer | None:
    """None where nothing of the kind is asked, or no document keeps any. Of what is named (`on the server`) alone,
    where some are of that."""
    if not _ASKED.search(question):
        return None
    found = [core for core in evidence.cores if _is_open(core)]
    about = {*content_words(_ASKED.sub(" ", question))} - _OF_ASKING
    if about:
        found = _about(about, found, evidence)
    if not found:
        return None
    chosen = [Picked(unit_of(core)) for core in sorted(found[:MOST], key=lambda core: (core.passage, core.position))]
    names = {id(one): name_of(one, evidence) for one in chosen}
    made = composed_of(chosen, evidence, labels=names if len({*names.values()}) > 1 else {})
    return Answer(made.outcome, made.claims, made.sources, form="list")


def _is_open(core: Core) -> bool:
    """`- [ ] paint the fence`, and an item or a line below `To do` that is not ticked and no sentence."""
    if cues.matches("en", "open item", core.text):
        return True
    if core.block.kind == "prose" and core.text.endswith("."):
        return False
    below = any(cues.matches("en", "to do", one) for one in (core.lead, core.head))
    return below and not cues.matches("en", "ticked", core.text)


def _about(words: set[str], cores: Sequence[Core], evidence: Evidence) -> list[Core]:
    """Those of the documents that have most of these words, in their titles, headings or the items."""
    places = {id(core): place for place, core in enumerate(evidence.cores)}
    shares = Counter[int]()
    for core in cores:
        own = {*evidence.core_words[places[id(core)]], *content_words(core.above), *evidence.title_words[core.passage]}
        shares[id(core)] = len(words & own)
    most = max(shares.values(), default=0)
    return [core for core in cores if most and shares[id(core)] == most]
