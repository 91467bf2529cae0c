"""What a document is made of: headings, paragraphs, items of lists, rows of tables, code; of a part of it, as needed.

Lines that belong together stand without an empty line between them, which a reader of files keeps. What is a heading is
said by the document's marks, or seen: a short line that stands alone, without the end of a sentence.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from textwrap import dedent
from typing import Literal

from clew.memory.datatypes import Document, Passage
from clew.memory.knowledge.loaders.html import HTML, INDENT
from clew.memory.knowledge.loaders.markdown import MARKDOWN
from clew.memory.text import ITEM, Span, blocks, split, stripped

BlockKind = Literal["heading", "prose", "item", "row", "code", "contents"]
"""`contents`: an item of a table of contents or a menu, which answers nothing."""

BlockSpan = tuple[int, int, BlockKind]
"""From where to where in the text."""

BEFORE, BEHIND = 1200, 1800
"""Characters of a document that are looked at around a passage."""

LONGEST_HEADING = 18
"""Words of a line that stands alone and may be a heading."""

LONGEST_VERSE = 12

LEAST_CONTENTS = 0.5
"""The share of the items of a list that are headings of the document, where it is a table of contents."""

LAID_OUT = (*HTML.suffixes, *MARKDOWN.suffixes)
"""Files whose code is indented and nothing else is, as their readers write it."""

LEAST_LISTED = 3
"""Short lines in a row that are a list where a colon announces them."""

LEAST_MENU = 4
"""Items of one or two words that stand before a web page's first heading, and are its menu."""

_REFERENCE = re.compile(
    r"(?<=[\w.,;:!?)\]\"”’])(?:(?<!\b[^\W\d])|(?=\s))\s*"
    r"\[\d{1,3}(?:\s*[,;\u2013-]\s*\d{1,3})*\]"
)
_REFERENCED = re.compile(r"[.!?,;:][\"”’)]?\s?\[\d{1,3}\]|\w \[\d{1,3}\][.,;]|^\s*\[1\] \S", re.MULTILINE)
"""What a document looks like that has numbered references: `[1]` behind a full stop, or a list of them. `X[1,3]` is an
element of X."""

_STANZA = re.compile(r"\S(?:.|\n(?![^\S\n]*\n))*")
_CELLS = re.compile(r"\S(?:\s*\|\s*|\t+| {3,})\S")
LABEL_OF_ANSWER = re.compile(r"\s*(?:A|Answer|Antwort|Réponse|Respuesta|Risposta)\s?:\s+(?=\S)")
"""In a list of questions and answers."""

_GOES_ON = re.compile(r"\b(?:a|an|and|at|by|for|from|in|of|on|or|the|to|with)$")
"""The end of a line of a title page or an address that the next line goes on with."""

_LABELLED = re.compile(
    r"(?!.*: .*: )"
    r"(?!(?i:chapter|part|section|step|stage|phase|appendix|figure|fig|table|example|listing|box|note|day|week|lesson"
    r"|question|exercise|volume|book|act|scene|unit)\b)[A-Z][\w'’-]*(?: [a-z\d][\w'’/-]*){0,2}:"
    r" (?:[a-z\d]|[A-Z][\w'’-]* (?!(?:and|of|in|for|with|on|to|the|or|an?)\b)[a-z]|.*[\d,])"
    r"|(?i:name|teacher|doctor|author|owner|contact|address|phone|e-?mail|make|model|place|where|who|present|apologies)"
    r": \S"
)
"""`Teacher: Mr Hale`, a line that says what something is; none where it may be a title."""

MAIL_HEAD = re.compile(
    r"(?:(?P<subject>Subject|Re|Betreff|Objet|Asunto|Oggetto)|From|To|Cc|Bcc|Date|Sent|Reply-To|Von|An|Datum|Gesendet"
    r"|De|À|Para|Fecha|Data): \S"
)
"""A line above a letter that was sent by mail."""

