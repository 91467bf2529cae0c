"""Graphs and vectors to partition."""

from collections.abc import Iterable, Sequence

import numpy as np

from clew.memory.datatypes import Vectors
from clew.memory.knowledge.nodes import NodeGraph


def graph(count: int, edges: Iterable[Sequence[int]]) -> NodeGraph:
    """Of one relation, every weight 1; each edge once, none from a node to itself."""
    ends = np.array(sorted({(a, b) for a, b in edges if a != b}), np.int64).reshape(-1, 2)
    none = np.zeros(len(ends), np.int64)
    return NodeGraph(count, ends[:, 0], ends[:, 1], none, np.ones(len(ends), np.float32), ("edge",))


def random_graph(count: int, edges: int, seed: int) -> NodeGraph:
    return graph(count, np.random.default_rng(seed).integers(0, max(1, count), (edges if count else 0, 2)).tolist())


def random_vectors(count: int, seed: int, dimension: int = 8) -> Vectors:
    made = np.random.default_rng(seed).normal(size=(count, dimension)).astype(np.float32)
    return np.asarray(made / np.linalg.norm(made, axis=1, keepdims=True), np.float32)


def topics(of: Sequence[int]) -> Vectors:
    """A vector of its own for each topic, and for each node that of its topic."""
    return np.eye(max(of) + 1, dtype=np.float32)[list(of)]


def clique(nodes: Sequence[int]) -> list[tuple[int, int]]:
    return [(a, b) for a in nodes for b in nodes if a < b]
