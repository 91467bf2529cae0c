"""Recall of a thread's sentences (seed 003): KMeans clusters, the sentences nearest to each centroid, and of
these a few by MMR."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from clew.memory.datatypes import Recalled, Sentence, Vector, Vectors
from clew.memory.parameters import Few, Natural, Share
from clew.memory.ports import Encoder


@dataclass(frozen=True, slots=True)
class RecallParameters:
    """How sentences of the conversation are recalled: the values of seed 003."""

    lambda_: Share = 0.7  # how much likeness to the question counts against repeating what was already recalled
    sentences: Few = 5  # how many sentences of the conversation are recalled for a question
    representatives: Few = 3  # how many sentences of each group of the conversation may be recalled
    fewest_clusters: Few = 2  # into how many groups the conversation is divided at least
    most_clusters: Few = 7  # into how many groups at most
    seed: Natural = 42  # the random seed of that division
    n_init: Few = 10  # how often that division is tried


def recall(
    question_vector: Vector,
    sentences: Sequence[Sentence],
    vectors: Vectors,
    parameters: RecallParameters,
    start: Vectors | None = None,
) -> Recalled:
    """`vectors` (n, d) are those of the sentences, of which none is there twice (`extract`, `Threads.sentences`).

    The clustering starts from the centroids `start` of the turn before, where there are any; else from scratch.
    MMR chooses and orders also where there are no more representatives than sentences wanted.
    """
    if not sentences:
        return Recalled()
    wanted = number_of_clusters(len(sentences), parameters.fewest_clusters, parameters.most_clusters)
    labels = cluster(vectors, wanted, parameters.seed, parameters.n_init, start)
    extracted = [
        replace(sentence, cluster_id=label) for sentence, label in zip(sentences, labels.tolist(), strict=True)
    ]
    nearest = representatives(vectors, labels, parameters.representatives)
    selected = mmr(question_vector, vectors[nearest], parameters.sentences, parameters.lambda_)
    return Recalled(
        extracted=tuple(extracted),
        cluster_sizes=tuple(np.bincount(labels).tolist()),
        representatives=tuple(extracted[index] for index in nearest),
        selected=tuple(extracted[nearest[index]] for index in selected),
    )


def centroids_of(recalled: Recalled, vectors: Vectors) -> Vectors:
    """The means of the clusters, (k, d): where the next turn's clustering starts. `vectors` are of the sentences that
    were recalled from."""
    labels = np.array([sentence.cluster_id for sentence in recalled.extracted], np.intp)
    return np.stack([vectors[labels == label].mean(axis=0) for label in np.unique(labels)])


def embedded(sentences: Sequence[Sentence], vectors: Sequence[Vector | None], encoder: Encoder) -> Vectors:
    """The vectors of all sentences, shape (n, d), encoding only those that have none."""
    complete = list(vectors)
    missing = [index for index, vector in enumerate(vectors) if vector is None]
    if missing:
        for index, vector in zip(
            missing, encoder.encode([sentences[index].text for index in missing], "sentence"), strict=True
        ):
            complete[index] = vector
    return np.stack([vector for vector in complete if vector is not None]) if complete else np.empty((0, 0), np.float32)


ClusterLabels = NDArray[np.intp]
"""Shape (n,): the cluster of each sentence, clusters numbered from 0 by their first sentence."""

SAME = 1 - 1e-5
"""The cosine above which KMeans cannot tell two vectors apart, as its distances are float32."""


def number_of_clusters(n: int, low: int = 2, high: int = 7) -> int:
    """The root of n, between `low` and `high`; one cluster for as few as `low` sentences, none for none."""
    return min(n, 1) if n <= low else max(low, min(high, math.isqrt(n)))


def cluster(vectors: Vectors, k: int, seed: int, n_init: int, start: Vectors | None = None) -> ClusterLabels:
    """KMeans over (n, d) into k clusters, or into as many as there are distinct vectors.

    With `start`, (at most k, d), from these centroids, and for each that is missing from the row that is farthest from
    all; without, the best of `n_init` beginnings (seed 003).
    """
    k = _distinct(vectors, k)
    if k <= 1:
        return np.zeros(len(vectors), dtype=np.intp)
    begin = None if start is None or not 0 < len(start) <= k else _completed(start, vectors, k)
    return _numbered_by_first(kmeans(vectors, k, seed, n_init, begin))


def _completed(start: Vectors, vectors: Vectors, k: int) -> Vectors:
    complete = list(start)
    while len(complete) < k:
        gaps = ((vectors[:, None, :] - np.stack(complete)[None]) ** 2).sum(axis=2).min(axis=1)
        complete.append(vectors[int(np.argmax(gaps))])
    return np.stack(complete)


def representatives(vectors: Vectors, labels: ClusterLabels, count: int) -> list[int]:
    """For each cluster, in order, the `count` rows nearest to its centroid, nearest first; ties go to the earlier."""
    chosen: list[int] = []
    for label in np.unique(labels):
        members = np.flatnonzero(labels == label)
        rows = vectors[members].astype(np.float64)
        distances = np.round(np.linalg.norm(rows - rows.mean(axis=0), axis=1), 9)
        chosen.extend(members[np.argsort(distances, kind="stable")[:count]].tolist())
    return chosen


def _distinct(vectors: Vectors, at_most: int) -> int:
    """The number of different unit vectors, counted up to `at_most`: each time the one farthest from those counted.

    With more clusters than distinct vectors KMeans would leave clusters empty."""
    if not len(vectors):
        return 0
    nearest = vectors @ vectors[0]
    for found in range(1, at_most):
        farthest = int(np.argmin(nearest))
        if nearest[farthest] > SAME:
            return found
        nearest = np.maximum(nearest, vectors @ vectors[farthest])
    return min(at_most, len(vectors))


def _numbered_by_first(labels: ClusterLabels) -> ClusterLabels:
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    return np.asarray(np.argsort(np.argsort(first))[inverse], dtype=np.intp)


def mmr(query_vector: Vector, vectors: Vectors, k: int, lambda_: float) -> list[int]:
    """At most k rows of `vectors` (n, d), in the order chosen; all are unit vectors, ties go to the earlier row.

    Maximal marginal relevance (Carbonell and Goldstein 1998), as seed 003 has it: score = lambda * sim(s, query) -
    (1 - lambda) * max over the selected of sim(s, selected). The first is the most similar to the query.
    """
    candidates = vectors.astype(np.float64)
    # Rounded, so that equal vectors have equal scores whatever the order in which a product was summed.
    relevance = np.round(candidates @ query_vector.astype(np.float64), 12)
    redundancy = np.full(len(candidates), -np.inf)
    selected: list[int] = []
    for _ in range(min(k, len(candidates))):
        scores = lambda_ * relevance - (1 - lambda_) * redundancy if selected else relevance.copy()
        scores[selected] = -np.inf
        best = int(np.argmax(scores))
        selected.append(best)
        redundancy = np.maximum(redundancy, np.round(candidates @ candidates[best], 12))
    return selected


ITERATIONS = 300
TOLERANCE = 1e-4
"""The share of the rows' mean variance: centroids that together move less (squared) have settled."""

