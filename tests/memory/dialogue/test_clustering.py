import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.memory.datatypes import Vectors
from clew.memory.dialogue.clustering import centroids, cluster, number_of_clusters, representatives
from tests.memory.dialogue.cases import CASES, needs_cases, unit


def random_units(n: int, dimension: int = 16, seed: int = 0) -> Vectors:
    return unit(np.random.default_rng(seed).normal(size=(n, dimension)))


@needs_cases
def test_the_seeds_table() -> None:
    assert {n: number_of_clusters(int(n)) for n in CASES["k_table"]} == CASES["k_table"]


def test_bounds_are_parameters() -> None:
    assert number_of_clusters(0) == 0
    assert number_of_clusters(5, low=4) == 4
    assert number_of_clusters(4, low=4) == 1
    assert number_of_clusters(10_000, high=20) == 20


def test_topics_are_told_apart_and_numbered_by_their_first_sentence() -> None:
    topics = random_units(3)
    vectors = topics[[2, 2, 0, 1, 0, 1, 2]] + 0.05 * random_units(7, seed=1)
    assert cluster(vectors, 3, seed=42, n_init=10).tolist() == [0, 0, 1, 2, 1, 2, 0]


@pytest.mark.parametrize("noise", [0.0, 1e-8, 1e-7, 1e-6, 1e-5])
def test_as_many_clusters_as_distinct_vectors(noise: float) -> None:
    """KMeans would warn, and warnings are errors here."""
    vectors = random_units(3)[[0, 1, 0, 2, 2, 1, 0, 0] * 4] + np.float32(noise) * random_units(32, seed=2)
    assert cluster(vectors, 5, seed=42, n_init=10).tolist() == [0, 1, 0, 2, 2, 1, 0, 0] * 4


def test_one_cluster_and_none() -> None:
    assert cluster(random_units(1), 1, seed=42, n_init=10).tolist() == [0]
    assert cluster(random_units(1)[[0] * 6], 2, seed=42, n_init=10).tolist() == [0] * 6
    nothing = np.empty((0, 4), np.float32)
    assert cluster(nothing, 0, seed=42, n_init=10).tolist() == []
    assert representatives(nothing, cluster(nothing, 0, seed=42, n_init=10), 3) == []


def test_representatives_are_the_nearest_to_their_centroid() -> None:
    line = np.array([[0.0], [1], [2], [3], [4], [100]], dtype=np.float32)
    assert representatives(line, np.array([0, 0, 0, 0, 0, 1]), 3) == [2, 1, 3, 5]


@settings(deadline=None, max_examples=30)
@given(st.integers(1, 60), st.integers(1, 4), st.integers(0, 2**16), st.booleans())
def test_every_cluster_has_members_and_representatives(n: int, count: int, seed: int, doubled: bool) -> None:
    vectors = random_units(n, seed=seed)
    vectors = np.concatenate([vectors, vectors]) if doubled else vectors
    labels = cluster(vectors, number_of_clusters(len(vectors)), seed=42, n_init=2)
    sizes = np.bincount(labels)
    assert sizes.min() > 0
    assert sizes.sum() == len(vectors)
    chosen = representatives(vectors, labels, count)
    assert len(chosen) == len(set(chosen)) == np.minimum(sizes, count).sum()


def test_a_clustering_goes_on_from_the_centroids_before() -> None:
    vectors = random_units(60)
    before = cluster(vectors[:50], 7, seed=42, n_init=10)
    start = centroids(vectors[:50], before)
    after = cluster(vectors, 7, seed=42, n_init=10, start=start)
    assert set(after.tolist()) == set(range(7))
    assert cluster(vectors[:50], 7, seed=0, n_init=1, start=start).tolist() == before.tolist()


def test_centroids_that_are_missing_are_the_farthest_rows() -> None:
    vectors = random_units(40)
    start = centroids(vectors, cluster(vectors, 2, seed=42, n_init=10))
    labels = cluster(vectors, 5, seed=42, n_init=10, start=start)
    assert set(labels.tolist()) == set(range(5))
    assert labels.tolist() == cluster(vectors, 5, seed=7, n_init=3, start=start).tolist()


def test_more_centroids_than_clusters_are_a_new_beginning() -> None:
    vectors = random_units(20)
    start = centroids(vectors, cluster(vectors, 5, seed=42, n_init=10))
    assert cluster(vectors, 3, seed=42, n_init=10, start=start).tolist() == cluster(vectors, 3, 42, 10).tolist()
