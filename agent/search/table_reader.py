"""What a question asks of a table, told by learned parts: the request that the tool `table` answers without a language
model.

The words of the question are linked to the names, heads and cells that there are, by their stems and by vectors. All
readings that these allow are weighed by a linear model; the best counts where it is likely enough and no other one is.
`python -m tests.training.table_reader` fits both models, from questions made of other tables.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import product
from pathlib import Path
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from clew.memory.datatypes import Floats, Vector, Vectors
from clew.memory.dates import asked_times
from clew.memory.knowledge.tables import Link, StoredTable, Tables, folded
from clew.memory.ports import Encoder
from clew.memory.text import FUNCTION_WORDS, NUMBER_WORDS, stemmed_words, written_words
from clew.tools.table import MOST, Aggregate, Condition, TableRequest, place_of

# fmt: off
Asked = Literal[
    "look up", "filter", "count", "sum", "mean", "most", "least", "latest", "earliest", "compare",
    "count each", "sum each", "mean each", "most common", "other",
]
# fmt: on
"""`each`: for each value of a column; `most common`: the value that most rows have; `other`: nothing of a table."""

ASKED: tuple[Asked, ...] = get_args(Asked)
COMPARED = ("=", ">", ">=", "<", "<=", "first")
"""What a number of a question is: compared with a column, or how many rows are wanted."""

OF_KINDS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("sum", "mean", "most", "least", "sum each", "mean each"), ("number",)),
    **dict.fromkeys(("latest", "earliest"), ("date",)),
    "compare": ("number", "date"),
    "look up": ("number", "date", "text", "yes-no"),
    **dict.fromkeys(("count each", "most common"), ("text", "yes-no")),
}
"""The kinds of columns that are asked for."""

FEATURES = (
    *("asked", "named", "near", "margin", "unnamed", "unexplained", "farthest", "share", "values", "filtered"),
    *("table", "table near", "table margin", "numbers left", "links left", "heads left", "by key", "not by key"),
    *("sought", "lacking", "compared", "grouped"),
)
"""Of a reading: the log of how likely its kind is; of the column that is asked for the share of its head that the
question names, how near it is, how much more than the next of its kind, or that there is none; how many words nothing
explains, and how far the farthest of these is; of the filters the least share of a cell that is named, the log of the
values, and whether there are any; of the table its name, its nearness, how much more of the question it explains than
others; what numbers, cells and heads are left; whether rows are counted by their key, or looked up by another column;
of what is looked up the log of how likely its kind is; how many cells only tables of the same form have; how sure it
is how a number is compared; how well the column is named that it is compared with, or grouped by."""

TABLES, LINKS, COLUMNS, UNLIKELY = 6, 400, 3, 0.01
"""Tables that are looked at, and of these cells; columns that are weighed; the probability of kinds that are not."""

HALF = 0.5
"""Of a cell's words, that have to be named of what only another table has."""

APART = 0.08
"""How much likelier than any other reading the one is that counts."""

AMBIGUOUS = 30
"""Cells that words may stand for."""

SHIPPED = Path(__file__).with_suffix(".json")
COUNTED = [*NUMBER_WORDS[:13]]
_NUMBER = re.compile(r"(?<![\w.,])(?<!\w-)\d[\d,.]*(?<![.,])%?(?!\w)")


