"""The parts of a document: headings, paragraphs, list items, table rows, code.

Lines that belong together have no empty line between them. A heading is marked as one by the document's format, or is
recognised: a short line on its own that does not end like a sentence."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import groupby
from textwrap import dedent
from typing import Literal

from clew.memory.datatypes import Document, Passage
from clew.memory.dates import MONTH_BEGINNINGS
from clew.memory.knowledge.loaders.archive import NAMED as MAIL_FIELDS
from clew.memory.knowledge.loaders.html import ENDINGS as OF_HTML
from clew.memory.knowledge.loaders.layout import INDENT
from clew.memory.knowledge.loaders.markdown import ENDINGS as OF_MARKDOWN
from clew.memory.knowledge.loaders.plain_text import PROGRAMS
from clew.memory.text import BELOW, FUNCTION_WORDS, ITEM, LINE, Span, blocks, split, stripped

BlockKind = Literal["heading", "prose", "item", "row", "code", "field"]
"""`field`: a line of the head of a mail."""

BlockSpan = tuple[int, int, BlockKind]
"""From where to where in the text."""

BEFORE, BEHIND = 1200, 1800  # characters of the document that are read around a passage
LONGEST_HEADING = 18  # words that a heading which is not marked as one may have
LONGEST = 90  # words that what is quoted as one may have: a sentence, an item, a row, a block of code
LAID_OUT = (*OF_HTML, *OF_MARKDOWN)
"""File formats in which an indented block is always code, as their loaders write it that way."""

_REFERENCE = re.compile(
    r"(?<=[\w.,;:!?)\]\"”’])(?:(?<!\b[^\W\d])|(?=\s))\s*"
    r"\[\d{1,3}(?:\s*[,;\u2013-]\s*\d{1,3})*\]"
)
_REFERENCED = re.compile(r"[.!?,;:][\"”’)]?\s?\[\d{1,3}\]|\w \[\d{1,3}\][.,;]|^\s*\[1\] \S", re.MULTILINE)
"""What a document looks like that has numbered references: `[1]` behind a full stop, or a list of them. `X[1,3]` is an
element of X."""

_STANZA = re.compile(r"\S(?:.|\n(?![^\S\n]*\n))*")
_CELLS = re.compile(r"\S(?:\s*\|\s*|\t+| {3,})\S")
_CODE_LINE = re.compile(r"[{}\[\];=<>\\]|(?<!\S)--?\w|\w\(|(?<!\S)/\w|^\s*[$#%>]", re.MULTILINE)
_ORDINAL = re.compile(r"\d{1,2}[.)]\s")
_NUMERAL = re.compile(r"\([ivx]{1,5}\)\s")
_STOPPED = re.compile(r"[.!;,\u2026\u3002][\"'\u201d\u2019)\]*_]*$")
_SECTION = re.compile(
    r"\W*(?:\d{1,2}(?:\.\d{1,2})+\.?|\d{1,2}[.)]|\d{1,2}(?=\s+[A-Z]))\s+"
    rf"(?!{'|'.join(MONTH_BEGINNINGS)})(?=[^\W\d])"
)
"""The number in front of a section's heading; not a date."""

_CAPITALS = r"[A-Z][A-Z .,:;&'’-]{4,}[A-Z.]"
RUNNING_HEAD = re.compile(rf"^[ \t]*(?:\d{{1,4}}[ \t]+{_CAPITALS}|{_CAPITALS}[ \t]+\d{{1,4}})[ \t]*$", re.MULTILINE)
"""A running head: a line in capitals with a page number."""

_DIGIT = re.compile(r"\d")
_CELL_END = re.compile(r"\s?\|\s?|\t+| {3,}")


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """A part of a document's text from `start` to `end`. Items of one list and rows of one table share a `group`.
    `head` is the heading above it, `lead` the sentence that announces its list or code, or the first row of its table,
    and `parent` the list item that contains its list."""

    start: int
    end: int
    kind: BlockKind
    group: int = -1
    head: "Block | None" = None
    lead: "Block | None" = None
    parent: "Block | None" = None

    @property
    def span(self) -> Span:
        return self.start, self.end

    @property
    def parents(self) -> "list[Block]":
        """The list items that contain it, the outermost first."""
        return [*self.parent.parents, self.parent] if self.parent else []


