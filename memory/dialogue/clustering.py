"""What a conversation was about: KMeans over its sentences, and the sentences nearest to each centroid (seed 003)."""

import math
from functools import cache

import numpy as np
from numpy.typing import NDArray

from clew.memory.datatypes import Vectors

Labels = NDArray[np.intp]
"""Shape (n,): the cluster of each sentence, clusters numbered from 0 by their first sentence."""

SAME = 1 - 1e-5
"""Cosine above which two vectors are one to KMeans, whose float32 distances cannot tell them apart."""


def number_of_clusters(n: int, low: int = 2, high: int = 7) -> int:
    """The root of n, between `low` and `high`; one cluster for as few as `low` sentences, none for none."""
    return min(n, 1) if n <= low else max(low, min(high, math.isqrt(n)))


def cluster(vectors: Vectors, k: int, seed: int, n_init: int, start: Vectors | None = None) -> Labels:
    """KMeans over (n, d) into k clusters, or into as many as there are distinct vectors.

    With `start`, (at most k, d), from these centroids, and for each that is missing from the row that is farthest from
    all; without, the best of `n_init` beginnings (seed 003).
    """
    k = _distinct(vectors, k)
    if k <= 1:
        return np.zeros(len(vectors), dtype=np.intp)
    from sklearn.cluster import KMeans

    known = start is not None and 0 < len(start) <= k
    begin = {"init": _completed(start, vectors, k), "n_init": 1} if known and start is not None else {"n_init": n_init}
    # One thread: on so few rows it is the fastest, and sums that are always taken in one order are reproducible.
    with _threads().limit(limits=1, user_api="openmp"):
        labels = KMeans(k, random_state=seed, **begin).fit_predict(vectors)
    return _numbered_by_first(labels)


def centroids(vectors: Vectors, labels: Labels) -> Vectors:
    """The mean of each cluster, (k, d), in the order of the labels."""
    return np.stack([vectors[labels == label].mean(axis=0) for label in range(int(labels.max(initial=-1)) + 1)])


def _completed(start: Vectors, vectors: Vectors, k: int) -> Vectors:
    complete = list(start)
    while len(complete) < k:
        gaps = ((vectors[:, None, :] - np.stack(complete)[None]) ** 2).sum(axis=2).min(axis=1)
        complete.append(vectors[int(np.argmax(gaps))])
    return np.stack(complete)


def representatives(vectors: Vectors, labels: Labels, count: int) -> list[int]:
    """Of each cluster, in order, the `count` rows nearest to its centroid, nearest first; ties go to the earlier."""
    chosen: list[int] = []
    for label in range(int(labels.max(initial=-1)) + 1):
        members = np.flatnonzero(labels == label)
        rows = vectors[members].astype(np.float64)
        distances = np.round(np.linalg.norm(rows - rows.mean(axis=0), axis=1), 9)
        chosen.extend(members[np.argsort(distances, kind="stable")[:count]].tolist())
    return chosen


def _distinct(vectors: Vectors, at_most: int) -> int:
    """How many of the unit vectors differ, counted up to `at_most`: each time take the one farthest from those taken.

    More clusters than distinct vectors would make KMeans warn, and leave clusters empty.
    """
    if not len(vectors):
        return 0
    nearest = vectors @ vectors[0]
    for found in range(1, at_most):
        farthest = int(np.argmin(nearest))
        if nearest[farthest] > SAME:
            return found
        nearest = np.maximum(nearest, vectors @ vectors[farthest])
    return min(at_most, len(vectors))


@cache
def _threads():  # type: ignore[no-untyped-def]
    """Looking for the libraries whose threads it limits takes longer than the clustering."""
    from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

    return ThreadpoolController()


def _numbered_by_first(labels: Labels) -> Labels:
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    return np.asarray(np.argsort(np.argsort(first))[inverse], dtype=np.intp)
