"""Rows and values of tables: a closed request, checked against the table that it means and compiled to SQL."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator

from clew.memory.datatypes import Passage
from clew.memory.dates import found_dates
from clew.memory.errors import BadInput
from clew.memory.knowledge.tables import CellValue, Column, StoredTable, TableRow, Tables, folded, read_value

MOST = 50
"""Rows of a result at most; of how many they are is said."""

TERMS = 12
"""Values that a sum or a mean is shown with."""


class Condition(BaseModel):
    """Of several values of a condition one has to be met."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    column: str
    operator: Literal["=", "!=", "<", "<=", ">", ">=", "contains"] = "="
    value: str | float | tuple[str, ...]

    @property
    def values(self) -> tuple[str | float, ...]:
        return self.value if isinstance(self.value, tuple) else (self.value,)


class Aggregate(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    function: Literal["count", "sum", "mean", "min", "max"]
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

    @field_validator("columns", "where", "aggregate", mode="before")
    @classmethod
    def _parsed(cls, given: Any, info: ValidationInfo) -> Any:
        """Models write lists and objects as JSON too, and one alone for a list of one."""
        if isinstance(given, str) and given.lstrip().startswith(("[", "{")):
            given = json.loads(given)
        return [given] if info.field_name != "aggregate" and isinstance(given, str | dict) else given

    @property
    def named(self) -> list[str]:
        """All columns of it."""
        of = [*self.columns, *(one.column for one in self.where), self.group_by, self.order_by]
        return list(filter(None, [*of, self.aggregate.column if self.aggregate else ""]))


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
    def conditions(self) -> str:
        """With the values as their cells are written."""
        said = list[str]()
        for one in self.request.where:
            place = place_of(self.table, one.column)
            column, cells = self.table.columns[place], {row.values[place]: row.cells[place] for row in self.rows}
            values = " / ".join(cells.get(value_for(column, value), str(value)) for value in one.values)
            said.append(f"{column.head} {values}" if one.operator == "=" else f"{column.head} {one.operator} {values}")
        return ", ".join(said)

    @property
    def computed(self) -> str:
        """`sum of Price (3 values): 1 + 2 + 3 = 6`; empty where nothing was computed."""
        if (wanted := self.request.aggregate) is None or not self.value:
            return ""
        if wanted.function == "count":
            return f"count: {self.value}"
        made = self.value
        if len(self.terms) > 1:
            terms = " + ".join(self.terms)
            made = f"{f'({terms}) / {self.counted}' if wanted.function == 'mean' else terms} = {made}"
        return f"{wanted.function} of {wanted.column} ({self.counted} values): {made}"

    @property
    def text(self) -> str:
        """The result as text: of how many rows it tells, what was computed, and the rows with their numbers."""
        of = f"{self.matched} of {self.table.size} rows"
        lines = [f"{of} with {self.conditions}" if self.request.where else of, self.computed]
        lines += [f"{group}: {value}" for group, value in self.groups]
        lines += [f"the first {self.request.limit} groups"] if 0 < len(self.groups) == self.request.limit else []
        if self.rows:
            wanted = [place_of(self.table, head) for head in self.request.columns or self.table.heads]
            few = f"the first {len(self.rows)} of {self.listed}: " if len(self.rows) < self.listed else ""
            lines.append(few + " | ".join(self.table.heads[place] for place in wanted))
            lines += [f"row {row.number}: {' | '.join(row.cells[place] for place in wanted)}" for row in self.rows]
        return "\n".join(filter(None, lines))

    @property
    def passage(self) -> Passage:
        """The result as evidence, which answers cite."""
        one = self.table
        numbers = [str(row.number) for row in self.rows] if self.listed == len(self.rows) else []
        rows = f"row{'s' if len(numbers) > 1 else ''} {', '.join(numbers)}" if numbers else f"{self.matched} rows"
        return Passage(
            one.id,
            one.document,
            one.called or one.name,
            self.text,
            1.0,
            TableTool.name,
            "read in a table",
            heading=f"{one.title}, {rows}" if one.title else rows,
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
        its column's kind."""
        known = [one for one in self.tables.all if scope is None or one.document in scope]
        return answered(self.tables, _meant(request, known), request)


def _meant(request: TableRequest, known: Sequence[StoredTable]) -> StoredTable:
    """The table that has the columns of the request, and most words of its name."""
    heads = set(map(folded, request.named))
    fitting = [one for one in known if heads <= set(map(folded, one.heads))]
    if request.table:
        wanted = folded(request.table)
        scores = {one.id: _alike(wanted, one) for one in known}
        most = max(scores.values(), default=0.0)
        named = [one for one in known if scores[one.id] == most > 0]
        if not named:
            raise BadInput(f"there is no table '{request.table}'", there_are(known))
        fitting = [one for one in named if one in fitting] or named
    if len(fitting) != 1:
        what = f"{len(fitting)} tables have" if fitting else "no table has"
        columns = ", ".join(request.named) or "that are asked for"
        raise BadInput(f"{what} the columns {columns}", there_are(fitting or known))
    return fitting[0]


def _alike(wanted: str, table: StoredTable) -> float:
    """How much of its name the words are; 2 where they are its path or its end."""
    if folded(table.document).endswith(wanted) or wanted in (folded(table.title), table.id):
        return 2.0
    words, names = set(wanted.replace("-", " ").split()), folded(f"{table.document} {table.name}")
    return sum(word in names for word in words) / len(words) if words else 0.0


def there_are(tables: Sequence[StoredTable]) -> str:
    """Names and columns, for whoever asks."""
    said = [f"{one.document} {one.title}".strip() + f" ({', '.join(one.heads)})" for one in tables[:5]]
    return f"one of {'; '.join(said)}" if said else "index documents with tables"


def place_of(table: StoredTable, head: str) -> int:
    """Raises `BadInput` for a column that it has not."""
    for place, one in enumerate(table.heads):
        if folded(one) == folded(head):
            return place
    raise BadInput(f"{table.name} has no column '{head}'", f"one of {', '.join(table.heads)}")


# In SQL ---------------------------------------------------------------------------------------------------------------


def answered(tables: Tables, table: StoredTable, request: TableRequest) -> TableResult:
    """As `TableTool.call`, of this table."""
    for head in request.named:
        place_of(table, head)
    conditions = [_condition(table, one) for one in request.where]
    where = " AND ".join(["FROM table_rows WHERE document = ? AND n = ?", *(sql for sql, _ in conditions)])
    given = [table.document, table.n, *(value for _, values in conditions for value in values)]
    ((matched,),) = tables.run(f"SELECT COUNT(*) {where}", given)
    direction = "DESC" if request.descending else "ASC"
    listed, value, counted, terms = matched, "", 0, tuple[str, ...]()
    if wanted := request.aggregate:
        column, cell = _aggregated(table, wanted)
        computed = f"{'AVG' if wanted.function == 'mean' else wanted.function}({cell})"
        if request.group_by:
            by = _cell(table, request.group_by)
            order = f"2 {direction}, 1" if request.order_by or request.descending else "1"
            sql = f"SELECT MIN(cells) ->> ?, {computed} {where} GROUP BY {by} ORDER BY {order} LIMIT ?"
            rows = tables.run(sql, [place_of(table, request.group_by), *given, request.limit])
            groups = tuple((str(group), written(column, of_group)) for group, of_group in rows)
            return TableResult(table, request, (), matched, matched, groups=groups)
        ((found, counted),) = tables.run(f"SELECT {computed}, COUNT({cell}) {where}", given)
        value = written(column, found)
        if wanted.function in ("min", "max"):
            where, given = f"{where} AND {cell} = ?", [*given, found]
            ((listed,),) = tables.run(f"SELECT COUNT(*) {where}", given)
        elif wanted.function != "count" and counted <= TERMS:
            each = tables.run(f"SELECT {cell} {where} AND {cell} IS NOT NULL ORDER BY number", given)
            terms = tuple(written(column, one) for (one,) in each)
    order = f"ORDER BY {_cell(table, request.order_by)} {direction} NULLS LAST, number" if request.order_by else ""
    rows = tables.run(f'SELECT number, cells, "values" {where} {order} LIMIT ?', [*given, request.limit])
    listing = tuple(TableRow(number, tuple(json.loads(cells)), tuple(json.loads(its))) for number, cells, its in rows)
    return TableResult(table, request, listing, matched, listed, value, counted, terms)


def _cell(table: StoredTable, head: str) -> str:
    return f'"values" ->> {place_of(table, head)}'


def _aggregated(table: StoredTable, wanted: Aggregate) -> tuple[Column, str]:
    """The column that is computed of, and its cell in SQL. Raises `BadInput` for one of another kind."""
    if wanted.function == "count" and not wanted.column:
        return Column("", "number"), "*"
    column = table.columns[place_of(table, wanted.column)] if wanted.column else Column("", "text")
    if not wanted.column or (wanted.function in ("sum", "mean") and column.kind != "number"):
        raise BadInput(f"{wanted.function} is of a column of numbers", f"one of {', '.join(table.heads)}")
    return column, _cell(table, wanted.column)


def _condition(table: StoredTable, one: Condition) -> tuple[str, list[CellValue]]:
    column, cell = table.columns[place_of(table, one.column)], _cell(table, one.column)
    parts, given = list[str](), list[CellValue]()
    for value in one.values:
        meant = folded(str(value)) if one.operator == "contains" else value_for(column, value)
        if meant is None:
            raise BadInput(f"'{value}' is no {column.kind} for the column {column.head}", f"{column.kind}s alone")
        given.append(meant)
        if one.operator == "contains":
            parts.append(f"instr({cell}, ?) > 0")
        elif column.kind == "date" and one.operator in ("=", "!=", ">", "<="):  # a day of a year, a month
            parts.append(f"substr({cell}, 1, {len(str(meant))}) {one.operator} ?")
        else:
            parts.append(f"{cell} {'IS NOT' if one.operator == '!=' else one.operator} ?")
    return f"({' OR '.join(parts)})", given


def value_for(column: Column, value: str | float) -> CellValue:
    """The value as its column has it; None where it is none of that kind."""
    if column.kind == "text":
        return folded(str(value))
    if column.kind == "date":
        text = str(value).removesuffix(".0")
        day = found_dates(text)
        return text if len(text) == 4 and text.isdecimal() else day[0].date.iso if day else None
    return value if isinstance(value, int | float) else read_value(column, value)


def written(column: Column, value: CellValue) -> str:
    """A value with as many decimals as its column has; what has more, as a mean may, with two at least."""
    if not isinstance(value, float):
        return "none" if value is None else str(value)
    whole = abs(round(value, column.decimals) - value) < 1e-9 * max(1.0, abs(value))
    return f"{value:.{column.decimals if whole else max(2, column.decimals)}f}"
