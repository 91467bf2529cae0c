"""Workbooks of Excel (.xlsx) as they are shown: their sheets without what is hidden, cells in all rows and columns that
they span."""

import re
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from functools import reduce
from itertools import chain, groupby, zip_longest
from typing import IO

from lxml import etree
from lxml.etree import _Element

from clew.memory.datatypes import Document
from clew.memory.knowledge.loaders.layout import TextLayout, has_heads
from clew.memory.knowledge.loaders.packages import SAFE, attribute, name_of, opened
from clew.memory.knowledge.loaders.plain_text import title_of_file
from clew.memory.knowledge.loaders.source import Source
from clew.memory.text import clean

_CELL = re.compile(r"([A-Z]{1,3})(\d{1,7})")
_COLUMNS = 16_384
Row = tuple[int, list[str]]
"""With its number in the file."""

# Numbers of formats that every workbook has (ECMA-376-1, 18.8.30):
_PERCENT, _DATES = (9, 10), (*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59))
_NO_FORMAT = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]')
_EPOCH = datetime(1899, 12, 30)


class _Sheet:
    """A worksheet: cells by row and column, each from 1; which rows and columns are hidden; the first and the last cell
    of those that are merged."""

    def __init__(self, stream: IO[bytes], shared: list[str], formats: list[str]) -> None:
        self._cells: dict[int, dict[int, str]] = {}
        self._rows, self._columns = set[int](), set[int]()
        self._spans = list[tuple[tuple[int, int], tuple[int, int]]]()
        number = 0
        for _, one in etree.iterparse(stream, tag=("{*}c", "{*}row", "{*}col", "{*}mergeCell"), **SAFE):
            is_hidden = one.get("hidden") in ("1", "true")
            match name_of(one):
                case "c":
                    below = number + 1, max(self._cells.get(number + 1, {}), default=0) + 1
                    row, column = _place(one.get("r", "")) or below
                    if words := clean(_value(one, shared, formats)).strip():
                        self._cells.setdefault(row, {})[column] = words
                case "row":
                    number = int(one.get("r", number + 1))
                    self._rows |= {number} if is_hidden else set()
                    one.clear()
                case "col" if is_hidden:
                    self._columns |= set(range(int(one.get("min", 0)), min(int(one.get("max", 0)), _COLUMNS) + 1))
                case "mergeCell":
                    first, last = (_place(end) for end in (one.get("ref") or "").rpartition(":")[::2])
                    self._spans += [(first, last)] if first and last else []

    def shown(self, is_hidden: bool) -> tuple[list[Row], str]:
        """The rows that are shown, with their numbers, and the words of what is hidden; `is_hidden`: all of it."""

        def is_away(row: int, column: int) -> bool:
            return is_hidden or row in self._rows or column in self._columns

        away = [said for row, its in self._cells.items() for column, said in its.items() if is_away(row, column)]
        filled, end = set(chain(*self._cells.values())), max(self._cells, default=0)
        used = sorted(filled | {place + 1 for place in filled})  # what is empty between two tables
        for (top, first), (bottom, last) in self._spans:
            words = "" if is_away(top, first) else self._cells.get(top, {}).get(first, "")
            for row in range(top, min(bottom, end) + 1) if words else ():
                self._cells.setdefault(row, {}).update((place, words) for place in used if first <= place <= last)
        rows, before = list[Row](), 0
        for row in sorted(self._cells.keys() - self._rows) if not is_hidden else ():
            if any(other not in self._rows for other in range(before + 1, row)):
                rows.append((row - 1, []))
            rows.append((row, [self._cells[row].get(place, "") for place in used if place not in self._columns]))
            before = row
        return rows, " ".join(away)


def read_workbook(source: Source) -> Iterator[Document]:
    """One document, whose places are the sheets. Raises `Unreadable` for another file."""
    layout = TextLayout()
    with opened(source.path.read_bytes()) as package:
        _, author, tags = package.told()
        targets, formats = package.links("xl/workbook.xml"), _formats(package.parsed("xl/styles.xml"))
        shared = [_text(one) for one in package.parsed("xl/sharedStrings.xml")]
        for one in package.parsed("xl/workbook.xml").iter("{*}sheet"):
            if (part := targets.get(attribute(one, "id"), "")) not in package.namelist():
                continue
            with package.open(part) as stream:
                rows, away = _Sheet(stream, shared, formats).shown(one.get("state") in ("hidden", "veryHidden"))
            layout.hidden.append(away)
            write_sheet(layout, one.get("name", ""), rows)
    yield layout.document(source, title_of_file(source.path), author=author, tags=tags)


def write_sheet(layout: TextLayout, name: str, rows: Sequence[Row]) -> None:
    """Below its name."""
    if any(any(row) for _, row in rows):
        layout.page(f"sheet {name}")
        layout.heading(name)
        write_rows(layout, name, rows)


def write_rows(layout: TextLayout, title: str, rows: Sequence[Row]) -> None:
    """Rows of one cell are lines of text; an empty row ends a table, and so does an empty column between two."""
    for start, stanza in _stanzas(rows):
        if max(map(_filled, stanza)) > 1:
            for table in _beside(stanza):
                layout.table(table, title, start, headed=has_heads(table))
        else:
            layout.verbatim("\n".join("".join(dict.fromkeys(row)) for row in stanza))


def _stanzas(rows: Sequence[Row]) -> Iterator[tuple[int, list[list[str]]]]:
    """The rows between empty ones, with the number of the first; titles above a table stand apart."""
    start, most, held = 0, 0, list[list[str]]()
    for number, row in [*rows, (0, [""])]:
        full = _filled(row)
        if held and (not full or full > most == 1):
            yield start, held
            most, held = 0, []
        start, most = start if held else number, max(most, full)
        if full:
            held.append(row)


def _beside(rows: Sequence[Sequence[str]]) -> list[list[tuple[str, ...]]]:
    """The tables that stand side by side, each of two columns and more."""
    columns = groupby(zip_longest(*rows, fillvalue=""), key=any)
    parts = [list(part) for is_full, part in columns if is_full]
    parts = parts if min(map(len, parts)) > 1 else [[*chain(*parts)]]
    return [[row for row in zip(*part, strict=True) if any(row)] for part in parts]


def _filled(row: Sequence[str]) -> int:
    """How many cells say something, one that spans several counted once."""
    return len({*filter(None, row)})


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
    """What each style of cells shows: a date, a percentage or nothing."""
    kinds = {str(one): kind for kind, numbers in (("percent", _PERCENT), ("date", _DATES)) for one in numbers}
    for one in styles.iter("{*}numFmt"):
        code = _NO_FORMAT.sub("", one.get("formatCode", "")).lower()
        kinds[one.get("numFmtId", "")] = "percent" if "%" in code else "date" if set(code) & set("dmyhs") else ""
    return [kinds.get(one.get("numFmtId", ""), "") for one in styles.iterfind("{*}cellXfs/{*}xf")]
