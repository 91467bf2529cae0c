"""The documents of a library in a few groups, by their vectors, and which of a group show what is in it."""

from collections.abc import Sequence

import numpy as np

from clew.memory.datatypes import Ints, Vectors
from clew.memory.ports import Graph
from clew.memory.vectors import unit

ROUNDS = 12
"""Of k-means at most."""

LEARNED_FROM = 4000
"""Documents that the centres are found from; all are then put to the nearest."""


def document_vectors(graph: Graph) -> Vectors:
    """The mean of the vectors of each document's chunks, of unit length; shape (documents, d), in the order of
    `layers.document_ids`."""
    layers, vectors = graph.layers, graph.vectors
    order = np.argsort(layers.chunk_documents, kind="stable")
    documents, starts = np.unique(layers.chunk_documents[order], return_index=True)
    rows = np.asarray(vectors, np.float32)
    rows = rows if np.array_equal(order, np.arange(len(order))) else rows[order]
    found = np.zeros((len(layers.document_ids), vectors.shape[1]), np.float32)
    if len(documents):
        found[documents] = np.add.reduceat(rows, starts, axis=0)
    return unit(found)


def clusters(vectors: Vectors, count: int) -> list[Ints]:
    """At most so many groups of rows, the largest first, by k-means on the sphere (Dhillon & Modha 2001) that begins
    with rows far from each other; the same rows give the same groups."""
    count = min(count, len(vectors))
    if count <= 1:
        return [np.arange(len(vectors))] if len(vectors) else []
    step = max(1, len(vectors) // LEARNED_FROM)
    sample = vectors[::step]
    centres = sample[_apart(sample, count)]
    for _ in range(ROUNDS):
        nearest = np.argmax(sample @ centres.T, axis=1)
        sums = np.stack([sample[nearest == one].sum(axis=0) for one in range(count)])
        moved = np.where(np.abs(sums).sum(axis=1, keepdims=True) > 0, unit(sums), centres)
        if np.allclose(moved, centres, atol=1e-5):
            break
        centres = moved
    nearest = np.argmax(vectors @ centres.T, axis=1)
    groups = [np.flatnonzero(nearest == one) for one in range(count)]
    return sorted((group for group in groups if len(group)), key=lambda group: (-len(group), int(group[0])))


def typical(vectors: Vectors, rows: Sequence[int] | Ints, most: int) -> list[int]:
    """Of a group at most so many rows that show what is in it: of each of its own groups the most central."""
    places = np.asarray(rows, np.int64)
    found = []
    for group in clusters(vectors[places], most):
        inside = vectors[places[group]]
        found.append(int(places[group[int(np.argmax(inside @ inside.sum(axis=0)))]]))
    return found


def _apart(vectors: Vectors, count: int) -> list[int]:
    """Rows that are far from each other: the most central, then always the one that is farthest from all chosen."""
    chosen = [int(np.argmax(vectors @ vectors.sum(axis=0)))]
    near = vectors @ vectors[chosen[0]]
    while len(chosen) < count:
        chosen.append(int(np.argmin(near)))
        near = np.maximum(near, vectors @ vectors[chosen[-1]])
    return chosen
