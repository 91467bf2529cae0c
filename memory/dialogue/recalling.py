"""Seed 003's method over the sentences of a thread: clusters, their representatives, and a few of these by MMR."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from clew.memory.datatypes import Recalled, Sentence, Vector, Vectors
from clew.memory.dialogue.clustering import centroids, cluster, number_of_clusters, representatives
from clew.memory.dialogue.mmr import mmr
from clew.memory.ports import Encoder


@dataclass(frozen=True, slots=True)
class RecallParameters:
    """Seed 003's values. `representatives` are those of a cluster; `sentences` how many MMR selects of them."""

    lambda_: float = 0.7
    sentences: int = 5
    representatives: int = 3
    fewest_clusters: int = 2
    most_clusters: int = 7
    seed: int = 42
    n_init: int = 10


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
        Sentence(said.text, said.speaker, said.turn, label)
        for said, label in zip(sentences, labels.tolist(), strict=True)
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
    """The centroids of the clusters, (k, d): where the next turn's clustering starts. `vectors` are of the sentences
    that were recalled from."""
    labels = np.array([sentence.cluster_id for sentence in recalled.extracted], np.intp)
    return centroids(vectors, labels)


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