_ORDINAL = re.compile(r"(\d{1,2})[.)]\s")
_NUMERAL = re.compile(r"\([ivx]{1,5}\)\s")
_STOPPED = re.compile(r"[.!;,\u2026\u3002][\"'\u201d\u2019)\]*_]*$")
_NUMBERING = re.compile(r"^\W*(?:\d+(?:\.\d+)*[.)]?\s+)?")
_SECTION = re.compile(
    r"\W*(?:\d{1,2}(?:\.\d{1,2})+\.?|\d{1,2}[.)]|\d{1,2}(?=\s+[A-Z]))\s+"
    r"(?!Jan|Feb|M[aä]r|Apr|Ma[iy]|Jun|Jul|Aug|Sep|O[ck]t|Nov|De[cz])(?=[^\W\d])"
)
"""The number of a section; no date."""

_CAPITALS = r"[A-Z][A-Z .,:;&'’-]{4,}[A-Z.]"
RUNNING_HEAD = re.compile(rf"^[ \t]*(?:\d{{1,4}}[ \t]+{_CAPITALS}|{_CAPITALS}[ \t]+\d{{1,4}})[ \t]*$", re.MULTILINE)
"""A line in capitals with a page's number."""

_DIGIT = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class Block:
    """A part of a document's text from `start` to `end`. `group` numbers the lists and tables: items that follow each
    other are of one. `head` is the place of the heading that it stands under, and `lead` of the block that announces
    its list or code, or of the first row of its table; -1 where there is none."""

    start: int
    end: int
    kind: BlockKind
    group: int = -1
    head: int = -1
    lead: int = -1


@dataclass(frozen=True, slots=True, eq=False)
class Region:
    """The part of a document around a passage: its text, where that begins in the document, and its blocks."""

    text: str
    offset: int
    blocks: tuple[Block, ...]

    def of(self, block: Block) -> str:
        return self.text[block.start : block.end]

    def heads_columns(self, place: int) -> bool:
        """Whether it is the row that names the columns of a table, which is quoted with each row below."""
        behind = self.blocks[place + 1] if place + 1 < len(self.blocks) else None
        return behind is not None and behind.kind == "row" and behind.lead == place


def unnumbered(heading: str) -> str:
    return _SECTION.sub("", heading, count=1)


def region_of(passage: Passage, document: Document | None) -> Region:
    """Of a passage alone where its document is not at hand."""
    if document is None:
        return _read(passage.text, passage.start, ())
    start = max(0, passage.start - BEFORE)
    if start:
        cut = document.text.find("\n\n", start, passage.start)
        start = cut + 2 if cut >= 0 else passage.start
    end = min(len(document.text), passage.end + BEHIND)
    if end < len(document.text):
        cut = document.text.rfind("\n\n", passage.end, end)
        end = cut if cut >= 0 else passage.end
    heads = tuple(mark.start - start for mark in document.headings if start <= mark.start < end)
    contents = frozenset(_named(mark.text) for mark in document.headings)
    return _read(document.text[start:end], start, heads, contents, document.id.casefold().endswith(LAID_OUT))


def whole_region(document: Document) -> Region:
    """Of all of it."""
    end = len(document.text)
    return region_of(Passage("", document.id, document.title, document.text, 0.0, "", start=0, end=end), document)


@lru_cache(maxsize=64)
def _read(
    text: str, offset: int, heads: tuple[int, ...], contents: frozenset[str] = frozenset(), laid_out: bool = False
) -> Region:
    marked = frozenset(heads)
    made = [Block(*piece) for piece in _listed(text, list(_pieces(text, marked, laid_out)), marked)]
    return Region(text, offset, tuple(_related(text, made, contents, laid_out)))


def _listed(text: str, pieces: Sequence[BlockSpan], marked: frozenset[int]) -> Iterator[BlockSpan]:
    """With several lines in a row that only look like headings as the items that they are where a colon announces
    them: what a term means stands so in many manuals."""
    place = 0
    for seen, run in groupby(pieces, key=lambda piece: piece[2] == "heading" and piece[0] not in marked):
        members = list(run)
        announced = seen and place and len(members) >= LEAST_LISTED and text[pieces[place - 1][1] - 1] == ":"
        yield from ((start, end, "item" if announced else kind) for start, end, kind in members)
        place += len(members)


