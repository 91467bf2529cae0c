"""Each node's vector smoothed over the graph: its own, its neighbours' mean and half of the mean around those.

    s = unit(v + P v + P P v / 2)

P is `NodeGraph.neighbour_mean`. It is a simple graph convolution (Wu et al. 2019, arXiv 1902.07153) with nothing to
learn.
"""

from pathlib import Path

import numpy as np

from clew.memory.datatypes import Vectors
from clew.memory.files import new_array
from clew.memory.nodes import NodeGraph
from clew.memory.vectors import unit

FILE = "smoothed.npy"
COLUMNS = 64
"""Dimensions smoothed at a time: what bounds the memory."""


def write_smoothed(folder: Path, graph: NodeGraph, vectors: Vectors) -> None:
    """Shape (nodes, d), float16: a cosine needs no more, and a walk reads half as much."""
    mean = graph.neighbour_mean()
    smoothed = new_array(folder, FILE, np.float16, vectors.shape)
    for start in range(0, vectors.shape[1], COLUMNS):
        own = np.asarray(vectors[:, start : start + COLUMNS], np.float32)
        once = mean @ own
        smoothed[:, start : start + COLUMNS] = own + once + 0.5 * (mean @ once)
    for start in range(0, len(vectors), 4096):
        smoothed[start : start + 4096] = unit(smoothed[start : start + 4096].astype(np.float32))
    smoothed.flush()
