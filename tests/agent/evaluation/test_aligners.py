"""Measures and pools of ranked partitions, by hand."""

import numpy as np
import pytest

from clew.agent.evaluation.aligners import cosine_ranks, gold_ranks, measure, pools
from clew.memory.knowledge.nodes import Partitioning
from clew.memory.vectors import unit


def test_ranks_of_equal_scores_are_by_number() -> None:
    assert gold_ranks(np.array([0.5, 0.9, 0.5, 0.1], np.float32), (2, 1)).tolist() == [0, 2]
    assert gold_ranks(np.zeros(4, np.float32), (3,)).tolist() == [3]


def test_measures_by_hand() -> None:
    found = measure([np.array([0, 7]), np.array([4]), np.array([10])])
    wanted = {"p@1": 1 / 3, "r@5": 1.5 / 3, "r@10": 2 / 3, "mrr": (1 + 1 / 5 + 1 / 11) / 3}
    assert found == pytest.approx(wanted)


def test_cosine_ranks_are_those_of_all_nodes() -> None:
    vectors = unit(np.random.default_rng(4).normal(size=(40, 5)).astype(np.float32))
    golds = [np.array([3]), np.array([7, 9])]
    near = cosine_ranks(vectors, vectors[[0, 1]], golds)
    for question, (gold, ranks) in enumerate(zip(golds, near, strict=True)):
        order = np.argsort(-(vectors @ vectors[question]))
        assert ranks.tolist() == [int(np.flatnonzero(order == node)[0]) for node in gold]


def test_pools_of_the_same_size_by_hand() -> None:
    of_node = np.array([0, 0, 0, 1, 2, 2])
    split = Partitioning("metis", 3, of_node, ("a", "b", "c"), np.eye(3, dtype=np.float32), np.zeros(0, np.int64))
    scores = [np.array([0.1, 0.9, 0.5], np.float32), np.array([0.9, 0.1, 0.5], np.float32)]
    golds, near = [np.array([3]), np.array([0, 4])], [np.array([1]), np.array([2, 3])]
    first, second, *_ = pools(split, scores, golds, near)
    assert (first.partitions, first.nodes) == (1, 2.0)
    assert (first.held, first.nearest) == pytest.approx(((1 + 0.5) / 2, (0 + 0.5) / 2))
    assert (second.partitions, second.held, second.nearest) == (3, 1.0, 1.0)
