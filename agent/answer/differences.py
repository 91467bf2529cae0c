"""Questions that ask by how much two things differ: the two sentences that say a number or a day of each, quoted with
the sum."""

import json
from collections.abc import Iterator, Sequence, Set
from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np

from clew.agent.answer.answer_type import answer_type
from clew.agent.answer.evidence import NAMED, Evidence
from clew.agent.search.table_reader import Softmax
from clew.memory.errors import BadInput
from clew.memory.text import content_words, written_words
from clew.tools.calculate import YEAR, calculate, measured

SURE = 0.7
"""The probability from which a difference is asked for."""

READ = 16
"""Of the candidates the best, that are looked at."""

CLASSES = ("difference", "other")
SHIPPED = Path(__file__).with_suffix(".json")


def difference(question: str, order: Sequence[int], evidence: Evidence) -> tuple[tuple[int, ...], str] | None:
    """The places of the candidates that say both (one where a sentence says them), and the sum; `order` are places of
    candidates, best first. None where no difference is asked for, or it is not plain between
    which two values: they have one unit, and stand in one sentence, or each in one with a word of the question that the
    other's lacks, all names and numbers of the question are there, and no two sentences have more words of it. Of
    several units that counts which the question names, or which is of the kind that it asks for."""
    vector = evidence.encoder.encode([question], "sentence")[0]
    if shipped().probabilities(vector, masked(question))[CLASSES[0]] < SURE:
        return None
    said = [_Said(place, question, evidence) for place in order[:READ]]
    named = {*content_words(" ".join(NAMED.findall(question)))}
    pairs = [pair for pair in _pairs(said, named) if named <= pair.words]
    wanted = answer_type(question)
    of_unit = [pair for pair in pairs if pair.unit in content_words(wanted.counted or question)]
    if of_unit or wanted.counted:
        pairs = of_unit
    else:
        pairs = [pair for pair in pairs if all(map(wanted.holds, pair.values))] or pairs
    most = max((len(one.words | other.words) for one in said for other in said), default=0)
    pairs = [pair for pair in pairs if len(pair.words) == most]
    units = {pair.unit for pair in pairs}
    told = max((len(pair.told) for pair in pairs), default=0)
    sums = {pair.sum: pair for pair in reversed(pairs) if len(pair.told) == told}
    plain = len(sums) == len(units) == 1
    return next(((pair.places, text) for text, pair in sums.items() if plain and text), None)


def masked(question: str) -> list[str]:
    """Its words in lower case, with names and numbers by what they are."""
    said = list[str]()
    for place, word in enumerate(written_words(question)):
        mask = "NUMBER" if any(map(str.isdigit, word)) else "NAME" if place and word[0].isupper() else word.casefold()
        said += [mask] if said[-1:] != [mask] or mask.islower() else []
    return said


@cache
def shipped() -> Softmax:
    """The linear model that comes with Clew; `python -m tests.training.differences` fits it."""
    said = json.loads(SHIPPED.read_text("utf-8"))
    return Softmax(CLASSES, np.array(said["intercepts"]), np.array(said["weights"]), said["features"])


class _Said:
    """Of a candidate its place, the words of the question that it has (`told`) or also stands under, and its values by
    their unit."""

    def __init__(self, place: int, question: str, evidence: Evidence) -> None:
        asked, text = {*content_words(question)}, evidence.texts[place]
        self.place, self.head = place, evidence.candidates[place].head
        self.told = asked.intersection(content_words(text))
        above = f"{evidence.heads[place]} {self.head} {evidence.passages[evidence.candidates[place].passage].title}"
        self.words = self.told.union(asked.intersection(content_words(above)))
        self.values: dict[str, list[str]] = {}
        for unit, value in measured(text):
            if not asked.issuperset(content_words(value)):
                self.values.setdefault(unit, []).append(value)


class _Pair:
    """Two values of one unit, of one candidate or of two, and what these have of the question's words."""

    def __init__(self, said: Sequence[_Said], unit: str, values: Sequence[str]) -> None:
        self.places, self.unit, self.values = tuple(one.place for one in said), unit, values
        self.words = set[str]().union(*(one.words for one in said))
        self.told = set[str]().union(*(one.told for one in said))

    @property
    def sum(self) -> str:
        """The larger less the smaller one, with the result; empty where that cannot be worked out, or is nothing."""
        try:
            one, other = (calculate(f"{first} - {last}") for first, last in (self.values, self.values[::-1]))
        except BadInput:
            return ""
        shown = other if " = -" in one else one
        return f"{shown} years" if all(map(YEAR.fullmatch, self.values)) else shown


def _pairs(said: Sequence[_Said], named: Set[str]) -> Iterator[_Pair]:
    for one in said:
        whole = named <= one.told
        yield from (_Pair([one], unit, values) for unit, values in one.values.items() if whole and len(values) == 2)
    for one, other in combinations(said, 2):
        apart = any(
            one_ - other_ and other_ - one_ for one_, other_ in ((one.words, other.words), (one.told, other.told))
        )
        if apart or (one.words == other.words != set() and one.head == other.head != ""):  # of one thing at two times
            for unit in sorted(one.values.keys() & other.values.keys()):
                values = [*one.values[unit], *other.values[unit]]
                if len(values) == 2:
                    yield _Pair([one, other], unit, values)