Rows = NDArray[np.float64]
"""Shape (n, d)."""


def kmeans(vectors: Vectors, k: int, seed: int, n_init: int, start: Vectors | None = None) -> NDArray[np.intp]:
    """The cluster of each row, from 0 to k - 1, none empty where at least k rows differ: that of the least squared
    distances of `n_init` beginnings by k-means++ (Arthur and Vassilvitskii 2007), or from the k centroids `start`.

    Step for step as scikit-learn does it, with the same random numbers: importing that takes a second."""
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


def _settled(rows: Rows, centres: Rows) -> tuple[NDArray[np.intp], float]:
    """The labels and the squared distances' sum when nothing changes any more (Lloyd 1982)."""
    enough = TOLERANCE * rows.var(axis=0).mean()
    labels = np.full(len(rows), -1, np.intp)
    for _ in range(ITERATIONS):
        before, labels = labels, _squared_distances(rows, centres).argmin(axis=1)
        moved = _means(rows, labels, centres)
        shift, centres = ((moved - centres) ** 2).sum(), moved
        if np.array_equal(labels, before):
            break
        if shift <= enough:
            labels = _squared_distances(rows, centres).argmin(axis=1)
            break
    return labels, float(((rows - centres[labels]) ** 2).sum())


def _means(rows: Rows, labels: NDArray[np.intp], centres: Rows) -> Rows:
    """The centroids; a cluster without rows gets the row farthest from its own centroid."""
    labels = labels.copy()
    empty = np.setdiff1d(np.arange(len(centres)), labels)
    distances = ((rows - centres[labels]) ** 2).sum(axis=1)
    labels[np.argsort(-distances, kind="stable")[: len(empty)]] = empty
    members = (labels == np.arange(len(centres))[:, None]).astype(np.float64)
    means: Rows = members @ rows / members.sum(axis=1, keepdims=True)
    return means


def _squared_distances(rows: Rows, others: Rows) -> Rows:
    """Shape (n, others)."""
    squares: Rows = (rows**2).sum(axis=1)[:, None] + (others**2).sum(axis=1) - 2 * rows @ others.T
    return squares.clip(min=0)
