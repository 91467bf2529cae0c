"""The walk over units: as the paper's own steps one at a time, and what each parameter bounds."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.memory.datatypes import Floats, Ints, Vectors
from clew.memory.knowledge.clues.clue_index import UnitGraph, arrow
from clew.memory.knowledge.clues.unit_search import UnitWalker, UnitWalkParameters
from tests.memory.knowledge.clues.unit_cases import PAPER, Reference, layers_of, near, unit_rows, walked

NAMES = "abcdefgh"
CHAIN = [["a", "b"], ["b", "c"], ["c", "d"], ["d", "e"], ["x", "y"]]
"""Units that lead from one to the next, and one apart."""

VECTORS = unit_rows([[3, 1, 0, 0, 0], [1, 3, 1, 0, 0], [1, 0, 3, 1, 0], [1, 0, 0, 3, 1], [1, 0, 0, 0, 3]])
QUESTION = unit_rows([[1, 0, 0, 0, 0]])[0]
NARROW = UnitWalkParameters(anchors=1, per_entity=1, beam=1, depth=3)


@st.composite
def graphs(draw: st.DrawFn) -> tuple[list[list[str]], list[str], int]:
    units = draw(st.lists(st.lists(st.sampled_from(NAMES), max_size=4, unique=True), min_size=1, max_size=14))
    titles = draw(st.lists(st.sampled_from("-" + NAMES), min_size=len(units), max_size=len(units)))
    return units, titles, draw(st.integers(0, 10_000))


@st.composite
def parameters(draw: st.DrawFn) -> UnitWalkParameters:
    few = st.integers(1, 4)
    return UnitWalkParameters(
        anchors=draw(few),
        per_entity=draw(few),
        beam=draw(st.integers(1, 6)),
        depth=draw(few),
        subtract=draw(st.sampled_from([0.0, 0.5, 1.0])),
        renormalise=draw(st.booleans()),
    )


@settings(deadline=None)
@given(graphs(), parameters(), st.booleans())
def test_it_is_the_papers_walk(
    made: tuple[list[list[str]], list[str], int], parameters: UnitWalkParameters, scoped: bool
) -> None:
    units, titles, seed = made
    layers, random_ = layers_of(units, titles), np.random.default_rng(seed)
    vectors = unit_rows(random_.normal(size=(len(units), 6)))
    question = unit_rows(random_.normal(size=(1, 6)))[0]
    among = sorted(random_.permutation(len(units))[: len(units) // 2].tolist()) if scoped else None
    found = walked(layers, vectors, question, parameters, among)
    expected = Reference.of(layers, vectors, question, parameters, among).walks()
    assert [(walk.units, walk.entities) for walk in found] == [(walk.units, walk.entities) for walk in expected]
    assert [walk.score for walk in found] == pytest.approx([walk.score for walk in expected], abs=2e-6)


def test_depth_is_the_most_and_every_length_is_a_finished_path() -> None:
    walks = walked(layers_of(CHAIN), VECTORS, QUESTION, NARROW)
    assert [walk.units for walk in walks] == [(0,), (0, 1), (0, 1, 2)]
    assert [len(walk.entities) for walk in walks] == [1, 2, 3]
    deeper = walked(layers_of(CHAIN), VECTORS, QUESTION, replace(NARROW, depth=9))
    assert deeper[-1].units == (0, 1, 2, 3)  # a dead end
    assert walked(layers_of(CHAIN), VECTORS, QUESTION, replace(NARROW, depth=0)) == []


def test_the_running_query_leaves_behind_what_was_found() -> None:
    """Of the units of `b` one says again what the first said; without it taken away that one comes next."""
    units = [["a", "b"], ["b", "c"], ["b", "d"]]
    vectors = unit_rows([[1, 0.4, 0], [1, 0.3, 0], [0, 1, 0.2]])
    question = unit_rows([[1, 0.8, 0]])[0]
    for subtract, following in ((1.0, 2), (0.0, 1)):
        parameters = replace(NARROW, depth=2, subtract=subtract)
        assert walked(layers_of(units), vectors, question, parameters)[-1].units == (0, following)


def test_a_name_in_every_sentence_costs_no_more_than_another() -> None:
    random_, read = np.random.default_rng(0), list[int]()
    layers = layers_of([["hub", f"n{place % 50}"] for place in range(3000)])
    vectors, question = unit_rows(random_.normal(size=(3000, 8))), unit_rows(random_.normal(size=(1, 8)))[0]

    def vectors_of(rows: Ints) -> Vectors:
        read.append(len(rows))
        return vectors[rows]

    walks = UnitWalker(UnitGraph(layers), question, near(question, vectors), vectors_of, PAPER).walks()
    assert len(walks[-1].units) == 3
    assert max(read) <= PAPER.widest * 2 * PAPER.beam < 3000
    nearest = set(near(question, vectors, PAPER.nearest).units.tolist())
    number = [entity.name for entity in layers.entities].index("hub")
    by_hub = [
        unit for walk in walks for unit, entity in zip(walk.units, walk.entities, strict=True) if entity == number
    ]
    assert by_hub and set(by_hub) <= nearest


def test_a_cross_encoder_prunes() -> None:
    units = [["a", "b"], ["a", "c"], ["a", "d"]]
    vectors = unit_rows([[1, 0.1], [1, 0.2], [1, 0.9]])
    seen: list[Sequence[tuple[int, ...]]] = []

    def last_is_best(paths: Sequence[tuple[int, ...]]) -> Floats:
        seen.append(paths)
        return np.array([path[-1] / 10 for path in paths])

    parameters = UnitWalkParameters(anchors=1, beam=1, depth=2)
    walks = walked(layers_of(units), vectors, unit_rows([[1, 0]])[0], parameters, prune=last_is_best)
    assert walks[0].units == (2,) and walks[0].score == 0.2
    assert sorted(seen[0]) == [(0,), (1,), (2,)]
    few = walked(layers_of(units), vectors, unit_rows([[1, 0]])[0], replace(parameters, pruned=2), prune=last_is_best)
    assert few[0].units == (1,)  # it saw the two nearest by cosine


UNITS = [["Lokesh Kanagaraj", "film"], ["film", "Coolie"], ["Rajinikanth"]]
RELATIONS = [("Lokesh Kanagaraj", "directed", "film", 0), ("film", "titled", "Coolie", 1)]


def written(graph: UnitGraph, units: tuple[int, ...], *names: str) -> list[str]:
    number = {entity.name: place for place, entity in enumerate(graph.layers.entities)}
    return [arrow(edge) for edge in graph.steps(units, tuple(number[name] for name in names))]


def test_a_path_is_printed_as_in_the_seed_from_either_end() -> None:
    graph = UnitGraph(layers_of(UNITS, relations=RELATIONS))
    path = ["(lokesh kanagaraj) -[directed]-> (film)", "(film) -[titled]-> (coolie)"]
    assert written(graph, (0, 1), "Lokesh Kanagaraj", "film") == path
    assert written(graph, (1, 0), "Coolie", "film") == path


def test_a_step_without_a_relation_says_what_it_is() -> None:
    graph = UnitGraph(layers_of(UNITS, titles=["-", "Coolie", "Coolie"]))
    assert written(graph, (0,), "film") == ["(film) -[named with]-> (lokesh kanagaraj)"]
    assert written(graph, (1,), "film") == ["(coolie) -[tells of]-> (film)"]
    assert written(graph, (2,), "Coolie") == ["(coolie) -[tells of]-> (rajinikanth)"]


def test_no_walk_goes_to_a_heading() -> None:
    layers = layers_of([["a", "b"], ["a", "b"]], titles=["-", "t"])
    graph = UnitGraph(replace(layers, headings=np.array([1])))
    assert [graph.entities.row(unit) for unit in range(2)] == [[0, 1], []]
    assert graph.titles[1] >= 0
