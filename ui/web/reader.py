"""A document opened at a passage: as text with the quotations marked, as a table at its rows, or as a page of a PDF."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from clew.agent.answer.citations import LIST_MARK
from clew.agent.settings import Settings, indexed_here
from clew.agent.state import Answer
from clew.memory.datatypes import Document, Passage
from clew.memory.errors import BadInput, ClewError, Unreadable
from clew.memory.knowledge.library import Library, file_of, open_library
from clew.memory.knowledge.loaders.plain_text import CODE_ENDINGS
from clew.memory.knowledge.loaders.registry import BY_NAME, loader_of
from clew.ui.rendering import quoted
from clew.ui.web.pdf_picture import DrawnPage, PixelBox, drawn

ROWS = 400
"""Rows of a table that are shown, around the one that is quoted."""

NARROW, WIDE = 60, 120
"""Characters of lines that were broken by a program, at least and at most."""

GONE = "This document is not in the library any more: here is the passage as it was quoted."
CHANGED = "This document has changed since it was quoted, and the passage is not in it any more."
NOT_READ = "The file is not there any more, or not as it was read: here is its text as it was."

_ROW = re.compile(r"^row \d+(?=: )|(?<=\(row )\d+(?=\)$)", re.MULTILINE)
"""How a passage of the tool `table` numbers its rows."""


class MarkedText(NamedTuple):
    """A piece of text; `hit` is the number, from 1, of the hit that it belongs to; 0 outside hits."""

    text: str
    hit: int = 0


class ShownBlock(NamedTuple):
    """A part of a document as it is drawn. `kind` is text, code, heading, page (its label), item (of a list) or rows;
    each line of rows is a list with the pieces of each cell."""

    kind: str
    lines: list[list[list[MarkedText]]]


class Spot(NamedTuple):
    """A hit: the range of its characters in the document's text."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class OpenedDocument:
    """What is shown of a document: a `page` or `blocks`. `hits` is the number of hits, `hit` the one shown (0:
    none)."""

    document: str
    title: str
    path: str
    blocks: Sequence[ShownBlock] = ()
    page: DrawnPage | None = None
    marks: Sequence[tuple[int, PixelBox]] = ()
    hits: int = 0
    hit: int = 0
    note: str = ""


@dataclass(frozen=True, slots=True)
class WhereTo:
    """Where a document is opened: at a hit, else at a page of a PDF."""

    hit: int = 0
    page: str = ""


def opened_document(settings: Settings, id_: str, asked: WhereTo) -> OpenedDocument:
    """Open the document with this id, or that of the passage with this id, which is marked unless it is the whole
    document. Raises `BadInput` if the library has neither."""
    with open_library(settings.library, None) as library:
        found, spots = _document(library, id_), list[Spot]()
        if found is None:
            try:
                (chunk,) = library.store.chunks([id_])
            except LookupError as error:
                raise BadInput("this document is not in the library", "look at the list of documents") from error
            (found,) = library.store.documents([chunk.document])
            spots += [Spot(chunk.start, chunk.end)] * (chunk.end - chunk.start < len(found.text.strip()))
            asked = replace(asked, hit=int(not asked.page))
        return _shown(library, found, spots, asked)


def opened_source(settings: Settings, answer: Answer, number: int, asked: WhereTo) -> OpenedDocument:
    """Open the document of a source of an answer; the hits are all that the answer quotes from it."""
    passage = answer.sources[number - 1]
    try:
        with open_library(settings.library, None) as library:
            found = _document(library, passage.document)
            in_table = found and passage.id.startswith(f"{found.id}#table")
            if found and in_table and (table := _table(library, found, passage, asked)):
                return table
            if found:
                spots = sorted(set(_spots(found, answer, passage.document)))
                own = set(_spots(found, answer, passage.document, number))
                first = next((place for place, spot in enumerate(spots, 1) if spot in own), 0)
                asked = asked if asked.page else replace(asked, hit=asked.hit or first)
                shown = _shown(library, found, spots, asked)
                return shown if spots else replace(shown, note=CHANGED)
    except ClewError:  # the library cannot be opened: what was quoted is there
        pass
    whole = Document(passage.document, passage.title, passage.text, passage.source)
    spots = sorted(set(_quotes(answer, number, 0))) or [Spot(0, len(passage.text))]
    return _text(whole, spots, _within(replace(asked, hit=asked.hit or 1), spots), GONE)


