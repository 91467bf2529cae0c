"""Workbooks of Excel (.xlsx) as they are shown: their sheets without what is hidden, cells in all rows and columns that
they span, and comments behind them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import reduce
from itertools import chain
from typing import IO

from lxml import etree
from lxml.etree import _Element

from clew.memory.datatypes import Document
from clew.memory.knowledge.loaders.layout import TextLayout
from clew.memory.knowledge.loaders.packages import SAFE, Package, attribute, name_of, opened
from clew.memory.knowledge.loaders.plain_text import title_of_file
from clew.memory.knowledge.loaders.source import Source
from clew.memory.text import clean

_CELL = re.compile(r"([A-Z]{1,3})(\d{1,7})")
_COLUMNS = 16_384
_PERCENT, _DATES = (9, 10), (*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59))
"""Numbers of formats that every workbook has (ECMA-376-1, 18.8.30)."""

_NO_FORMAT = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]')
_EPOCH = datetime(1899, 12, 30)


@dataclass
class Sheet:
    """Cells by row and column, each from 1; `spans` are the first and the last cell of those that are merged."""

    name: str
    is_hidden: bool = False
    cells: dict[int, dict[int, str]] = field(default_factory=dict)
    hidden_rows: set[int] = field(default_factory=set)
    hidden_columns: set[int] = field(default_factory=set)
    spans: list[tuple[tuple[int, int], tuple[int, int]]] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)

    def shown(self) -> tuple[list[tuple[int, list[str]]], str]:
        """The rows that are shown, with their numbers; and the words of what is hidden."""

        def is_away(row: int, column: int) -> bool:
            return self.is_hidden or row in self.hidden_rows or column in self.hidden_columns

        away = [said for row, its in self.cells.items() for column, said in its.items() if is_away(row, column)]
        used, end = sorted(set(chain(*self.cells.values()))), max(self.cells, default=0)
        for (top, first), (bottom, last) in self.spans:
            words = "" if is_away(top, first) else self.cells.get(top, {}).get(first, "")
            for row in range(top, min(bottom, end) + 1) if words else ():
                self.cells.setdefault(row, {}).update((place, words) for place in used if first <= place <= last)
        rows, before = list[tuple[int, list[str]]](), 0
        for row in sorted(self.cells.keys() - self.hidden_rows) if not self.is_hidden else ():
            if any(other not in self.hidden_rows for other in range(before + 1, row)):
                rows.append((row - 1, []))
            rows.append((row, [self.cells[row].get(place, "") for place in used if place not in self.hidden_columns]))
            before = row
        return rows, " ".join(away)


def read_workbook(source: Source) -> Iterator[Document]:
    """One document, whose places are the sheets. Raises `Unreadable` for another file."""
    layout, hidden = TextLayout(), list[str]()
    with opened(source.path.read_bytes()) as package:
        _, author, tags = package.told()
        for sheet in _sheets(package):
            rows, away = sheet.shown()
            hidden += [away] if away else []
            write_sheet(layout, sheet.name, rows, sheet.comments)
    title = title_of_file(source.path)
    yield layout.document(source, title, author=author, tags=tags, hidden_text="\n".join(hidden))


def write_sheet(
    layout: TextLayout, name: str, rows: Sequence[tuple[int, list[str]]], comments: Sequence[str] = ()
) -> None:
    """Below its name; an empty row ends a table, and rows of one cell are lines of text."""
    if any(any(row) for _, row in rows):
        layout.page(f"sheet {name}")
        layout.heading(name)
        for start, stanza in _stanzas(rows):
            if max(sum(map(bool, row)) for row in stanza) > 1:
                layout.table(stanza, name, start)
            else:
                layout.verbatim("\n".join(filter(None, map("".join, stanza))))
        layout.verbatim("\n".join(comments))


def _stanzas(rows: Sequence[tuple[int, list[str]]]) -> Iterator[tuple[int, list[list[str]]]]:
    """The rows between empty ones, with the number of the first; a title above a table stands apart."""
    start, held = 0, list[list[str]]()
    for number, row in [*rows, (0, [""])]:
        full = sum(map(bool, row))
        if held and (not full or (full > 1 and sum(map(bool, held[-1])) == 1 == len(held))):
            yield start, held
            held = []
        start = start if held else number
        if full:
            held.append(row)


def _sheets(package: Package) -> Iterator[Sheet]:
    targets, formats = package.links("xl/workbook.xml"), _formats(package.parsed("xl/styles.xml"))
    shared = [_text(one) for one in package.parsed("xl/sharedStrings.xml")]
    for one in package.parsed("xl/workbook.xml").iter("{*}sheet"):
        sheet = Sheet(one.get("name", ""), one.get("state") in ("hidden", "veryHidden"))
        part = targets.get(attribute(one, "id"), "")
        if part in package.names:
            with package.file.open(part) as stream:
                _fill(sheet, stream, shared, formats)
            for other in package.links(part).values():
                sheet.comments += _comments(package.parsed(other)) if "/comments" in other else ()
        yield sheet


def _fill(sheet: Sheet, stream: IO[bytes], shared: list[str], formats: list[str]) -> None:
    number = 0
    for _, one in etree.iterparse(stream, tag=("{*}c", "{*}row", "{*}col", "{*}mergeCell"), **SAFE):
        is_hidden = one.get("hidden") in ("1", "true")
        match name_of(one):
            case "c":
                below = number + 1, max(sheet.cells.get(number + 1, {}), default=0) + 1
                row, column = _place(one.get("r", "")) or below
                if words := clean(_value(one, shared, formats)).strip():
                    sheet.cells.setdefault(row, {})[column] = words
            case "row":
                number = int(one.get("r", number + 1))
                sheet.hidden_rows |= {number} if is_hidden else set()
                one.clear()
            case "col" if is_hidden:
                sheet.hidden_columns |= set(range(int(one.get("min", 0)), min(int(one.get("max", 0)), _COLUMNS) + 1))
            case "mergeCell":
                first, last = (_place(end) for end in (one.get("ref") or "").rpartition(":")[::2])
                sheet.spans += [(first, last)] if first and last else []


def _place(reference: str) -> tuple[int, int] | None:
    """Row and column of `B3`."""
    if not (found := _CELL.fullmatch(reference)):
        return None
    return int(found[2]), reduce(lambda so_far, letter: 26 * so_far + ord(letter) - 64, found[1], 0)


def _text(held: _Element) -> str:
    """Without how it is spoken."""
    return "".join(one.text or "" for one in held.iter("{*}t") if name_of(one.getparent()) != "rPh")


def _value(cell: _Element, shared: list[str], formats: list[str]) -> str:
    """As it is shown, but that dates are written as the ISO has it."""
    said, kind = cell.findtext("{*}v") or "", cell.get("t", "n")
    if kind != "n" or not said:
        if kind == "s":
            return shared[int(said)] if said else ""
        return str(said == "1").lower() if kind == "b" else said or _text(cell)
    number, style = float(said), formats[int(cell.get("s", 0))] if formats else ""
    if style == "date":
        form = "%H:%M:%S" if number < 1 else "%Y-%m-%d" if number == int(number) else "%Y-%m-%d %H:%M:%S"
        return (_EPOCH + timedelta(days=number)).strftime(form)
    if style == "percent":
        return f"{number * 100:.10g}%"
    return f"{number:.15g}" if number % 1 else f"{number:.0f}"


def _formats(styles: _Element) -> list[str]:
    """Of each style of cells: a date, a percentage or nothing."""
    kinds = {str(one): kind for kind, numbers in (("percent", _PERCENT), ("date", _DATES)) for one in numbers}
    for one in styles.iter("{*}numFmt"):
        code = _NO_FORMAT.sub("", one.get("formatCode", "")).lower()
        kinds[one.get("numFmtId", "")] = "percent" if "%" in code else "date" if set(code) & set("dmyhs") else ""
    return [kinds.get(one.get("numFmtId", ""), "") for one in styles.iterfind("{*}cellXfs/{*}xf")]


def _comments(root: _Element) -> Iterator[str]:
    authors = [one.text or "" for one in root.iter("{*}author")]
    for one in root.iter("{*}comment"):
        said = " ".join(clean(_text(one)).rpartition("Comment:\n")[2].split())  # before it, a note for old programs
        author = authors[int(one.get("authorId", 0))] if authors else ""
        yield f"Comment{f' by {author}' if author else ''} on {one.get('ref', '')}: {said}"
