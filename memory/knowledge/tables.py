"""The tables of documents, kept typed in the library's database: what `tables.TableRequest` is answered from.

A cell is kept as it is written, and as a value: a number, a day (ISO 8601), 1 or 0 for yes and no, or text in small
letters without accents. A column has the kind of its cells.
"""

import json
import math
import re
import sqlite3
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, NamedTuple

from clew.memory.datatypes import Table
from clew.memory.dates import DateOrder, found_dates, order_of
from clew.memory.text import stemmed_words, unaccented, word_lists

LARGE = 2_000
"""Rows, above which the text of a document has some of them only."""

SAMPLED = 100
"""About so many then, from all over."""

ALIKE = 0.9
"""Of the cells of a column that are not empty, how many are of its kind at least."""

TABLES = ("tables", "table_rows", "table_words")
"""Where they stand in the database."""

ColumnKind = Literal["number", "date", "yes-no", "text"]
CellValue = float | int | str | None

_NUMBER = re.compile(
    r"(?P<minus>[(\u2212-])?\s*(?:(?P<before>[A-Z]{3}\s|\W{1,2})\s*)?(?P<inner>[\u2212-])?"
    r"(?P<digits>\d[\d.,'\u2019\s]*)(?P<after>\s?[^\d\s()][^\d()]{0,11})?\)?"
)
_EMPTY = re.compile(r"[\W_]*|n/?a", re.IGNORECASE)
_SAYS = word_lists(Path(__file__).with_suffix(".txt"))
_YES_NO = {**dict.fromkeys(_SAYS["yes"], 1), **dict.fromkeys(_SAYS["no"], 0)}
"""How a column of yes and no is written."""


class Column(NamedTuple):
    """`unit` stands with all of its numbers, or with none; `decimals` are the most that one of them has; `distinct` is
    how many different cells it has. Years are dates."""

    head: str
    kind: ColumnKind
    unit: str = ""
    decimals: int = 0
    distinct: int = 0


class Link(NamedTuple):
    """Words that a cell of a column has in common with a question, by their stems; `share` of all its words they are.
    In the column -1 stand the table's own names, and a head has no value."""

    column: int
    value: str
    words: frozenset[str]
    share: float


@dataclass(frozen=True, slots=True)
class StoredTable:
    """A table of a document, without its rows: `size` is how many it has; `called` is the document's title, and `path`
    where the document is."""

    document: str
    n: int
    title: str
    place: str
    size: int
    columns: tuple[Column, ...]
    called: str
    path: str

    @property
    def id(self) -> str:
        return f"{self.document}#table{self.n}"

    @property
    def name(self) -> str:
        """The document's title and the table's own."""
        return " ".join(dict.fromkeys(filter(None, (self.called, self.title, self.place))))

    @property
    def heads(self) -> tuple[str, ...]:
        return tuple(column.head for column in self.columns)


class TableRow(NamedTuple):
    """A row with its number in its file, its cells as they are written, and their values."""

    number: int
    cells: tuple[str, ...]
    values: tuple[CellValue, ...]


# Written -------------------------------------------------------------------------------------------------------------


def folded(text: str) -> str:
    """As text is compared."""
    return " ".join(unaccented(text).split())


def add_tables(database: sqlite3.Connection, document: str, names: str, tables: Sequence[Table]) -> None:
    """The tables of a document; `names` are its title and its path."""
    for n, table in enumerate(tables):
        columns, values = typed(table)
        database.execute(
            "INSERT INTO tables VALUES (?, ?, ?, ?, ?, ?)",
            (document, n, table.title, table.place, len(values), _json(columns)),
        )
        rows = enumerate(zip(table.rows, values, strict=False), table.first_row)  # a last row of sums has no values
        database.executemany(
            "INSERT INTO table_rows VALUES (?, ?, ?, ?, ?)",
            ((document, n, number, _json(cells), _json(its)) for number, (cells, its) in rows),
        )
        words = [(-1, f"{names} {table.title} {table.place}", "")]
        words += [(place, column.head, "") for place, column in enumerate(columns)]
        for place, column in enumerate(columns):
            if column.kind == "text":
                words += [(place, value, value) for value in {str(row[place]) for row in values if row[place]}]
        database.executemany(
            "INSERT OR IGNORE INTO table_words VALUES (?, ?, ?, ?, ?)",
            ((word, document, n, place, value) for place, text, value in words for word in _words(text)),
        )


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _words(text: str) -> set[str]:
    """The stems of a name, of its parts too: `stock-west.csv`."""
    return {*stemmed_words(re.sub(r"[-/._]", " ", text))}


