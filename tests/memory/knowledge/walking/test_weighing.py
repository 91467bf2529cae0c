"""Masses of nodes: each weighed once, with what is around it or as it is expected to be; which of them answer."""

import numpy as np
import pytest

from clew.memory.datatypes import Ints
from clew.memory.encoding import CachedEncoder
from clew.memory.knowledge.library import Library
from clew.memory.knowledge.question import LibraryQuestion
from clew.memory.knowledge.walking.features import DIRECT, Looked, NodeScorer, Standing, Weighing, load_scorer
from clew.tools.base import encode_query
from tests.memory.knowledge.walking.made import ints


@pytest.fixture
def looked(examples: Library, encoder: CachedEncoder) -> Looked:
    query = encode_query("Who walked on the far side of it?", [], encoder)  # it names no title
    question = LibraryQuestion(examples.store.part(), query)
    assert not any(len(named.nodes) for named in question.named)
    return Looked(question, ints([0, 3, 5, 8, 9]))


def weighing(looked: Looked) -> tuple[Weighing, NodeScorer]:
    scorer = load_scorer()
    return Weighing(looked, scorer.alone(looked.direct), scorer), scorer


def test_a_mass_is_of_the_node_and_what_is_around_it(looked: Looked) -> None:
    weigh, scorer = weighing(looked)
    rows = ints([7, 3, 7, 1])
    fresh = Looked(looked.question, ints([1, 3, 7]))
    around = fresh.around(Standing.of(looked.nodes, scorer.alone(looked.direct)))
    expected = scorer.within(np.hstack([fresh.direct, around]))
    assert weigh(rows) == pytest.approx(expected[[2, 1, 2, 0]], abs=1e-5)
    assert weigh(ints([])).shape == (0,)


def test_each_is_weighed_once(looked: Looked, monkeypatch: pytest.MonkeyPatch) -> None:
    asked_for: list[int] = []
    taken_over = Looked.taken_over

    def counted(self: Looked, nodes: Ints) -> Looked:
        asked_for.extend(nodes.tolist())
        return taken_over(self, nodes)

    monkeypatch.setattr(Looked, "taken_over", counted)
    weigh, _ = weighing(looked)
    first = weigh(ints([4, 2, 4]))
    assert weigh(ints([2, 6, 4])).tolist()[::2] == first.tolist()[1::-1]
    assert weigh.expected(ints([6, 2])).tolist() == weigh(ints([6, 2])).tolist()
    assert asked_for == [2, 4, 6]


def test_what_is_expected_is_the_mass_alone_and_what_the_first_weighed_more(looked: Looked) -> None:
    weigh, scorer = weighing(looked)
    every = Looked(looked.question, np.arange(12))
    alone = scorer.alone(every.direct)
    more = np.median(weigh(ints([0, 3, 5])) - alone[[0, 3, 5]])
    assert weigh.expected(ints([10, 7])) == pytest.approx(alone[[10, 7]] + more, abs=1e-5)
    nodes, masses = weigh.ranked()
    assert set(nodes.tolist()) == {0, 3, 5, 7, 10}
    assert masses.tolist() == sorted(masses.tolist(), reverse=True)
    assert weigh(ints([7]))[0] == weigh.expected(ints([7]))[0]  # now it is known


def test_a_node_answers_by_its_own_or_by_a_sentences_cosine(looked: Looked) -> None:
    weigh, _ = weighing(looked)
    weigh(np.arange(12))
    every = Looked(looked.question, np.arange(12)).direct
    similar = np.maximum(every[:, DIRECT.index("cosine")], every[:, DIRECT.index("sentence")])
    least = float(np.sort(similar)[6]) - 1e-6
    answers = weigh.answers(least)
    assert [node for node in range(12) if answers(node)] == np.flatnonzero(similar >= least).tolist()
    assert sum(map(answers, range(12))) == 6
