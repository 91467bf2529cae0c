"""What a question asks of a table: learned models turn it into the request that the tool `table` answers.

The question's words are linked to table names, column heads and cells, by stems and by vectors. A linear model scores
every reading that these links allow; the best is used if it is likely enough and clearly ahead. `python -m
tests.training.table_reader` fits the models, from questions about other tables."""

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import product
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from clew.memory.datatypes import Floats, Vector
from clew.memory.dates import asked_times
from clew.memory.knowledge.tables import Link, StoredTable, Tables, folded
from clew.memory.ports import Encoder
from clew.memory.text import FUNCTION_WORDS, NUMBER_WORDS, stemmed_words, written_words
from clew.memory.vectors import softmax
from clew.tools.table import MOST, Aggregate, Condition, TableRequest, place_of

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

TABLES, LINKS, COLUMNS, UNLIKELY = 6, 400, 3, 0.01
"""Tables that are considered, and links to their cells; columns that are scored; the probability below which a kind is
not considered."""

HALF = 0.5
"""The share of a cell's words that the question must have, where only another table has the cell."""

APART = 0.08
"""How much more likely than any other reading the best must be."""

AMBIGUOUS = 30
"""Cells that the same words may stand for."""

SHIPPED = Path(__file__).with_suffix(".json")
COUNTED = {word: str(n) for n, word in enumerate(NUMBER_WORDS[:13]) if n > 1}
_NUMBER = re.compile(rf"(?<![\w.,])(?<!\w-)\d[\d,.]*(?<![.,])%?(?!\w)|\b(?:{'|'.join(COUNTED)})\b")


@dataclass(frozen=True, slots=True, eq=False)
class Softmax:
    """A softmax over `classes`: `weights` of a text's vector, shape (d, classes), and weights of its `features` by
    class."""

    classes: tuple[str, ...]
    intercepts: Floats
    weights: Floats
    features: Mapping[str, Mapping[str, float]]

    def probabilities(self, vector: NDArray[np.floating], words: Sequence[str]) -> dict[str, float]:
        totals = self.intercepts + vector @ self.weights
        for feature in ngrams(words):
            for place, weight in self.features.get(feature, {}).items():
                totals[int(place)] += weight
        return dict(zip(self.classes, softmax(totals).tolist(), strict=True))


@dataclass(frozen=True, slots=True, eq=False)
class TableModel:
    """`asked` gives the kind of a question, `compared` the meaning of a number in it (by the words around), `answered`
    whether yes or no is asked for in a column, `sought` the kind of cell to look up; `known` are words that need no
    link. `layers` (a perceptron with one hidden layer: weights and intercepts) score a reading, which needs a
    probability of at least `sure`."""

    asked: Softmax
    compared: Softmax
    answered: Softmax
    sought: Softmax
    known: frozenset[str]
    layers: Sequence[tuple[Floats, Floats]]
    sure: float


@cache
def shipped() -> TableModel:
    """The one that comes with Clew."""
    said = json.loads(SHIPPED.read_text("utf-8"))
    asked, compared, answered, sought = (
        Softmax(tuple(one["classes"]), np.array(one["intercepts"]), np.array(one["weights"]), one["features"])
        for one in (said[name] for name in ("asked", "compared", "answered", "sought"))
    )
    layers = [(np.array(weights), np.array(intercepts)) for weights, intercepts in said["layers"]]
    return TableModel(asked, compared, answered, sought, frozenset(said["known"]), layers, said["sure"])


class AskedNumber(NamedTuple):
    """A number or a day in the question, its place among the words, how a column is compared with it (`first`: it is a
    number of rows), and how likely that is; `near` are the words around it, with their vector."""

    value: str
    word: int
    is_day: bool
    unit: str
    near: list[str]
    vector: Vector
    how: str
    likely: float


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


class _Filter(NamedTuple):
    column: int
    values: tuple[str, ...]
    words: frozenset[str]
    share: float


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
    return [reading for one in linked for reading in one.readings()]


