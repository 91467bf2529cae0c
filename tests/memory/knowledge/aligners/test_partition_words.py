"""What words say of partitions."""

import numpy as np
import pytest

from clew.memory.knowledge.aligners.scoring import words_of

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


def test_a_rarer_word_counts_more_by_the_square() -> None:
    words = words_of(NODES, np.array([0, 0, 1, 1]), 2)
    idf = words.idf[[words.numbers["appl"], words.numbers["pie"]]].astype(np.float64)
    weights = idf**2 / (idf**2).sum()
    parts = np.stack([words.scores("apple"), words.scores("pie")])
    assert words.scores("the apple pie") == pytest.approx(np.tensordot(weights, parts, 1))


@pytest.mark.parametrize("text", ["", "the of and", "unheard"])
def test_a_question_without_a_known_word_scores_nothing(text: str) -> None:
    assert not words_of(NODES, np.array([0, 0, 1, 1]), 2).scores(text).any()


def test_a_library_without_words() -> None:
    words = words_of([("", "")], np.array([0]), 1)
    assert words.scores("apple").tolist() == [[0], [0], [0]]
