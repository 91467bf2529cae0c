"""METIS: parts of about one size with few edges between them (seed 004, section 2, the baseline)."""

from typing import TYPE_CHECKING

import numpy as np

from clew.memory.datatypes import Ints
from clew.memory.nodes import NodeGraph, PartitionLabels, numbered

if TYPE_CHECKING:
    from scipy.sparse import csr_array

HEADROOM = 0.9
"""Of the size that a part may have, the share that is aimed at: METIS keeps to a size only roughly."""

SEED = 42
STEPS = 1000
"""METIS takes whole numbers as weights: this many for 1."""


def partition(graph: NodeGraph, size: int) -> PartitionLabels:
    """Into parts of at most `size` nodes."""
    return numbered(capped(graph.adjacency(), size))


def partition_into(graph: NodeGraph, k: int) -> PartitionLabels:
    """Into k parts of about one size; less than k only where there are fewer nodes, or METIS leaves a part empty."""
    return numbered(cut(graph.adjacency(), k))


def capped(adjacency: "csr_array", size: int) -> Ints:
    """Cut, and what came out too big cut again."""
    labels = cut(adjacency, parts_for(adjacency.shape[0], size))
    sizes = np.bincount(labels)
    for label in np.flatnonzero(sizes > size):
        nodes = np.flatnonzero(labels == label)
        inner = capped(adjacency[nodes][:, nodes], size) if len(nodes) < len(labels) else _in_order(len(nodes), size)
        labels[nodes] = np.where(inner == 0, label, labels.max() + inner)
    return labels


def parts_for(count: int, size: int) -> int:
    return -(-count // max(1, int(size * HEADROOM))) if count > size else 1


def cut(adjacency: "csr_array", k: int) -> Ints:
    """Into at most k parts; numbers may have gaps."""
    count = adjacency.shape[0]
    if k <= 1 or not adjacency.nnz or k >= count:
        return _in_order(count, -(-count // max(1, k)))
    import pymetis

    whole = (adjacency.data * STEPS).round().clip(1).astype(np.int32)
    joined = pymetis.CSRAdjacency(adjacency.indptr.astype(np.int32), adjacency.indices.astype(np.int32))
    cut_up = pymetis.part_graph(k, joined, eweights=whole, options=pymetis.Options(seed=SEED))
    return np.array(cut_up.vertex_part, np.int64)


def _in_order(count: int, size: int) -> Ints:
    return np.arange(count) // max(1, size)
