"""What a document is made of: headings, paragraphs, items of lists, rows of tables, code; of a part of it, as needed.

Lines that belong together stand without an empty line between them, which a reader of files keeps. What is a heading is
said by the document's marks, or seen: a short line that stands alone, without the end of a sentence.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import groupby
from textwrap import dedent
from typing import Literal

from clew.memory.datatypes import Document, Passage
from clew.memory.knowledge.loaders.html import ENDINGS as OF_HTML
from clew.memory.knowledge.loaders.layout import INDENT
from clew.memory.knowledge.loaders.markdown import ENDINGS as OF_MARKDOWN
from clew.memory.text import BELOW, FUNCTION_WORDS, ITEM, Span, blocks, split, stripped

BlockKind = Literal["heading", "prose", "item", "row", "code"]

BlockSpan = tuple[int, int, BlockKind]
"""From where to where in the text."""

BEFORE, BEHIND = 1200, 1800
"""Characters of a document that are looked at around a passage."""

LONGEST_HEADING = 18
"""Words of a line that stands alone and may be a heading."""

LONGEST = 90
"""Words of what may be weighed and told as one: a sentence, an item, a row, a block of code."""

LAID_OUT = (*OF_HTML, *OF_MARKDOWN)
"""Files whose code is indented and nothing else is, as their readers write it."""

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
_ORDINAL = re.compile(r"(\d{1,2})[.)]\s")
_STOPPED = re.compile(r"[.!;,\u2026\u3002][\"'\u201d\u2019)\]*_]*$")
_SECTION = re.compile(
    r"\W*(?:\d{1,2}(?:\.\d{1,2})+\.?|\d{1,2}[.)]|\d{1,2}(?=\s+[A-Z]))\s+"
    r"(?!Jan|Feb|M[aä]r|Apr|Ma[iy]|Jun|Jul|Aug|Sep|O[ck]t|Nov|De[cz])(?=[^\W\d])"
)
"""The number of a section; no date."""

_CAPITALS = r"[A-Z][A-Z .,:;&'’-]{4,}[A-Z.]"
RUNNING_HEAD = re.compile(rf"^[ \t]*(?:\d{{1,4}}[ \t]+{_CAPITALS}|{_CAPITALS}[ \t]+\d{{1,4}})[ \t]*$", re.MULTILINE)
"""A line in capitals with a page's number."""

_NUMERAL = re.compile(r"\([ivx]{1,5}\)\s")
_DIGIT = re.compile(r"\d")
_CELL_END = re.compile(r"\s?\|\s?|\t+| {3,}")


@dataclass(frozen=True, slots=True)
class Block:
    """A part of a document's text from `start` to `end`. `group` numbers the lists and tables: items that follow each
    other are of one. `head` is the place of the heading that it stands under, `lead` of the block that announces
    its list or code, or of the first row of its table, and `parent` of the item that its list stands in; -1 where there
    is none."""

    start: int
    end: int
    kind: BlockKind
    group: int = -1
    head: int = -1
    lead: int = -1
    parent: int = -1

    @property
    def span(self) -> Span:
        return self.start, self.end


@dataclass(frozen=True, slots=True, eq=False)
class Region:
    """The part of a document around a passage: its text, where that begins in the document, and its blocks. `paths`
    have, by where a heading is marked, all that it lies below."""

    text: str
    offset: int
    blocks: tuple[Block, ...]
    paths: Mapping[int, str] = field(default_factory=dict)

    def of(self, block: Block) -> str:
        return self.text[block.start : block.end]

    def path(self, place: int) -> str:
        """A heading, and where it is not marked, the marked one above it before it; empty where there is none."""
        if place < 0:
            return ""
        block = self.blocks[place]
        if path := self.paths.get(block.start):
            return path
        marked = (self.paths[one.start] for one in reversed(self.blocks[:place]) if one.start in self.paths)
        return BELOW.join(filter(None, (next(marked, ""), self.of(block))))

    def parents(self, block: Block) -> "list[Block]":
        """The items that it stands in, the outermost first."""
        above = self.blocks[block.parent] if block.parent >= 0 else None
        return [*self.parents(above), above] if above else []

    def heads_columns(self, place: int) -> bool:
        """Whether it is the row that names the columns of a table, which is quoted with each row below."""
        behind = self.blocks[place + 1] if place + 1 < len(self.blocks) else None
        return behind is not None and behind.kind == "row" and behind.lead == place

    def in_table(self, start: int, end: int) -> str:
        """A row in Markdown below the heads of its columns, which are empty where its table begins with a number or has
        two columns; the row of the heads is alone. Empty for what is no row."""
        row = next((one for one in self.blocks if (one.start, one.end, one.kind) == (start, end, "row")), None)
        if row is None:
            return ""
        first = self.blocks[row.lead] if row.lead >= 0 else next(one for one in self.blocks if one.group == row.group)
        heads, cells = (_CELL_END.split(self.of(one).strip("| ")) for one in (first, row))
        if row.lead < 0 and (len(heads) < 3 or any(cell[:1].isdigit() for cell in heads)):
            return in_markdown([""] * len(cells), cells)
        return in_markdown(heads, *([cells] if row is not first else []))


