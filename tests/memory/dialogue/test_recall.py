"""Recall of a thread's sentences: clusters, representatives, and the few that MMR chooses, by the formula of seed 003,
step 4."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import ArrayLike, NDArray
from sklearn.cluster import KMeans

from clew.memory.datatypes import Recalled, Sentence, Utterance, Vectors
from clew.memory.dialogue.recall import (
    RecallParameters,
    centroids_of,
    cluster,
    embedded,
    kmeans,
    mmr,
    number_of_clusters,
    recall,
    representatives,
)
from clew.memory.dialogue.utterances import extract
from clew.memory.encoding import CachedEncoder
from clew.memory.ports import Encoder
from tests.memory.dialogue.cases import CASES, cases, hashed_vectors, history, needs_cases, unit
from tests.memory.test_encoding import Counting

SEED = RecallParameters()
TOPICS = "moon orbit phase tide monkey rocket film director city river year far old made won".split()
SAID = st.lists(
    st.builds(
        Utterance,
        st.sampled_from(["user", "agent"]),
        st.lists(st.sampled_from([*TOPICS, "moon.", "film!"]), min_size=1, max_size=15).map(" ".join),
    ),
    max_size=40,
)


def holds(recalled: Recalled, parameters: RecallParameters) -> None:
    """The invariants of the 3,659 published traces."""
    assert set(recalled.selected) <= set(recalled.representatives) <= set(recalled.extracted)
    assert recalled.in_order == sorted(recalled.selected, key=recalled.extracted.index)
    assert len(recalled.selected) == min(parameters.sentences, len(recalled.representatives))
    assert sum(recalled.cluster_sizes) == len(recalled.extracted)
    assert len(recalled.representatives) == sum(min(parameters.representatives, n) for n in recalled.cluster_sizes)
    assert len({sentence.text for sentence in recalled.extracted}) == len(recalled.extracted)
    assert all(len(said.text.split()) >= 3 for said in recalled.extracted if said.speaker == "agent")
    for number, size in enumerate(recalled.cluster_sizes):
        assert sum(sentence.cluster_id == number for sentence in recalled.extracted) == size > 0


def recalled_of(question: str, said: list[Sentence], parameters: RecallParameters = SEED) -> Recalled:
    return recall(hashed_vectors([question])[0], said, hashed_vectors([each.text for each in said]), parameters)


@needs_cases
@pytest.mark.parametrize("trace", cases("traces")[::4], ids=lambda trace: trace["task_id"])
def test_the_invariants_on_the_traces(trace: dict[str, Any], encoder: Encoder) -> None:
    said = extract(history(trace))
    vectors = encoder.encode([trace["query"], *(sentence.text for sentence in said)], "sentence")
    recalled = recall(vectors[0], said, vectors[1:], SEED)
    holds(recalled, SEED)
    assert len(recalled.cluster_sizes) == number_of_clusters(len(said))
    assert recall(vectors[0], said, vectors[1:], SEED) == recalled


@settings(deadline=None, max_examples=40)
@given(SAID, st.integers(1, 9), st.integers(1, 4), st.sampled_from([0.0, 0.5, 0.7, 1.0]))
def test_the_invariants(utterances: list[Utterance], sentences: int, representatives: int, lambda_: float) -> None:
    parameters = RecallParameters(lambda_=lambda_, sentences=sentences, representatives=representatives, n_init=2)
    holds(recalled_of("how far is the moon", extract(utterances), parameters), parameters)


@given(SAID)
@settings(deadline=None, max_examples=30)
def test_the_invariants_hold_turn_after_turn_from_the_centroids_before(utterances: list[Utterance]) -> None:
    said, start = extract(utterances), None
    question = hashed_vectors(["how far is the moon"])[0]
    for turn in sorted({sentence.turn for sentence in said}):
        known = [sentence for sentence in said if sentence.turn <= turn]
        vectors = hashed_vectors([sentence.text for sentence in known])
        recalled = recall(question, known, vectors, SEED, start)
        holds(recalled, SEED)
        start = centroids_of(recalled, vectors)
        assert len(start) == len(recalled.cluster_sizes)


def test_no_history_and_one_sentence() -> None:
    assert recall(hashed_vectors(["moon"])[0], [], np.empty((0, 0), np.float32), SEED) == Recalled()
    recalled = recalled_of("moon", [Sentence("How far?", "user", 1)])
    assert recalled.selected == recalled.extracted == (Sentence("How far?", "user", 1, cluster_id=0),)
    assert recalled.cluster_sizes == (1,)
    again = recalled_of("moon", [Sentence("How far?", "user", 3, earlier=(1,))])
    assert again.extracted[0].turns == (1, 3)


def test_only_what_has_no_vector_is_embedded(encoder: CachedEncoder) -> None:
    said = [Sentence(text, "user", 1) for text in ("the moon", "a film", "the tide")]
    vectors, counting = encoder.encode([sentence.text for sentence in said], "sentence"), Counting(encoder)
    assert np.allclose(embedded(said, [vectors[0], None, vectors[2]], counting), vectors, atol=1e-5)
    assert embedded(said, list(vectors), counting).shape == vectors.shape
    assert embedded([], [], counting).shape == (0, 0)
    assert counting.encoded == ["a film"]


def random_units(n: int, dimension: int = 16, seed: int = 0) -> Vectors:
    return unit(np.random.default_rng(seed).normal(size=(n, dimension)))


@needs_cases
def test_the_seeds_table() -> None:
    assert {n: number_of_clusters(int(n)) for n in CASES["k_table"]} == CASES["k_table"]


@pytest.mark.parametrize("noise", [0.0, 1e-7, 1e-5])
def test_as_many_clusters_as_distinct_vectors(noise: float) -> None:
    """KMeans would warn, and warnings are errors here."""
    vectors = random_units(3)[[0, 1, 0, 2, 2, 1, 0, 0] * 4] + np.float32(noise) * random_units(32, seed=2)
    assert cluster(vectors, 5, seed=42, n_init=10).tolist() == [0, 1, 0, 2, 2, 1, 0, 0] * 4


def test_representatives_are_the_nearest_to_their_centroid() -> None:
    line = np.array([[0.0], [1], [2], [3], [4], [100]], dtype=np.float32)
    assert representatives(line, np.array([0, 0, 0, 0, 0, 1]), 3) == [2, 1, 3, 5]


def sayings(n: int, seed: int, noise: float = 0.8) -> Vectors:
    """Rows about four topics, more or less."""
    random = np.random.default_rng(seed)
    topics = random.normal(size=(4, 24))
    return unit(topics[random.integers(4, size=n)] + noise * random.normal(size=(n, 24)))


def parts(labels: NDArray[np.generic]) -> set[frozenset[int]]:
    """The clusters, whatever they are called."""
    return {frozenset(np.flatnonzero(labels == label).tolist()) for label in np.unique(labels)}


@pytest.mark.parametrize(("n", "k"), [(3, 2), (8, 3), (30, 2), (100, 7), (300, 7)])
def test_it_finds_the_clusters_that_scikit_learn_finds(n: int, k: int) -> None:
    for seed in range(3):
        vectors = sayings(n, seed)
        assert parts(kmeans(vectors, k, 42, 10)) == parts(KMeans(k, n_init=10, random_state=42).fit_predict(vectors))


@pytest.mark.parametrize(
    ("rows", "start"),
    [
        (sayings(80, 0), sayings(80, 0)[:6]),
        ([[n] for n in range(100)], [[97], [98], [99]]),  # whose centroids move far, all the same way
        ([[n] for n in (-12, -1, 0, 1, 2, 3, 9, 10)], [[6], [1000]]),  # an empty one takes the row farthest below
    ],
    ids=["near", "far", "below"],
)
def test_it_goes_on_from_given_centroids_as_scikit_learn_does(rows: ArrayLike, start: ArrayLike) -> None:
    vectors, first = np.asarray(rows, np.float32), np.asarray(start, np.float32)
    expected = KMeans(len(first), init=first, n_init=1).fit_predict(vectors)
    labels = kmeans(vectors, len(first), 42, 1, first)
    assert parts(labels) == parts(expected) and len(set(labels.tolist())) == len(first)


def by_the_formula(query: Vectors, vectors: Vectors, k: int, lambda_: float) -> list[int]:
    """Seed 003, step 4, word for word."""
    chosen: list[int] = []
    while len(chosen) < min(k, len(vectors)):
        rest = [row for row in range(len(vectors)) if row not in chosen]
        if not chosen:
            chosen.append(max(rest, key=lambda row: float(vectors[row] @ query)))
            continue
        scores = {
            row: lambda_ * float(vectors[row] @ query)
            - (1 - lambda_) * max(float(vectors[row] @ vectors[other]) for other in chosen)
            for row in rest
        }
        chosen.append(max(rest, key=scores.__getitem__))
    return chosen


@given(
    st.integers(0, 2**32 - 1), st.integers(0, 21), st.integers(0, 8), st.sampled_from([0.0, 0.3, 0.5, 0.7, 0.9, 1.0])
)
def test_it_is_the_formula(seed: int, n: int, k: int, lambda_: float) -> None:
    vectors = unit(np.random.default_rng(seed).normal(size=(n + 1, 8)))
    assert mmr(vectors[0], vectors[1:], k, lambda_) == by_the_formula(vectors[0], vectors[1:], k, lambda_)


@pytest.mark.parametrize("lambda_", [0.0, 0.7, 1.0])
def test_ties_go_to_the_earlier(lambda_: float) -> None:
    query = unit([[1, 1]])[0]
    assert mmr(query, unit([[1.0, 0.3]] * 5), 3, lambda_) == [0, 1, 2]
