"""Which words of a question name a table, its columns and its cells, by stems and by vectors.

`TableModel` are the learned models of this and of `table_reader`."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np

from clew.memory.datatypes import Floats, Vector
from clew.memory.dates import asked_times
from clew.memory.knowledge.tables import Link, StoredTable, Tables, folded
from clew.memory.ports import Encoder
from clew.memory.text import FUNCTION_WORDS, NUMBER_WORDS, stemmed_words, written_words
from clew.memory.vectors import Softmax

TABLES, LINKS = 6, 400
"""Tables that are considered, and links to their cells."""

HALF = 0.5
"""The share of a cell's words that the question must have, where only another table has the cell."""

AMBIGUOUS = 30
"""Cells that the same words may stand for."""

SHIPPED = Path(__file__).with_name("table_reader.json")
COUNTED = {word: str(n) for n, word in enumerate(NUMBER_WORDS[:13]) if n > 1}
_NUMBER = re.compile(rf"(?<![\w.,])(?<!\w-)\d[\d,.]*(?<![.,])%?(?!\w)|\b(?:{'|'.join(COUNTED)})\b")


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
        Softmax.of(said[name], said[name]["classes"]) for name in ("asked", "compared", "answered", "sought")
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


class CellFilter(NamedTuple):
    """Cells of a column that words of the question stand for, and the largest share of a cell that these are."""

    column: int
    values: tuple[str, ...]
    words: frozenset[str]
    share: float


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


class LinkedTable:
    """A question linked to a table: which names, heads and cells it mentions."""

    margin = 0.0
    borrowed: frozenset[CellFilter] = frozenset()

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
            likely = self.told(model.answered)
            answer = max(likely, key=likely.__getitem__)
            self.filters += [CellFilter(n, (answer,), self.heads[n].words, 1.0) for n in flags]

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

    @cached_property
    def likely(self) -> dict[str, float]:
        """The probability of each kind of question, and of each kind of cell to look up."""
        return self.told(self.model.asked) | self.told(self.model.sought)

    def told(self, by: Softmax) -> dict[str, float]:
        """The probability of each class, by the question's vector and its masked words."""
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


def _filters(links: Sequence[Link], stems: Sequence[str]) -> list[CellFilter]:
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
    found = list[CellFilter]()
    for (column, words), each in groups.items():
        share = max(link.share for link in each)
        values = tuple(link.value for link in each if link.share >= share or share < 1)
        if len(values) <= AMBIGUOUS:
            found.append(CellFilter(column, values, words, share))
    whole = {one.words for one in found if one.share >= 1}
    return [one for one in found if one.share >= 1 or one.words not in whole]


def _nearest(words: frozenset[str], stems: Sequence[str], taken: set[int]) -> tuple[int, ...]:
    """The places where these words stand closest together, without those that are taken; empty if there are none."""
    each = [[place for place, stem in enumerate(stems) if stem == word and place not in taken][:3] for word in words]
    return min(product(*each), key=lambda places: max(places) - min(places), default=())
