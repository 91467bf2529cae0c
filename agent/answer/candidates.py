"""Candidates: the sentences, items of lists, rows of tables and blocks of code that are weighed; without what answers
nothing, as a line of a table of contents, of a bibliography or of a letter."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from clew.agent.answer.structure import (
    LONGEST,
    MAIL_HEAD,
    RUNNING_HEAD,
    Block,
    Region,
    region_of,
    sentences_of,
    unnumbered,
)
from clew.memory.datatypes import Document, Passage
from clew.memory.text import Span

_POINTER = re.compile(r"\W*(?:See|Refer to) .*\bfor (?:(?:further|more|full) )?(?:details|information|discussion)\W*")
"""A sentence that only says where more stands."""

_PUBLICATION = re.compile(r"\b[A-Z][\w'’-]+, (?:[A-Z]\.[ -]?){1,3}[^()]{0,80}\((?:19|20)\d\d[a-z]?\)")
"""In an entry of a bibliography: `Cortes, C. & Vapnik, V. (1995)`."""

_IN_CONTENTS = re.compile(r"(?:\.\s?|\u2026\s?){3,}\s*\d{1,4}$")
"""How a line of a table of contents ends: `Changing the port ........ 11`."""

_BIBLIOGRAPHY = re.compile(
    r"\W*(?:references|bibliography|literature(?: cited)?|works cited|literatur(?:verzeichnis|o)?|bibliographie"
    r"|bibliograf[ií]a)\W*",
    re.IGNORECASE,
)
_ENTRY = re.compile(r"\W*\[?\d{1,3}[\].]\s|.*\b(?:1[5-9]|20)\d\d\b", re.DOTALL)
"""What heads a bibliography, and how its entries look: numbered, or with a year."""

_CONSOLE = re.compile(
    r"\s*(?:\[(?i:info|warn(?:ing)?|error|debug|notice|trace|ok|fail(?:ed)?)\]|\$ (?!\d)|Traceback \(most recent call"
    r"|File \"[^\"\n]+\", line \d)"
)
_RAISED = re.compile(r"\s*(?:\w+\.)*\w+(?:Error|Exception)(?:: |$)")
_PROMPT = re.compile(r"\s*\$ (?!\d)")
"""A line of what a program prints, the last one of a traceback, and what is typed behind a prompt."""

_WAY_BACK = re.compile(
    r"\W*(?:(?:go |jump |skip )?(?:back|return) to|(?:skip|jump) to) [^.!?\n]{0,40}"
    r"\b(?:home ?page|home|main page|contents?|index|top|menu|navigation)\b[^.!?\n]{0,60}"
    r"|\W*(?:next|prev(?:ious)?) (?:page|chapter|section): [^.!?\n]{1,80}",
    re.IGNORECASE,
)
"""A line of navigation: `Back to the home page | Contents`."""

SALUTATION = re.compile(
    r"\W*(?:(?:My )?Dear(?:est)?|Darling|Hello|Hi|Good (?:morning|afternoon|evening|day)"
    r"|Kind regards|Best wishes|Yours|Sehr geehrte\w*|Liebe\w*|Ch[eè]re?s?|Estimad[oa]s?|Gentile"
    r"|Kara(?:j|n|jn)?|With love|Much love|Many thanks)\b(?:[^.:;!?]|\b(?:Mrs?|Ms|Dr|Prof)\.){0,50},"
    r"(?:\s+[A-Z][\w.'-]*){0,3}\W*"
)
"""A line of a letter: `Dear Ms Orde,`."""


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """Of the passage at this place of the evidence: `span` in the text of its region, `place` that of its block."""

    passage: int
    region: Region
    place: int
    span: Span

    block: Block = field(init=False)
    text: str = field(init=False)
    position: int = field(init=False)  # the character of its document where it begins
    head: str = field(init=False)  # the heading that it stands under; empty where there is none
    lead: str = field(init=False)  # what announces it, if it is an item, a row or code

    def __post_init__(self) -> None:
        """Each is read many times, and made once."""
        blocks, text = self.region.blocks, self.region.text
        block = blocks[self.place]
        above = (blocks[place] if place >= 0 else None for place in (block.head, block.lead))
        head, lead = (text[one.start : one.end] if one else "" for one in above)
        own = " ".join(RUNNING_HEAD.sub(" ", text[slice(*self.span)]).split())
        values = (block, own, self.region.offset + self.span[0], head, lead)
        for name, value in zip(("block", "text", "position", "head", "lead"), values, strict=True):
            object.__setattr__(self, name, value)

    @property
    def above(self) -> str:
        """Its heading, without the number of a section, and what announces it."""
        return f"{unnumbered(self.head)} {self.lead}"


def candidates_of(passages: Sequence[Passage], documents: Mapping[str, Document]) -> list[Candidate]:
    """Of all passages, each once: chunks overlap."""
    found: dict[tuple[str, int], Candidate] = {}
    for number, passage in enumerate(passages):
        region = region_of(passage, documents.get(passage.document))
        first = passage.start - region.offset
        last = first + len(passage.text)
        for one in _of_region(region, number):
            if one.span[1] > first and one.span[0] < last:
                found.setdefault((passage.document, one.position), one)
    return list(found.values())


def _of_region(region: Region, passage: int) -> Iterator[Candidate]:
    for place, block in enumerate(region.blocks):
        if block.kind in ("heading", "contents") or region.heads_columns(place) or answers_nothing(region, block):
            continue
        whole = block.kind != "prose" and len(region.of(block).split()) <= LONGEST
        for span in [(block.start, block.end)] if whole else sentences_of(region, block):
            text = region.text[slice(*span)]
            if len(text.split()) > LONGEST or not re.search(r"\w", text):
                continue
            of_mail = MAIL_HEAD.match(text)
            if of_mail and of_mail["subject"]:  # as a heading
                continue
            if not (_POINTER.fullmatch(text) or SALUTATION.fullmatch(text) or _PUBLICATION.search(text)):
                yield Candidate(passage, region, place, span)


def answers_nothing(region: Region, block: Block) -> bool:
    """Whether it is a line of a table of contents or of navigation, an entry of a bibliography, or what a program
    printed."""
    text = region.of(block)
    if block.kind != "item" and _WAY_BACK.fullmatch(text):
        return True
    head = unnumbered(region.of(region.blocks[block.head])) if block.head >= 0 else ""
    if _IN_CONTENTS.search(text) or (_BIBLIOGRAPHY.fullmatch(head) and _ENTRY.match(text)):
        return True
    lines = text.splitlines()
    printed, raised, prompted = (sum(map(bool, map(one.match, lines))) for one in (_CONSOLE, _RAISED, _PROMPT))
    session = block.kind == "prose" and bool(_PROMPT.match(lines[0]))
    return (session or 2 * (printed + (raised if printed else 0)) > len(lines)) and prompted < len(lines)


def asks(text: str) -> bool:
    return bool(re.search(r"\?[\"”’')\]*_]*$", text))


def asking(texts: Iterable[str]) -> list[bool]:
    """Which of them ask."""
    return [asks(text) for text in texts]
