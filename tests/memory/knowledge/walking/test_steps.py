"""Steps of a walk: where links by title lead, and what ends it."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from clew.memory.datatypes import Ints
from clew.memory.knowledge.walking.walker import StepParameters, Stitched, wander
from clew.memory.nodes import SHARED, TITLE_LINK, NodeGraph

MASSES = np.array([2.0, 0.0, 0.5, -1.0])


def stitched() -> Stitched:
    """Node 0 names 1 and shares an entity with 2; 3 names 0."""
    ends = np.array([[0, 0, 3], [1, 2, 0]])
    kinds, weights = np.array([0, 1, 0]), np.array([1.0, 0.5, 1.0], np.float32)
    graph = NodeGraph(4, ends[0], ends[1], kinds, weights, (TITLE_LINK, SHARED))
    return Stitched(np.array([0]), np.arange(4), np.array([0, 4]), np.arange(3), np.zeros(4, dtype=bool), graph)


def visited(parameters: StepParameters, answers: Callable[[int], bool] = lambda _: False) -> list[int]:
    def weigh(rows: Ints) -> NDArray[np.float64]:
        return MASSES[rows]

    return [visit.node for visit in wander(stitched(), np.array([0]), weigh, answers, parameters)]


def test_a_link_leads_to_what_a_node_names_before_what_it_shares_an_entity_with() -> None:
    assert visited(StepParameters(beam=1, link=2.0, edge=0)) == [0, 1, 2]
    assert visited(StepParameters(beam=1, link=0.0, edge=0)) == [0, 2, 1]


def test_a_link_backwards_does_not_count_more() -> None:
    assert visited(StepParameters(depth=1, link=2.0)) == [0, 1, 2, 3]


def test_a_step_to_what_answers_ends_a_walk_and_a_landing_does_not() -> None:
    parameters = StepParameters(beam=1, depth=3)
    assert visited(parameters, lambda node: node == 0) == [0, 1, 2, 3]
    assert visited(parameters, lambda node: node == 1) == [0, 1]
