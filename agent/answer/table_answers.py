"""Answers from tables: what was computed, with what it was computed from, and the rows with their numbers; of rows that
are too many to show, how many they are."""

from dataclasses import dataclass, replace

from clew.agent.answer.corpus_answers import CorpusAnswer
from clew.agent.search.table_reader import TableReading, read, shipped
from clew.agent.state import Answer, BoldSpan, Claim
from clew.agent.talk.lines import line
from clew.memory.errors import BadInput
from clew.memory.knowledge.tables import TableRow, Tables
from clew.memory.language.telling import language_of
from clew.memory.ports import Encoder
from clew.tools.table import MOST, TableResult, answered, folded_value, place_of

SHOWN = 10
"""Rows that are shown, where they are no more."""


def table_answer(
    question: str, tables: Tables, encoder: Encoder, scope: frozenset[str] | None = None
) -> CorpusAnswer | None:
    """None where no table is asked, or it is not sure what of it."""
    asked = tables if scope is None else tables.within(scope)
    reading = read(question, asked, encoder, shipped())
    if reading is None:
        return None
    try:
        result = answered(tables, reading.table, reading.request)
    except BadInput:
        return None
    if len(result.groups) == MOST:
        return None
    told = _Told(reading, result, language_of(question) or "en")
    passage = replace(result.passage, text="\n".join([told.lead, *told.rows]))
    claims = [Claim(told.lead, (1,), span=told.bold), *(Claim(row, (1,), new_line=True) for row in told.rows)]
    passages = [passage]
    if not result.matched:
        for n, other in enumerate(_others(reading, tables), 2):
            lead = _Told(reading, other, told.language).found
            passages.append(replace(other.passage, text=lead))
            claims.append(Claim(lead, (n,), new_line=True))
    answer = Answer("answered", tuple(claims), tuple(passages), form="fact")
    return CorpusAnswer(answer, tuple(passages), f"{reading.asked} in {reading.table.id}", (result.text,))


def _others(reading: TableReading, tables: Tables) -> list[TableResult]:
    """What the tables of the same form have of rows that this one lacks."""
    alike = [one for one in tables.all if one.heads == reading.table.heads and one.id != reading.table.id]
    request = reading.request.model_copy(update={"aggregate": None, "table": ""})
    found = [answered(tables, one, request) for one in alike[:SHOWN]]
    return [one for one in found if one.rows][:2]


@dataclass(frozen=True, slots=True)
class _Told:
    reading: TableReading
    result: TableResult
    language: str

    @property
    def found(self) -> str:
        """How many rows of which table meet the conditions."""
        of = line("of rows", self.language, count=str(self.result.matched), size=str(self.result.table.size))
        return f"{of} ({_conditions(self.result)}) \u2013 {self.result.table.name}"

    @property
    def lead(self) -> str:
        """What was asked for, in a line."""
        result, request = self.result, self.reading.request
        summed = request.aggregate is not None and request.aggregate.function in ("sum", "mean")
        counted = result.counted if summed and not result.groups else result.matched
        of = line("of rows", self.language, count=str(counted), size=str(result.table.size))
        conditions = _conditions(result)
        of = f"{of} ({conditions})" if conditions else of
        if request.order_by:
            of = line("of rows", self.language, count=str(len(result.rows)), size=str(result.listed))
            of = f"{of}, {request.order_by}"
        if not result.matched or request.aggregate is None or request.aggregate.function == "count":
            all_shown = 0 < result.matched == len(result.rows)
            if all_shown and self.reading.asked == "look up" and self.reading.column >= 0:
                return f"{result.table.heads[self.reading.column]}: {' / '.join(self._asked_for)}"
            return f"{of} \u2013 {result.table.name}:" if self.rows else f"{of} \u2013 {result.table.name}"
        computed = result.computed.partition(": ")[2]
        head = request.aggregate.column
        if request.aggregate.function in ("min", "max"):
            return f"{head}: {self.result.value}"
        return f"{head} ({of}): {computed}" if computed else f"{head} ({of}):"

    @property
    def _asked_for(self) -> list[str]:
        return list(dict.fromkeys(row.cells[self.reading.column] for row in self.result.rows))

    @property
    def bold(self) -> BoldSpan | None:
        """The value: behind the last sign of equality or colon, or the number that it begins with."""
        lead = self.lead
        if lead[:1].isdigit():
            return BoldSpan(0, len(lead.split()[0]))
        start = max(lead.rfind("= "), lead.rfind(": ")) + 2
        return BoldSpan(start, len(lead)) if 1 < start < len(lead) else None

    @property
    def rows(self) -> list[str]:
        """The rows, where they are few or asked for; the groups; of a comparison the difference."""
        result, asked = self.result, self.reading.asked
        if result.groups:
            return [f"{group}: {value}" for group, value in result.groups]
        counted = asked in ("count", "sum", "mean")
        if counted and (result.listed > len(result.rows) or result.listed > SHOWN // 2 or not result.request.where):
            return []
        told = [_row(row) for row in result.rows]
        if result.listed > len(result.rows) and not result.request.order_by:
            told.append(line("first rows", self.language, count=str(len(result.rows)), size=str(result.listed)))
        difference = self._difference
        return [*told, difference] if difference else told

    @property
    def _difference(self) -> str:
        reading, rows = self.reading, self.result.rows
        if reading.asked != "compare" or len(rows) != 2 or reading.column < 0:
            return ""
        column = self.result.table.columns[reading.column]
        one, other = (folded_value(column, row.cells[reading.column]) for row in rows)
        if not isinstance(one, float) or not isinstance(other, float):
            return ""
        more, less = max(one, other), min(one, other)
        digits = (f"{value:.{column.decimals}f}" for value in (more, less, more - less))
        return "{} - {} = {}".format(*digits) + (f" {column.unit}" if column.unit else "")


def _row(row: TableRow) -> str:
    return f"{' | '.join(row.cells)} (row {row.number})"


def _conditions(result: TableResult) -> str:
    """As their cells are written."""
    said = list[str]()
    for one in result.request.where:
        place = place_of(result.table, one.column)
        column, values = result.table.columns[place], one.value if isinstance(one.value, tuple) else (one.value,)
        cells = {str(folded_value(column, row.cells[place])): row.cells[place] for row in result.rows}
        written = " / ".join(cells.get(str(value), str(value)) for value in values)
        said.append(f"{column.head} {written}" if one.operator == "=" else f"{column.head} {one.operator} {written}")
    return ", ".join(said)
