"""What a question asks of a table: learned models turn it into the request that the tool `table` answers.

A linear model scores every reading that the links of `table_links` allow; the best is used if it is likely enough and
clearly ahead. `python -m tests.training.table_reader` fits the models, from questions about other tables."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any, Literal, get_args

import numpy as np

from clew.memory.knowledge.tables import StoredTable, Tables
from clew.memory.ports import Encoder
from clew.memory.text import stemmed_words
from clew.tools.table import MOST, Aggregate, Condition, TableRequest, place_of
from clew.tools.table_links import HALF, AskedNumber, CellFilter, LinkedTable, QuestionWords, TableModel, linked_to

# fmt: off
Asked = Literal[
    "look up", "filter", "count", "sum", "mean", "most", "least", "latest", "earliest", "compare",
    "count each", "sum each", "mean each", "most common", "other",
]
# fmt: on
"""`each`: for each value of a column; `most common`: the value that most rows have; `other`: nothing of a table."""

ASKED: tuple[Asked, ...] = get_args(Asked)
OF_KINDS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("sum", "mean", "most", "least", "sum each", "mean each"), ("number",)),
    **dict.fromkeys(("latest", "earliest"), ("date",)),
    "compare": ("number", "date"),
    "look up": ("number", "date", "text", "yes-no"),
    **dict.fromkeys(("count each", "most common"), ("text", "yes-no")),
}
"""For each kind of question the kinds of columns that it may ask for."""

ADDED = frozenset(("sum", "mean", "sum each", "mean each"))
"""Kinds that are computed of all values of a column, which numbers of rows are none of."""

COLUMNS, UNLIKELY = 3, 0.01
"""Columns that are scored, and the probability below which a kind is not considered."""

APART = 0.08
"""How much more likely than any other reading the best must be."""


@dataclass(frozen=True, slots=True)
class TableReading:
    """A possible reading of a question as a request; `column` is what is asked for (-1: only rows), `features` are
    scored; `strange`: a word of the question is linked to nothing."""

    asked: Asked
    table: StoredTable
    request: TableRequest
    column: int
    features: tuple[float, ...]
    strange: bool = False


Comparisons = tuple[tuple[int, AskedNumber], ...]
"""Numbers, each with the column that it is compared with; -1: it is a number of rows."""


# Read -----------------------------------------------------------------------------------------------------------------


def read(question: str, tables: Tables, encoder: Encoder, model: TableModel) -> TableReading | None:
    """The best reading; None if it is not certain, or nothing of a table is asked."""
    found = readings(question, tables, encoder, model)
    if not found:
        return None
    (into, first), (out, last) = model.layers
    totals = np.tanh(np.array([one.features for one in found]) @ into + first) @ out + last
    likely = 1 / (1 + np.exp(-totals[:, 0]))
    best, said = int(likely.argmax()), [(one.table.id, one.request) for one in found]
    other = max((chance for chance, one in zip(likely, said, strict=True) if one != said[best]), default=0.0)
    return found[best] if likely[best] >= model.sure and likely[best] - other >= APART else None


def readings(question: str, tables: Tables, encoder: Encoder, model: TableModel) -> list[TableReading]:
    """All readings, for the tables that the question names most of."""
    linked = linked_to(QuestionWords(question, encoder, model), tables, encoder, model) if tables.all else []
    return [reading for one in linked for reading in _Readings(one).all()]


class _Readings:
    """The readings of a question that is linked to a table."""

    def __init__(self, linked: LinkedTable) -> None:
        self.linked, self.question, self.table = linked, linked.question, linked.table

    def all(self) -> Iterator[TableReading]:
        named = self.linked.heads
        for asked in ASKED[:-1]:
            if self.linked.likely[asked] < UNLIKELY:
                continue
            for column, (filters, compared) in product(self._columns(asked), self._conditions()):
                apart = {one.column for one in filters}
                others = (one.words for n, one in named.items() if n not in apart)
                if asked == "look up" and column in named and any(map(named[column].words.__lt__, others)):
                    continue  # more of another head is named
                if (reading := self._reading(asked, column, filters, compared)) is not None:
                    yield reading

    def _columns(self, asked: Asked) -> list[int]:
        """The columns that may be asked for, best first; -1 stands for none."""
        kinds = OF_KINDS.get(asked)
        if kinds is None:
            return [-1]
        named = [n for n in self._of_kinds(*kinds) if asked not in ADDED or not self._numbers_rows(n)]
        best = sorted(named, key=lambda n: -self._link(n))[:COLUMNS]
        return [*best, -1] if asked == "look up" else best

    def _numbers_rows(self, column: int) -> bool:
        """Whether it is the first, with another whole number in each row, as orders are numbered."""
        one = self.table.columns[column]
        return column == 0 and one.distinct == self.table.size and not one.decimals and not one.unit

    def _of_kinds(self, *kinds: str) -> list[int]:
        return [n for n, one in enumerate(self.table.columns) if one.kind in kinds]

    def _link(self, column: int) -> float:
        return self._head_share(column) + float(self.linked.near[column])

    def _head_share(self, column: int) -> float:
        return self.linked.heads[column].share if column in self.linked.heads else 0.0

    def _conditions(self) -> list[tuple[tuple[CellFilter, ...], Comparisons]]:
        """The filters and the comparisons that may be meant: each word stands for one cell."""
        by_words = dict[frozenset[str], list[CellFilter | None]]()
        for one in self.linked.filters:
            by_words.setdefault(one.words, [] if one.share >= 1 else [None]).append(one)
        choices = [sorted(each, key=lambda one: one is None) for each in by_words.values()]
        filters = [tuple(filter(None, chosen)) for chosen in product(*choices[:5])]
        numbers = [self._comparisons(one) for one in self.question.numbers[:2]]
        return [(chosen, tuple(filter(None, each))) for chosen in filters[:12] for each in product(*numbers)]

    def _comparisons(self, number: AskedNumber) -> list[tuple[int, AskedNumber] | None]:
        if number.how == "first":
            return [(-1, number)]
        fitting = self._of_kinds("number", *(["date"] if number.is_day else []))
        return [*((n, number) for n in sorted(fitting, key=lambda n: -self._measured(n, number))[:2]), None]

    def _measured(self, column: int, number: AskedNumber) -> float:
        """How well a column fits as the one that a number is compared with, also by its unit."""
        return self._link(column) + float(bool(number.unit) and number.unit == self.table.columns[column].unit)

    def _reading(
        self, asked: Asked, column: int, filters: tuple[CellFilter, ...], compared: Comparisons
    ) -> TableReading | None:
        """A reading with its features, in the order of the model's weights: how well question and request fit, and what
        of the question is not used."""
        request = self._request(asked, column, filters, compared)
        if request is None:
            return None
        table, question, linked = self.table, self.question, self.linked
        used = frozenset[str]().union(*(one.words for one in filters))
        beside = {n: self._measured(n, one) for n, one in compared if n >= 0}
        if request.group_by and column != (by := place_of(table, request.group_by)):
            beside[by] = self._link(by)
        told = used.union(*(linked.heads[n].words for n in (column, *beside) if n in linked.heads))
        columns = {column, linked.key, *(one.column for one in filters)} - {-1}
        nearest = self._unexplained(told | linked.name | linked.model.known, columns)
        if asked.startswith("count") and not request.where and min(nearest, default=1.0) < HALF:
            return None  # what nothing explains may be a condition
        kind = table.columns[column].kind if column >= 0 else ""
        whole = {n for n, one in linked.heads.items() if one.share >= 1}
        by_key = any(one.column == linked.key for one in filters)
        features = {
            "likelihood of the kind": _log(linked.likely[asked], -6.0),
            "share of the column's head that is named": self._head_share(column),
            "nearness of the column": float(linked.near[column]) if column >= 0 else 0.0,
            "how much nearer than the next": self._ahead(asked, column),
            "no column": column < 0,
            "the only column of its kind": column >= 0 and len(self._of_kinds(kind)) == 1,
            "what nothing explains": min(4.0, sum(1 - max(0.0, near) for near in nearest)),
            "the farthest of it": 1 - min(nearest, default=1.0),
            "least share of a cell": min((one.share for one in filters), default=1.0),
            "values of a filter": np.log(max((len(one.values) for one in filters), default=1)),
            "filtered": bool(filters),
            "share of the table's name": len(linked.name) / max(1, len(stemmed_words(table.name))),
            "nearness of the table": linked.nearness,
            "explains more than other tables": max(-2.0, min(2.0, linked.margin)),
            "numbers left": len(question.numbers) - len(compared),
            "cells left": len({one.words for one in linked.filters}) - len({one.words for one in filters}),
            "heads left": sum(not linked.heads[n].words <= told for n in whole - {*columns, *beside}),
            "counted by the key": by_key and asked.startswith("count"),
            "looked up, but not by the key": asked == "look up" and not by_key,
            "likelihood of the cell's kind": _log(linked.likely.get(kind, 0.5), -4.0) if asked == "look up" else 0.0,
            "cells that only tables of this form have": sum(one in linked.borrowed for one in filters),
            "likelihood of a comparison": min((one.likely for _, one in compared), default=1.0),
            "how well the columns beside are named": min(beside.values(), default=1.0),
        }
        kinds = [asked == one for one in ASKED[:-1]]
        weighed = tuple(map(float, (*features.values(), *kinds)))
        return TableReading(asked, table, request, column, weighed, min(nearest, default=1.0) < HALF)

    def _ahead(self, asked: Asked, column: int) -> float:
        """How much better a column is named than the next of its kind that may be asked for; 0 for no column."""
        columns = self.table.columns
        alike = [n for n in self._columns(asked) if n not in (column, -1) and columns[n].kind == columns[column].kind]
        return self._link(column) - max(map(self._link, alike), default=0.0) if column >= 0 else 0.0

    def _unexplained(self, explained: frozenset[str], columns: set[int]) -> list[float]:
        """For each word without a link, how near it is to the table or one of these columns."""
        question, known = self.question, np.vstack([self.linked.own, self.linked.head_vectors[sorted(columns)]])
        left = [question.words[n] for n in question.content if question.stems[n] not in explained]
        return [float((known @ question.runs[question.single[word]]).max()) for word in left]

    def _request(
        self, asked: Asked, column: int, filters: tuple[CellFilter, ...], compared: Comparisons
    ) -> TableRequest | None:
        """The request; None if this combination makes none."""
        heads, head = self.table.heads, self.table.heads[column] if column >= 0 else ""
        values = dict[int, tuple[str, ...]]()
        for each in filters:
            values[each.column] = (*values.get(each.column, ()), *each.values)
        where = [Condition(column=heads[n], value=v if len(v) > 1 else v[0]) for n, v in values.items()]
        where += [
            Condition(column=heads[n], operator=one.how, value=one.value)  # type: ignore[arg-type]
            for n, one in compared
            if n >= 0
        ]
        first = [one.value for n, one in compared if n < 0]
        is_end, down = asked in ("most", "least", "latest", "earliest"), asked in ("most", "latest", "most common")
        if (asked == "compare") != (len(filters) > len(values)) or column in values or (first and not is_end):
            return None
        if asked in ("look up", "filter", "compare") and not where:
            return None
        given: dict[str, Any] = {"table": self.table.id, "where": tuple(where)}
        if is_end and first and first[0].isdecimal() and 0 < int(first[0]) <= MOST:
            return TableRequest(**given, order_by=head, descending=down, limit=int(first[0]))
        function = "max" if is_end and down else "min" if is_end else asked.split()[0]
        if asked in ("count each", "most common"):
            given |= {"group_by": head, "descending": down, "limit": MOST}
            function, head = "count", ""
        elif asked.endswith(" each"):
            given |= {"group_by": self._grouped(column), "limit": MOST}
            if not given["group_by"]:
                return None
        if function in ("count", "sum", "mean", "min", "max"):
            given["aggregate"] = Aggregate(function=function, column=head)  # type: ignore[arg-type]
        return TableRequest(**given)

    def _grouped(self, column: int) -> str:
        """The head of the text column to group by, the one that the question names best; empty if it names none."""
        each = [n for n in self._of_kinds("text", "yes-no") if n != column]
        best = max(each, key=self._link, default=-1)
        return self.table.heads[best] if self._head_share(best) else ""


def _log(likely: float, least: float) -> float:
    return max(least, math.log(likely + 1e-9))