@dataclass(frozen=True, slots=True, eq=False)
class Region:
    """The part of a document around a passage: its text, the `offset` of that in the document, and its blocks. `paths`
    maps the place of each marked heading to that heading with all headings above it."""

    text: str
    offset: int
    blocks: tuple[Block, ...]
    paths: Mapping[int, str] = field(default_factory=dict)

    def of(self, block: Block) -> str:
        return self.text[block.start : block.end]

    def path(self, head: Block | None) -> str:
        """A heading with the marked headings above it; empty for None."""
        if head is None or head.start in self.paths:
            return self.paths[head.start] if head else ""
        above = (one.start for one in reversed(self.blocks) if one.start < head.start)
        marked = next((self.paths[start] for start in above if start in self.paths), "")
        return BELOW.join(filter(None, (marked, self.of(head))))

    def heading_at(self, place: int) -> str:
        """What a place in the document stands under, by the look of its lines; empty where that is nothing."""
        found = (one for one in self.blocks if one.start <= place - self.offset < one.end)
        return self.path(next((one.head for one in found), None))

    def heads_columns(self, place: int) -> bool:
        """Whether this block is the row of column heads of a table, which is quoted together with each row below."""
        return any(one.kind == "row" and one.lead is self.blocks[place] for one in self.blocks[place + 1 : place + 2])

    def in_table(self, start: int, end: int) -> str:
        """A row as a Markdown table, below its column heads. The heads are empty if the table has only two columns or
        its first row has numbers. Empty for what is not a row."""
        row = next((one for one in self.blocks if (one.start, one.end, one.kind) == (start, end, "row")), None)
        if row is None:
            return ""
        first = row.lead or next(one for one in self.blocks if one.group == row.group)
        heads, cells = (_CELL_END.split(self.of(one).strip("| ")) for one in (first, row))
        if not row.lead and (len(heads) < 3 or any(cell[:1].isdigit() for cell in heads)):
            return in_markdown([""] * len(cells), cells)
        return in_markdown(heads, *([cells] if row is not first else []))


def unnumbered(heading: str) -> str:
    """Return a heading without the number of its section."""
    return _SECTION.sub("", heading, count=1)


def region_of(passage: Passage, document: Document | None) -> Region:
    """The region around a passage; the passage alone if its document is not given."""
    if document is None:
        return _read(passage.text, passage.start)
    start = max(0, passage.start - BEFORE)
    if start:
        cut = document.text.find("\n\n", start, passage.start)
        start = cut + 2 if cut >= 0 else passage.start
    end = min(len(document.text), passage.end + BEHIND)
    if end < len(document.text):
        cut = document.text.rfind("\n\n", passage.end, end)
        end = cut if cut >= 0 else passage.end
    heads = frozenset((mark.start - start, mark.text) for mark in document.headings if start <= mark.start < end)
    name = document.id.casefold()
    return _read(document.text[start:end], start, heads, name.endswith(LAID_OUT), name.endswith(PROGRAMS))


def whole_region(document: Document) -> Region:
    """The region that is the whole document."""
    end = len(document.text)
    return region_of(Passage("", document.id, document.title, document.text, 0.0, "", start=0, end=end), document)


@lru_cache(maxsize=64)
def _read(
    text: str,
    offset: int,
    heads: frozenset[tuple[int, str]] = frozenset(),
    laid_out: bool = False,
    program: bool = False,
) -> Region:
    """The region of this text. `heads`: where headings are marked, with all headings above each; `laid_out`: code is
    indented and nothing else is; all of a `program` is code, its headings too."""
    paths = dict(heads)
    return Region(text, offset, tuple(_related(text, _pieces(text, paths, laid_out, program), laid_out)), paths)


def _pieces(text: str, heads: Mapping[int, str], laid_out: bool, program: bool) -> Iterator[BlockSpan]:
    stanzas, code = [match.span() for match in _STANZA.finditer(text)], frozenset[Span]()
    if laid_out:
        stanzas, code = with_code(text, stanzas)
    for place, (start, end) in enumerate(stanzas):
        if (start, end) in code:
            yield start, end, "code"
            continue
        lines = [stripped(text, *line.span()) for line in LINE.finditer(text, start, end)]
        if start in heads and not program:
            yield *lines.pop(0), "heading"
        if not lines:
            continue
        start = lines[0][0]
        if all(text[slice(*line)].partition(":")[0] in MAIL_FIELDS for line in lines):
            yield from ((*line, "field") for line in lines)
        elif program or is_code(text, lines):
            yield start, end, "code"
        elif len(lines) > 1 and sum(bool(_CELLS.search(text, *line)) for line in lines) > len(lines) / 2:
            for line in lines:
                yield *line, "row" if _CELLS.search(text, *line) else "prose"
        elif len(lines) == 1 and place + 1 < len(stanzas) and _heads(text, stanzas[max(0, place - 1) : place + 2]):
            yield start, end, "heading"
        else:
            # Lines that are one phrase, as on a title page, are one block.
            found = _joined(text, ((start + one, start + other) for one, other in blocks(text[start:end])), _goes_on)
            if len(found) > 1 and _heads_the_next(text, *found[:2]):
                yield *found.pop(0), "heading"
            for one, other in found:
                yield one, other, "item" if ITEM.match(text, one) or _NUMERAL.match(text, one) else "prose"


