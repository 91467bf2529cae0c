"""Phase 2 of the hybrid method (seed 004, 2b), "the hammer": what is too big is divided until nothing is."""

from typing import TYPE_CHECKING

import numpy as np

from clew.memory.datatypes import Ints
from clew.memory.knowledge.partitioning.labels import Labels, among
from clew.memory.knowledge.partitioning.leiden import communities
from clew.memory.knowledge.partitioning.metis import capped

if TYPE_CHECKING:
    from scipy.sparse import csr_array

REFUSED = 0.9
"""Leiden has refused where one community keeps this share of the nodes."""


def split(adjacency: "csr_array", labels: Labels, size: int) -> Ints:
    """Partitions of more than `size` nodes divided by Leiden, each by itself, again and again; by METIS where Leiden
    refuses. Numbers may have gaps."""
    labels = labels.copy()
    waiting = [np.flatnonzero(labels == label) for label in np.flatnonzero(np.bincount(labels) > size)]
    count = int(labels.max(initial=-1)) + 1
    while waiting:
        nodes = waiting.pop()
        part = among(adjacency, nodes)
        inner = communities(part)
        if np.bincount(inner).max() > REFUSED * len(nodes):
            inner = capped(part, size)
        labels[nodes] = count + inner
        count += int(inner.max()) + 1
        waiting += [nodes[inner == label] for label in np.flatnonzero(np.bincount(inner) > size)]
    return labels
