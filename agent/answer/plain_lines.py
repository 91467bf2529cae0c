"""Lines that tell what is asked and are hardly sentences, rows of tables and labels: they read badly together with a
question."""

import re

from clew.agent.answer.asked import Asked, asked
from clew.agent.answer.cores import Core
from clew.agent.answer.evidence import NAMED, Evidence
from clew.agent.answer.polarity import LABELLED
from clew.agent.answer.structure import sentences_of, unnumbered
from clew.agent.answer.values import CLOCK, values_of
from clew.memory.dialogue.question_parser import parts
from clew.memory.text import content_words

_COSTS = frozenset(content_words("cost price charge fee pay"))
"""What an amount of money says without a word."""

_CONTACTS = (
    (
        re.compile(r"\b(?:(?:tele)?phone|mobile|fax|extension|dial|call|ring)\b", re.IGNORECASE),
        re.compile(
            r"\b(?:phone|tel|mobile|fax|ext|call|ring|dial)\w*\b\D{0,12}\d|\+?\b\d{2,5}[ /-]\d{3,}", re.IGNORECASE
        ),
    ),
    (re.compile(r"\be-?mail\b|\bmail address\b", re.IGNORECASE), re.compile(r"\S@\S+\.\w")),
)
"""How people ask for a number or an address to be reached at, and how it looks."""

_OF_CONTACT = frozenset(
    content_words("phone telephone mobile fax extension dial call ring e-mail email mail address number")
)

_ASKS_HOURS = re.compile(r"\b(?:open(?:s|ing)?|clos(?:e|es|ing)|hours)\b", re.IGNORECASE)
_HOURS = re.compile(r"\b(?:open|closed|hours|times)\b|\bopening\b", re.IGNORECASE)
"""How people ask when something is open, and what stands above or in a line that says it."""

_CREDITS = re.compile(
    r"[\W\dQq]*(?:authors?|credits|maintainers?|developers?|written by|about the authors?"
    r"|who (?:wrote|writes|made|makes|created|develops|developed|maintains|is|are)\b.*)\W*",
    re.IGNORECASE,
)
_PERSON = re.compile(r"\b[A-ZÀ-Þ][\w'’-]+ (?:[A-Z]\. |van |von |de )*[A-ZÀ-Þ][\w'’-]+")
CREDITED = 2.0
"""A heading above who made something, how a name looks, and what that counts: a name alone reads worse than a row."""

_ENUMERATES = (
    r"(?: \w+){0,4}(?::| are:?| include:?| such as| namely:?) (?:[^.:;,]{1,40}, )+[^.:;,]{1,40}(?:, |,? and |,? or )"
)
"""How a sentence goes on behind what it lists: `the most common formats: mp3, aac, opus and wmv`."""

_LISTED = re.compile(
    r"\W*(?:and |so |but |please )*(?:list|name|enumerate|(?:give|show|tell) (?:me|us)|what (?:are|were)|which)\s"
    r"(?:(?:all|the|every|me|of|some|possible|available|various|different|our|your|my|its)\s)*"
    r"(?P<what>(?:[\w-]+ ){0,2}?[\w-]+s)\b",
    re.IGNORECASE,
)
"""'List the exit codes', 'what are our house rules?'"""

_LABEL = re.compile(r"\W*(?P<what>[^\W\d_][^:.;]{0,40}): \S")