def _pieces(text: str, heads: frozenset[int], laid_out: bool) -> Iterator[BlockSpan]:
    stanzas = [match.span() for match in _STANZA.finditer(text)]
    code = frozenset[Span]()
    if laid_out:
        stanzas, code = with_code(text, stanzas)
    titled = _heading_items(text, stanzas)
    for place, (start, end) in enumerate(stanzas):
        if (start, end) in code:
            yield start, end, "code"
            continue
        lines = _lines(text, start, end)
        last = place + 1 == len(stanzas)
        if start in heads:
            first = lines[0]
            yield *first, "heading"
            lines = lines[1:]
            if not lines:
                continue
            start = lines[0][0]
        announced = place > 0 and ANNOUNCES_CODE.search(text, *stanzas[place - 1])
        command = announced and not ITEM.match(text, start, end) and is_command(text, lines)
        if command or is_code(text, lines):
            yield start, end, "code"
        elif len(lines) > 1 and sum(bool(_CELLS.search(text, *line)) for line in lines) > len(lines) / 2:
            for line in lines:
                yield *line, "row" if _CELLS.search(text, *line) else "prose"
        elif (
            len(lines) == 1
            and not last
            and (place in titled or _is_heading(text[start:end]))
            and not _goes_on_as_verse(text, stanzas[place + 1])
            and not (place and {stanzas[place - 1][0], stanzas[place + 1][0]} <= heads)  # all that a section has
        ):
            yield start, end, "heading"
        else:
            for piece in _phrases(text, start, end):
                yield *piece, "item" if ITEM.match(text, piece[0]) or _NUMERAL.match(text, piece[0]) else "prose"


def _phrases(text: str, start: int, end: int) -> Iterator[Span]:
    """Its blocks; lines that are one phrase, as on a title page, are one."""
    spans = [(start + one, start + other) for one, other in blocks(text[start:end])]
    first = 0
    for place in range(1, len(spans) + 1):
        if place == len(spans) or not _GOES_ON.search(text, *spans[place - 1]):
            yield spans[first][0], spans[place - 1][1]
            first = place


def _lines(text: str, start: int, end: int) -> list[Span]:
    found, place = [], start
    for line in text[start:end].splitlines(keepends=True):
        span = stripped(text, place, place + len(line))
        place += len(line)
        if span[0] < span[1]:
            found.append(span)
    return found


def _is_heading(line: str) -> bool:
    if _LABELLED.match(line):
        return False
    if ITEM.match(line) and not line.startswith(("#", "(")):
        return bool(re.match(r"\d{1,3}[.)] \w", line)) and line.endswith("?")
    return _is_title(line)


def _is_title(line: str) -> bool:
    plain = unnumbered(line)
    if len(split(plain)) > 1 or (len(plain.split()) > 3 and ANNOUNCES_CODE.search(plain)):
        return False
    return (
        line[0] not in "\"“„«‘'"
        and len(line.split()) <= LONGEST_HEADING
        and not _STOPPED.search(line)
        and not line.endswith(":")
    )


def _goes_on_as_verse(text: str, behind: Span) -> bool:
    """Whether what stands behind it is a line that ends with a comma, as that of a verse whose lines stand alone."""
    line = text[slice(*behind)].strip()
    return "\n" not in line and len(line.split()) <= LONGEST_VERSE and line.endswith((",", ";"))


def _heading_items(text: str, stanzas: Sequence[Span]) -> set[int]:
    """The places of the items that are headings: each stands alone, with prose before the next one, as the parts of a
    manual that are numbered or marked."""
    items = [bool(ITEM.match(text, *span)) for span in stanzas]
    alone = {
        place
        for place in range(len(stanzas) - 1)
        if items[place]
        and not items[place + 1]
        and not (place and (items[place - 1] or text[stanzas[place - 1][1] - 1] == ":"))
        and (title := ITEM.sub("", text[slice(*stanzas[place])], count=1).strip())[:1].isupper()
        and _is_title(title)
    }
    return alone if len(alone) > 1 else set()


