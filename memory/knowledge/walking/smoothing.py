"""Each node's vector smoothed over the graph: its own, its neighbours' mean and half of the mean around those.

    s = unit(v + P v + P P v / 2)

P takes the mean over the kinds of edges that a node has, of each kind over its edges, so that hundreds of one kind do
not drown one of another. It is a simple graph convolution (Wu et al. 2019, arXiv 1902.07153) with nothing to learn.
"""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from clew.memory.datatypes import Vectors
from clew.memory.nodes import NodeGraph
from clew.memory.unit import unit

if TYPE_CHECKING:
    from scipy.sparse import csr_array

FILE = "smoothed.npy"
COLUMNS = 64
"""Dimensions smoothed at a time: what bounds the memory."""


def write_smoothed(folder: Path, graph: NodeGraph, vectors: Vectors) -> None:
    """Shape (nodes, d), float16: a cosine needs no more, and a walk reads half as much."""
    mean = neighbour_mean(graph)
    smoothed = np.lib.format.open_memmap(folder / FILE, mode="w+", dtype=np.float16, shape=vectors.shape)
    for start in range(0, vectors.shape[1], COLUMNS):
        own = np.asarray(vectors[:, start : start + COLUMNS], np.float32)
        once = mean @ own
        smoothed[:, start : start + COLUMNS] = own + once + 0.5 * (mean @ once)
    for start in range(0, len(vectors), 4096):
        smoothed[start : start + 4096] = unit(smoothed[start : start + 4096].astype(np.float32))
    smoothed.flush()


def neighbour_mean(graph: NodeGraph) -> "csr_array":
    """P, of shape (nodes, nodes); the row of a node without edges is 0."""
    from scipy.sparse import csr_array, diags_array

    kinds = 2 * max(1, len(graph.relations))
    nodes, others = np.concatenate([graph.sources, graph.targets]), np.concatenate([graph.targets, graph.sources])
    of_kind = nodes * kinds + np.concatenate([graph.kinds, graph.kinds + len(graph.relations)])
    _, group, size = np.unique(of_kind, return_inverse=True, return_counts=True)
    weights = np.tile(graph.weights, 2) / size[group.reshape(-1)]
    joined = csr_array((weights, (nodes, others)), shape=(graph.count, graph.count))
    sums = np.asarray(joined.sum(axis=1)).reshape(-1)
    return csr_array(diags_array(1 / sums.clip(1e-9), dtype=np.float32) @ joined.astype(np.float32))
