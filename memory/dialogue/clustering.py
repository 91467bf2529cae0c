"""KMeans, step for step as scikit-learn has it, with the same random numbers: importing that takes a second."""

import math

import numpy as np
from numpy.typing import NDArray

from clew.memory.datatypes import Vectors

ITERATIONS = 300
TOLERANCE = 1e-4
"""Of the rows' mean variance: centroids that together moved by no more (squared) have settled."""

Rows = NDArray[np.float64]
"""Shape (n, d)."""


def kmeans(vectors: Vectors, k: int, seed: int, n_init: int, start: Vectors | None = None) -> NDArray[np.intp]:
    """The cluster of each row, from 0 to k - 1, none empty where at least k rows differ: that of the least squared
    distances of `n_init` beginnings by k-means++ (Arthur and Vassilvitskii 2007), or from the k centroids `start`."""
    mean = vectors.mean(axis=0, dtype=np.float64)
    rows: Rows = vectors - mean
    if start is not None:
        return _settled(rows, start - mean)[0]
    random = np.random.RandomState(seed)
    runs = [_settled(rows, _beginning(rows, k, random)) for _ in range(n_init)]
    return min(runs, key=lambda run: run[1])[0]


def _beginning(rows: Rows, k: int, random: np.random.RandomState) -> Rows:
    """Rows far from each other: of some drawn by their squared distance to the chosen, the one that leaves least."""
    chosen = [int(random.choice(len(rows), p=np.full(len(rows), 1 / len(rows))))]
    left = _squared_distances(rows, rows[chosen])[:, 0]
    for _ in range(1, k):
        drawn = random.uniform(size=2 + int(math.log(k))) * left.sum()
        candidates = np.searchsorted(np.cumsum(left), drawn).clip(max=len(rows) - 1)
        after = np.minimum(left[:, None], _squared_distances(rows, rows[candidates]))
        best = int(after.sum(axis=0).argmin())
        chosen.append(int(candidates[best]))
        left = after[:, best]
    return rows[chosen]


def _settled(rows: Rows, centroids: Rows) -> tuple[NDArray[np.intp], float]:
    """The labels and the squared distances' sum when nothing changes any more (Lloyd 1982)."""
    enough = TOLERANCE * rows.var(axis=0).mean()
    labels = np.full(len(rows), -1, np.intp)
    for _ in range(ITERATIONS):
        before, labels = labels, _squared_distances(rows, centroids).argmin(axis=1)
        moved = _means(rows, labels, centroids)
        shift, centroids = ((moved - centroids) ** 2).sum(), moved
        if np.array_equal(labels, before):
            break
        if shift <= enough:
            labels = _squared_distances(rows, centroids).argmin(axis=1)
            break
    return labels, float(((rows - centroids[labels]) ** 2).sum())


def _means(rows: Rows, labels: NDArray[np.intp], centroids: Rows) -> Rows:
    """A cluster without rows takes the row that is farthest from its own centroid."""
    labels = labels.copy()
    empty = np.setdiff1d(np.arange(len(centroids)), labels)
    distances = ((rows - centroids[labels]) ** 2).sum(axis=1)
    labels[np.argsort(-distances, kind="stable")[: len(empty)]] = empty
    members = (labels == np.arange(len(centroids))[:, None]).astype(np.float64)
    means: Rows = members @ rows / members.sum(axis=1, keepdims=True)
    return means


def _squared_distances(rows: Rows, others: Rows) -> Rows:
    """Shape (n, others)."""
    squares: Rows = (rows**2).sum(axis=1)[:, None] + (others**2).sum(axis=1) - 2 * rows @ others.T
    return squares.clip(min=0)