def _joined(text: str, spans: Iterable[Span], goes_on: Callable[[str], bool]) -> list[Span]:
    """The spans, where each whose text `goes_on` is joined with the next one."""
    found = list[Span]()
    for start, end in spans:
        begun = bool(found) and goes_on(text[slice(*found[-1])])
        found.append((found.pop()[0] if begun else start, end))
    return found


def _goes_on(text: str) -> bool:
    """Whether the text ends with a function word, so that the next line continues it."""
    return not FUNCTION_WORDS.isdisjoint(text.split()[-1:])


def _heads(text: str, near: Sequence[Span]) -> bool:
    """Whether a line on its own is a heading; `near` are the paragraph before it (if any), the line, and the one behind
    it. A numbered line is one unless a neighbour is an item too."""
    *before, (start, end), (below, _) = near
    alone = not any(ITEM.match(text, place) for place in (below, *(first for first, _ in before)))
    return _is_heading(text[start:end], alone)


def _is_heading(line: str, alone: bool = True) -> bool:
    """Whether a line looks like a heading. A numbered line does if it is a question (`3. How is it said?`) or stands
    `alone`, not among other items."""
    if ITEM.match(line) and not line.startswith(("#", "(")):
        rest = unnumbered(line)
        return bool(_ORDINAL.match(line)) and (line.endswith("?") or (alone and rest != line and _is_heading(rest)))
    return (
        len(split(unnumbered(line))) == 1
        and line[0] not in "\"“„«‘'"
        and len(line.split()) <= LONGEST_HEADING
        and not _STOPPED.search(line)
        and not line.endswith(":")
    )


def _heads_the_next(text: str, one: Span, other: Span) -> bool:
    """Whether `one` is a line that looks like a heading, directly above a text that ends like a sentence."""
    line = text[slice(*one)]
    ended = text[other[1] - 1] in ".!?" and not ITEM.match(text, other[0])
    return "\n" not in line and ended and _is_heading(line)


def _related(text: str, pieces: Iterable[BlockSpan], laid_out: bool) -> list[Block]:
    """The pieces as blocks, each with its group, heading and lead."""
    found, head = list[Block](), None
    for group, (kind, run) in enumerate(groupby(pieces, key=lambda piece: piece[2])):
        spans, leads = [(start, end) for start, end, _ in run], ("prose", "heading", *(["item"] * (kind == "code")))
        lead = found[-1] if found and found[-1].kind in leads else None
        if kind == "heading":
            found += [Block(*span, kind) for span in spans]
            head = found[-1]
        elif kind == "item":
            found += _items(text, spans, group, head, lead)
        elif kind == "row":
            first = Block(*spans[0], kind, group, head)
            named = first if names_columns([text[slice(*span)] for span in spans], laid_out) else None
            found += [first, *(Block(*span, kind, group, head, named) for span in spans[1:])]
        else:
            found += [Block(*span, kind, -1, head, lead if kind == "code" else None) for span in spans]
    return found


def _items(text: str, spans: Iterable[Span], group: int, head: Block | None, lead: Block | None) -> Iterator[Block]:
    """The items of a list; the parent of each is the last item before it that is indented less."""
    above = list[tuple[int, Block]]()
    for start, end in spans:
        before = text[text.rfind("\n", 0, start) + 1 : start]
        indented = len(before.expandtabs()) if before.isspace() else 0
        above = [one for one in above if one[0] < indented]
        item = Block(start, end, "item", group, head, lead, above[-1][1] if above else None)
        above.append((indented, item))
        yield item


def in_markdown(*rows: Sequence[str]) -> str:
    """The rows as a Markdown table; the first has the column heads."""
    heads, *others = (f"| {' | '.join(one)} |".replace("\n", " ") for one in rows)
    return "\n".join([heads, f"|{'---|' * len(rows[0])}", *others])


def names_columns(rows: Sequence[str], laid_out: bool) -> bool:
    """Whether the first row has column heads: it has no number and a row below has one (or the format marks its
    tables)."""
    return len(rows) > 1 and not _DIGIT.search(rows[0]) and (laid_out or any(map(_DIGIT.search, rows[1:])))


def sentences_of(region: Region, block: Block) -> list[Span]:
    """The sentences of a block, as spans of its region. Very short ones ("Article 9."), and ones that end with a
    function word, are joined with the next."""
    spans = ((block.start + start, block.start + end) for start, end in split(region.of(block)))
    return _joined(region.text, spans, lambda said: _is_short(said) or _goes_on(said))


