"""The walk over units: as the paper's own steps one at a time, and what each parameter bounds."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.memory.knowledge.clues.clue_index import UnitGraph, arrow
from clew.memory.knowledge.clues.unit_search import UnitWalkParameters
from tests.memory.knowledge.clues.unit_cases import Reference, layers_of, unit_rows, walked

NAMES = "abcdefgh"


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


UNITS = [["Lokesh Kanagaraj", "film"], ["film", "Coolie"], ["Rajinikanth"]]
RELATIONS = [("Lokesh Kanagaraj", "directed", "film", 0), ("film", "titled", "Coolie", 1)]


def written(graph: UnitGraph, units: tuple[int, ...], *names: str) -> list[str]:
    number = {entity.name: place for place, entity in enumerate(graph.layers.entities)}
    return [arrow(edge) for edge in graph.steps(units, tuple(number[name] for name in names))]


def test_a_path_is_printed_as_in_the_seed_from_either_end() -> None:
    """And where no relation is stated, the step says what it is."""
    graph = UnitGraph(layers_of(UNITS, relations=RELATIONS))
    path = ["(lokesh kanagaraj) -[directed]-> (film)", "(film) -[titled]-> (coolie)"]
    assert written(graph, (0, 1), "Lokesh Kanagaraj", "film") == path
    assert written(graph, (1, 0), "Coolie", "film") == path
    graph = UnitGraph(layers_of(UNITS, titles=["-", "Coolie", "Coolie"]))
    assert written(graph, (0,), "film") == ["(film) -[named with]-> (lokesh kanagaraj)"]
    assert written(graph, (1,), "film") == ["(coolie) -[tells of]-> (film)"]
    assert written(graph, (2,), "Coolie") == ["(coolie) -[tells of]-> (rajinikanth)"]
