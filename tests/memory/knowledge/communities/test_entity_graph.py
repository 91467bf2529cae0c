"""The graph of entities: seed 001's case, weights, attributes, and that dates join nothing."""

import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

import igraph
import numpy as np
import pytest

from clew.memory.datatypes import Ints, Vectors
from clew.memory.encoding import CachedEncoder
from clew.memory.knowledge.communities.entity_graph import (
    EntityRelation,
    Links,
    detect,
    links_of,
    named_in_sentences,
    stated_between,
    tells_only_when,
)
from clew.memory.knowledge.layers import DetectionParameters, Entity, Method
from clew.memory.knowledge.library import open_library
from clew.memory.vectors import unit
from tests.memory.knowledge.communities.made import ALL, layers, library
from tests.memory.knowledge.semrag import CASES, needs_cases


def connected(links: Links) -> igraph.VertexClustering:
    return igraph.Graph(n=links.nodes, edges=links.ends.T.tolist()).connected_components()


@needs_cases
def test_the_graph_of_the_seed() -> None:
    case = CASES["module_demos"]["graph_builder"]
    made = layers(case["entities"], [tuple(relation) for relation in case["relations"]], {"Mhow": "place"})
    links = links_of(made, named_in_sentences(made))
    expected = case["expect"]
    assert (links.nodes, len(links.weights)) == (expected["nodes"], expected["edges"])
    assert len(connected(links)) == expected["connected_components"]
    assert sorted(entity.name for entity in made.entities) == sorted(case["entities"])
    assert [entity.kind for entity in made.entities if entity.name == "Mhow"] == ["place"]


def test_relations_keep_their_direction_and_their_number() -> None:
    made = layers(["A", "B"], [("A", "taught", "B"), ("B", "admired", "A")], {})
    links = links_of(made, named_in_sentences(made))
    assert links.ends.T.tolist() == [[0, 1]]
    assert stated_between(made) == {(0, 1): [EntityRelation(0, "taught", 1, 0), EntityRelation(1, "admired", 0, 1)]}
    assert links.weights == pytest.approx((2 * 1 + 2) / 2)  # two sentences, two relations, each named twice


def test_what_tells_only_when() -> None:
    when = ["1927", "May 1917", "the 1990s", "18th century", "1 000", "two", "March 31, 1954", "7%"]
    more = ["Apollo 11", "2001: A Space Odyssey", "31 countries", "Moon", "First Man", "X"]
    assert [name for name in [*more, *when] if tells_only_when(Entity(name, name, "name"))] == when


def test_dates_join_nothing(tmp_path: Path, encoder: CachedEncoder) -> None:
    with open_library(library(tmp_path, ALL, encoder), encoder) as opened:
        made = opened.store.part().layers
    links = links_of(made, named_in_sentences(made))
    dates = {number for number, entity in enumerate(made.entities) if entity.kind == "date"}
    assert dates and dates.isdisjoint(links.ends.reshape(-1).tolist())
    (one, other) = (next(n for n, e in enumerate(made.entities) if e.name == name) for name in ("Laika", "Baikonur"))
    assert sorted((one, other)) in links.ends.T.tolist()
    (far,) = (n for n, e in enumerate(made.entities) if e.name == "Freiburg")
    part = connected(links).membership
    assert part[one] != part[far]


# Leiden and Louvain in levels: nested, of sensible sizes, and the same whatever the order.

METHODS = get_args(Method)


def rings(count: int, size: int, bridges: bool = True) -> tuple[Links, Vectors]:
    """Cliques in a ring, each with a direction of its own."""
    edges: dict[tuple[int, int], float] = {}
    for clique in range(count):
        nodes = range(clique * size, (clique + 1) * size)
        edges |= dict.fromkeys(itertools.combinations(nodes, 2), 1.0)
        if bridges and clique:
            edges[clique * size - 1, clique * size] = 0.1
    ends = np.array(sorted(edges), np.int64).reshape(-1, 2).T
    weights = np.array([edges[one, other] for one, other in ends.T.tolist()])
    random = np.random.default_rng(0)
    centres = np.repeat(random.normal(size=(count, 16)), size, axis=0)
    return Links(count * size, ends, weights), unit(
        (centres + 0.1 * random.normal(size=centres.shape)).astype(np.float32)
    )


def nested(levels: Sequence[Ints]) -> bool:
    """Whether each cluster of a level lies in one of the level before."""
    return all(
        len(np.unique(np.stack([coarse, fine]), axis=1).T) == len(np.unique(fine))
        for coarse, fine in itertools.pairwise(levels)
    )


@pytest.mark.parametrize("method", METHODS)
def test_what_is_too_large_is_divided(method: Method) -> None:
    """Thirty pairs of cliques of six, which are tied so well that each pair is a cluster of the whole."""
    inside = [(n, m) for n, m in itertools.combinations(range(12), 2)]
    weights = [1.0 if (n < 6) == (m < 6) else 0.5 for n, m in inside]
    ends = np.array([(12 * pair + n, 12 * pair + m) for pair in range(30) for n, m in inside]).T
    links = Links(360, ends, np.array(weights * 30))
    vectors = unit(np.random.default_rng(0).normal(size=(360, 16)).astype(np.float32))
    levels = detect(links, vectors, DetectionParameters(method, largest=8))
    assert [int(level.max()) + 1 for level in levels] == [30, 60] and nested(levels)
    assert set(np.bincount(levels[-1])) == {6}


def test_fragments_join_what_is_near_and_what_has_no_link_is_in_none() -> None:
    links, vectors = rings(2, 5, bridges=False)
    ends = np.concatenate([links.ends, [[10], [11]]], axis=1)
    more = Links(13, ends, np.append(links.weights, 1.0))
    vectors = np.concatenate([vectors, vectors[:1], vectors[:1], vectors[:1]])
    (labels,) = detect(more, vectors, DetectionParameters())
    assert labels[10] == labels[11] == labels[0] != labels[5]
    assert labels[12] == -1
