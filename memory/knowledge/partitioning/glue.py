"""Structural glue (seed 004, "partition 0"): nodes that hold a graph together and say little, found by measure."""

import numpy as np

from clew.memory.datatypes import Ints, Vectors
from clew.memory.knowledge.partitioning.cosines import centroid_cosines, neighbour_cosines
from clew.memory.nodes import NodeGraph

OUTLIER = 3.5
"""Robust standard deviations of log degree above its median from which a node is a hub (Iglewicz and Hoaglin 1993)."""

TO_SIGMA = 1.4826
"""A median absolute deviation times this is the standard deviation, where values are normal."""

FLAT = 0.5
"""The least deviation of log degree: where most nodes have one degree, a few edges more make no hub."""

LOW = 0.25
"""The quantile of the graph's own cosines below which one is low."""


def hubs_of(graph: NodeGraph) -> Ints:
    """Nodes of exceptional degree, rising."""
    degrees = graph.degrees
    logs = np.log(degrees.clip(min=1))
    linked = logs[degrees > 0]
    if not len(linked):
        return np.zeros(0, np.int64)
    middle = np.median(linked)
    deviation = max(FLAT, TO_SIGMA * float(np.median(np.abs(linked - middle))))
    return np.flatnonzero(logs > middle + OUTLIER * deviation)


def glue_of(graph: NodeGraph, vectors: Vectors, labels: Ints, centroids: Vectors) -> Ints:
    """Hubs, rising, that are unlike their neighbours (mean cosine) and unlike their partition (cosine to its centroid):
    both lower than those of three quarters of the nodes that have edges."""
    hubs = hubs_of(graph)
    if not len(hubs):
        return hubs
    near, whole = neighbour_cosines(graph, vectors), centroid_cosines(vectors, labels, centroids)
    linked = graph.degrees > 0
    low = [cosines[hubs] < np.quantile(cosines[linked], LOW) for cosines in (near, whole)]
    return hubs[low[0] & low[1]]