def _named(heading: str) -> str:
    return " ".join(_NUMBERING.sub("", heading).casefold().split()).strip("?.!: ")


def _related(text: str, made: Sequence[Block], contents: frozenset[str], laid_out: bool) -> Iterator[Block]:
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
            own: BlockKind = "contents" if _is_contents(text, members, contents, head) else "item"
            for block in members:
                yield Block(block.start, block.end, own, its, head, lead)
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


def _number(text: str, item: Block) -> int:
    """Of a numbered item, else 0."""
    found = _ORDINAL.match(text, item.start)
    return int(found[1]) if found else 0


def _is_contents(text: str, items: Sequence[Block], contents: frozenset[str], head: int) -> bool:
    lines = [ITEM.sub("", text[block.start : block.end], count=1).strip() for block in items]
    named = sum(_named(line) in contents for line in lines)
    asked = sum(line.endswith("?") for line in lines)
    if len(lines) >= 3 and max(named, asked) > LEAST_CONTENTS * len(lines):
        return True
    short = all(len(line.split()) <= 2 and not _DIGIT.search(line) for line in lines)
    return head < 0 and bool(contents) and short and len(lines) >= LEAST_MENU


def sentences_of(region: Region, block: Block) -> list[Span]:
    """The sentences of a block, in its region; what is shorter than three words, or a label of three ("Article 9.
    Committee."), stands with the one behind it."""
    text = region.of(block)
    lines = _lines(region.text, block.start, block.end)
    if len(lines) > 1 and all(MAIL_HEAD.match(region.text, *line) for line in lines):
        return lines
    spans = [(block.start + start, block.start + end) for start, end in split(text)]
    joined: list[Span] = []
    for span in spans:
        before = region.text[slice(*joined[-1])] if joined else ""
        short = len(before.split()) < (4 if _DIGIT.search(before) else 3)
        if joined and (short or _GOES_ON.search(before)):
            span = joined.pop()[0], span[1]
        joined.append(span)
    at = region.blocks.index(block)
    if joined and at + 1 < len(region.blocks) and _goes_on(region, block, region.blocks[at + 1]):
        behind = region.blocks[at + 1]
        joined[-1] = joined[-1][0], behind.start + split(region.of(behind))[0][1]
    return joined[1:] if at and _goes_on(region, region.blocks[at - 1], block) else joined


def _goes_on(region: Region, block: Block, behind: Block) -> bool:
    """Whether a sentence goes on behind the running head of the next page."""
    text = region.of(behind)
    head = RUNNING_HEAD.match(text)
    rest = text[head.end() :].lstrip() if head else ""
    return (
        block.kind == behind.kind == "prose" and rest[:1].islower() and not _STOPPED.search(region.of(block).rstrip())
    )


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

_CODE_LINE = re.compile(
    r">>>|\.\.\.(?: |$)|async (?:with|for|def)\b|[$%#] ?\w+[^.?!]*$|(?:import|from|def|class"
    r"|with|for|if|return|print|await|async|SELECT|INSERT|CREATE|PRAGMA)\b"
    r"[^.?!]*[(){}=;:\[\]][^.?!]*$|[\w.\"'\[\]]+ ?(?:=|<-|:=) ?\S|[\w.]+\([^)]*\)?[;,]?$"
    r"|[)}\]]+[;,]?$|<[\w/!?][^>]*>|[{\[]\s*$"
    r"|\S+\s*[({]\s*$"
    r"|(?:from [\w.]+ )?import [\w.*]+(?:, [\w.]+)*(?: as \w+)?;?$|#include [<\"]"
)
ANNOUNCES_CODE = re.compile(r"(?::|\b(?:command|commands|run|running|execute|type|enter|syntax|using))$")
_COMMAND = re.compile(r"(?!.*[.!?]$)(?=[^A-Z]|.*[-=/_<>(]).{2,120}$")
"""One line behind what announces it: `dpkg --list`."""

