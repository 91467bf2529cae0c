"""Which nodes synthetic queries name."""

import numpy as np

from clew.memory.knowledge.aligners.training import HELD_OUT_NODES, held_out_nodes, sample, topics_of
from clew.memory.nodes import NodeGraph, Partitioning
from tests.memory.knowledge.aligners.tiny import HUB_NODES, NODES, OF_NODE, cells, graph, partitioning, synthetic

BRIDGES = {frozenset((s, t)) for s, t in zip(graph().sources, graph().targets, strict=True) if OF_NODE[s] != OF_NODE[t]}


def test_half_are_within_and_half_across_a_real_bridge() -> None:
    for queries in synthetic(200):
        within = [query for query in queries if query.kind == "within"]
        across = [query for query in queries if query.kind == "across"]
        assert len(within) == len(across)
        assert all(len(query.nodes) == 1 for query in within)
        assert all(frozenset(query.nodes) in BRIDGES for query in across)


def test_positives_are_all_partitions_of_the_named_nodes() -> None:
    for query in synthetic(200).train:
        assert query.partitions == tuple(sorted({int(OF_NODE[node]) for node in query.nodes}))
        assert len(query.partitions) == len(query.nodes)


def test_training_and_held_out_queries_share_no_node_whatever_the_seed() -> None:
    held_out = [query for seed in (1, 2) for query in synthetic(300, seed).held_out]
    trained = [query for seed in (1, 2) for query in synthetic(300, seed).train]
    assert {query.kind for query in held_out} == {"within", "across"}
    assert not {node for query in trained for node in query.nodes} & {n for query in held_out for n in query.nodes}


def test_hub_nodes_are_never_named() -> None:
    assert not any(set(HUB_NODES.tolist()) & set(query.nodes) for queries in synthetic(2_000) for query in queries)


def test_the_same_seed_gives_the_same_queries_and_another_others() -> None:
    assert synthetic(50, 7) == synthetic(50, 7)
    assert synthetic(50, 7).train != synthetic(50, 8).train
    assert synthetic(50, 7).held_out == synthetic(60, 8).held_out


def test_the_share_that_is_held_out() -> None:
    assert held_out_nodes(graph(), partitioning(), 5).sum() == round(HELD_OUT_NODES * NODES)


def test_without_bridges_all_are_within() -> None:
    none = np.zeros(0, np.int64)
    alone = NodeGraph(NODES, none, none, none, np.zeros(0, np.float32), ())
    drawn = sample(alone, partitioning(), np.arange(8), np.ones(NODES, dtype=bool), 20, 1)
    assert (len(drawn.within), drawn.across.shape) == (20, (2, 0))


def test_topics_are_coarser_than_partitions_and_joined_by_bridges() -> None:
    topics = topics_of(cells())
    assert 1 < len(set(topics.tolist())) < partitioning().count


def test_thin_bridges_are_drawn_as_often_as_thick_ones() -> None:
    """Of two pairs of topics, one joined by ninety edges and one by a single edge, each has about half."""
    thick = [(n, 100 + n) for n in range(90)]
    sources, targets = np.array([*thick, (200, 300)], np.int64).T
    of_node = np.repeat(np.arange(4), 100)
    made = NodeGraph(400, sources, targets, np.zeros(91, np.int64), np.ones(91, np.float32), ("to",))
    split = Partitioning("metis", 100, of_node, tuple("abcd"), np.eye(4, dtype=np.float32), np.zeros(0, np.int64))
    drawn = sample(made, split, np.arange(4), np.ones(400, dtype=bool), 2_000, 3)
    assert 0.45 < (drawn.across[0] == 200).mean() < 0.55
