"""The graph of entities: seed 001's case, weights, attributes, and that dates join nothing."""

from pathlib import Path

import pytest
from scipy.sparse.csgraph import connected_components

from clew.memory.encoding import CachedEncoder
from clew.memory.knowledge.communities.entity_graph import (
    EntityRelation,
    links_of,
    named_in_sentences,
    stated_between,
    tells_only_when,
)
from clew.memory.knowledge.library import open_library
from clew.memory.layers import Entity
from tests.memory.knowledge.communities.made import ALL, layers, library
from tests.memory.knowledge.semrag import CASES, needs_cases


@needs_cases
def test_the_graph_of_the_seed() -> None:
    case = CASES["module_demos"]["graph_builder"]
    made = layers(case["entities"], [tuple(relation) for relation in case["relations"]], {"Mhow": "place"})
    links = links_of(made, named_in_sentences(made))
    expected = case["expect"]
    assert (links.nodes, len(links.weights)) == (expected["nodes"], expected["edges"])
    assert connected_components(links.adjacency())[0] == expected["connected_components"]
    assert sorted(entity.name for entity in made.entities) == sorted(case["entities"])
    assert [entity.kind for entity in made.entities if entity.name == "Mhow"] == ["place"]


def test_relations_keep_their_direction_and_their_number() -> None:
    made = layers(["A", "B"], [("A", "taught", "B"), ("B", "admired", "A")], {})
    links = links_of(made, named_in_sentences(made))
    assert links.ends.T.tolist() == [[0, 1]]
    assert stated_between(made) == {(0, 1): [EntityRelation(0, "taught", 1, 0), EntityRelation(1, "admired", 0, 1)]}
    assert links.weights == pytest.approx((2 * 1 + 2) / 2)  # two sentences, two relations, each named twice


@pytest.mark.parametrize(
    "name", ["1927", "May 1917", "the 1990s", "18th century", "1 000", "two", "March 31, 1954", "7%"]
)
def test_what_tells_only_when(name: str) -> None:
    assert tells_only_when(Entity(name, name, "name"))


@pytest.mark.parametrize("name", ["Apollo 11", "2001: A Space Odyssey", "31 countries", "Moon", "First Man", "X"])
def test_what_tells_more(name: str) -> None:
    assert not tells_only_when(Entity(name, name, "name"))


def test_dates_join_nothing(tmp_path: Path, encoder: CachedEncoder) -> None:
    with open_library(library(tmp_path, ALL, encoder), encoder) as opened:
        made = opened.store.part().layers
    links = links_of(made, named_in_sentences(made))
    dates = {number for number, entity in enumerate(made.entities) if entity.kind == "date"}
    assert dates and dates.isdisjoint(links.ends.reshape(-1).tolist())
    (one, other) = (next(n for n, e in enumerate(made.entities) if e.name == name) for name in ("Laika", "Baikonur"))
    assert links.adjacency()[[one], [other]] > 0
    (far,) = (n for n, e in enumerate(made.entities) if e.name == "Freiburg")
    _, part = connected_components(links.adjacency())
    assert part[one] != part[far]
