"""The graph of topics, coarser than that of the partitions: clusters of partitions by the bridge edges between them."""

import numpy as np
from numpy.typing import NDArray

from clew.memory.datatypes import Ints
from clew.memory.nodes import Cells

SEED = 42


def bridge_pairs(cells: Cells) -> tuple[Ints, NDArray[np.float64]]:
    """The pairs of partitions that bridge edges join, shape (2, pairs), and how many join each."""
    between = np.flatnonzero(cells.bridges)
    ends = np.stack([cells.keys[between] // cells.count, cells.keys[between] % cells.count])
    return ends, np.diff(cells.edges.starts)[between].astype(np.float64)


def topics_of(cells: Cells) -> Ints:
    """Of each partition its topic, from 0; by Leiden, so that a partition without a bridge is a topic by itself."""
    import igraph
    import leidenalg

    ends, counts = bridge_pairs(cells)
    graph = igraph.Graph(n=cells.count, edges=ends.T.tolist())
    found = leidenalg.find_partition(
        graph, leidenalg.ModularityVertexPartition, weights=counts.tolist(), seed=SEED, n_iterations=4
    )
    return np.array(found.membership, np.int64)