@dataclass(frozen=True, slots=True, eq=False)
class Softmax:
    """`weights` of a text's vector, shape (d, classes), and of its `features` by the places of classes."""

    classes: tuple[str, ...]
    intercepts: Floats
    weights: Floats
    features: Mapping[str, Mapping[str, float]]

    def probabilities(self, vector: NDArray[np.floating], features: Sequence[str]) -> Floats:
        totals = self.intercepts + vector @ self.weights
        for feature in features:
            for place, weight in self.features.get(feature, {}).items():
                totals[int(place)] += weight
        parts = np.exp(totals - totals.max())
        return np.asarray(parts / parts.sum(), np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class TableModel:
    """`asked` tells the kind of a question, `compared` what a number in it is, by the words around it, `answered`
    whether yes or no is asked for in a column that it names, `sought` the kind of a cell that is looked up; `known` are
    words that need no explanation. `layers` weigh `FEATURES` and the kinds (a perceptron with one hidden layer):
    weights and intercepts of each. A reading counts where its probability is at least `sure`."""

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
    """A number or a day of a question, its place among the words, and how likely each of `COMPARED` is."""

    value: str
    word: int
    is_day: bool
    how: Floats
    near: str
    vector: Vector
    unit: str


@dataclass(frozen=True, slots=True)
class TableReading:
    """A request that a question may stand for; `column` is what is asked for (-1: nothing but rows), `features` has
    what it is weighed by."""

    asked: Asked
    table: StoredTable
    request: TableRequest
    column: int
    features: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class _Filter:
    column: int
    values: tuple[str, ...]
    words: frozenset[str]
    share: float


# Read -----------------------------------------------------------------------------------------------------------------


def read(question: str, tables: Tables, encoder: Encoder, model: TableModel) -> TableReading | None:
    """What it asks; None where that is not sure, or nothing that a table says."""
    weighed = sorted(weigh(readings(question, tables, encoder, model), model), key=lambda pair: -pair[1])
    if not weighed or weighed[0][1] < model.sure:
        return None
    best, likely = weighed[0]
    others = (other for reading, other in weighed[1:] if _said(reading) != _said(best))
    return best if likely - next(others, 0.0) >= APART else None


def _said(reading: TableReading) -> tuple[str, TableRequest]:
    return reading.table.id, reading.request


def weigh(found: Sequence[TableReading], model: TableModel) -> list[tuple[TableReading, float]]:
    """With the probability that each is what was asked."""
    if not found:
        return []
    (into, first), (out, last) = model.layers
    totals = np.tanh(np.array([one.features for one in found]) @ into + first) @ out + last
    return list(zip(found, (1 / (1 + np.exp(-totals[:, 0]))).tolist(), strict=True))


def readings(question: str, tables: Tables, encoder: Encoder, model: TableModel) -> list[TableReading]:
    """All that the words of the question allow, of the tables that it names most of."""
    if not tables.all:
        return []
    linked = linked_to(QuestionWords(question, encoder, model), tables, encoder, model)
    return [reading for one in linked for reading in one.readings()]


def linked_to(words: "QuestionWords", tables: Tables, encoder: Encoder, model: TableModel) -> "list[LinkedTable]":
    """The tables that a question names most of."""
    links = tables.links(words.stems, LINKS)
    named = {one.id: len({word for link in links.get(one.id, ()) for word in link.words}) for one in tables.all}
    chosen = sorted(tables.all, key=lambda one: -named[one.id])[:TABLES]
    linked = [LinkedTable(words, one, links.get(one.id, []), encoder, model) for one in chosen]
    for one in linked:
        one.borrow([each for each in linked if each is not one])
    for one in linked:
        others = (each.explained for each in linked if each is not one)
        one.margin = one.explained - max(others, default=0.0)
    return linked


class QuestionWords:
    """Its words without numbers and days, their stems, and the vectors of all runs of one to three of them."""

    def __init__(self, text: str, encoder: Encoder, model: TableModel) -> None:
        spans = [(one.start, one.end, one.date.iso) for one in asked_times(text) if one.date.year]
        taken = {place for start, end, _ in spans for place in range(start, end)}
        spans += [(*m.span(), m[0].rstrip("%")) for m in _NUMBER.finditer(text) if m.start() not in taken]
        words = re.finditer(r"\w+", text)
        spans += [(*m.span(), str(COUNTED.index(m[0]))) for m in words if m[0] in COUNTED[2:]]
        spans = [one for one in spans if not text[one[1] : one[1] + 1].isalnum()]
        self.text, blanked, marked = text, text, list[tuple[int, str, bool]]()
        units = list[str]()
        for start, end, value in sorted(spans, reverse=True):
            marked.append((start, value, start in taken))
            units.append((*text[end:].split(maxsplit=1), "")[0].strip("?.,;"))
            blanked = f"{blanked[:start]}{' ' * (end - start)}{blanked[end:]}"
        blanked = re.sub(r"[-/_.]", " ", blanked)
        self.words = [word.casefold().removesuffix("'s").removesuffix("\u2019s") for word in written_words(blanked)]
        self.stems = stemmed_words(" ".join(self.words)) if self.words else []
        self.content = [place for place, word in enumerate(self.words) if word not in FUNCTION_WORDS]
        starts = [len(written_words(blanked[:start])) for start, *_ in marked]
        runs = [self.words[n : n + size] for size in (1, 2, 3) for n in range(len(self.words) - size + 1)]
        runs = [run for run in runs if any(word not in FUNCTION_WORDS for word in run) or len(run) > 1]
        around = [f"{' '.join(self.words[max(0, at - 3) : at])} 0 {' '.join(self.words[at : at + 4])}" for at in starts]
        vectors = encoder.encode([text, *map(" ".join, runs), *around], "sentence")
        self.vector, self.runs = vectors[0], vectors[1 : len(runs) + 1]
        self.single = {run[0]: place for place, run in enumerate(runs) if len(run) == 1}
        self.numbers = [
            AskedNumber(
                value, at, is_day, model.compared.probabilities(vector, ngrams(near.split())), near, vector, unit
            )
            for (_, value, is_day), unit, at, near, vector in zip(
                marked, units, starts, around, vectors[len(runs) + 1 :], strict=True
            )
        ]


def ngrams(words: Sequence[str]) -> list[str]:
    """Words and pairs of neighbours, each once."""
    pairs = [f"{one} {other}" for one, other in zip(["^", *words], [*words, "$"], strict=True)]
    return list(dict.fromkeys([*words, *pairs]))


class LinkedTable:
    """A question and a table: what of it the question names."""

    margin = 0.0
    borrowed: frozenset[_Filter] = frozenset()

    def __init__(
        self, question: QuestionWords, table: StoredTable, links: Sequence[Link], encoder: Encoder, model: TableModel
    ) -> None:
        self.question, self.table, self.model = question, table, model
        self.heads = {link.column: link for link in links if not link.value and link.column >= 0}
        self.name = next((link.words for link in links if link.column < 0), frozenset())
        self.filters = _filters([link for link in links if link.value], question.stems)
        signature = f"{table.name}: {', '.join(table.heads)}"
        vectors = encoder.encode([signature, table.name, *(head or "number" for head in table.heads)], "sentence")
        self.own = vectors[:2]
        self.nearness = float(question.vector @ vectors[0])
        self.head_vectors: Vectors = vectors[2:]
        cosines = question.runs @ self.head_vectors.T if len(question.runs) else np.zeros((1, len(table.heads)))
        self.near = cosines.max(axis=0)
        self.filters += self._answers()

    def _answers(self) -> "list[_Filter]":
        """Yes or no in the columns of these that the question names."""
        named = [n for n, one in self.heads.items() if self.table.columns[n].kind == "yes-no" and one.share >= 0.5]
        if not named:
            return []
        likely = self._told(self.model.answered)
        return [_Filter(n, (max(likely, key=lambda says: likely[says]),), self.heads[n].words, 1.0) for n in named]

    @property
    def explained(self) -> float:
        """How much of the question it has."""
        return len(self._named_words) + self.nearness

    @property
    def _named_words(self) -> set[str]:
        named = {word for one in self.filters for word in one.words} | {
            w for one in self.heads.values() for w in one.words
        }
        content = {self.question.stems[place] for place in self.question.content}
        return (named | self.name) & content | {word for one in self.filters for word in one.words}

    @cached_property
    def key(self) -> int:
        """The first column whose cells all differ, else the first."""
        each = [n for n, one in enumerate(self.table.columns) if one.distinct == self.table.size and one.kind == "text"]
        return each[0] if each else 0

    def borrow(self, others: "Sequence[LinkedTable]") -> None:
        """The cells that tables of the same form have and this one has not: it may be asked for what it lacks."""
        have = {word for one in self.filters for word in one.words}
        alike = [one for one in others if [*map(folded, one.table.heads)] == [*map(folded, self.table.heads)]]
        lacking = [f for one in alike for f in one.filters if f.share >= HALF and not f.words & have]
        self.borrowed = frozenset(lacking)
        self.filters += list(dict.fromkeys(lacking))

    def readings(self) -> Iterator[TableReading]:
        for asked in ASKED[:-1]:
            if self._likely[asked] < UNLIKELY:
                continue
            for column, (filters, compared) in product(self._columns(asked), self._conditions()):
                if (reading := self._reading(asked, column, filters, compared)) is not None:
                    yield reading

    @cached_property
    def _likely(self) -> dict[str, float]:
        """How likely each kind of question is, and of what is looked up each kind of cell."""
        return self._told(self.model.asked) | self._told(self.model.sought)

    def _told(self, by: Softmax) -> dict[str, float]:
        return dict(zip(by.classes, by.probabilities(self.question.vector, ngrams(self.masked)).tolist(), strict=True))

    @cached_property
    def masked(self) -> list[str]:
        """The words, those of cells and heads by what they are."""
        cells = {word for one in self.filters for word in one.words}
        heads = {word for one in self.heads.values() for word in one.words}
        numbers = {one.word for one in self.question.numbers}
        said = list[str]()
        for place, (word, stem) in enumerate(zip(self.question.words, self.question.stems, strict=True)):
            if place in numbers:
                said.append("NUMBER")
            mask = "CELL" if stem in cells else "HEAD" if stem in heads else "TABLE" if stem in self.name else word
            said += [mask] if said[-1:] != [mask] or mask == word else []
        return said + (["NUMBER"] if len(self.question.words) in numbers else [])

    @cached_property
    def left(self) -> set[str]:
        """Stems of the content words that name nothing of it."""
        content = {self.question.stems[place] for place in self.question.content}
        return content - self._named_words - self.name

    def _columns(self, asked: Asked) -> list[int]:
        """Those that may be asked for, the best first; -1 is none."""
        kinds = OF_KINDS.get(asked)
        if kinds is None:
            return [-1]
        fitting = [n for n, one in enumerate(self.table.columns) if one.kind in kinds]
        best = sorted(fitting, key=lambda n: -self._link(n))[:COLUMNS]
        return [*best, -1] if asked == "look up" else best

    def _link(self, column: int) -> float:
        return self._head_share(column) + float(self.near[column])

    def _head_share(self, column: int) -> float:
        return self.heads[column].share if column in self.heads else 0.0

    def _conditions(self) -> "list[tuple[tuple[_Filter, ...], tuple[tuple[int, AskedNumber, str], ...]]]":
        """The filters and the comparisons that may be meant: each word stands for one cell."""
        by_words = dict[frozenset[str], list[_Filter]]()
        for one in self.filters:
            by_words.setdefault(one.words, []).append(one)
        choices = [each if each[0].share >= 1 else [*each, None] for each in by_words.values()]
        filters = [tuple(filter(None, chosen)) for chosen in product(*choices[:5])]
        numbers = [self._comparisons(one) for one in self.question.numbers[:2]]
        return [(chosen, tuple(filter(None, each))) for chosen in filters[:12] for each in product(*numbers)]

    def _comparisons(self, number: AskedNumber) -> "list[tuple[int, AskedNumber, str] | None]":
        how = COMPARED[int(number.how.argmax())]
        if how == "first":
            return [(-1, number, how)]
        kinds = ("date", "number") if number.is_day else ("number",)
        fitting = [n for n, one in enumerate(self.table.columns) if one.kind in kinds]
        best = sorted(fitting, key=lambda n: -self._measured(n, number))[:2]
        return [*((n, number, how) for n in best), None]

    def _measured(self, column: int, number: AskedNumber) -> float:
        """How well a column is named that a number is compared with: also by its unit."""
        return self._link(column) + float(bool(number.unit) and number.unit == self.table.columns[column].unit)

    def _reading(
        self,
        asked: Asked,
        column: int,
        filters: tuple[_Filter, ...],
        compared: tuple[tuple[int, AskedNumber, str], ...],
    ) -> TableReading | None:
        request = self._request(asked, column, filters, compared)
        if request is None:
            return None
        table, eligible = self.table, [n for n in self._columns(asked) if n >= 0]
        used = {word for one in filters for word in one.words}
        beside = [n for n, *_ in compared if n >= 0]
        if request.group_by and column != place_of(table, request.group_by):
            beside.append(place_of(table, request.group_by))
        heads = {word for n in (column, *beside) if n in self.heads for word in self.heads[n].words}
        explained = used | heads | self.name | self.model.known
        left = [self.question.words[n] for n in self.question.content if self.question.stems[n] not in explained]
        known = [
            self.own,
            *(self.head_vectors[[n]] for n in {column, self.key, *(f.column for f in filters)} if n >= 0),
        ]
        nearest = [float((np.vstack(known) @ self.question.runs[self.question.single[word]]).max()) for word in left]
        alike = [n for n in eligible if column < 0 or table.columns[n].kind == table.columns[column].kind]
        others = [self._link(n) for n in alike if n != column]
        if asked.startswith("count") and not request.where and min(nearest, default=1.0) < HALF:
            return None  # what nothing explains may be a condition
        by_key = any(one.column == self.key for one in filters)
        sought = self._likely.get(table.columns[column].kind if column >= 0 else "", 0.5)
        links = [self._measured(n, one) for n, one, _ in compared if n >= 0]
        links += [self._link(n) for n in beside[len(links) :]]
        values = {
            "asked": max(-6.0, float(np.log(self._likely[asked] + 1e-9))),
            "named": self._head_share(column),
            "near": float(self.near[column]) if column >= 0 else 0.0,
            "margin": self._link(column) - max(others, default=0.0) if column >= 0 else 0.0,
            "unnamed": float(column < 0),
            "unexplained": min(4.0, sum(1 - max(0.0, near) for near in nearest)),
            "farthest": 1 - min(nearest, default=1.0),
            "share": min((one.share for one in filters), default=1.0),
            "values": float(np.log(max((len(one.values) for one in filters), default=1))),
            "filtered": float(bool(filters)),
            "table": len(self.name) / max(1, len(stemmed_words(table.name))),
            "table near": self.nearness,
            "table margin": max(-2.0, min(2.0, self.margin)),
            "numbers left": float(len(self.question.numbers) - len(compared)),
            "links left": float(len({one.words for one in self.filters}) - len({one.words for one in filters})),
            "sought": max(-4.0, float(np.log(sought + 1e-9))) if asked == "look up" else 0.0,
            "lacking": float(sum(one in self.borrowed for one in filters)),
            "by key": float(by_key and asked.startswith("count")),
            "not by key": float(asked == "look up" and not by_key),
            "compared": min((float(one.how.max()) for _, one, _ in compared), default=1.0),
            "heads left": float(self._heads_left({column, *beside, *(one.column for one in filters)}, used)),
            "grouped": min(links, default=1.0),
        }
        kinds = [float(asked == one) for one in ASKED[:-1]]
        return TableReading(asked, table, request, column, (*(values[name] for name in FEATURES), *kinds))

    def _heads_left(self, used: set[int], cells: set[str]) -> int:
        told = {word for n in used if n in self.heads for word in self.heads[n].words} | cells
        return sum(
            n not in {*used, self.key} and one.share >= 1 and not one.words <= told for n, one in self.heads.items()
        )

    def _request(
        self,
        asked: Asked,
        column: int,
        filters: tuple[_Filter, ...],
        compared: tuple[tuple[int, AskedNumber, str], ...],
    ) -> TableRequest | None:
        """None where nothing of this kind can be asked so."""
        heads, head = self.table.heads, self.table.heads[column] if column >= 0 else ""
        wanted = [one for _, one, how in compared if how == "first"]
        values = dict[int, list[str]]()
        for one in filters:
            values.setdefault(one.column, []).extend(one.values)
        several = [n for n, each in values.items() if sum(one.column == n for one in filters) > 1]
        where = [
            Condition(column=heads[n], value=tuple(each) if len(each) > 1 else each[0]) for n, each in values.items()
        ]
        where += [
            Condition(column=heads[n], operator=how, value=one.value)  # type: ignore[arg-type]
            for n, one, how in compared
            if n >= 0
        ]
        if (asked == "compare") != bool(several) or column in values:
            return None
        if asked in ("look up", "filter", "compare") and not where:
            return None
        if wanted and asked not in ("most", "least", "latest", "earliest"):
            return None
        request = TableRequest(table=self.table.id, where=tuple(where), limit=MOST if "each" in asked else 10)
        down = asked in ("most", "latest")
        if asked in ("most", "least", "latest", "earliest"):
            if wanted and (count := wanted[0].value).isdecimal() and 0 < int(count) <= 50:
                return replace_(request, order_by=head, descending=down, limit=int(count))
            return replace_(request, aggregate=Aggregate(function="max" if down else "min", column=head))
        function = asked.split()[0]
        if asked == "most common":
            return replace_(request, aggregate=Aggregate(function="count"), group_by=head, descending=True, limit=MOST)
        if asked.endswith(" each"):
            by = self._grouped(column)
            if asked == "count each":
                return replace_(request, aggregate=Aggregate(function="count"), group_by=head)
            each = Aggregate(function=function, column=head)  # type: ignore[arg-type]
            return replace_(request, aggregate=each, group_by=by) if by else None
        if function in ("count", "sum", "mean"):
            return replace_(request, aggregate=Aggregate(function=function, column=head))  # type: ignore[arg-type]
        return request

    def _grouped(self, column: int) -> str | None:
        """The head of the column that is grouped by: the best named of text."""
        each = [n for n, one in enumerate(self.table.columns) if one.kind in ("text", "yes-no") and n != column]
        best = max(each, key=self._link, default=None)
        return self.table.heads[best] if best is not None and self._head_share(best) else None


def replace_(request: TableRequest, **changes: object) -> TableRequest:
    return request.model_copy(update=changes)


def _filters(links: Sequence[Link], stems: Sequence[str]) -> list[_Filter]:
    """The cells that words stand for: each word for the cells of which most words stand nearest together, and of those
    in one column that have the same words those with the largest share."""
    telling = [link for link in links if not all(word in FUNCTION_WORDS for word in link.words)]
    nearest = {words: _nearest(words, stems, set()) for words in {link.words for link in telling}}
    sets, taken = set[frozenset[str]](), set[int]()
    for words in sorted(nearest, key=lambda one: (-len(one), max(nearest[one]) - min(nearest[one]), sorted(one))):
        if places := _nearest(words, stems, taken):
            sets.add(words)
            taken.update(places)
    best = [link for link in telling if link.words in sets]
    found = list[_Filter]()
    for column, words in dict.fromkeys((link.column, link.words) for link in best):
        each = [link for link in best if (link.column, link.words) == (column, words)]
        share = max(link.share for link in each)
        values = tuple(link.value for link in each if link.share >= share or share < 1)
        if len(values) <= AMBIGUOUS:
            found.append(_Filter(column, values, words, share))
    return _whole(found)


def _nearest(words: frozenset[str], stems: Sequence[str], taken: set[int]) -> tuple[int, ...]:
    """Where these words stand nearest together, but at places that are taken; nowhere is empty."""
    each = [[place for place, stem in enumerate(stems) if stem == word and place not in taken][:3] for word in words]
    return min(product(*each), key=lambda places: max(places) - min(places), default=())


def _whole(found: Sequence[_Filter]) -> list[_Filter]:
    """Without cells that are named in part, where the words are the whole of another."""
    whole = {one.words for one in found if one.share >= 1}
    return [one for one in found if one.share >= 1 or one.words not in whole]
