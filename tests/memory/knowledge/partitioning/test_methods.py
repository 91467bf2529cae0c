"""METIS and Leiden alone."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.memory.datatypes import Ints, Vectors
from clew.memory.errors import BadInput
from clew.memory.knowledge.partitioning import methods
from clew.memory.knowledge.partitioning.capsule import PartitionPlan, plan_of
from clew.memory.knowledge.partitioning.methods import merged, packed, split
from clew.memory.knowledge.partitioning.partitioner import labels_of
from clew.memory.nodes import NodeGraph, PartitionLabels, numbered
from tests.memory.knowledge.partitioning.made import clique, graph, random_graph, random_vectors, topics

CLIQUES = [clique(range(start, start + 10)) for start in (0, 10, 20, 30)]
RINGS = graph(40, [edge for one in CLIQUES for edge in one] + [(0, 10), (20, 30)])
"""Four cliques in two components."""


@pytest.mark.parametrize(
    "count, edges, size", [(0, 0, 5), (1, 0, 5), (50, 0, 7), (300, 900, 20), (300, 900, 1), (9, 9, 9)]
)
def test_metis_keeps_to_the_size(count: int, edges: int, size: int) -> None:
    labels = methods.metis_partition(random_graph(count, edges, 3), size)
    sizes = np.bincount(labels, minlength=1)
    assert len(labels) == count == sizes.sum()
    assert sizes.max() <= size and (not count or sizes.min() >= 1)


def test_a_hub_with_many_leaves_is_cut() -> None:
    sizes = np.bincount(methods.metis_partition(graph(500, [(0, leaf) for leaf in range(1, 500)]), 50))
    assert 1 <= sizes.min() <= sizes.max() <= 50


@pytest.mark.parametrize("k", [1, 2, 4, 40, 100])
def test_metis_with_a_number_of_parts(k: int) -> None:
    labels = methods.metis_partition_into(RINGS, k)
    assert labels.max() + 1 == min(k, 40)


def test_metis_cuts_few_edges() -> None:
    assert methods.metis_partition_into(RINGS, 4).tolist() == [0] * 10 + [1] * 10 + [2] * 10 + [3] * 10


def test_leiden_finds_the_communities() -> None:
    assert methods.leiden_partition(RINGS).tolist() == [0] * 10 + [1] * 10 + [2] * 10 + [3] * 10


@pytest.mark.parametrize("k, found", [(1, 1), (2, 2), (3, 3), (4, 4), (40, 4)])
def test_leiden_joins_what_is_too_much_by_meaning(k: int, found: int) -> None:
    labels = methods.leiden_partition_into(RINGS, topics(([0] * 10 + [1] * 10) * 2), k)
    assert labels.max() + 1 == found  # a clique does not divide
    if k == 2:
        assert labels[0] == labels[20] != labels[10] == labels[30]


@pytest.mark.parametrize("k", [15, 25, 40])
def test_leiden_divides_the_biggest_until_there_are_k(k: int) -> None:
    made: NodeGraph = random_graph(2000, 5000, 5)
    labels = methods.leiden_partition_into(made, random_vectors(2000, 5), k)
    assert 0.8 * k <= labels.max() + 1 <= k
    assert np.bincount(labels).max() < 8 * 2000 / k


@pytest.mark.parametrize(
    "method, size, k", [("hybrid", None, 3), ("leiden", 5, None), ("metis", 5, 3), ("hybrid", -1, None)]
)
def test_what_a_method_cannot_do_is_one_line(method: str, size: int | None, k: int | None) -> None:
    with pytest.raises(BadInput):
        plan_of(method, size, k)  # type: ignore[arg-type]


def test_names_of_capsules_differ() -> None:
    plans = [PartitionPlan(), plan_of("hybrid", 50), plan_of("leiden"), plan_of("leiden", k=7), plan_of("metis", k=7)]
    assert [one.name for one in plans] == ["hybrid-200", "hybrid-50", "leiden-0", "leiden-k7", "metis-k7"]


@pytest.mark.parametrize(
    "nodes, most", [(3, 10), (50, 10), (71, 15), (500, 100), (999, 200), (1_000, 200), (10**6, 200)]
)
def test_a_small_library_has_smaller_partitions(nodes: int, most: int) -> None:
    assert PartitionPlan().most(nodes) == most
    assert PartitionPlan(size=50).most(nodes) == 50


def test_a_small_graph_is_divided() -> None:
    nodes, vectors = random_graph(70, 200, 3), random_vectors(70, 3)
    labels = labels_of(nodes, vectors, PartitionPlan())
    assert labels.max() + 1 >= 5 and np.bincount(labels).max() <= 14
    assert np.bincount(labels_of(nodes, vectors, PartitionPlan(size=40))).max() > 14


def test_the_numbers_of_the_hybrid_method() -> None:
    m = methods
    assert (m.SEED, m.ITERATIONS, m.ISLAND, m.ORPHAN, m.FAINT, m.NEAREST) == (42, 4, 0.5, 0.75, 0.1, 8)
    assert (m.REFUSED, m.ISLANDS_COMPARED, m.ORPHANS_COMPARED, m.DIGITS, m.ROUNDS) == (0.9, 4096, 2048, 4, 4)


@pytest.mark.parametrize("least", [5, 10])
def test_the_biggest_is_divided_first_and_no_more_than_are_wanted(least: int) -> None:
    """Two of twenty nodes, each of two cliques; of equal ones the lower number goes first."""
    labels, adjacency = np.repeat([0, 1], 20), RINGS.adjacency()

    def divided(k: int, of: int = least) -> list[int]:
        found: list[int] = methods._divided(adjacency, labels, k, of)[::10].tolist()
        return found

    assert divided(2) == [0, 0, 1, 1] and divided(3) == [2, 3, 1, 1]
    assert divided(4) == divided(9) == [2, 3, 4, 5]
    assert divided(4, 11) == [0, 0, 1, 1]
    assert labels.tolist() == [0] * 20 + [1] * 20
    bigger = np.array([0] * 10 + [1] * 30)
    assert methods._divided(adjacency, bigger, 3, least).tolist()[::10] == [0, 2, 3, 4]
    assert methods._divided(adjacency, bigger, 2, least).tolist() == bigger.tolist()
    five = graph(50, [edge for start in range(0, 50, 10) for edge in clique(range(start, start + 10))]).adjacency()
    found = methods._divided(five, np.repeat([0, 1], [20, 30]), 3, least)
    assert found.tolist()[::10] == [0, 0, 2, 3, 4]


@pytest.mark.parametrize(("k", "least"), [(1, 20), (3, 7), (4, 5), (7, 3)])
def test_parts_have_half_of_what_they_are_to_have_on_average(
    k: int, least: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    def divided(_: object, labels: Ints, k: int, least: int) -> Ints:
        asked.append(least)
        return labels

    monkeypatch.setattr(methods, "_divided", divided)
    methods.leiden_partition_into(RINGS, topics([0] * 40), k)
    assert asked == [least]  # of forty nodes


def in_two(share: float) -> Callable[[Any], Ints]:
    """Leaves this share of the nodes in the first of two parts."""
    return lambda part: np.array(np.arange(part.shape[0]) >= share * part.shape[0], np.int64)


@pytest.mark.parametrize(
    ("share", "k", "least", "sizes"),
    [
        (0.4, 2, 3, [16, 24]),
        (0.4, 3, 3, [16, 10, 14]),
        (0.4, 4, 3, [10, 14, 7, 9]),
        (0.4, 5, 3, [10, 7, 9, 6, 8]),
        (0.4, 5, 11, [16, 24]),  # 10 of 24 would be too few
        (0.5, 4, 10, [10, 10, 10, 10]),  # twenty are two parts of ten
        (0.5, 4, 11, [20, 20]),
    ],
)
def test_parts_of_what_was_divided_are_divided_the_biggest_first(
    share: float, k: int, least: int, sizes: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Forty nodes, where each division leaves this share of them in the first part."""
    monkeypatch.setattr(methods, "communities", in_two(share))
    found = methods._divided(RINGS.adjacency(), np.zeros(40, np.int64), k, least)
    assert np.bincount(found)[np.unique(found)].tolist() == sizes


