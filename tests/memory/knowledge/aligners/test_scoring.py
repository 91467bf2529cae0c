"""Aligners without training, by hand."""

import subprocess
import sys

import numpy as np
import pytest

from clew.memory.knowledge.aligners.scoring import Centroid, Votes, Words, words_of
from tests.memory.knowledge.aligners.tiny import OF_NODE, TITLES, found_for, partitioning, words


def test_centroid_is_the_cosine() -> None:
    found = found_for("", partitioning().centroids[2])
    assert Centroid(partitioning()).scores(found).argmax() == 2


def test_votes_sum_the_masses_by_partition() -> None:
    found = found_for("", partitioning().centroids[0], np.array([0, 13, 14, 95]), [0.4, 0.25, 0.3, 0.05])
    assert Votes(partitioning()).scores(found) == pytest.approx([0.4, 0.55, 0, 0, 0, 0, 0, 0.05])
    assert not Votes(partitioning()).scores(found_for("", partitioning().centroids[0])).any()


def test_words_find_the_partition_that_names_them() -> None:
    found = found_for(f"who has heard of {TITLES[40]}?", partitioning().centroids[0])
    assert Words(words()).scores(found).argmax() == OF_NODE[40]


def test_votes_after_a_walk_are_of_what_was_walked() -> None:
    walked = np.array([40, 41]), np.array([0.7, 0.3])
    found = found_for("", partitioning().centroids[0], np.array([0]), [1.0], walked)
    voted = Votes(partitioning(), "walk")
    assert voted.scores(found).argmax() == OF_NODE[40]
    assert voted.scores(found_for("", partitioning().centroids[0], np.array([0]), [1.0])).argmax() == 0


def test_scoring_does_not_import_torch() -> None:
    code = (
        "import sys, clew.memory.knowledge.aligners.scoring; import safetensors.numpy; sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# What words say of partitions.

NODES = [
    ("apple, fruit", "a round fruit that grows on an apple tree"),
    ("pear", "a fruit"),
    ("apple pie", "a pie made of fruit"),
    ("", ""),
]


def test_the_three_fields_by_hand() -> None:
    words = words_of(NODES, np.array([0, 0, 1, 1]), 2)
    idf = {stem: float(value) for stem, value in zip(words.stems, words.idf, strict=True)}
    assert idf["appl"] == pytest.approx(np.log(1 + 2.5 / 2.5))
    assert idf["pie"] == pytest.approx(np.log(1 + 3.5 / 1.5))
    share = idf["appl"] / (idf["appl"] + idf["pie"])
    named, fullest, written = words.scores("apples")
    assert named == pytest.approx([1 / 2, share**2 / (share**2 + 1)])
    assert fullest == pytest.approx([1, share])
    assert written == pytest.approx([1 / 2, 0])
    assert words.scores("fruit")[2] == pytest.approx([2 / 3, 1 / 2])


@pytest.mark.parametrize("text", ["", "the of and", "unheard"])
def test_a_question_without_a_known_word_scores_nothing(text: str) -> None:
    assert not words_of(NODES, np.array([0, 0, 1, 1]), 2).scores(text).any()
