"""KMeans beside scikit-learn's."""

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.cluster import KMeans

from clew.memory.datatypes import Vectors
from clew.memory.dialogue.clustering import kmeans
from tests.memory.dialogue.cases import unit


def sayings(n: int, seed: int, noise: float = 0.8) -> Vectors:
    """Rows about four topics, more or less."""
    random = np.random.default_rng(seed)
    topics = random.normal(size=(4, 24))
    return unit(topics[random.integers(4, size=n)] + noise * random.normal(size=(n, 24)))


def parts(labels: NDArray[np.generic]) -> set[frozenset[int]]:
    """The clusters, whatever they are called."""
    return {frozenset(np.flatnonzero(labels == label).tolist()) for label in np.unique(labels)}


@pytest.mark.parametrize("n", [3, 8, 30, 100, 300])
@pytest.mark.parametrize("k", [2, 3, 7])
def test_it_finds_the_clusters_that_scikit_learn_finds(n: int, k: int) -> None:
    if k > n:
        pytest.skip("fewer rows than clusters")
    for seed in range(3):
        vectors = sayings(n, seed)
        assert parts(kmeans(vectors, k, 42, 10)) == parts(KMeans(k, n_init=10, random_state=42).fit_predict(vectors))


def test_it_goes_on_from_given_centroids_as_scikit_learn_does() -> None:
    for seed in range(5):
        vectors = sayings(80, seed)
        start = vectors[:6]
        expected = KMeans(6, init=start, n_init=1).fit_predict(vectors)
        assert kmeans(vectors, 6, 42, 10, start).tolist() == expected.tolist()


def test_a_cluster_that_nothing_is_near_takes_the_farthest_row() -> None:
    vectors = np.array([[0, 0], [0, 1], [3, 0], [9, 9]], np.float32)
    start = np.array([[0, 0], [50, 50], [-50, -50]], np.float32)
    labels = kmeans(vectors, 3, 42, 1, start)
    assert set(labels.tolist()) == {0, 1, 2}
    assert parts(labels) == parts(KMeans(3, init=start, n_init=1).fit_predict(vectors))


def test_one_row_and_rows_that_are_alike() -> None:
    assert kmeans(np.ones((1, 4), np.float32), 1, 42, 10).tolist() == [0]
    assert kmeans(np.ones((5, 4), np.float32), 1, 42, 10).tolist() == [0] * 5
    assert len(kmeans(np.ones((5, 4), np.float32), 2, 42, 10)) == 5