def told_plainly(question: str, evidence: Evidence) -> list[float]:
    """1 for each core that is a row of a table with all words of a question, or with its names and the kind of thing
    that it asks for, or, with the heads of its columns, all its words; a line with the label that is asked for, below a
    heading that names whom, or with yes or no where that is asked; that has whom to call, and the number, or the days
    and hours when something is open; that lists what is asked for by its name, or stands in a list or table below that
    name; an item or a row that begins with what is to be defined, or what opens the section called so. `CREDITED` for a
    name below a heading for who made it. Else 0."""
    words, wanted = set(content_words(question)), asked(question)
    names = {stem for name in NAMED.findall(question) for stem in content_words(name)}
    kinds = {"money", "time"} & set(wanted.expected)
    contact = next((looks for asks, looks in _CONTACTS if asks.search(question)), None)
    whose = words - _OF_CONTACT
    told, defined = list[float](), {*content_words(wanted.defined)}
    kind = parts(question).wanted if wanted.form == "list" else None
    listed = re.compile(rf"\b{re.escape(kind.noun)}\b{_ENUMERATES}", re.IGNORECASE) if kind and kind.plural else None
    asks_list = _LISTED.match(question) if wanted.form == "list" else None
    named_list = {*content_words(asks_list["what"])} if asks_list else set[str]()
    hours = bool(_ASKS_HOURS.search(question))
    costs = _COSTS if "money" in wanted.expected else frozenset[str]()
    for core, text, held in zip(evidence.cores, evidence.texts, evidence.core_words, strict=True):
        above = {*content_words(core.above), *evidence.title_words[core.passage]}
        reaches = bool(contact and whose and whose <= held | above and contact.search(text))
        credited = wanted.made and _CREDITS.fullmatch(core.head) and names <= above and _PERSON.search(text)
        lists = listed is not None and words & held and listed.search(text)
        opens = hours and _tells_hours(core, text)
        in_list = bool(named_list) and _is_in_list(core, named_list)
        defines = bool(defined) and (_defines_below(core, defined) or _defines(core, defined, above))
        if credited:
            told.append(CREDITED)
        elif lists or in_list or reaches or opens or defines:
            told.append(1.0)
        elif core.block.kind == "row":
            named = (bool(names) or wanted.form == "list") and names <= held
            whole = len(words) > 1 and words <= held and not (wanted.expected and not wanted.holds(text))
            under = named and (words <= held | above or bool(names and kinds and wanted.holds(text)))
            column = words & {*content_words(core.lead)}
            under |= bool(column) and wanted.form == "fact" and bool(words - column) and words - column <= held
            told.append(float(under or (whole and wanted.form in ("fact", "steps"))))
        else:
            told.append(float(_labelled(text, words, above | held | costs, wanted)))
    return told


def _is_in_list(core: Core, named: set[str]) -> bool:
    """Whether it is an item or a row below a heading, or announced by a line, that names what is asked for and nothing
    else: `Exit codes`"""
    above = (unnumbered(core.head), core.lead)
    return core.block.kind in ("item", "row") and any({*content_words(one)} == named for one in above)


def _tells_hours(core: Core, text: str) -> bool:
    """`Sat 7-13` below `Opening hours`, `Sunday: closed`"""
    told = f"{core.above} {text}"
    return bool(values_of(text).days and _HOURS.search(told) and (CLOCK.search(text) or "closed" in text.casefold()))


def _defines(core: Core, defined: set[str], above: set[str]) -> bool:
    """Whether it is an item that begins with what is to be defined, `- a core point, if it is dense`, or a row of that:
    `core point | what has enough neighbours`."""
    if core.block.kind == "row":
        return {*content_words(core.text.partition(" | ")[0])} == defined
    begins = _BEGINS.match(core.text) if core.block.kind == "item" else None
    words = {*content_words(begins[1])} if begins else set[str]()
    return bool(words) and words <= defined <= words | above


_BEGINS = re.compile(r"\W*((?:[\w'’-]+ ){0,3}[\w'’-]+?)(?:,|:| [-\u2013\u2014]| if\b| when\b| is\b| are\b)")


def _defines_below(core: Core, defined: set[str]) -> bool:
    """Whether it is the first sentence of what stands right below the heading that is to be defined."""
    if {*content_words(unnumbered(core.head))} != defined:
        return False
    below = core.block.kind == "prose" and core.block.head == core.place - 1 >= 0
    return below and core.span == sentences_of(core.region, core.block)[0]


def _labelled(text: str, words: set[str], told: set[str], wanted: Asked) -> bool:
    """`told`: the words of the line, of what stands above it and of what its amount says."""
    label = _LABEL.match(text)
    what = {*content_words(label["what"])} if label else set()
    if wanted.form == "yes-no" and LABELLED.fullmatch(text):
        return bool(what) and what <= words
    if wanted.expected and not wanted.holds(text):
        return False
    return bool(label) and bool(words) and what <= words <= told