def test_what_is_beyond_k_joins_the_nearest_of_the_biggest() -> None:
    labels = np.array([0, 0, 0, 1, 1, 2, 3])
    vectors = np.array([[1, 0]] * 3 + [[0, 1]] * 2 + [[0.6, 0.8], [0.8, 0.6]], np.float32)
    assert methods._joined(labels, vectors, 2).tolist() == [0, 0, 0, 1, 1, 1, 0]
    assert methods._joined(labels, vectors, 3).tolist() == [0, 0, 0, 1, 1, 2, 2]
    for k in (4, 5):
        assert methods._joined(labels, vectors, k).tolist() == labels.tolist()
    near = np.array([[1, 0, 0]] * 2 + [[0, 1, 0]] * 2 + [[0.70001, 0.70004, 0.1414]], np.float32)
    assert methods._joined(np.array([0, 0, 1, 1, 2]), near, 2).tolist() == [0, 0, 1, 1, 0]  # as near to four digits


@pytest.mark.parametrize(("cosine", "weight"), [(0.8, 0.64), (0.5, 0.25), (0.05, 0.01), (-1.0, 0.01)])
def test_an_edge_weighs_the_square_of_its_cosine(cosine: float, weight: float, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[float] = []

    def communities(adjacency: Any) -> Ints:
        seen.append(adjacency[0, 1])
        return np.arange(2)

    monkeypatch.setattr(methods, "communities", communities)
    vectors = np.array([[1, 0], [cosine, (1 - cosine**2) ** 0.5]], np.float32)
    methods.hybrid_partition(graph(2, [(0, 1)]), vectors, 1)
    assert seen == [pytest.approx(weight)]


@pytest.mark.parametrize(("size", "island", "orphan"), [(1, 1, 1), (2, 1, 2), (3, 2, 2), (12, 6, 9), (200, 100, 150)])
def test_what_is_an_island_and_what_an_orphan(
    size: int, island: int, orphan: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    def phase(labels: Ints, _: object, size: int, small: int) -> Ints:
        asked.append(small)
        return labels

    monkeypatch.setattr(methods, "merged", phase)
    monkeypatch.setattr(methods, "packed", phase)
    methods.hybrid_partition(RINGS, topics([0] * 40), size)
    assert asked == [island, orphan]


def test_one_that_left_is_no_more_there_in_the_next_round(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second, of two nodes, takes the first, to which the others are nearest: then they have only each other."""
    monkeypatch.setattr(methods, "NEAREST", 1)
    others = [[0.9, 0.436, 0, 0], [0.9, -0.218, 0.377, 0], [0.9, -0.218, -0.377, 0]]
    vectors = np.array([[1, 0, 0, 0], *[[0.96, 0, 0, 0.28]] * 2, *others], np.float32)
    found = methods.merged(np.array([0, 1, 1, 2, 3, 4]), vectors, 3, 3)
    assert numbered(found).tolist() == [0, 0, 0, 1, 1, 1]


def test_parts_are_divided_until_none_is_too_big(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(methods, "communities", in_two(0.4))
    found = methods.split(RINGS.adjacency(), np.zeros(40, np.int64), 12)
    assert found.tolist() == [7] * 7 + [8] * 9 + [3] * 10 + [5] * 6 + [6] * 8  # of 16 and 24, and of its 10 and 14


@pytest.mark.parametrize(("share", "by_metis"), [(0.9, False), (0.91, True), (0.1, False), (0.09, False), (0.0, True)])
def test_what_leiden_leaves_nearly_whole_is_divided_by_metis(
    share: float, by_metis: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(methods, "communities", in_two(share))
    monkeypatch.setattr(methods, "capped", lambda part, size: np.arange(part.shape[0]) // size)
    thirds = [1 + node // 9 for node in range(10)]
    found = methods.split(graph(10, []).adjacency(), np.zeros(10, np.int64), 9)
    assert found.tolist() == (thirds if by_metis else [1 + int(node >= share * 10) for node in range(10)])


SUMS, SIZES = np.array([[2, 0], [1.6, 1.2], [0, 3]], np.float32), np.array([2, 2, 3])
"""Cosines of .8, 0 and .6."""


@pytest.mark.parametrize(
    ("size", "small", "pairs"),
    [
        (5, 3, [(0, 1), (1, 0), (1, 2), (0, 2)]),
        (5, 4, [(0, 1), (1, 0), (1, 2), (2, 1), (0, 2), (2, 0)]),
        (4, 3, [(0, 1), (1, 0)]),
        (3, 3, []),
        (5, 2, []),
    ],
)
def test_islands_and_what_has_room_for_them_most_alike_first(
    size: int, small: int, pairs: list[tuple[int, int]]
) -> None:
    islands, others = methods._candidates(np.arange(3), SUMS, SIZES, size, small)
    assert list(zip(islands.tolist(), others.tolist(), strict=True)) == pairs


def test_of_the_pairs_only_so_many_of_an_island(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(methods, "NEAREST", 1)
    islands, others = methods._candidates(np.arange(3), SUMS, SIZES, 5, 3)
    assert list(zip(islands.tolist(), others.tolist(), strict=True)) == [(0, 1), (1, 0)]
    islands, others = methods._candidates(np.arange(3), SUMS, np.array([2, 3, 2]), 4, 3)
    assert list(zip(islands.tolist(), others.tolist(), strict=True)) == [(0, 2), (2, 0)]  # the nearest has no room


@pytest.mark.parametrize("most", [1, 2, 3, 8, 100])
def test_those_of_an_island_are_the_nearest(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """One node, and a thousand partitions of three at every thousandth of a cosine."""
    monkeypatch.setattr(methods, "NEAREST", most)
    cosines = np.random.default_rng(0).permutation(1000) / 1000
    sums = np.concatenate([[[1, 0]], np.stack([cosines, np.sqrt(1 - cosines**2)], axis=1)]).astype(np.float32)
    _, others = methods._candidates(np.arange(1001), sums, np.array([1] + [3] * 1000), 4, 2)
    assert others.tolist() == (1 + np.argsort(-cosines))[:most].tolist()


@pytest.mark.parametrize(
    ("size", "joined"), [(6, {0: 1, 3: 1}), (5, {0: 1, 2: 3}), (4, {0: 2, 3: 1}), (3, {2: 3}), (2, {})]
)
def test_one_that_was_joined_stays_and_one_that_left_is_not_joined(size: int, joined: dict[int, int]) -> None:
    """Of 2, 3, 2 and 1 nodes, pair by pair as far as there is room."""
    islands, others = np.array([0, 0, 1, 2, 2, 3, 2]), np.array([1, 2, 0, 0, 1, 1, 3])
    leaving, staying = methods._matched(islands, others, np.array([2, 3, 2, 1]), size)
    assert dict(zip(leaving.tolist(), staying.tolist(), strict=True)) == joined


def test_a_bin_begins_with_the_biggest_and_takes_what_is_nearest_and_fits() -> None:
    sums, sizes = np.array([[3, 0], [0, 2], [1.6, 1.2], [0, 1]], np.float32), np.array([3, 2, 2, 1])
    assert methods._bins(sums, sizes, 5).tolist() == [0, 1, 0, 1]
    assert methods._bins(sums, sizes, 6).tolist() == [0, 1, 0, 0]
    assert methods._bins(sums, sizes, 3).tolist() == [0, 1, 2, 1]
    assert methods._bins(sums, sizes, 8).tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize("length", [3.0, 0.05])
def test_of_those_as_near_to_four_digits_the_first_is_added(length: float) -> None:
    near = [[cosine, (1 - cosine**2) ** 0.5] for cosine in (0.80006, 0.80014)]
    assert methods._bins(np.array([[length, 0], *near], np.float32), np.array([3, 1, 1]), 4).tolist() == [0, 0, 2]


@pytest.mark.parametrize(("small", "together"), [(3, False), (4, True)])
def test_an_orphan_has_fewer_nodes_than_that(small: int, together: bool) -> None:
    labels = methods.packed(np.array([0, 0, 0, 1, 1, 1]), topics([0] * 6), 6, small)
    assert (labels[0] == labels[3]) == together


LINE = np.array([[4, 0], [0, 0], [3, 0], [1, 0], [2, 0]], np.float32)


def test_blocks_are_halves_along_the_line_on_which_they_differ_most() -> None:
    assert methods._along(LINE).tolist() == [4, 0, 3, 1, 2]
    assert methods._along(np.ones((3, 2), np.float32)).tolist() == [0, 0, 0]
    wide = np.array([[0, 1], [9, 0], [3, 1], [6, 0]], np.float32)  # the first differs from the mean in both
    assert np.argsort(methods._along(wide)).tolist() in ([0, 2, 3, 1], [1, 3, 2, 0])
    aside = np.array(
        [[10, 0], [9.5, 1], [10, 2], [9.5, 3]], np.float32
    )  # far from the origin they differ in the second
    assert np.argsort(methods._along(aside)).tolist() in ([0, 1, 2, 3], [3, 2, 1, 0])
    assert methods._along(np.asarray(LINE / 10, np.float32)) == pytest.approx([0.4, 0, 0.3, 0.1, 0.2])
    same = np.array([[1, 0], [0, 0], [0.50002, 0], [0.50004, 0]], np.float32)  # to four digits
    assert methods._along(same).tolist() == [1, 0, 0.5, 0.5]
    assert [block.tolist() for block in methods._blocks(LINE, 2)] == [[1, 3], [4], [0, 2]]
    assert [block.tolist() for block in methods._blocks(LINE, 5)] == [[0, 1, 2, 3, 4]]
    assert [block.tolist() for block in methods._blocks(LINE[:0], 5)] == [[]]


# The hybrid method: its promises on any graph, and what each of its phases is for.


def check(labels: PartitionLabels, count: int, size: int) -> None:
    assert labels.shape == (count,)
    sizes = np.bincount(labels, minlength=1)
    assert sizes.sum() == count
    assert count == 0 or 1 <= sizes.min() <= sizes.max() <= size


@settings(deadline=None)
@given(
    count=st.integers(0, 120),
    edges=st.integers(0, 300),
    size=st.integers(1, 40),
    alike=st.booleans(),
    seed=st.integers(0, 1000),
)
def test_every_node_is_in_one_partition_of_1_to_size_nodes(
    count: int, edges: int, size: int, alike: bool, seed: int
) -> None:
    made = random_graph(count, edges, seed)
    vectors = np.ones((count, 8), np.float32) / np.sqrt(8).astype(np.float32) if alike else random_vectors(count, seed)
    labels = methods.hybrid_partition(made, vectors, size)
    check(labels, count, size)
    assert (labels == methods.hybrid_partition(made, vectors, size)).all()
    assert len(made.sources) == len(random_graph(count, edges, seed).sources)  # no edge is added


STAR = graph(1000, [(0, leaf) for leaf in range(1, 1000)])
PATH = graph(1000, [(node, node + 1) for node in range(999)])


@pytest.mark.parametrize("made", [STAR, PATH, graph(1000, []), graph(1, []), graph(300, clique(range(300)))])
@pytest.mark.parametrize("vectors", [random_vectors, lambda count, _: np.zeros((count, 8), np.float32)])
def test_shapes_that_no_method_likes(made: NodeGraph, vectors: Callable[[int, int], Vectors]) -> None:
    labels = methods.hybrid_partition(made, vectors(made.count, 1), 200)
    check(labels, made.count, 200)
    assert labels.max() + 1 <= 2 * -(-made.count // 200)  # and they are filled


def test_islands_join_their_nearest_neighbour_while_there_is_room() -> None:
    labels = np.array([0] * 6 + [1] * 6 + [2, 2, 3, 3])
    joined = numbered(merged(labels, topics([0] * 6 + [1] * 6 + [1, 1, 0, 0]), 8, 4))
    assert joined.tolist() == [0] * 6 + [1] * 6 + [1, 1, 0, 0]
    strict = merged(labels, topics([0] * 6 + [1] * 6 + [1, 1, 0, 0]), 7, 4)
    assert np.bincount(numbered(strict)).max() <= 7
    assert len(set(strict[12:])) == 1  # the two islands have only each other


def test_what_is_too_big_is_divided_where_its_edges_are_few() -> None:
    parts = [list(range(start, start + 10)) for start in (0, 10, 20)]
    made = graph(30, [edge for part in parts for edge in clique(part)] + [(0, 10), (10, 20)])
    labels = split(made.adjacency(), np.zeros(30, np.int64), 12)
    assert numbered(labels).tolist() == [0] * 10 + [1] * 10 + [2] * 10


def test_leiden_refuses_a_clique_and_metis_cuts_it() -> None:
    labels = numbered(split(graph(30, clique(range(30))).adjacency(), np.zeros(30, np.int64), 10))
    check(labels, 30, 10)
    assert labels.max() + 1 <= 5


def test_orphans_are_packed_by_meaning_not_by_number() -> None:
    of = [0, 1] * 20
    labels = packed(np.arange(40), topics(of), 20, 10)
    assert len(set(labels[::2])) == len(set(labels[1::2])) == 1
    assert labels[0] != labels[1]


def test_a_bin_is_filled_by_what_is_near_to_all_that_it_holds() -> None:
    """The seed's original looked only at the first orphan of a bin: the last of these is nearer to that one, the third
    to both together."""
    vectors = np.array([[1, 0, 0], [0.8, 0.6, 0], [0.7, 0.7, 0.14], [0.75, -0.65, 0.12]], np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    labels = np.array([0, 0, 0, 1, 1, 2, 3])
    found = packed(labels, vectors[[0, 0, 0, 1, 1, 2, 3]], 6, 4)
    assert found[0] == found[3] == found[5] != found[6]


@pytest.mark.parametrize("topic", [0, 1])
def test_between_two_communities_a_node_goes_where_it_is_alike(topic: int) -> None:
    ties = [(20, node) for node in (0, 1, 2, 10, 11, 12)]
    made = graph(21, [*clique(range(10)), *clique(range(10, 20)), *ties])
    labels = methods.hybrid_partition(made, topics([0] * 10 + [1] * 10 + [topic]), 12)
    assert labels[0] != labels[10]
    assert labels[20] == labels[10 * topic]


def test_phase_1_joins_an_island_to_what_is_nearest_and_phase_3_would_not() -> None:
    """What it joins is too big to be packed: only phase 1 can fill it, to the last place."""
    made = graph(22, [*clique(range(10)), *clique(range(10, 20)), (20, 21)])
    labels = methods.hybrid_partition(made, topics([0] * 10 + [1] * 10 + [1, 1]), 12)
    assert labels.tolist() == [0] * 10 + [1] * 12 or labels.tolist() == [1] * 10 + [0] * 12
    full = methods.hybrid_partition(made, topics([0] * 10 + [1] * 10 + [1, 1]), 11)
    assert len(set(full[20:])) == 1 and full[20] not in (full[0], full[10])  # 10 and 2 are one too many


def test_phase_3_packs_what_is_no_island_and_not_full() -> None:
    """Halves of the size are no islands, which phase 1 joins, and orphans, which phase 3 packs."""
    of = [0] * 6 + [1] * 6 + [0] * 6 + [1] * 6
    made = graph(24, [pair for start in range(0, 24, 6) for pair in clique(range(start, start + 6))])
    labels = methods.hybrid_partition(made, topics(of), 12)
    assert labels.max() == 1
    assert all(labels[node] == labels[0 if of[node] == 0 else 6] for node in range(24))
    strict = methods.hybrid_partition(made, topics(of), 11)
    assert strict.max() == 3


@pytest.mark.parametrize(("size", "parts"), [(200, 2), (199, 3)])
def test_a_partition_may_be_full_and_no_more(size: int, parts: int) -> None:
    labels = np.repeat(np.arange(8), 50)
    assert len(set(packed(labels, topics([0] * 400), size, 150).tolist())) == parts
