"""METIS and Leiden alone."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.memory.datatypes import Vectors
from clew.memory.errors import BadInput
from clew.memory.knowledge.nodes import NodeGraph, PartitionLabels
from clew.memory.knowledge.partitioning import methods
from clew.memory.knowledge.partitioning.capsule import PartitionPlan, plan_of
from clew.memory.knowledge.partitioning.methods import packed
from clew.memory.knowledge.partitioning.partitioner import labels_of
from tests.memory.knowledge.partitioning.made import clique, graph, random_graph, random_vectors, topics

CLIQUES = [clique(range(start, start + 10)) for start in (0, 10, 20, 30)]
RINGS = graph(40, [edge for one in CLIQUES for edge in one] + [(0, 10), (20, 30)])
"""Four cliques in two components."""


@pytest.mark.parametrize(
    "count, edges, size", [(0, 0, 5), (1, 0, 5), (50, 0, 7), (300, 900, 20), (300, 900, 1), (9, 9, 9)]
)
def test_metis_keeps_to_the_size(count: int, edges: int, size: int) -> None:
    plan = PartitionPlan("metis", size)
    check(labels_of(random_graph(count, edges, 3), random_vectors(count, 3), plan), count, size)


@pytest.mark.parametrize("k", [1, 2, 4, 40, 100])
def test_metis_with_a_number_of_parts(k: int) -> None:
    labels = labels_of(RINGS, random_vectors(40, 3), plan_of("metis", k=k))
    assert labels.max() + 1 == min(k, 40)


def test_cliques_stay_whole() -> None:
    for plan in (plan_of("metis", k=4), plan_of("leiden")):
        labels = labels_of(RINGS, random_vectors(40, 3), plan)
        assert labels.tolist() == [0] * 10 + [1] * 10 + [2] * 10 + [3] * 10


@pytest.mark.parametrize("k, found", [(1, 1), (2, 2), (3, 3), (4, 4), (40, 4)])
def test_leiden_joins_what_is_too_much_by_meaning(k: int, found: int) -> None:
    labels = methods.leiden_partition_into(RINGS, topics(([0] * 10 + [1] * 10) * 2), k)
    assert labels.max() + 1 == found  # a clique does not divide
    if k == 2:
        assert labels[0] == labels[20] != labels[10] == labels[30]


@pytest.mark.parametrize(
    "method, size, k", [("hybrid", None, 3), ("leiden", 5, None), ("metis", 5, 3), ("hybrid", -1, None)]
)
def test_what_a_method_cannot_do_is_one_line(method: str, size: int | None, k: int | None) -> None:
    with pytest.raises(BadInput):
        plan_of(method, size, k)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "nodes, most", [(3, 10), (50, 10), (71, 15), (500, 100), (999, 200), (1_000, 200), (10**6, 200)]
)
def test_a_small_library_has_smaller_partitions(nodes: int, most: int) -> None:
    assert PartitionPlan().most(nodes) == most
    assert PartitionPlan(size=50).most(nodes) == 50


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