def unnumbered(heading: str) -> str:
    return _SECTION.sub("", heading, count=1)


def region_of(passage: Passage, document: Document | None) -> Region:
    """Of a passage alone where its document is not at hand."""
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
    return _read(document.text[start:end], start, heads, document.id.casefold().endswith(LAID_OUT))


def whole_region(document: Document) -> Region:
    """Of all of it."""
    end = len(document.text)
    return region_of(Passage("", document.id, document.title, document.text, 0.0, "", start=0, end=end), document)


@lru_cache(maxsize=64)
def _read(text: str, offset: int, heads: frozenset[tuple[int, str]] = frozenset(), laid_out: bool = False) -> Region:
    """`heads`: where a heading is marked, and all that it lies below; `laid_out`: code, and nothing else, is
    indented."""
    paths = dict(heads)
    made = [Block(*piece) for piece in _pieces(text, frozenset(paths), laid_out)]
    return Region(text, offset, tuple(_related(text, made, laid_out)), paths)


def _pieces(text: str, heads: frozenset[int], laid_out: bool) -> Iterator[BlockSpan]:
    stanzas = [match.span() for match in _STANZA.finditer(text)]
    code = frozenset[Span]()
    if laid_out:
        stanzas, code = with_code(text, stanzas)
    for place, (start, end) in enumerate(stanzas):
        if (start, end) in code:
            yield start, end, "code"
            continue
        lines = _lines(text, start, end)
        if start in heads:
            yield *lines[0], "heading"
            lines = lines[1:]
        if not lines:
            continue
        start = lines[0][0]
        if is_code(text, lines):
            yield start, end, "code"
        elif len(lines) > 1 and sum(bool(_CELLS.search(text, *line)) for line in lines) > len(lines) / 2:
            for line in lines:
                yield *line, "row" if _CELLS.search(text, *line) else "prose"
        elif len(lines) == 1 and place + 1 < len(stanzas) and _heads(text, stanzas[max(0, place - 1) : place + 2]):
            yield start, end, "heading"
        else:
            found = list(_phrases(text, start, end))
            if len(found) > 1 and _heads_the_next(text, *found[:2]):
                yield *found.pop(0), "heading"
            for one, other in found:
                yield one, other, "item" if ITEM.match(text, one) or _NUMERAL.match(text, one) else "prose"


def _phrases(text: str, start: int, end: int) -> Iterator[Span]:
    """Its blocks; those of lines that are one phrase, as on a title page, are one."""
    first = None
    for one, other in blocks(text[start:end]):
        span = start + one if first is None else first, start + other
        first = span[0] if _goes_on(text[slice(*span)]) else None
        if first is None:
            yield span
    if first is not None:
        yield span


def _goes_on(text: str) -> bool:
    """Whether it ends with a function word, as a line does that the next one goes on with."""
    last = text.split()[-1:]
    return bool(last) and last[0] in FUNCTION_WORDS


def _lines(text: str, start: int, end: int) -> list[Span]:
    found, place = [], start
    for line in text[start:end].splitlines(keepends=True):
        span = stripped(text, place, place + len(line))
        place += len(line)
        if span[0] < span[1]:
            found.append(span)
    return found


def _heads(text: str, near: Sequence[Span]) -> bool:
    """Whether a line that stands alone is a heading; `near` are the stanza before it, if any, it and the one behind it.
    A numbered line is one, where neither of these is an item of its list."""
    *before, (start, end), (below, _) = near
    alone = not any(ITEM.match(text, place) for place in (below, *(first for first, _ in before)))
    line = text[start:end]
    return _is_heading(line) or bool(alone and _ORDINAL.match(line) and _is_heading(unnumbered(line)))


def _is_heading(line: str) -> bool:
    """A numbered line is one where it asks: `3. How is it said?`."""
    if ITEM.match(line) and not line.startswith(("#", "(")):
        return bool(_ORDINAL.match(line)) and line.endswith("?")
    return (
        len(split(unnumbered(line))) == 1
        and line[0] not in "\"“„«‘'"
        and len(line.split()) <= LONGEST_HEADING
        and not _STOPPED.search(line)
        and not line.endswith(":")
    )


def _heads_the_next(text: str, one: Span, other: Span) -> bool:
    """Whether a block is a line that is like a heading, right above one that ends as a sentence does."""
    line = text[slice(*one)]
    return "\n" not in line and _is_heading(line) and text[other[1] - 1] in ".!?" and not ITEM.match(text, other[0])


