"""Units and entities as tables, and walks in the words of seed 000."""

from dataclasses import replace

import numpy as np

from clew.memory.knowledge.clues.unit_graph import UnitGraph
from tests.memory.knowledge.clues.unit_cases import layers_of

UNITS = [["Lokesh Kanagaraj", "film"], ["film", "Coolie"], ["Rajinikanth"]]
RELATIONS = [("Lokesh Kanagaraj", "directed", "film", 0), ("film", "titled", "Coolie", 1)]


def written(graph: UnitGraph, units: tuple[int, ...], *names: str) -> list[str]:
    number = {entity.name: place for place, entity in enumerate(graph.layers.entities)}
    return [graph.written(step) for step in graph.steps(units, tuple(number[name] for name in names))]


def test_a_path_is_printed_as_in_the_seed_from_either_end() -> None:
    graph = UnitGraph.of(layers_of(UNITS, relations=RELATIONS))
    path = ["(lokesh kanagaraj) -[directed]-> (film)", "(film) -[titled]-> (coolie)"]
    assert written(graph, (0, 1), "Lokesh Kanagaraj", "film") == path
    assert written(graph, (1, 0), "Coolie", "film") == path


def test_a_step_without_a_relation_says_what_it_is() -> None:
    graph = UnitGraph.of(layers_of(UNITS, titles=["-", "Coolie", "Coolie"]))
    assert written(graph, (0,), "film") == ["(film) -[named with]-> (lokesh kanagaraj)"]
    assert written(graph, (1,), "film") == ["(coolie) -[tells of]-> (film)"]
    assert written(graph, (2,), "Coolie") == ["(coolie) -[tells of]-> (rajinikanth)"]


def test_the_last_unit_leads_to_what_a_relation_joins_else_to_the_rarest() -> None:
    units = [["a", "common", "rare"], ["common", "z"]]
    assert written(UnitGraph.of(layers_of(units)), (0,), "a") == ["(a) -[named with]-> (rare)"]
    joined = layers_of(units, relations=[("common", "met", "a", 0)])
    assert written(UnitGraph.of(joined), (0,), "a") == ["(common) -[met]-> (a)"]


def test_a_unit_that_names_one_entity_has_no_step() -> None:
    graph = UnitGraph.of(layers_of([["a"], []]))
    assert graph.steps((0,), (0,)) == () == graph.steps((1,), ())


def test_a_title_is_what_its_sentences_are_about() -> None:
    graph = UnitGraph.of(layers_of([["a"], [], ["b", "t"]], titles=["t", "t", "-"]))
    assert [graph.entities_of(unit) for unit in range(3)] == [[0, 2], [2], [1, 2]]
    assert graph.size(np.array([2, 0])).tolist() == [3, 1]


def test_a_scope_is_of_documents() -> None:
    graph = UnitGraph.of(layers_of([["a"], ["b"], ["c"]]))
    assert graph.within(frozenset({"d1", "other"})).tolist() == [False, True, False]


def test_no_walk_goes_to_a_heading() -> None:
    layers = layers_of([["a", "b"], ["a", "b"]], titles=["-", "t"])
    graph = UnitGraph.of(replace(layers, headings=np.array([1])))
    assert [graph.entities_of(unit) for unit in range(2)] == [[0, 1], []]
    assert graph.titles[1] >= 0
