"""Aligners without training, by hand."""

import subprocess
import sys

import numpy as np
import pytest

from clew.memory.knowledge.aligners.scoring import Asked, Centroid, Votes, WalkVotes, Words
from tests.memory.knowledge.aligners.tiny import OF_NODE, TITLES, partitioning, words

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


def test_scoring_does_not_import_torch() -> None:
    code = (
        "import sys, clew.memory.knowledge.aligners.scoring, clew.memory.knowledge.aligners.open_capsule; "
        "import safetensors.numpy; sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
