"""Aligners without training, measures and pools, by hand."""

import subprocess
import sys

import numpy as np
import pytest

from clew.memory.knowledge.aligning.measures import gold_ranks, measure
from clew.memory.knowledge.aligning.pools import cosine_ranks, pools
from clew.memory.knowledge.aligning.scoring import Asked, Centroid, Votes, WalkVotes, Words
from clew.memory.nodes import Partitioning
from tests.memory.knowledge.aligning.tiny import OF_NODE, TITLES, partitioning, unit, words

NOTHING = np.zeros(0, np.int64), np.zeros(0)


def test_centroid_is_the_cosine() -> None:
    asked = Asked("", partitioning().centroids[2], *NOTHING)
    assert Centroid(partitioning()).scores(asked).argmax() == 2


def test_votes_sum_the_masses_by_partition() -> None:
    asked = Asked("", partitioning().centroids[0], np.array([0, 13, 14, 95]), np.array([0.4, 0.25, 0.3, 0.05]))
    assert Votes(partitioning()).scores(asked) == pytest.approx([0.4, 0.55, 0, 0, 0, 0, 0, 0.05])
    assert not Votes(partitioning()).scores(Asked("", asked.vector, *NOTHING)).any()


def test_words_find_the_partition_that_names_them() -> None:
    asked = Asked(f"who has heard of {TITLES[40]}?", partitioning().centroids[0], *NOTHING)
    assert Words(words()).scores(asked).argmax() == OF_NODE[40]


def test_votes_after_a_walk_are_of_what_was_walked() -> None:
    walked = np.array([40, 41]), np.array([0.7, 0.3])
    asked = Asked("", partitioning().centroids[0], np.array([0]), np.array([1.0]), walked)
    assert WalkVotes(partitioning()).scores(asked).argmax() == OF_NODE[40]
    assert WalkVotes(partitioning()).scores(Asked("", asked.vector, np.array([0]), np.array([1.0]))).argmax() == 0


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
    near = cosine_ranks(lambda rows: vectors[rows], 40, vectors[[0, 1]], golds)
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


def test_scoring_does_not_import_torch() -> None:
    code = (
        "import sys, clew.memory.knowledge.aligning.scoring, clew.memory.knowledge.aligning.saved as s; "
        "import safetensors.numpy; sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
