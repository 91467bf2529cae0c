"""Names, hub nodes and report."""

import numpy as np
import pytest

from clew.memory.knowledge.partitioning.capsule import plan_of
from clew.memory.knowledge.partitioning.partitioner import (
    capsule_of,
    coherence_of,
    high_degree_nodes,
    hub_nodes_of,
    names_of,
)
from clew.memory.nodes import sums_of
from clew.memory.vectors import unit
from tests.memory.knowledge.partitioning.made import clique, graph, random_graph, random_vectors, topics

TEXTS = [
    ("Whales", "A whale is an animal of the sea."),
    ("Blue whale", "The biggest animal of all."),
    ("Jazz", "A music of the 20th century; 1920 was its year."),
    ("Jazz club", "Where jazz is played, an animal of a place."),
]
DOCUMENTS = ["a", "b", "c", "d"]


def test_a_name_is_what_tells_a_partition_from_others() -> None:
    first, second = names_of(np.array([0, 0, 1, 1]), 2, TEXTS, DOCUMENTS)
    assert first.startswith("whale, ") and second.startswith("Jazz, ")
    assert "animal" not in second and "1920" not in second  # everywhere, and no word
    assert len(first.split(", ")) <= 4


def test_a_term_of_one_document_has_its_id_behind_it() -> None:
    """Also where that document lies in several partitions: what it says is not what the library says."""
    texts = [("Moon", "Zorblax orbits the Moon."), ("Moon", "Quorvex and Zorblax."), ("", "The Moon shines.")]
    assert names_of(np.array([0, 0, 0]), 1, texts, ["evil", "evil", "good"])[0].startswith("Moon, ")
    named = names_of(np.array([0, 1, 1]), 2, texts, ["evil", "evil", "good"])
    assert "orbits/Zorblax (evil)" in named[0] and "(evil)" in named[1] and "shines (good)" in named[1]
    assert all("Moon (" not in name for name in named)


def test_a_partition_without_words_has_a_name() -> None:
    assert names_of(np.array([0, 1]), 2, [("", "12 a"), ("Sea", "")], "ab") == ("partition 0", "Sea (b)")
    assert names_of(np.zeros(0, np.int64), 0, [], []) == ()


def test_high_degrees_are_exceptional_and_not_all_are_hub_nodes() -> None:
    """Two hubs of a hundred neighbours each: one of its own topic, one that has to do with none of its own."""
    groups = [list(range(start, start + 10)) for start in range(0, 200, 10)]
    edges = [edge for group in groups for edge in clique(group)]
    edges += [(200, node) for node in range(100)] + [(201, node) for node in range(100, 200)]
    made = graph(202, edges)
    assert high_degree_nodes(made).tolist() == [200, 201]
    of = [0] * 100 + [1] * 100 + [0, 2]
    labels = np.array([0] * 100 + [1] * 100 + [0, 1])
    vectors = topics(of)
    assert hub_nodes_of(made, vectors, labels, unit(sums_of(labels, 2, vectors))).tolist() == [201]


@pytest.mark.parametrize("count, edges", [(0, 0), (1, 0), (30, 0), (30, 40)])
def test_a_graph_without_high_degrees_has_no_hub_nodes(count: int, edges: int) -> None:
    made, labels = random_graph(count, edges, 1), np.zeros(count, np.int64)
    vectors = random_vectors(count, 1)
    assert hub_nodes_of(made, vectors, labels, unit(sums_of(labels, 1, vectors))).tolist() == []


def test_coherence_is_the_mean_cosine_to_the_centroid() -> None:
    vectors, labels = random_vectors(60, 4), np.arange(60) % 5
    centroids = unit(np.stack([vectors[labels == label].mean(axis=0) for label in range(5)]))
    cosines = (vectors * centroids[labels]).sum(axis=1)
    assert coherence_of(labels, 5, vectors) == pytest.approx(float(cosines.mean()), abs=1e-5)


def test_the_report_counts() -> None:
    made = graph(7, [(0, 1), (1, 0), (1, 2), (2, 3), (3, 4), (4, 5)])
    labels = np.array([0, 0, 0, 1, 1, 1, 2])
    capsule = capsule_of(
        made, topics([0, 0, 0, 1, 1, 1, 2]), plan_of("metis", 3), labels, [("word", "")] * 7, "abcdefg"
    )
    report = capsule.report
    assert (report["nodes"], report["edges"], report["partitions"]) == (7, 6, 3)
    assert (report["smallest"], report["median"], report["mean"], report["largest"]) == (1, 3, 2.3, 3)
    assert (report["edge_cut"], report["bridged"]) == (round(1 / 6, 4), 1)
    assert (report["components"], report["alone"], report["high_degree"], report["hub_nodes"]) == (2, 1, 0, 0)
    assert report["coherence"] == 1 < report["lift"]
    (bridge,) = capsule.cells.edges.of(np.flatnonzero(capsule.cells.bridges))[0]
    assert (made.sources[bridge], made.targets[bridge]) == (2, 3)
    assert sorted(capsule.cells.among(np.array([0, 1]))) == list(range(6))
    assert capsule.cells.among(np.array([1])).tolist() == [4, 5]
