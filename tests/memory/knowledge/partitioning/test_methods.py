"""METIS and Leiden alone."""

import numpy as np
import pytest

from clew.memory.errors import BadInput
from clew.memory.knowledge.partitioning import methods, metis
from clew.memory.knowledge.partitioning.capsule import PartitionPlan, plan_of
from clew.memory.knowledge.partitioning.partitioner import labels_of
from clew.memory.nodes import NodeGraph
from tests.memory.knowledge.partitioning.made import clique, graph, random_graph, random_vectors, topics

CLIQUES = [clique(range(start, start + 10)) for start in (0, 10, 20, 30)]
RINGS = graph(40, [edge for one in CLIQUES for edge in one] + [(0, 10), (20, 30)])
"""Four cliques in two components."""


@pytest.mark.parametrize(
    "count, edges, size", [(0, 0, 5), (1, 0, 5), (50, 0, 7), (300, 900, 20), (300, 900, 1), (9, 9, 9)]
)
def test_metis_keeps_to_the_size(count: int, edges: int, size: int) -> None:
    labels = metis.partition(random_graph(count, edges, 3), size)
    sizes = np.bincount(labels, minlength=1)
    assert len(labels) == count == sizes.sum()
    assert sizes.max() <= size and (not count or sizes.min() >= 1)


def test_a_hub_with_many_leaves_is_cut() -> None:
    sizes = np.bincount(metis.partition(graph(500, [(0, leaf) for leaf in range(1, 500)]), 50))
    assert 1 <= sizes.min() <= sizes.max() <= 50


@pytest.mark.parametrize("k", [1, 2, 4, 40, 100])
def test_metis_with_a_number_of_parts(k: int) -> None:
    labels = metis.partition_into(RINGS, k)
    assert labels.max() + 1 == min(k, 40)


def test_metis_cuts_few_edges() -> None:
    assert metis.partition_into(RINGS, 4).tolist() == [0] * 10 + [1] * 10 + [2] * 10 + [3] * 10


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