def _related(text: str, made: Sequence[Block], laid_out: bool) -> Iterator[Block]:
    """With groups, headings and leads; a numbered list goes on behind the paragraphs and the code of its items."""
    head, place, group = -1, 0, 0
    reached, numbered = 0, (-1, -1)  # the last number of a numbered list, and its group and lead
    for kind, run in groupby(made, key=lambda block: block.kind):
        members = list(run)
        leads = ("prose", "heading", "item") if kind == "code" else ("prose", "heading")
        lead = place - 1 if place and made[place - 1].kind in leads else -1
        if kind == "heading":
            yield from members
            head, reached = place + len(members) - 1, 0
        elif kind == "item":
            group += 1
            first, last = (_number(text, block) for block in (members[0], members[-1]))
            its, lead = numbered if reached and first == reached + 1 else (group, lead)
            if first:
                reached, numbered = last, (its, lead)
            parents = _parents(text, members)
            for block, parent in zip(members, parents, strict=True):
                yield Block(block.start, block.end, "item", its, head, lead, place + parent if parent >= 0 else -1)
        elif kind == "row":
            group, reached = group + 1, 0
            rows = [text[block.start : block.end] for block in members]
            first = place if names_columns(rows, laid_out) else -1
            for number, block in enumerate(members):
                yield Block(block.start, block.end, "row", group, head, first if number else -1)
        else:
            for block in members:
                yield Block(block.start, block.end, kind, -1, head, lead if kind == "code" else -1)
        place += len(members)


def _parents(text: str, items: Sequence[Block]) -> Iterator[int]:
    """Of each item of a list the place of the last one before it that is indented less; -1 where none is."""
    above = list[tuple[int, int]]()
    for place, block in enumerate(items):
        before = text[text.rfind("\n", 0, block.start) + 1 : block.start]
        indented = len(before.expandtabs()) if before.isspace() else 0
        above = [one for one in above if one[0] < indented]
        yield above[-1][1] if above else -1
        above.append((indented, place))


def _number(text: str, item: Block) -> int:
    """Of a numbered item, else 0."""
    found = _ORDINAL.match(text, item.start)
    return int(found[1]) if found else 0


def in_markdown(*rows: Sequence[str]) -> str:
    """A table, of which the first row are the heads."""
    heads, *others = (f"| {' | '.join(one)} |".replace("\n", " ") for one in rows)
    return "\n".join([heads, f"|{'---|' * len(rows[0])}", *others])


def names_columns(rows: Sequence[str], laid_out: bool) -> bool:
    """Whether the first row has no number, and some below it have; in a document that `laid_out` its tables none needs
    to."""
    return len(rows) > 1 and not _DIGIT.search(rows[0]) and (laid_out or any(map(_DIGIT.search, rows[1:])))


def sentences_of(region: Region, block: Block) -> list[Span]:
    """The sentences of a block, in its region; what is shorter than three words, or a label of three ("Article 9.
    Committee."), and what ends with a function word, stands with the one behind it."""
    joined: list[Span] = []
    for start, end in split(region.of(block)):
        span = block.start + start, block.start + end
        before = region.text[slice(*joined[-1])] if joined else ""
        short = len(before.split()) < (4 if _DIGIT.search(before) else 3)
        if joined and (short or _goes_on(before)):
            span = joined.pop()[0], span[1]
        joined.append(span)
    return joined


def ranges(region: Region, start: int, end: int, code: bool) -> list[Span]:
    """A part of a unit without what is no part of its sentence: the running head of a page that a page break has put
    into it, and a document's own numbered references (`[1]`), which would pass for the answer's citations."""
    if code:
        return [(start, end)]
    holes = [match.span() for match in RUNNING_HEAD.finditer(region.text, start, end)]
    if _REFERENCED.search(region.text):
        found = _REFERENCE.finditer(region.text, start, end)
        holes += [match.span() for match in found if _rising(match[0])]
    left, place = list[Span](), start
    for first, last in [*sorted(holes), (end, end)]:
        span = stripped(region.text, place, max(place, first))
        left += [span] if span[0] < span[1] else []
        place = max(place, last)
    return left or [(start, end)]


def _rising(reference: str) -> bool:
    numbers = [int(number) for number in re.findall(r"\d+", reference)]
    return numbers == sorted(numbers)


# Code -----------------------------------------------------------------------------------------------------------------


def is_code(text: str, lines: Sequence[Span]) -> bool:
    """Most of its lines have what code has, few end as a sentence does, and the last announces nothing."""
    found = sum(bool(_CODE_LINE.search(text, *line)) and not ITEM.match(text, *line) for line in lines)
    stopped = sum(text[end - 1] in ".!?" for _, end in lines)
    return found * 3 >= len(lines) * 2 and stopped * 3 <= len(lines) and text[lines[-1][1] - 1] != ":"


def with_code(text: str, stanzas: Sequence[Span]) -> tuple[list[Span], frozenset[Span]]:
    """The stanzas of a document that was laid out, those of one block of code as one, up to `LONGEST` words; and which
    of them are code, as they are indented."""
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
    """Code as it is shown: without what all its lines are indented by."""
    before = text[text.rfind("\n", 0, start) + 1 : start]
    return dedent(f"{before}{text[start:end]}") if before.isspace() else text[start:end]