def _shown(library: Library, document: Document, spots: Sequence[Spot], asked: WhereTo) -> OpenedDocument:
    asked, pdf = _within(asked, spots), BY_NAME["pdf"]
    file = file_of(library, document.id, indexed_here(library.manifest.id))
    if file is None or loader_of(file) is not pdf:
        return _text(document, spots, asked, NOT_READ if document.source.endswith(pdf.suffixes) else "")
    label = asked.page or (document.page_at(spots[asked.hit - 1].start) if asked.hit else "")
    try:
        return _drawn(document, spots, asked, drawn(file, label))
    except Unreadable:
        return _text(document, spots, asked, NOT_READ)


def _within(asked: WhereTo, hits: Sequence[object]) -> WhereTo:
    """Return `asked` with the number of its hit limited to those that exist."""
    return replace(asked, hit=min(max(asked.hit, 0), len(hits)))


def _document(library: Library, id_: str) -> Document | None:
    try:
        return library.store.documents([id_])[0]
    except LookupError:
        return None


def _spots(document: Document, answer: Answer, id_: str, only: int = 0) -> Iterator[Spot]:
    """Yield where the answer quotes the document: by all sources, or by the source number `only`."""
    for number, passage in enumerate(answer.sources, 1):
        place = _place_in(document.text, passage) if passage.document == id_ and only in (0, number) else None
        if place:
            yield from list(_quotes(answer, number, place[0])) or [Spot(*place)]


def _place_in(text: str, passage: Passage) -> tuple[int, int] | None:
    """Return start and end of the passage in the text of its document; None if it is no longer there."""
    start = passage.start if text.startswith(passage.text, passage.start) else text.find(passage.text)
    return (start, start + len(passage.text)) if passage.text and start >= 0 else None


def _quotes(answer: Answer, number: int, offset: int) -> Iterator[Spot]:
    text = answer.sources[number - 1].text
    for claim in answer.claims:
        if number in claim.cites:
            runs = quoted(text, claim.text)
            yield from (Spot(offset + start, offset + end) for start, end in runs)


# Text -----------------------------------------------------------------------------------------------------------------


def _text(document: Document, spots: Sequence[Spot], asked: WhereTo, note: str = "") -> OpenedDocument:
    blocks = list(_blocks(document, spots))
    return OpenedDocument(
        document.id, document.title, document.source, blocks, hits=len(spots), hit=asked.hit, note=note
    )


def _blocks(document: Document, spots: Sequence[Spot]) -> Iterator[ShownBlock]:
    """Yield the document's lines as blocks, neighbours of one kind together; lines of code stay unchanged."""
    is_code = document.source.lower().endswith(CODE_ENDINGS)
    headings, pages = {mark.start for mark in document.headings}, {mark.start: mark.text for mark in document.pages}
    block, start = ShownBlock("text", []), 0
    for line in document.text.split("\n"):
        kind = "code" if is_code else "heading" if start in headings else _kind(line, block.kind)
        fresh = kind != block.kind or kind == "heading" or bool(kind == "item" and LIST_MARK.match(line))
        if block.lines and fresh:
            yield _flowed(block)
        if label := pages.get(start, ""):
            yield ShownBlock("page", [[[MarkedText(label)]]])
        if fresh:
            block = ShownBlock(kind, [])
        if kind == "item":
            line = re.sub(r"^(\s*)[-*–](?=\s)", r"\1•", line)  # of the same length
        if kind:
            block.lines.append(list(_cells(line, start, spots)) if kind == "rows" else [_pieces(line, start, spots)])
        start += len(line) + 1
    if block.lines:
        yield _flowed(block)


def _kind(line: str, before: str) -> str:
    """Return the kind of a line that follows one of the kind `before`: an item continues until an empty line."""
    if not line.strip() or " | " in line:
        return "rows" if line.strip() else ""
    return "item" if before == "item" or LIST_MARK.match(line) else "text"