def _is_short(sentence: str) -> bool:
    return len(sentence.split()) < (4 if _DIGIT.search(sentence) else 3)


def ranges(region: Region, start: int, end: int, code: bool) -> list[Span]:
    """A part without what does not belong to its sentence: a running head that a page break put into it, and the
    document's own reference numbers (`[1]`), which would look like citations of the answer."""
    if code:
        return [(start, end)]
    holes = [match.span() for match in RUNNING_HEAD.finditer(region.text, start, end)]
    if _REFERENCED.search(region.text):
        holes += [match.span() for match in _REFERENCE.finditer(region.text, start, end)]
    left, place = list[Span](), start
    for first, last in [*sorted(holes), (end, end)]:
        span = stripped(region.text, place, max(place, first))
        left += [span] if span[0] < span[1] else []
        place = max(place, last)
    return left or [(start, end)]


# What may be quoted ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A possible quotation: a sentence, an item, a row or a block of code."""

    passage: int  # the place of its passage among those that are read
    region: Region
    place: int  # that of its block in the region
    block: Block
    span: Span  # its range in the text of the region
    text: str  # on one line, without running heads
    position: int  # the character of the document where it begins
    head: str  # the headings and list items that it stands under; empty if there are none
    lead: str  # the sentence that announces it, if it is an item, a row or code; else empty
    asks: bool  # whether it is a question


def candidates_of(passages: Sequence[Passage], documents: Mapping[str, Document]) -> list[Candidate]:
    """What may be quoted of all passages; each once, although passages overlap. `documents` are by id."""
    found: dict[tuple[str, int], Candidate] = {}
    for number, passage in enumerate(passages):
        region = region_of(passage, documents.get(passage.document))
        first = passage.start - region.offset
        last = first + len(passage.text)
        for place, block in enumerate(region.blocks):
            subject = block.kind == "field" and region.of(block).endswith(passage.title)
            if block.kind == "heading" or subject or region.heads_columns(place):
                continue
            whole = block.kind != "prose" and len(region.of(block).split()) <= LONGEST
            for start, end in [block.span] if whole else sentences_of(region, block):
                text = region.text[start:end]
                if end > first and start < last and len(text.split()) <= LONGEST and re.search(r"\w", text):
                    of_document = passage.document, region.offset + start
                    found.setdefault(of_document, _candidate(number, region, place, (start, end)))
    return [one for one in found.values() if one.text]


def _candidate(passage: int, region: Region, place: int, span: Span) -> Candidate:
    block, lead = region.blocks[place], region.blocks[place].lead
    text = " ".join(RUNNING_HEAD.sub(" ", region.text[slice(*span)]).split())
    above = (ITEM.sub("", region.of(one), count=1).strip(" :") for one in block.parents)
    head = BELOW.join(filter(None, (region.path(block.head), *above)))
    told = region.paths.get(lead.start) or region.of(lead) if lead else ""
    return Candidate(passage, region, place, block, span, text, region.offset + span[0], head, told, _asks(text))


def which_ask(texts: Iterable[str]) -> list[bool]:
    """Whether each of these texts is a question."""
    return list(map(_asks, texts))


def _asks(text: str) -> bool:
    return bool(re.search(r"\?[\"”’')\]*_]*$", text))


# Code -----------------------------------------------------------------------------------------------------------------


def is_code(text: str, lines: Sequence[Span]) -> bool:
    """Whether these lines are code: most look like code, few end like a sentence, the last does not end with a
    colon."""
    found = sum(bool(_CODE_LINE.search(text, *line)) and not ITEM.match(text, *line) for line in lines)
    stopped = sum(text[end - 1] in ".!?" for _, end in lines)
    return found * 3 >= len(lines) * 2 and stopped * 3 <= len(lines) and text[lines[-1][1] - 1] != ":"


def with_code(text: str, stanzas: Sequence[Span]) -> tuple[list[Span], frozenset[Span]]:
    """The paragraphs of a document whose format indents code, with those of one block of code joined up to `LONGEST`
    words; and which of them are code."""
    made, code = list[Span](), set[Span]()
    for start, end in stanzas:
        indented = text[max(0, start - len(INDENT)) : start] == INDENT and not ITEM.match(text, start)
        before = made[-1] if made and made[-1] in code else None
        if indented and before and len(text[before[0] : end].split()) <= LONGEST:
            code.remove(made.pop())
            start = before[0]
        made.append((start, end))
        if indented:
            code.add((start, end))
    return made, frozenset(code)


def dedented(text: str, start: int, end: int) -> str:
    """Code without the indentation that all of its lines share."""
    before = text[text.rfind("\n", 0, start) + 1 : start]
    return dedent(f"{before}{text[start:end]}") if before.isspace() else text[start:end]