def typed(table: Table) -> tuple[list[Column], list[Sequence[CellValue]]]:
    """Its columns, and its rows as values, without a last row that sums up all others."""
    each = [[row[place].strip() for row in table.rows] for place in range(len(table.heads))]
    read = [_column(head, cells) for head, cells in zip(table.heads, each, strict=True)]
    columns = [one._replace(distinct=len({*cells} - {""})) for (one, _), cells in zip(read, each, strict=True)]
    sums = [values for column, values in read if column.kind == "number" and values and values[-1]]
    rows: list[Sequence[CellValue]] = [*zip(*(values for _, values in read), strict=True)]
    if len(rows) > 2 and sums and all(_ends_in_its_sum(values) for values in sums):
        rows.pop()
    return columns, rows


def _ends_in_its_sum(column: Sequence[CellValue]) -> bool:
    *above, last = (float(value or 0) for value in column)
    return math.isclose(sum(above), last, rel_tol=1e-6, abs_tol=1e-6)


def _column(head: str, cells: Sequence[str]) -> tuple[Column, Sequence[CellValue]]:
    filled = [cell for cell in cells if not _EMPTY.fullmatch(cell) or cell in _YES_NO]
    wanted = max(1.0, ALIKE * len(filled))
    if filled and set(map(folded, filled)) <= _YES_NO.keys():
        return Column(head, "yes-no"), [_YES_NO.get(folded(cell)) for cell in cells]
    numbers = {cell: match for cell in filled if (match := _NUMBER.fullmatch(cell)) and _is_quantity(match)}
    units = {(match["before"] or match["after"] or "").strip() for match in numbers.values()} - {""}
    if sum(cell in numbers for cell in filled) >= wanted and len(units) <= 1:
        if not units and _are_years(filled):
            return Column(head, "date"), [cell or None for cell in cells]
        mark = decimal_mark([match["digits"] for match in numbers.values()])
        decimals = max(len(match["digits"].strip().partition(mark)[2]) for match in numbers.values())
        unit = "".join(units or re.findall(r"\(([^()\s]+)\)$", head))
        read = [_number(numbers[cell], mark) if cell in numbers else None for cell in cells]
        return Column(head, "number", unit, decimals), read
    order = order_of(filled)
    days = {cell: iso for cell in filled if (iso := _day(cell, order))}
    if sum(cell in days for cell in filled) >= wanted:
        return Column(head, "date"), [days.get(cell) for cell in cells]
    return Column(head, "text"), [folded(cell) or None for cell in cells]


def _are_years(cells: Sequence[str]) -> bool:
    """Amounts end in 0 or 5 more often than years do."""
    round_ = sum(cell[-1] in "05" for cell in cells)
    return all(re.fullmatch(r"1[5-9]\d\d|20[0-3]\d", cell) for cell in cells) and 2 * round_ <= len(cells)


def read_value(column: Column, text: str) -> CellValue:
    """A text as a cell of this column has it; None where it is of another kind."""
    if column.kind == "number":
        match = _NUMBER.fullmatch(text.strip())
        return _number(match, decimal_mark([match["digits"]])) if match else None
    read, (value,) = _column(column.head, [text])
    return value if read.kind == column.kind else None