def _flowed(block: ShownBlock) -> ShownBlock:
    """Join the lines of a block that were broken only because the next word did not fit, judged by the longest line; in
    a list item all lines are joined."""
    if block.kind not in ("text", "item"):
        return block
    texts, lines = ["".join(piece.text for piece in line[0]) for line in block.lines], block.lines[:1]
    longest = max(map(len, texts))
    room = 0 if block.kind == "item" else max(longest, NARROW) if longest <= WIDE else longest + WIDE
    for before, text, line in zip(texts, texts[1:], block.lines[1:], strict=False):
        if len(before) + len(text.split()[0]) >= room:
            lines[-1:] = [[[*lines[-1][0], MarkedText(" "), *line[0]]]]
        else:
            lines.append(line)
    return ShownBlock(block.kind, lines)


def _cells(line: str, start: int, spots: Sequence[Spot]) -> Iterator[list[MarkedText]]:
    for cell in line.split(" | "):
        yield _pieces(cell, start, spots)
        start += len(cell) + 3


def _pieces(text: str, start: int, spots: Sequence[Spot]) -> list[MarkedText]:
    made, done = list[MarkedText](), 0
    for hit, spot in enumerate(spots, 1):
        first, last = max(spot.start - start, done), min(spot.end - start, len(text))
        if first < last:
            made += [MarkedText(text[done:first]), MarkedText(text[first:last], hit)]
            done = last
    return [piece for piece in (*made, MarkedText(text[done:])) if piece.text]


# Tables and pages -----------------------------------------------------------------------------------------------------


def _table(library: Library, document: Document, passage: Passage, asked: WhereTo) -> OpenedDocument | None:
    """Open the table of a passage around its rows; None if the document no longer has it."""
    n = int(passage.id.removeprefix(f"{document.id}#table"))
    rows = [int(one[0].removeprefix("row ")) for one in _ROW.finditer(passage.text)]
    table = next((one for one in library.store.tables.of(document.id) if one.n == n), None)
    if table is None:
        return None
    hit = _within(replace(asked, hit=asked.hit or 1), rows).hit
    first = max((rows[hit - 1] if hit else 0) - ROWS // 2, 0)
    sql = "SELECT number, cells FROM table_rows WHERE document = ? AND n = ? AND number >= ? ORDER BY number LIMIT ?"
    read = library.store.tables.run(sql, (document.id, n, first, ROWS))
    lines = [[[MarkedText(head)] for head in ("", *table.heads)]]
    for number, cells in read:
        lit = rows.index(number) + 1 if number in rows else 0
        lines.append([[MarkedText(str(number), 0)], *([MarkedText(cell, lit)] for cell in json.loads(cells))])
    return OpenedDocument(document.id, table.name, table.path, [ShownBlock("rows", lines)], hits=len(rows), hit=hit)


def _drawn(document: Document, spots: Sequence[Spot], asked: WhereTo, page: DrawnPage) -> OpenedDocument:
    here = page.labels[page.number]
    marks = list[tuple[int, PixelBox]]()
    for hit, spot in enumerate(spots, 1):
        if document.page_at(spot.start).partition(",")[0] == here:
            runs = quoted(page.text, document.text[spot.start : spot.end])
            marks += [(hit, box) for start, end in runs for box in _by_line(page.boxes[start:end])]
    return OpenedDocument(
        document.id, document.title, document.source, page=page, marks=marks, hits=len(spots), hit=asked.hit
    )


def _by_line(boxes: Sequence[PixelBox]) -> Iterator[PixelBox]:
    """Merge the boxes of characters to one box per line."""
    line: PixelBox | None = None
    for left, top, right, bottom in boxes:
        if left == right or top == bottom:
            continue
        if line and line[1] <= (top + bottom) / 2 <= line[3] and left >= line[0]:
            line = line[0], min(line[1], top), max(line[2], right), max(line[3], bottom)
        else:
            if line:
                yield line
            line = left, top, right, bottom
    if line:
        yield line
