"""Leiden and Louvain in levels: nested, of sensible sizes, and the same whatever the order."""

import itertools
import tracemalloc
from collections.abc import Sequence
from typing import get_args

import networkx as nx
import numpy as np
import pytest

from clew.memory.datatypes import Ints, Vectors
from clew.memory.knowledge.communities import entity_graph as detection
from clew.memory.knowledge.communities.entity_graph import Links, cluster, detect, numbered, weighted_graph
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


CLUSTERS = np.array([0, 0, 0, 1, 1, 1, 2, 2, 3, 4])
"""Three along each of two directions, and three fragments."""
PLACED = np.array([[1, 0, 0]] * 3 + [[0, 1, 0]] * 3 + [[0.8, 0.6, 0]] * 2 + [[0, 0, 1], [0, 0.6, 0.8]], np.float32)


@pytest.mark.parametrize(
    ("smallest", "alike", "joined"),
    [
        (3, 0.7, [0, 0, 0, 1, 1, 1, 0, 0, 2, 2]),  # .8 to the first; to none, so for itself; .6 and, to that one, .8
        (3, 0.8, [0, 0, 0, 1, 1, 1, 0, 0, 2, 2]),
        (3, 0.81, [0, 0, 0, 1, 1, 1, 2, 2, 3, 4]),
        (3, 0.6, [0, 0, 0, 1, 1, 1, 0, 0, 2, 1]),
        (3, -1.0, [0, 0, 0, 1, 1, 1, 0, 0, 0, 1]),
        (2, -1.0, [0, 0, 0, 1, 1, 1, 2, 2, 0, 1]),
        (9, 0.7, [0, 0, 0, 1, 1, 1, 0, 0, 2, 2]),  # none is whole: the first ones stand
    ],
)
def test_a_fragment_joins_what_is_near_enough(smallest: int, alike: float, joined: list[int]) -> None:
    assert detection._fragments_joined(CLUSTERS, PLACED, smallest, alike).tolist() == joined


def test_however_far_it_is_where_nothing_is_said_of_that() -> None:
    assert detection._fragments_joined(CLUSTERS, PLACED, 3).tolist() == [0, 0, 0, 1, 1, 1, 0, 0, 0, 1]


def test_what_is_big_enough_joins_nothing_however_alike() -> None:
    alike = np.tile(np.array([[1, 0]], np.float32), (4, 1))
    assert detection._fragments_joined(np.array([0, 0, 1, 1]), alike, 2).tolist() == [0, 0, 1, 1]


def test_a_fragment_that_joined_stands_for_no_other() -> None:
    """The first is .8 to the whole cluster; the two behind it are .6 to that fragment, .36 to each other."""
    placed = np.array([[1, 0, 0]] * 3 + [[0.8, 0.6, 0], [0, 1, 0], [0.48, 0.36, 0.8]], np.float32)
    found = detection._fragments_joined(np.array([0, 0, 0, 1, 2, 3]), placed, 3, 0.5)
    assert found.tolist() == [0, 0, 0, 0, 1, 2]


@pytest.mark.parametrize(("smallest", "whole"), [(2, "a cluster"), (3, "a fragment before it")])
def test_cosines_are_told_to_four_digits(smallest: int, whole: str) -> None:
    def joined(cosine: float) -> list[int]:
        placed = np.array([[1, 0], [1, 0], [cosine, (1 - cosine**2) ** 0.5]], np.float32)
        return list(detection._fragments_joined(np.array([0, 0, 1]), placed, smallest, 0.7))

    assert joined(0.69996) == [0, 0, 0] != joined(0.69994), whole


def test_the_nearest_are_told_to_four_digits_and_are_others() -> None:
    means = np.array([[1, 0, 0], [0.80001, 0.6, 0], [0.80003, 0, 0.6]], np.float32)
    assert detection._nearest(means, 1)[0].tolist() == [[1], [0], [0]]
    assert detection._nearest(np.array([[1, 0], [-1, 0]], np.float32), 1)[0].tolist() == [[1], [0]]