LONGEST = 90
"""Words of what may be weighed and told as one: a sentence, an item, a row, a block of code."""

WRAPPED = 8
"""Words of a line that is no code for its place alone: a paragraph may be indented as a whole."""

_OF_CODE = re.compile(r"[{}\[\];=<>\\|]|(?<!\S)--?\w|\w\(|(?<!\S)/\w")


def _may_be_code(line: str) -> bool:
    return len(line.split()) < WRAPPED or bool(_OF_CODE.search(line))


def is_code(text: str, lines: Sequence[Span]) -> bool:
    """Most of its lines look so, or are indented beneath one that does; items, sentences and long lines do not."""
    found = [bool(_CODE_LINE.match(text[start:end])) and not ITEM.match(text, start, end) for start, end in lines]
    comment = [text[start] == "#" for start, _ in lines]
    inner = [start > 0 and text[start - 2 : start] == "  " and _may_be_code(text[start:end]) for start, end in lines]
    held = sum(one or two or three for one, two, three in zip(found, comment, inner, strict=True))
    return any(found) and held * 3 >= len(lines) * 2


def is_command(text: str, lines: Sequence[Span]) -> bool:
    """Behind what announces it: one line, or one that goes on in others that are indented, or behind a backslash."""
    (start, end), *rest = lines
    behind = zip((end for _, end in lines), rest, strict=False)
    goes_on = all(text[one - 2 : one] == "  " or text[before - 1] == "\\" for before, (one, _) in behind)
    return bool(_COMMAND.match(text, start, end)) and goes_on and all(_OF_CODE.search(text, *span) for span in rest)


def with_code(text: str, stanzas: Sequence[Span]) -> tuple[list[Span], frozenset[Span]]:
    """The stanzas of a document that was laid out, those of one block of code as one, up to `LONGEST` words; and which
    of them are code, as they are indented."""
    made, code = list[Span](), set[Span]()
    for start, end in stanzas:
        indented = text[max(0, start - len(INDENT)) : start] == INDENT
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


# Heads of columns -----------------------------------------------------------------------------------------------------

_NUMBER = re.compile(r"\d(?:[\d.,]*\d)?")
_YEAR = re.compile(r"(?:19|20)\d\d")

ALIKE_CELLS = 0.75
"""The share of the cells of a column that look alike, from which another look of its first is telling."""


def names_columns(rows: Sequence[str], laid_out: bool) -> bool:
    """It has no number, and the rows below have; or no cell above the first of these; or its cells look otherwise than
    the numbers below them (`Full day (8 h)` above `24 EUR`, a year above amounts); or, in a document that `laid_out`
    its tables, its cells are none of those below, some of which recur."""
    cells = [[cell.strip() for cell in row.split(" | ")] for row in rows]
    first, *below = cells
    if len(below) > 1 and len(first) > 1 and {len(row) for row in below} == {len(first) + 1}:
        return True
    even = len(first) > 1 and len({*first}) == len(first) and all(len(row) == len(first) for row in below)
    if not below or _DIGIT.search(rows[0]):
        return even and len(below) > 1 and _looks_otherwise(first, below)
    if sum(bool(_DIGIT.search(row)) for row in rows[1:]) * 2 > len(below):
        return True
    if not (laid_out and even and all(first)):
        return False
    columns = list(zip(*below, strict=True))
    apart = all(head not in column for head, column in zip(first, columns, strict=True))
    return apart and any(len({*column}) < len(column) for column in columns)


def _looks_otherwise(first: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Whether there are columns of numbers that look alike, and the first cell of none of them is such a number."""
    told = list[bool]()
    for head, *column in zip(first, *below, strict=True):
        shapes = [_NUMBER.sub("0", cell) for cell in column if _DIGIT.search(cell)]
        shape = max(shapes, key=shapes.count, default="")
        if shape and shapes.count(shape) >= ALIKE_CELLS * len(column):
            year = bool(_YEAR.fullmatch(head)) and not all(map(_YEAR.fullmatch, column))
            told.append(year or _NUMBER.sub("0", head) != shape)
    return bool(told) and all(told)