def linked_to(words: "QuestionWords", tables: Tables, encoder: Encoder, model: TableModel) -> "list[LinkedTable]":
    """The tables that the question names most of, with their links."""
    links = tables.links(words.stems, LINKS)
    named = {id_: len({word for link in each for word in link.words}) for id_, each in links.items()}
    chosen = sorted(tables.all, key=lambda one: -named.get(one.id, 0))[:TABLES]
    linked = [LinkedTable(words, one, links.get(one.id, []), encoder, model) for one in chosen]
    for one in linked:
        one.borrow([each for each in linked if each is not one])
    for one in linked:
        one.margin = one.explained - max((each.explained for each in linked if each is not one), default=0.0)
    return linked


class QuestionWords:
    """The words of a question without numbers and days, their stems, and vectors of all runs of one to three words."""

    def __init__(self, text: str, encoder: Encoder, model: TableModel) -> None:
        marked, blanked = _marked(text), text
        for start, end, *_ in marked:
            blanked = f"{blanked[:start]}{' ' * (end - start)}{blanked[end:]}"
        blanked = re.sub(r"[-/_.]", " ", blanked)
        self.words = [word.casefold().removesuffix("'s").removesuffix("\u2019s") for word in written_words(blanked)]
        self.stems = stemmed_words(" ".join(self.words)) if self.words else []
        self.content = [place for place, word in enumerate(self.words) if word not in FUNCTION_WORDS]
        runs = [self.words[n : n + size] for size in (1, 2, 3) for n in range(len(self.words) - size + 1)]
        runs = [run for run in runs if len(run) > 1 or run[0] not in FUNCTION_WORDS]
        places = [len(written_words(blanked[:start])) for start, *_ in marked]
        near = [[*self.words[max(0, at - 3) : at], "0", *self.words[at : at + 4]] for at in places]
        vectors = encoder.encode([text, *map(" ".join, runs), *map(" ".join, near)], "sentence")
        self.vector, self.runs = vectors[0], vectors[1 : len(runs) + 1]
        self.single = {run[0]: place for place, run in enumerate(runs) if len(run) == 1}
        self.numbers = list[AskedNumber]()
        for (_, end, value, is_day), at, words, vector in zip(
            marked, places, near, vectors[len(runs) + 1 :], strict=True
        ):
            unit = (*text[end:].split(maxsplit=1), "")[0].strip("?.,;")
            likely, how = max((likely, how) for how, likely in model.compared.probabilities(vector, words).items())
            self.numbers.append(AskedNumber(value, at, is_day, unit, words, vector, how, likely))


def _marked(text: str) -> list[tuple[int, int, str, bool]]:
    """The days and numbers in a text: start, end, value, and whether it is a day; the last first."""
    days = [(one.start, one.end, one.date.iso, True) for one in asked_times(text) if one.date.year]
    found = [one for one in days if not text[one[1] : one[1] + 1].isalnum()]
    found += [
        (match.start(), match.end(), COUNTED.get(match[0], match[0].rstrip("%")), False)
        for match in _NUMBER.finditer(text)
        if not any(start <= match.start() < end for start, end, *_ in days)
    ]
    return sorted(found, reverse=True)


def ngrams(words: Sequence[str]) -> list[str]:
    """Words and pairs of neighbours, each once."""
    pairs = [f"{one} {other}" for one, other in zip(["^", *words], [*words, "$"], strict=True)]
    return list(dict.fromkeys([*words, *pairs]))