def _is_quantity(match: re.Match[str]) -> bool:
    """Not `007`, which is a name; nor a sign that is no currency before a number."""
    before = (match["before"] or "").strip()
    sign = not before or before.isalpha() or all(unicodedata.category(one) in ("Sc", "Pd", "Sm") for one in before)
    return sign and not re.match(r"0\d", match["digits"])


def decimal_mark(written: Sequence[str]) -> str:
    """What parts whole numbers from decimals in a column: what comes last where a number has both, what is followed by
    others than three digits; a comma before three digits is none."""
    lasts = [re.sub(r"[\d\s'\u2019]", "", one)[-1:] for one in written]
    for one, last in zip(written, lasts, strict=True):
        if last and ({",", "."} <= set(one) or (len(one.strip().rpartition(last)[2]) != 3 and one.count(last) == 1)):
            return last
    grouped = any(one.count(".") > 1 for one in written)
    return "," if grouped else "."


def _number(match: re.Match[str], mark: str) -> float:
    value = float(plain_number(match["digits"], mark))
    return -value if match["minus"] or match["inner"] else value


def plain_number(digits: str, mark: str) -> str:
    """Without what groups its digits, and with a point before the decimals."""
    plain = re.sub(r"[\s'\u2019]", "", digits).replace("," if mark == "." else ".", "").replace(",", ".").rstrip(".")
    return plain if plain.count(".") <= 1 else plain.replace(".", "")


def _day(cell: str, order: DateOrder) -> str:
    """ISO 8601, of a cell that is a date and nothing else."""
    found = found_dates(cell, order) if len(cell) < 30 else []
    whole = len(found) == 1 and not re.search(r"\w", cell[: found[0].start] + cell[found[0].end :])
    return found[0].date.iso if whole and found[0].last is None else ""


# Read ----------------------------------------------------------------------------------------------------------------

Run = Callable[[str, Sequence[Any]], list[tuple[Any, ...]]]
"""Runs a statement with its parameters on a database that can only be read."""


class Tables:
    """The tables of a library. Safe from several threads. `documents` has the title and the path of each document."""

    def __init__(self, run: Run) -> None:
        self.run = run

    @cached_property
    def all(self) -> tuple[StoredTable, ...]:
        sql = """SELECT t.document, t.n, t.title, t.place, t.size, t.columns, d.title, d.place
        FROM tables t JOIN documents d ON d.id = t.document ORDER BY d.source, d.position, t.n"""
        return tuple(
            StoredTable(id_, n, title, place, size, tuple(Column(*one) for one in json.loads(columns)), called, path)
            for id_, n, title, place, size, columns, called, path in self.run(sql, ())
        )

    def of(self, document: str) -> list[StoredTable]:
        return [one for one in self.all if one.document == document]

    def within(self, wanted: frozenset[str]) -> "Tables":
        """Those of these documents, or of these ids, alone."""
        made = Tables(self.run)
        made.all = tuple(one for one in self.all if wanted & {one.document, one.id})
        return made

    def links(self, stems: Sequence[str], most: int) -> dict[str, list[Link]]:
        """What of each table the words of a question name, by `StoredTable.id`: its names, its heads, its cells; of
        cells at most so many, those first that have most of the words."""
        if not self.all or not stems:
            return {}
        sql = """WITH hit AS (SELECT document, n, column, value, json_group_array(word) AS words, COUNT(*) AS hits
        FROM table_words WHERE word IN (SELECT value FROM json_each(?)) GROUP BY document, n, column, value)
        SELECT document, n, column, value, words FROM hit ORDER BY value <> '', hits DESC LIMIT ?"""
        found: dict[str, list[Link]] = {}
        known = {(one.document, one.n): one for one in self.all}
        for document, n, column, value, words in self.run(sql, (json.dumps([*stems]), most)):
            if table := known.get((document, n)):
                named = frozenset(json.loads(words))
                whole = _words(value) if value else _words(table.heads[column]) if column >= 0 else named
                found.setdefault(table.id, []).append(Link(column, value, named, len(named) / max(1, len(whole))))
        return found
