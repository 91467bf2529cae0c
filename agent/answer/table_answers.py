"""Answers from tables: a computed value with what it was computed from, or rows with their numbers; if there are too
many rows to show, how many there are."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from clew.agent.answer.score_adjustments import SURE, denied
from clew.agent.state import Answer, Claim, Made
from clew.agent.talk.lines import line
from clew.memory.dialogue.signals import depends_on_context
from clew.memory.errors import BadInput
from clew.memory.knowledge.document_parts import in_markdown
from clew.memory.knowledge.tables import Tables
from clew.memory.ports import Encoder
from clew.tools.table import MOST, TableRequest, TableResult, answered, place_of
from clew.tools.table_links import shipped
from clew.tools.table_reader import TableReading, read

FEW = 5
"""Rows that are shown beside a computed value."""


def table_answer(
    question: str,
    tables: Tables,
    encoder: Encoder,
    scope: frozenset[str] | None = None,
    before: Sequence[tuple[str, str]] = (),
    language: str = "",
) -> Made | None:
    """The answer; None if the question asks nothing of a table, or not clearly. `before` are the questions of the
    previous turns that tables answered, oldest first, each as typed and as understood, if this question refers to them:
    then it is about the same rows. `language` is the language to answer in, by default English."""
    known = tables if scope is None else tables.within(scope)
    earlier: TableReading | None = None
    for typed, understood in before:
        earlier = _of_the_same_rows(typed, earlier, known, encoder) or _read(understood, known, encoder) or earlier
    reading = _of_the_same_rows(question, earlier, known, encoder) if before else _read(question, known, encoder)
    if reading is None:
        return None
    try:
        result = answered(tables, reading.table, reading.request)
    except BadInput:
        return None
    if len(result.groups) == MOST:
        return None
    rows = list(_rows(reading, result, language))
    lead = _lead(reading, result, language, ":" if rows else "")
    passage = replace(result.passage, text="\n".join([lead, *(row.text for row in rows)]))
    claims = [Claim(lead, (1,)), *(replace(row, cites=(1,), new_line=True) for row in rows)]
    answer = Answer("answered", tuple(claims), (passage,), form="fact")
    why = f"{reading.asked} in {reading.table.name}"
    return Made(answer, details=(result.text,), passages=(passage,), why=why)


def _read(question: str, tables: Tables, encoder: Encoder) -> TableReading | None:
    """The question as a request to a table; a cell that it denies is excluded."""
    reading = read(question, tables, encoder, shipped())
    request = _meant(reading, float(denied([question], encoder)[0])) if reading else None
    return replace(reading, request=request) if reading and request else None


def _of_the_same_rows(
    question: str, earlier: TableReading | None, tables: Tables, encoder: Encoder
) -> TableReading | None:
    """The question, with the conditions of the earlier one on other columns. None if it does not refer to that. The
    table, which the question need not name, is named for the reader."""
    if earlier is None or not depends_on_context(question):
        return None
    reading = _read(f"{question} {earlier.table.name}", tables.within(frozenset({earlier.table.id})), encoder)
    if reading is None:
        return None
    own = {one.column for one in reading.request.where}
    kept = [one for one in earlier.request.where if one.column not in own]
    return replace(reading, request=reading.request.model_copy(update={"where": (*kept, *reading.request.where)}))


def _of_rows(result: TableResult, language: str, count: int) -> str:
    """How many rows there are, and under which conditions."""
    of = line("of rows", language, count=str(count), size=str(result.table.size))
    return f"{of} ({result.conditions})" if result.conditions else of


def _lead(reading: TableReading, result: TableResult, language: str, end: str) -> str:
    """The first line of the answer: the value, or what the rows are."""
    wanted, by = result.request.aggregate, result.request.order_by
    if wanted and result.matched and wanted.function in ("min", "max"):
        return f"{wanted.column}: {result.value}"
    if wanted and result.matched and wanted.function in ("sum", "mean"):
        of = _of_rows(result, language, result.matched if result.groups else result.counted)
        return f"{wanted.column}, {of}: {result.computed.partition(': ')[2]}".rstrip()
    if reading.asked == "look up" and reading.column >= 0 and 0 < result.matched == len(result.rows):
        cells = dict.fromkeys(row.cells[reading.column] for row in result.rows)
        return f"{result.table.heads[reading.column]}: {' / '.join(cells)}"
    of = _of_rows(result, language, result.matched)
    if by:
        of = line("of rows", language, count=str(len(result.rows)), size=str(result.listed)) + f", {by}"
    return f"{of} \u2013 {result.table.name}{end}"


def _meant(reading: TableReading, denied: float) -> TableRequest | None:
    """The request, with the cell excluded that the question denies ("who is not in Finance"), and with "no" or "yes" in
    a yes-no column. None if it is unclear whether or what is denied."""
    table, kinds = reading.table, dict[str, str]()
    for one in reading.request.where:
        kinds[one.column] = table.columns[place_of(table, one.column)].kind
    if "yes-no" in kinds.values() and 1 - SURE < denied < SURE:
        return None
    flag = {"value": "no" if denied >= SURE else "yes"}
    where = [one.model_copy(update=flag if kinds[one.column] == "yes-no" else {}) for one in reading.request.where]
    asked = reading.request.model_copy(update={"where": tuple(where)})
    cells = [one for one in where if kinds[one.column] == "text"]
    if not cells or denied <= 1 - SURE:
        return asked
    plain = denied >= SURE and not reading.strange and len(asked.where) == 1
    if not plain or cells[0].operator != "=" or isinstance(cells[0].value, tuple):
        return None
    return asked.model_copy(update={"where": (cells[0].model_copy(update={"operator": "!="}),)})


def _rows(reading: TableReading, result: TableResult, language: str) -> Iterator[Claim]:
    """The rows, if they are few or were asked for; the groups; of a comparison the difference."""
    few = result.listed <= FEW and result.request.where
    if result.groups or (reading.asked in ("count", "sum", "mean") and not few):
        yield from (Claim(f"{group}: {value}") for group, value in result.groups)
        return
    for row in result.rows:
        shown = in_markdown((*result.table.heads, "row"), (*row.cells, str(row.number)))
        yield Claim(f"{' | '.join(row.cells)} (row {row.number})", markup=shown)
    if result.listed > len(result.rows) and not result.request.order_by:
        yield Claim(line("first rows", language, count=str(len(result.rows)), size=str(result.listed)))
    if reading.asked == "compare" and len(result.rows) == 2 and reading.column >= 0:
        column = reading.table.columns[reading.column]
        values = [value for row in result.rows if isinstance(value := row.values[reading.column], float)]
        if len(values) == 2:
            numbers = (max(values), min(values), max(values) - min(values))
            more, less, by = (f"{number:.{column.decimals}f}" for number in numbers)
            yield Claim(f"{more} - {less} = {by} {column.unit}".rstrip())
