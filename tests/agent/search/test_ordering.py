"""The order of the evidence: by what the tools that ran say of each passage, weighed by the signals."""

import math

import pytest

from clew.agent.search import ordering
from clew.agent.search.ordering import FLOOR, features, ordered
from clew.agent.search.router import SIGNALS
from clew.memory.datatypes import Passage
from clew.memory.dialogue.signals import Linear
from tests.training.search import to_json

NOTHING = dict.fromkeys(SIGNALS, 0.0)


def passage(name: str, **scores: float) -> Passage:
    return Passage(name, name, name, name, 0.5, "hybrid", scores=scores)


def test_a_tool_says_the_log_of_a_share_of_its_best() -> None:
    found = [passage("a", hybrid=0.6, graph=0.5), passage("b", hybrid=0.4), passage("c", graph=0.25)]
    said = features(found, {"a": 0.6, "b": 0.4, "c": 0.1}, ["hybrid", "graph"])
    assert said["hybrid"].tolist() == [0.6, 0.4, 0.1]
    assert said["graph"] == pytest.approx([0.0, FLOOR, math.log(0.5)])
    assert features([passage("a", graph=0.0)], {"a": 0.1}, ["graph"])["graph"].tolist() == [FLOOR]


def test_the_order_is_that_of_the_masses_and_each_has_its_share() -> None:
    found = [passage("a", hybrid=0.6), passage("b", hybrid=0.4, graph=0.9), passage("c", graph=0.1)]
    by = {"hybrid": Linear(10.0, {}), "graph": Linear(1.0, {})}
    its = ordered(found, {"a": 0.6, "b": 0.4, "c": 0.3}, NOTHING, by)
    assert [one.id for one in its] == ["b", "c", "a"]
    shares = [one.scores["mass"] for one in its]
    assert shares == sorted(shares, reverse=True) and sum(shares) == pytest.approx(1)
    assert {one.id for one in its} == {"a", "b", "c"}


def test_what_is_shipped_is_read_as_it_was_written() -> None:
    by = ordering.shipped()
    assert {"hybrid", "graph", "walk"} <= set(by) and all(set(model.weights) == set(SIGNALS) for model in by.values())
    assert to_json(by) == ordering.SHIPPED.read_text("utf-8")