class LinkedTable:
    """A question linked to a table: which names, heads and cells it mentions."""

    margin = 0.0
    borrowed: frozenset[_Filter] = frozenset()

    def __init__(
        self, question: QuestionWords, table: StoredTable, links: Sequence[Link], encoder: Encoder, model: TableModel
    ) -> None:
        self.question, self.table, self.model = question, table, model
        self.heads = {link.column: link for link in links if not link.value and link.column >= 0}
        self.head_words = frozenset[str]().union(*(link.words for link in self.heads.values()))
        self.name = next((link.words for link in links if link.column < 0), frozenset())
        self.filters = _filters([link for link in links if link.value], question.stems)
        signature = f"{table.name}: {', '.join(table.heads)}"
        vectors = encoder.encode([signature, table.name, *(head or "number" for head in table.heads)], "sentence")
        self.own, self.head_vectors = vectors[:2], vectors[2:]
        self.nearness = float(question.vector @ vectors[0])
        cosines = question.runs @ self.head_vectors.T if len(question.runs) else np.zeros((1, len(table.heads)))
        self.near = cosines.max(axis=0)
        flags = [n for n, one in self.heads.items() if table.columns[n].kind == "yes-no" and one.share >= HALF]
        if flags:
            likely = self._told(model.answered)
            answer = max(likely, key=likely.__getitem__)
            self.filters += [_Filter(n, (answer,), self.heads[n].words, 1.0) for n in flags]

    @property
    def cells(self) -> frozenset[str]:
        """Stems of the question that name cells of the table."""
        return frozenset().union(*(one.words for one in self.filters))

    @property
    def explained(self) -> float:
        """How much of the question is linked to the table."""
        content = {self.question.stems[place] for place in self.question.content}
        return len((self.head_words | self.name) & content | self.cells) + self.nearness

    @cached_property
    def key(self) -> int:
        """The first text column without duplicate cells, else the first column."""
        each = [n for n, one in enumerate(self.table.columns) if one.distinct == self.table.size and one.kind == "text"]
        return each[0] if each else 0

    def borrow(self, others: "Sequence[LinkedTable]") -> None:
        """Adds cells that only other tables with the same heads have: the question may ask for what this one lacks."""
        have, heads = self.cells, [*map(folded, self.table.heads)]
        alike = [one for one in others if [*map(folded, one.table.heads)] == heads]
        lacking = [f for one in alike for f in one.filters if f.share >= HALF and not f.words & have]
        self.borrowed = frozenset(lacking)
        self.filters += list(dict.fromkeys(lacking))

    def readings(self) -> Iterator[TableReading]:
        for asked in ASKED[:-1]:
            if self._likely[asked] < UNLIKELY:
                continue
            for column, (filters, compared) in product(self._columns(asked), self._conditions()):
                apart = {one.column for one in filters}
                others = (one.words for n, one in self.heads.items() if n not in apart)
                if asked == "look up" and column in self.heads and any(map(self.heads[column].words.__lt__, others)):
                    continue  # more of another head is named
                if (reading := self._reading(asked, column, filters, compared)) is not None:
                    yield reading

    @cached_property
    def _likely(self) -> dict[str, float]:
        """The probability of each kind of question, and of each kind of cell to look up."""
        return self._told(self.model.asked) | self._told(self.model.sought)

    def _told(self, by: Softmax) -> dict[str, float]:
        return by.probabilities(self.question.vector, self.masked)

    @cached_property
    def masked(self) -> list[str]:
        """The words, with CELL, HEAD, TABLE and NUMBER in the place of what is linked."""
        cells, heads = self.cells, self.head_words
        numbers = {one.word for one in self.question.numbers}
        said = list[str]()
        for place, (word, stem) in enumerate(zip(self.question.words, self.question.stems, strict=True)):
            if place in numbers:
                said.append("NUMBER")
            mask = "CELL" if stem in cells else "HEAD" if stem in heads else "TABLE" if stem in self.name else word
            said += [mask] if said[-1:] != [mask] or mask == word else []
        return said + (["NUMBER"] if len(self.question.words) in numbers else [])

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
        return self._head_share(column) + float(self.near[column])

    def _head_share(self, column: int) -> float:
        return self.heads[column].share if column in self.heads else 0.0

    def _conditions(self) -> list[tuple[tuple[_Filter, ...], Comparisons]]:
        """The filters and the comparisons that may be meant: each word stands for one cell."""
        by_words = dict[frozenset[str], list[_Filter | None]]()
        for one in self.filters:
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
        self, asked: Asked, column: int, filters: tuple[_Filter, ...], compared: Comparisons
    ) -> TableReading | None:
        """A reading with its features, in the order of the model's weights: how well question and request fit, and what
        of the question is not used."""
        request = self._request(asked, column, filters, compared)
        if request is None:
            return None
        table, question = self.table, self.question
        used = frozenset[str]().union(*(one.words for one in filters))
        beside = {n: self._measured(n, one) for n, one in compared if n >= 0}
        if request.group_by and column != (by := place_of(table, request.group_by)):
            beside[by] = self._link(by)
        told = used.union(*(self.heads[n].words for n in (column, *beside) if n in self.heads))
        columns = {column, self.key, *(one.column for one in filters)} - {-1}
        nearest = self._unexplained(told | self.name | self.model.known, columns)
        if asked.startswith("count") and not request.where and min(nearest, default=1.0) < HALF:
            return None  # what nothing explains may be a condition
        kind = table.columns[column].kind if column >= 0 else ""
        whole = {n for n, one in self.heads.items() if one.share >= 1}
        by_key = any(one.column == self.key for one in filters)
        features = {
            "likelihood of the kind": _log(self._likely[asked], -6.0),
            "share of the column's head that is named": self._head_share(column),
            "nearness of the column": float(self.near[column]) if column >= 0 else 0.0,
            "how much nearer than the next": self._ahead(asked, column),
            "no column": column < 0,
            "the only column of its kind": column >= 0 and len(self._of_kinds(kind)) == 1,
            "what nothing explains": min(4.0, sum(1 - max(0.0, near) for near in nearest)),
            "the farthest of it": 1 - min(nearest, default=1.0),
            "least share of a cell": min((one.share for one in filters), default=1.0),
            "values of a filter": np.log(max((len(one.values) for one in filters), default=1)),
            "filtered": bool(filters),
            "share of the table's name": len(self.name) / max(1, len(stemmed_words(table.name))),
            "nearness of the table": self.nearness,
            "explains more than other tables": max(-2.0, min(2.0, self.margin)),
            "numbers left": len(question.numbers) - len(compared),
            "cells left": len({one.words for one in self.filters}) - len({one.words for one in filters}),
            "heads left": sum(not self.heads[n].words <= told for n in whole - {*columns, *beside}),
            "counted by the key": by_key and asked.startswith("count"),
            "looked up, but not by the key": asked == "look up" and not by_key,
            "likelihood of the cell's kind": _log(self._likely.get(kind, 0.5), -4.0) if asked == "look up" else 0.0,
            "cells that only tables of this form have": sum(one in self.borrowed for one in filters),
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
        question, known = self.question, np.vstack([self.own, self.head_vectors[sorted(columns)]])
        left = [question.words[n] for n in question.content if question.stems[n] not in explained]
        return [float((known @ question.runs[question.single[word]]).max()) for word in left]

    def _request(
        self, asked: Asked, column: int, filters: tuple[_Filter, ...], compared: Comparisons
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


def _filters(links: Sequence[Link], stems: Sequence[str]) -> list[_Filter]:
    """The cells that words stand for. Each word is used once, for the cells of which most words stand nearest together;
    of cells of one column with the same words, those count of which the words are the largest share."""
    telling = [link for link in links if not all(word in FUNCTION_WORDS for word in link.words)]
    nearest = {words: _nearest(words, stems, set()) for words in {link.words for link in telling}}
    sets, taken = set[frozenset[str]](), set[int]()
    for words in sorted(nearest, key=lambda one: (-len(one), max(nearest[one]) - min(nearest[one]), sorted(one))):
        if places := _nearest(words, stems, taken):
            sets.add(words)
            taken.update(places)
    groups = dict[tuple[int, frozenset[str]], list[Link]]()
    for link in telling:
        if link.words in sets:
            groups.setdefault((link.column, link.words), []).append(link)
    found = list[_Filter]()
    for (column, words), each in groups.items():
        share = max(link.share for link in each)
        values = tuple(link.value for link in each if link.share >= share or share < 1)
        if len(values) <= AMBIGUOUS:
            found.append(_Filter(column, values, words, share))
    whole = {one.words for one in found if one.share >= 1}
    return [one for one in found if one.share >= 1 or one.words not in whole]


def _nearest(words: frozenset[str], stems: Sequence[str], taken: set[int]) -> tuple[int, ...]:
    """The places where these words stand closest together, without those that are taken; empty if there are none."""
    each = [[place for place, stem in enumerate(stems) if stem == word and place not in taken][:3] for word in words]
    return min(product(*each), key=lambda places: max(places) - min(places), default=())
