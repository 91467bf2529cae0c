"""Vectors smoothed over the graph, as the formula says it with dense matrices."""

from pathlib import Path

import numpy as np
import pytest

from clew.memory.datatypes import Vectors
from clew.memory.knowledge import nodes
from clew.memory.knowledge.nodes import FILE, NodeGraph, write_smoothed
from tests.memory.knowledge.partitioning.made import random_vectors
from tests.memory.knowledge.walking.made import graph_of

TYPED = graph_of(
    7,
    [(0, 1, 0, 1.0), (0, 2, 0, 1.0), (0, 3, 1, 0.5), (1, 0, 0, 1.0), (2, 3, 1, 0.25), (3, 4, 0, 1.0), (5, 0, 1, 1.0)],
    ("is a", "part of"),
)
"""Node 6 has no edge; 0 and 1 are joined both ways; 0 has edges of four kinds: out and in, of two relations."""


def dense_mean(graph: NodeGraph) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """P by loops: of each node and kind (a relation one way) the edges' weights by their number, rows then to 1."""
    mean = np.zeros((graph.count, graph.count))
    edges = list(zip(graph.sources, graph.targets, graph.kinds, graph.weights, strict=True))
    ways = [(s, t, (k, "out"), w) for s, t, k, w in edges] + [(t, s, (k, "in"), w) for s, t, k, w in edges]
    for node, other, kind, weight in ways:
        mean[node, other] += weight / sum(n == node and k == kind for n, _, k, _ in ways)
    return np.asarray(mean / np.maximum(mean.sum(axis=1, keepdims=True), 1e-9))


def smoothed(folder: Path, graph: NodeGraph, vectors: Vectors) -> Vectors:
    write_smoothed(folder, graph, vectors)
    return np.asarray(np.load(folder / FILE), np.float32)


def test_the_mean_is_what_loops_find() -> None:
    assert TYPED.neighbour_mean().toarray() == pytest.approx(dense_mean(TYPED), abs=1e-6)


def test_it_is_the_formula(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    vectors, mean = random_vectors(7, 3, dimension=10), dense_mean(TYPED)
    expected = vectors + mean @ vectors + 0.5 * mean @ mean @ vectors
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    whole = smoothed(tmp_path, TYPED, vectors)
    assert whole == pytest.approx(expected, abs=2e-3)  # float16
    monkeypatch.setattr(nodes, "COLUMNS", 3)  # in pieces that do not come out even
    assert np.array_equal(smoothed(tmp_path, TYPED, vectors), whole)
