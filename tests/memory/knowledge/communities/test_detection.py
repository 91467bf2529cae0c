"""Leiden and Louvain in levels: nested, of sensible sizes, and the same whatever the order."""

import itertools
import tracemalloc
from collections.abc import Sequence
from typing import get_args

import networkx as nx
import numpy as np
import pytest

from clew.memory.datatypes import Ints, Vectors
from clew.memory.knowledge.communities import detection
from clew.memory.knowledge.communities.detection import cluster, detect, numbered
from clew.memory.knowledge.communities.entity_graph import Links, weighted_graph
from clew.memory.layers import DetectionParameters, Method
from clew.memory.vectors import unit

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
def test_cliques_are_found(method: Method) -> None:
    links, vectors = rings(6, 7)
    (labels,) = detect(links, vectors, DetectionParameters(method))
    assert [len(set(labels[start : start + 7].tolist())) for start in range(0, 42, 7)] == [1] * 6
    assert len(set(labels.tolist())) == 6


@pytest.mark.parametrize("method", METHODS)
def test_levels_are_nested_and_of_sensible_sizes(method: Method) -> None:
    links, vectors = rings(90, 6)
    parameters = DetectionParameters(method, largest=20, readable=12)
    levels = detect(links, vectors, parameters)
    counts = [int(level.max()) + 1 for level in levels]
    assert len(levels) > 1 and counts == sorted(counts)
    assert 2 <= counts[0] <= 12
    assert nested(levels)
    assert np.bincount(levels[-1]).min() >= parameters.smallest
    assert np.bincount(levels[-1]).max() <= parameters.largest


@pytest.mark.parametrize("method", METHODS)
def test_it_is_the_same_every_time(method: Method) -> None:
    links, vectors = rings(50, 5)
    one, other = (detect(links, vectors, DetectionParameters(method)) for _ in range(2))
    assert all(np.array_equal(*pair) for pair in zip(one, other, strict=True))


def test_clusters_are_numbered_by_size_then_by_their_first_node() -> None:
    assert numbered(np.array([7, 7, 3, 5, 5, 5, 3])).tolist() == [1, 1, 2, 0, 0, 0, 2]


def test_fragments_join_what_is_near_and_what_has_no_link_is_in_none() -> None:
    links, vectors = rings(2, 5, bridges=False)
    ends = np.concatenate([links.ends, [[10], [11]]], axis=1)
    more = Links(13, ends, np.append(links.weights, 1.0))
    vectors = np.concatenate([vectors, vectors[:1], vectors[:1], vectors[:1]])
    (labels,) = detect(more, vectors, DetectionParameters())
    assert labels[10] == labels[11] == labels[0] != labels[5]
    assert labels[12] == -1


def test_fragments_that_are_unlike_stand_for_themselves() -> None:
    links, vectors = rings(1, 5)
    ends = np.concatenate([links.ends, [[5, 7], [6, 8]]], axis=1)
    more = Links(10, ends, np.append(links.weights, [1.0, 1.0]))
    vectors = np.concatenate([vectors, -vectors[:1], -vectors[:1], -vectors[:1], -vectors[:1], vectors[:1]])
    (labels,) = detect(more, vectors, DetectionParameters())
    assert labels.tolist() == [0] * 5 + [1] * 4 + [-1]
    (labels,) = detect(more, vectors, DetectionParameters(), [9])
    assert labels.tolist() == [0] * 5 + [1] * 4 + [0]


def test_unconnected_texts_are_joined_to_themes_by_meaning() -> None:
    links, vectors = rings(40, 4, bridges=False)
    levels = detect(links, vectors, DetectionParameters(readable=10))
    assert len(set(levels[0].tolist())) <= 10 and len(set(levels[-1].tolist())) == 40


def test_clusters_are_joined_alike_however_many_are_looked_at_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    links, vectors = rings(40, 4, bridges=False)
    few = np.random.default_rng(0).normal(size=vectors.shape).astype(np.float32)
    parameters, near = DetectionParameters(readable=10, smallest=5, alike=0.2), unit(vectors + 0.3 * few)
    whole = detect(links, near, parameters)
    monkeypatch.setattr(detection, "ROWS", 3)
    assert [one.tolist() for one in detect(links, near, parameters)] == [one.tolist() for one in whole]


def test_many_unconnected_texts_take_no_square_of_memory() -> None:
    links, vectors = rings(4000, 3, bridges=False)
    tracemalloc.start()
    detect(links, vectors[:, :40].copy(), DetectionParameters(alike=2.0, smallest=1))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 4000 * 4000 * 8


def test_nothing_is_in_no_community() -> None:
    none = Links(3, np.empty((2, 0), np.int64), np.empty(0))
    assert detect(none, np.zeros((3, 4), np.float32), DetectionParameters()) == []
    few = Links(2, np.array([[0], [1]]), np.ones(1))
    assert [level.tolist() for level in detect(few, np.eye(2, dtype=np.float32), DetectionParameters())] == [[0, 0]]


def test_the_clusters_of_a_part_have_its_numbers() -> None:
    links, _ = rings(3, 4)
    part = links.among(np.arange(4, 12))
    assert part.nodes == 8 and part.ends.max() == 7
    assert cluster(part, DetectionParameters()).tolist() == [0] * 4 + [1] * 4


def test_each_method_is_its_own() -> None:
    """Where both come to other clusters: Louvain is NetworkX's, and Leiden is not."""
    graph = nx.gnm_random_graph(60, 150, seed=3)
    links = Links(60, np.array(sorted(graph.edges), np.int64).T, np.ones(150))
    found = {method: cluster(links, DetectionParameters(method)) for method in METHODS}
    expected = nx.community.louvain_communities(weighted_graph(links), weight="weight", seed=42)
    of = {method: {frozenset(np.flatnonzero(one == n).tolist()) for n in set(one)} for method, one in found.items()}
    assert of["louvain"] == {frozenset(one) for one in expected} != of["leiden"]