@pytest.mark.parametrize("rows", [1, 3, 1024])
def test_the_nearest_others(rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(detection, "ROWS", rows)
    means = np.array([[1, 0], [0.8, 0.6], [0.6, 0.8], [0, 1]], np.float32)
    near, cosines = detection._nearest(means, 2)
    assert near.tolist() == [[1, 2], [2, 0], [1, 3], [2, 1]]
    assert cosines == pytest.approx(np.array([[0.8, 0.6], [0.96, 0.8], [0.96, 0.8], [0.8, 0.6]]))


FOUR = Links(4, np.array([[0, 0, 1, 2], [1, 2, 2, 3]]), np.array([5.0, 2.0, 1.0, 1.0]))
"""Of 0 and 1 together three to 2, of which one to 3."""


@pytest.mark.parametrize(
    ("last", "near", "expected"),
    [
        ((-0.8, 0.6), 9, {(0, 1): 3 / 12**0.5 + 0.4, (1, 2): 0.5}),  # what is unlike is no tie
        ((0.6, 0.8), 9, {(0, 1): 3 / 12**0.5 + 0.4, (1, 2): 0.5 + 0.48, (0, 2): 0.3}),
        ((0.6, 0.8), 1, {(0, 1): 3 / 12**0.5 + 0.4, (1, 2): 0.5 + 0.48}),
    ],
)
def test_ties_are_shares_of_links_and_the_cosines_of_near_ones(
    last: tuple[float, float], near: int, expected: dict[tuple[int, int], float]
) -> None:
    vectors = np.array([[1, 0], [1, 0], [0.8, 0.6], last], np.float32)
    faint = Links(4, FOUR.ends, FOUR.weights / 1000)
    for links in (FOUR, faint):  # shares of any size
        tied = detection._ties(np.array([0, 0, 1, 2]), links, vectors, DetectionParameters(near=near, meaning=0.5))
        assert tied.nodes == 3
        weights = dict(zip(map(tuple, tied.ends.T.tolist()), tied.weights.tolist(), strict=True))
        assert weights == pytest.approx(expected)


def test_what_is_too_big_is_taken_out_with_its_links() -> None:
    links = Links(5, np.array([[0, 1, 2, 3], [1, 2, 3, 4]]), np.array([1.0, 2.0, 3.0, 4.0]))
    labels = np.array([0, 0, 0, 1, 1])

    def parts(largest: int) -> list[tuple[int, list[int], int, list[list[int]], list[float]]]:
        found = detection._parts(labels, links, largest)
        return [(label, n.tolist(), its.nodes, its.ends.tolist(), its.weights.tolist()) for label, n, its in found]

    first = (0, [0, 1, 2], 3, [[0, 1], [1, 2]], [1.0, 2.0])
    assert parts(3) == [] and parts(2) == [first]
    assert parts(1) == [first, (1, [3, 4], 2, [[0], [1]], [4.0])]


def test_of_each_that_divides_a_part_keeps_its_number_and_the_others_have_new_ones() -> None:
    links, vectors = rings(4, 7)
    labels, parameters = np.repeat([0, 1], 14), DetectionParameters(largest=10)
    finer = detection._divided(labels, links, vectors, parameters)
    assert [set(finer[start : start + 7].tolist()) for start in (0, 7)] in ([{0}, {2}], [{2}, {0}])
    assert [set(finer[start : start + 7].tolist()) for start in (14, 21)] in ([{1}, {3}], [{3}, {1}])
    assert detection._divided(labels, links, vectors, DetectionParameters(largest=14)).tolist() == labels.tolist()
    whole, alone = rings(1, 12)
    stays = detection._divided(np.zeros(12, np.int64), whole, alone, parameters)
    assert stays.tolist() == [0] * 12


@pytest.mark.parametrize(("largest", "readable", "levels"), [(7, 6, 1), (6, 6, 2), (7, 5, 2), (6, 5, 3)])
def test_levels_are_made_where_clusters_are_too_big_or_too_many(largest: int, readable: int, levels: int) -> None:
    links, vectors = rings(6, 7)
    found = detect(links, vectors, DetectionParameters(largest=largest, readable=readable))
    assert len(found) == levels
    assert int(found[0].max()) + 1 <= readable and int(found[-1].max()) == 5


def test_one_that_is_too_big_is_enough_for_another_level() -> None:
    links, vectors = rings(2, 7)
    apart = Links(
        17, np.concatenate([links.ends, [[14, 14, 15], [15, 16, 16]]], axis=1), np.append(links.weights, [1] * 3)
    )
    of_all = np.concatenate([vectors, -vectors[:3]])
    assert [len(detect(apart, of_all, DetectionParameters(largest=size))) for size in (6, 7)] == [2, 1]


def test_of_the_resolutions_the_first_that_can_be_read_makes_the_themes() -> None:
    assert detection.RESOLUTIONS == (4.0, 3.0, 2.0, 1.5, 1.0, 0.7, 0.5, 0.3, 0.2, 0.1)
    links, vectors = rings(40, 5)
    labels = np.repeat(np.arange(40), 5)
    for readable in (4, 12, 25):
        parameters = DetectionParameters(readable=readable)
        tied = detection._ties(labels, links, vectors, parameters)
        by_resolution = [cluster(tied, parameters, one) for one in detection.RESOLUTIONS]
        expected = next((one for one in by_resolution if len(set(one.tolist())) <= readable), by_resolution[-1])
        assert detection._themes(labels, links, vectors, parameters).tolist() == expected[labels].tolist()


@pytest.mark.parametrize("method", METHODS)
def test_a_cluster_is_of_resolution_1_unless_another_is_named(method: Method) -> None:
    graph = nx.gnm_random_graph(60, 150, seed=3)
    links, parameters = Links(60, np.array(sorted(graph.edges), np.int64).T, np.ones(150)), DetectionParameters(method)
    plain = cluster(links, parameters).tolist()
    assert plain == cluster(links, parameters, 1.0).tolist() != cluster(links, parameters, 1.6).tolist()
