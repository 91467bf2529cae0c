"""What is asked of a whole table: which row has the most or the least of a column, and what rows add up to.

By rules, of English; the row itself is quoted, and a sum is shown as worked out.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from clew.agent.answer.amounts import amounts, plain_number
from clew.agent.answer.asked import asked
from clew.agent.answer.beside import members
from clew.agent.answer.cores import Core
from clew.agent.answer.evidence import Evidence
from clew.agent.answer.quotation import composed_of
from clew.agent.answer.selection import Picked, pick
from clew.agent.answer.structure import Block, Region, whole_region
from clew.agent.answer.units import AnswerUnit, unit_of
from clew.agent.answer.wanted import Wanted
from clew.agent.answer.weighing import AnswerParameters
from clew.agent.state import Answer, Claim
from clew.memory.dates import asked_times
from clew.memory.text import content_words

_PRICE = r"price|cost|fee|rent|rate|charge|paid|spent|amount|total|eur|euros?|usd|dollars?|gbp|pounds?|[€$£]"
_LENGTH = r"length|long|distance|km|miles?|metres?"
_TIME = r"time|duration|hours?|h|min|minutes?|days?|weeks?|months?"
_YEAR = r"year|built|born|founded|since|opened|made"
_SIZE = r"size|area|capacity|population|inhabitants|seats|places|rooms|volume|members|m²|ha|sleeps"
_EXTREMES = {
    "cheapest": ((-1, _PRICE),),
    "least expensive": ((-1, _PRICE),),
    "dearest": ((1, _PRICE),),
    "priciest": ((1, _PRICE),),
    "most expensive": ((1, _PRICE),),
    "heaviest": ((1, r"weight|weighs?|kg|g|grams?"),),
    "lightest": ((-1, r"weight|weighs?|kg|g|grams?"),),
    "longest": ((1, _LENGTH), (1, _TIME)),
    "shortest": ((-1, _LENGTH), (-1, _TIME)),
    "tallest": ((1, "height|tall|high"),),
    "highest": ((1, "height|high|altitude|elevation"),),
    "lowest": ((-1, "height|high|altitude|elevation"),),
    "deepest": ((1, "depth|deep"),),
    "widest": ((1, "width|wide"),),
    "narrowest": ((-1, "width|wide"),),
    "largest": ((1, _SIZE),),
    "biggest": ((1, _SIZE),),
    "smallest": ((-1, _SIZE),),
    "oldest": ((1, "age"), (-1, _YEAR)),
    "youngest": ((-1, "age"), (1, _YEAR)),
    "newest": ((-1, "age"), (1, _YEAR)),
    "loudest": ((1, "noise|loud|sound|db"),),
    "quietest": ((-1, "noise|loud|sound|db"),),
    "fastest": ((1, "speed|km/h|mph"), (-1, _TIME)),
    "slowest": ((-1, "speed|km/h|mph"), (1, _TIME)),
}
"""Of each superlative the columns that it may be about, the first that the table has, and whether its most or its least
is asked for."""

_SUPERLATIVE = re.compile(rf"\b(?:{'|'.join(sorted(_EXTREMES, key=len, reverse=True))})\b", re.IGNORECASE)
_MOST_OF = re.compile(
    r"\b(?:(?P<most>most|highest|largest|biggest|greatest|longest)|(?P<least>least|fewest|lowest|smallest|shortest))"
    r" (?P<what>[a-z]+(?: [a-z]+)?)",
    re.IGNORECASE,
)
_POLAR = re.compile(r"\W*(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would)\b", re.IGNORECASE)
_IN_ALL = re.compile(r"\b(?:in (?:all|total)|altogether|all together|together|total|overall|add up)\b", re.IGNORECASE)
_AMOUNT = re.compile(
    r"\b(?:how (?:much|many)|what (?:did|do|does|have|has|was|is|were|are|costs?)|total|sum)\b", re.IGNORECASE
)
_TOTAL = re.compile(r"\W*(?:(?:grand |sub)?total|sum|in all|altogether)\b", re.IGNORECASE)

LONGEST_TABLE = 200_000
"""Characters of a document whose tables are read whole."""

MOST_ALIKE, MOST_ADDED = 3, 6
"""Rows that are quoted where so many have the same, and of those that are added up; of more only what they add up to is
told."""

READABLE = 0.75
"""The share of the cells of a column that has to be numbers."""


@dataclass(frozen=True, slots=True, eq=False)
class _Table:
    """The cells of the row that names the columns, and of each row below it."""

    region: Region
    head: tuple[str, ...]
    rows: tuple[tuple[Block, tuple[str, ...]], ...]

    def numbers(self, column: int) -> list[float | None]:
        """Of each row the only number of its cell; all None where too few have one, or in several units."""
        found = [amounts(cells[column]) if column < len(cells) else [] for _, cells in self.rows]
        single = [own[0] if len(own) == 1 else None for own in found]
        units = {one.unit for one in single if one and one.unit}
        there = sum(one is not None for one in single)
        if len(units) > 1 or there < READABLE * len(self.rows):
            return [None] * len(self.rows)
        return [one.value if one else None for one in single]


def of_a_table(wanted: Wanted, evidence: Evidence, parameters: AnswerParameters) -> Answer | None:
    """None where nothing of the kind is asked, or what is likeliest to answer is no row of a table that can tell."""
    question = wanted.rewritten
    extreme = _SUPERLATIVE.search(question) or _MOST_OF.search(question)
    summed = _IN_ALL.search(question) and _AMOUNT.search(question)
    if not (extreme or summed) or _POLAR.match(question):
        return None
    found = pick(wanted, evidence, parameters, 1)
    if not found or found[0].unit.kind != "row" or (table := _table_of(found[0].unit.core, evidence)) is None:
        return None
    passage = found[0].unit.core.passage
    rows = _of_what_is_asked(question, table, each=bool(summed))
    told = _summed(question, table, rows) if summed else _extreme(question, table, rows)
    if told is None:
        return None
    places, said = told
    chosen = [Picked(_row(table, place, passage)) for place in places]
    made = composed_of(chosen, evidence)
    claims = (*made.claims, *([Claim(said, new_line=True)] if said else []))
    return Answer(made.outcome, claims, made.sources, form=asked(question).form)


def _table_of(row: Core, evidence: Evidence) -> _Table | None:
    """The whole table, which may go on behind what was read of its document."""
    document = evidence.documents.get(evidence.passages[row.passage].document)
    region = whole_region(document) if document and len(document.text) <= LONGEST_TABLE else row.region
    at = row.position - region.offset
    own = next((block for block in region.blocks if block.start == at and block.kind == "row"), None)
    if own is None or own.lead < 0:
        return None
    every = [block for block in members(region, own.group) if block.lead == own.lead]
    rows = tuple((block, _cells(region.of(block))) for block in every)
    return _Table(region, _cells(region.of(region.blocks[own.lead])), rows) if len(rows) > 1 else None


def _cells(row: str) -> tuple[str, ...]:
    return tuple(cell.strip() for cell in row.split(" | "))


def _of_what_is_asked(question: str, table: _Table, *, each: bool) -> list[int]:
    """The places of the rows that have what the question has and not all rows have: `flour`, a month. Where none has
    all of it, those that have some, if `each` of several may be asked for: `the hall and the band`."""
    words = {*content_words(question)} - {*content_words(" ".join(table.head))}
    held = [{*content_words(" ".join(cells))} for _, cells in table.rows]
    dates = [one.date for one in asked_times(question)]
    apart = {word for word in words if 0 < sum(word in own for own in held) < len(held)}
    single = [place for place, (_, cells) in enumerate(table.rows) if not _TOTAL.match(cells[0])]
    kept = [place for place in single if apart <= held[place]]
    if each and not kept:
        kept = [place for place in single if apart & held[place]]
    if dates:
        days = [[one.date for one in asked_times(" ".join(table.rows[place][1]))] for place in kept]
        dated = [place for place, own in zip(kept, days, strict=True) if any(d.meets(o) for d in dates for o in own)]
        kept = dated or kept
    return kept


def _extreme(question: str, table: _Table, rows: Sequence[int]) -> tuple[list[int], str] | None:
    """The rows with the most or the least of the column that is asked about."""
    for sign, column in _columns(question, table):
        if found := _first_of(table.numbers(column), sign, rows):
            return (found, "") if len(found) <= MOST_ALIKE else None
    return None


def _first_of(numbers: Sequence[float | None], sign: int, rows: Sequence[int]) -> list[int]:
    """The places of the largest, or by a `sign` of -1 the smallest; empty where all are alike, or none is known."""
    known = {place: sign * value for place in rows if (value := numbers[place]) is not None}
    found = [place for place, value in known.items() if value == max(known.values())]
    return found if len(found) < len(known) else []


def _columns(question: str, table: _Table) -> Iterator[tuple[int, int]]:
    """Whether the most (1) or the least (-1) is asked for, and the places of the columns that it may be asked of."""
    if named := _MOST_OF.search(question):
        wanted = {*content_words(named["what"])}
        sign = 1 if named["most"] else -1
        yield from ((sign, place) for place, head in enumerate(table.head) if wanted & {*content_words(head)})
    if found := _SUPERLATIVE.search(question):
        asked_of = {*content_words(question)} - {*content_words(found[0])}
        for sign, names in _EXTREMES[found[0].casefold()]:
            fits = re.compile(rf"(?<!\w)(?:{names})(?!\w)", re.IGNORECASE)
            places = [place for place, head in enumerate(table.head) if fits.search(head)]
            if not places and names == _PRICE:  # `Adult | Child`
                places = [n for n in range(1, len(table.head)) if any(table.numbers(n))]
            yield from ((sign, n) for n in sorted(places, key=lambda n: not asked_of & {*content_words(table.head[n])}))


def _summed(question: str, table: _Table, rows: Sequence[int]) -> tuple[list[int], str] | None:
    """The rows that are added up, and their sum; of a table that has its own, that row."""
    priced = re.compile(rf"(?<!\w)(?:{_PRICE})(?!\w)", re.IGNORECASE)
    words = {*content_words(question)}
    heads = list(enumerate(table.head))
    named = [n for n, head in heads if words & {*content_words(head)}]
    money = [n for n, head in heads if priced.search(head)] if not re.search(r"\bhow many\b", question, re.I) else []
    for column in (*named, *money):
        numbers = table.numbers(column)
        if all(value is None for value in numbers):
            continue
        own = [place for place, (_, cells) in enumerate(table.rows) if _TOTAL.match(cells[0])]
        if own and len(rows) + len(own) == len(table.rows):
            return own, ""
        values = [value for place in rows if (value := numbers[place]) is not None]
        if len(values) < 2 or len(values) < len(rows):
            return None
        total = _as_written(sum(values), [table.rows[place][1][column] for place in rows])
        if len(rows) > MOST_ADDED:
            return [], f"Worked out: {len(rows)} rows of \u201c{table.head[column]}\u201d add up to {total}."
        shown = " + ".join(table.rows[place][1][column] for place in rows)
        return [*rows], f"Worked out: {shown} = {total}."
    return None


def _as_written(total: float, cells: Sequence[str]) -> str:
    """As exact as the numbers that were added."""
    (first,) = amounts(cells[0])
    exact = max(len(match[1]) if (match := re.search(r"\d[.,](\d{1,2})(?!\d)", cell)) else 0 for cell in cells)
    shown = f"{total / first.factor:,.{exact}f}" if exact else plain_number(total / first.factor)
    before, behind = cells[0][first.start : first.number[0]], cells[0][first.number[1] : first.end]
    return f"{before}{shown}{behind}"


def _row(table: _Table, place: int, passage: int) -> AnswerUnit:
    block = table.rows[place][0]
    core = Core(passage, table.region, table.region.blocks.index(block), (block.start, block.end))
    return unit_of(core)
