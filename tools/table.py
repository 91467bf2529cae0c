"""Rows and values of tables: a closed request, checked against the table that it means and compiled to SQL."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from clew.memory.datatypes import Passage
from clew.memory.dates import found_dates
from clew.memory.errors import BadInput
from clew.memory.knowledge.tables import CellValue, Column, StoredTable, TableRow, Tables, folded, read_value

MOST = 50
"""Rows of a result at most; of how many they are is said."""

TERMS = 12
"""Values that a sum or a mean is shown with."""

Operator = Literal["=", "!=", "<", "<=", ">", ">=", "contains"]
Computation = Literal["count", "sum", "mean", "min", "max"]


class Condition(BaseModel):
    """Of several values of a condition one has to be met."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    column: str
    operator: Operator = "="
    value: str | float | tuple[str, ...]


class Aggregate(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    function: Computation
    column: str = Field(default="", description="Nothing for a count of rows.")


class TableRequest(BaseModel):
    """What is asked of one table."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    table: str = Field(default="", description="Its file or title; may be left out where its columns tell it.")
    columns: tuple[str, ...] = Field(default=(), description="Those to show; none: all.")
    where: tuple[Condition, ...] = Field(default=(), description="Conditions that all have to be met.")
    group_by: str = Field(default="", description="A column: the aggregate is computed for each of its values.")
    aggregate: Aggregate | None = Field(default=None, description="What is computed of the rows.")
    order_by: str = Field(default="", description="A column; with group_by the aggregate orders.")
    descending: bool = Field(default=False, description="The most first.")
    limit: int = Field(default=10, ge=0, le=MOST, description="Rows to show at most.")


@dataclass(frozen=True, slots=True)
class TableResult:
    """`matched` rows of the table meet the conditions; `rows` are the first of the `listed` among them, which are all
    but for a least or most: then those that have it. `value` is what was computed, as text, from `counted` values,
    whose `terms` are there where they are few; `groups` has it by value."""

    table: StoredTable
    request: TableRequest
    rows: tuple[TableRow, ...]
    matched: int
    listed: int
    value: str = ""
    counted: int = 0
    terms: tuple[str, ...] = ()
    groups: tuple[tuple[str, str], ...] = ()

    @property
    def shown(self) -> list[int]:
        """The places of the columns that are shown."""
        wanted = [place_of(self.table, head) for head in self.request.columns]
        return wanted or list(range(len(self.table.columns)))

    @property
    def conditions(self) -> str:
        return ", ".join(
            f"{one.column} {one.operator} {' / '.join(one.value) if isinstance(one.value, tuple) else one.value}"
            for one in self.request.where
        )

    @property
    def computed(self) -> str:
        """`sum of Price (3 values): 1 + 2 + 3 = 6`; empty where nothing was computed."""
        if (wanted := self.request.aggregate) is None or not self.value:
            return ""
        if wanted.function == "count":
            return f"count: {self.value}"
        made = self.value
        if self.terms and wanted.function in ("sum", "mean"):
            made = " + ".join(self.terms)
            made = f"({made}) / {self.counted}" if wanted.function == "mean" else made
            made = f"{made} = {self.value}" if self.counted > 1 else self.value
        return f"{wanted.function} of {wanted.column} ({self.counted} values): {made}"

    @property
    def text(self) -> str:
        """Of how many rows it tells, what was computed, and the rows with their numbers."""
        of = f"{self.matched} of {self.table.size} rows"
        lines = [f"{of} with {self.conditions}" if self.request.where else of, self.computed]
        lines += [f"{group}: {value}" for group, value in self.groups]
        lines += [f"the first {self.request.limit} groups"] if 0 < len(self.groups) == self.request.limit else []
        if self.rows:
            few = f"the first {len(self.rows)} of {self.listed}: " if len(self.rows) < self.listed else ""
            lines.append(few + " | ".join(self.table.heads[place] for place in self.shown))
            lines += [f"row {row.number}: {' | '.join(row.cells[place] for place in self.shown)}" for row in self.rows]
        return "\n".join(filter(None, lines))

    @property
    def passage(self) -> Passage:
        """The result as evidence, which answers cite."""
        one = self.table
        numbers = [str(row.number) for row in self.rows] if self.listed == len(self.rows) else []
        rows = f"row{'s' if len(numbers) > 1 else ''} {', '.join(numbers)}" if numbers else f"{self.matched} rows"
        heading = f"{one.title}, {rows}" if one.title else rows
        name = one.name.removesuffix(one.place).removesuffix(f" {one.title}").strip() or one.name
        return Passage(
            one.id,
            one.document,
            name,
            self.text,
            1.0,
            TableTool.name,
            "read in a table",
            heading=heading,
            source=one.path,
        )


class TableTool:
    """The tool `table`."""

    name = "table"
    description = "Reads tables: rows that meet conditions and their number; a column's sum, mean, least or most."
    request = TableRequest

    def __init__(self, tables: Tables) -> None:
        self.tables = tables

    def call(self, request: TableRequest, scope: frozenset[str] | None = None) -> TableResult:
        """Raises `BadInput` for a table or a column that there is not or that several are, for a value that is none of
        its column's kind; `DeadlineExceeded`."""
        return answered(self.tables, self._meant(request, scope), request)

    def _meant(self, request: TableRequest, scope: frozenset[str] | None) -> StoredTable:
        """The table that has the columns of the request, and most words of its name."""
        heads = _named(request)
        known = [one for one in self.tables.all if scope is None or one.document in scope]
        fitting = [one for one in known if all(_place(one, head) is not None for head in heads)]
        if request.table:
            wanted = folded(request.table)
            scores = {one.id: _alike(wanted, one) for one in known}
            most = max(scores.values(), default=0.0)
            named = [one for one in known if scores[one.id] == most > 0]
            if not named:
                raise BadInput(f"there is no table '{request.table}'", _there_are(known))
            fitting = [one for one in named if one in fitting] or named
        if len(fitting) != 1:
            what = f"{len(fitting)} tables have" if fitting else "no table has"
            raise BadInput(
                f"{what} the columns {', '.join(heads) or 'that are asked for'}", _there_are(fitting or known)
            )
        return fitting[0]


def _named(request: TableRequest) -> list[str]:
    """The columns of a request."""
    of = [*request.columns, *(one.column for one in request.where), request.group_by, request.order_by]
    return list(filter(None, [*of, request.aggregate.column if request.aggregate else ""]))


def _alike(wanted: str, table: StoredTable) -> float:
    """How much of its name the words are; 2 where they are its path or its end."""
    if folded(table.document).endswith(wanted) or wanted in (folded(table.title), table.id):
        return 2.0
    words, names = set(wanted.replace("-", " ").split()), folded(f"{table.document} {table.name}")
    return sum(word in names for word in words) / len(words) if words else 0.0


def _there_are(tables: Sequence[StoredTable]) -> str:
    said = [f"{one.document} {one.title}".strip() + f" ({', '.join(one.heads)})" for one in tables[:5]]
    return f"one of {'; '.join(said)}" if said else "index documents with tables"


def place_of(table: StoredTable, head: str) -> int:
    """Raises `BadInput` for a column that it has not."""
    place = _place(table, head)
    if place is None:
        raise BadInput(f"{table.name} has no column '{head}'", f"one of {', '.join(table.heads)}")
    return place


def _place(table: StoredTable, head: str) -> int | None:
    return next((place for place, one in enumerate(table.heads) if folded(one) == folded(head)), None)


# In SQL ---------------------------------------------------------------------------------------------------------------

_OF_TABLE = "FROM table_rows WHERE document = ? AND n = ?"
_CELL = '"values" ->> ?'
_FUNCTIONS = {"count": "COUNT({0})", "sum": "SUM({0})", "mean": "AVG({0})", "min": "MIN({0})", "max": "MAX({0})"}


def answered(tables: Tables, table: StoredTable, request: TableRequest) -> TableResult:
    """As `TableTool.call`, of this table."""
    for head in _named(request):
        place_of(table, head)
    where, given = _OF_TABLE, list[CellValue]([table.document, table.n])
    for condition in request.where:
        sql, values = _condition(table, condition)
        where, given = f"{where} AND {sql}", [*given, *values]
    ((matched,),) = tables.run(f"SELECT COUNT(*) {where}", given)
    computed, listed = dict[str, Any](), matched
    if request.aggregate:
        computed = _computed(tables, table, request, where, given)
    if ends := computed.pop("ends", None):
        where, given = f"{where} AND {_CELL} = ?", [*given, *ends]
        ((listed,),) = tables.run(f"SELECT COUNT(*) {where}", given)
    order = place_of(table, request.order_by) if request.order_by else None
    by = f"ORDER BY {_CELL} {'DESC' if request.descending else 'ASC'} NULLS LAST, number" if order is not None else ""
    rows = tables.run(f"SELECT number, cells {where} {by} LIMIT ?", [*given, *([order] if by else []), request.limit])
    found = tuple(TableRow(number, tuple(json.loads(cells))) for number, cells in rows)
    return TableResult(table, request, () if request.group_by else found, matched, listed, **computed)


def _condition(table: StoredTable, one: Condition) -> tuple[str, list[CellValue]]:
    place = place_of(table, one.column)
    column, values = table.columns[place], one.value if isinstance(one.value, tuple) else (one.value,)
    if one.operator == "contains":
        parts = [folded(str(value)) for value in values]
        return _either(f"instr({_CELL}, ?) > 0", len(parts)), [each for part in parts for each in (place, part)]
    given = list[CellValue]()
    part = f"{_CELL} IS NOT ?" if one.operator == "!=" else f"{_CELL} {one.operator} ?"
    for value in values:
        meant = value_for(column, value)
        if meant is None:
            raise BadInput(f"'{value}' is no {column.kind} for the column {column.head}", f"{column.kind}s alone")
        if column.kind == "date" and one.operator in ("=", "!=", ">", "<="):  # a day of a year, a month
            part = part.replace(_CELL, f"substr({_CELL}, 1, {len(str(meant))})")
        given += [place, meant]
    return _either(part, len(values)), given


def _either(part: str, count: int) -> str:
    return f"({' OR '.join([part] * count)})"


def value_for(column: Column, value: str | float) -> CellValue:
    """The value as its column has it; None where it is none of that kind."""
    if column.kind == "text":
        return folded(str(value))
    if column.kind == "date":
        text = str(value).removesuffix(".0")
        day = found_dates(text)
        return text if len(text) == 4 and text.isdecimal() else day[0].date.iso if day else None
    return value if isinstance(value, int | float) else read_value(column, value)


def folded_value(column: Column, cell: str) -> CellValue:
    """A cell as its column has it."""
    return folded(cell) if column.kind == "text" else read_value(column, cell)


def _computed(
    tables: Tables, table: StoredTable, request: TableRequest, where: str, given: list[CellValue]
) -> dict[str, Any]:
    wanted = request.aggregate
    assert wanted is not None
    place = place_of(table, wanted.column) if wanted.column else -1
    column = table.columns[place] if wanted.column else Column("", "number")
    if (wanted.function in ("sum", "mean") and column.kind != "number") or (wanted.function != "count" and place < 0):
        raise BadInput(f"{wanted.function} is of a column of numbers", f"one of {', '.join(table.heads)}")
    expression = _FUNCTIONS[wanted.function].format(_CELL if place >= 0 else "*")
    of = [place] if place >= 0 else []
    if request.group_by:
        by = place_of(table, request.group_by)
        order = f"2 {'DESC' if request.descending else 'ASC'}, 1" if request.order_by or request.descending else "1"
        sql = f"SELECT MIN(cells) ->> ?, {expression} {where} GROUP BY {_CELL} ORDER BY {order} LIMIT ?"
        rows = tables.run(sql, [by, *of, *given, by, request.limit])
        return {"groups": tuple((str(group), written(column, value)) for group, value in rows)}
    ((value, counted),) = tables.run(f"SELECT {expression}, COUNT({_CELL if of else '*'}) {where}", [*of, *of, *given])
    made: dict[str, object] = {"value": written(column, value), "counted": counted}
    if wanted.function in ("min", "max"):
        return made | {"ends": (place, value)}
    if wanted.function != "count" and counted <= TERMS:
        terms = tables.run(f"SELECT {_CELL} {where} AND {_CELL} IS NOT NULL ORDER BY number", [place, *given, place])
        made["terms"] = tuple(written(column, one) for (one,) in terms)
    return made


def written(column: Column, value: CellValue) -> str:
    """A value with as many decimals as its column has; what has more, as a mean may, with two at least."""
    if value is None:
        return "none"
    if not isinstance(value, float):
        return str(value)
    digits = f"{value:.{column.decimals}f}"
    return (
        digits if abs(float(digits) - value) < 1e-9 * max(1.0, abs(value)) else f"{value:.{max(2, column.decimals)}f}"
    )
