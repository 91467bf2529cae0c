"""Which nodes synthetic queries name: half of them one node, half the two ends of a bridge edge.

Nodes are split before anything is drawn, and a bridge edge counts where both of its ends are in the same split: no
node is named both in training and in held-out queries. Topics are clusters of partitions. A pair of topics is drawn
first, then one of the pairs of partitions that join them, then one of their bridge edges, each uniformly, so that
thin bridges are drawn too.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from clew.memory.datatypes import Ints
from clew.memory.nodes import Cells, NodeGraph, Partitioning
from clew.memory.vectors import Ragged

HELD_OUT = 0.15
"""The share of the nodes that training never names."""

SEED = 42


class SampledNodes(NamedTuple):
    """`within` are nodes, shape (n,); `across` the ends of bridge edges, shape (2, n)."""

    within: Ints
    across: Ints


def held_out_nodes(graph: NodeGraph, partitioning: Partitioning, seed: int) -> NDArray[np.bool_]:
    """Of each node whether it is held out; shape (nodes,). Half of these are ends of bridge edges drawn at random: of
    edges between nodes drawn one by one hardly any would have both ends held out."""
    rng = np.random.default_rng(seed)
    wanted = max(2, round(HELD_OUT * graph.count))
    bridges = rng.permutation(_bridges(graph, partitioning))
    ends = np.stack([graph.sources[bridges], graph.targets[bridges]], axis=1).reshape(-1)
    ordered = np.concatenate([_first(ends)[: wanted // 4 * 2], rng.permutation(graph.count)])
    held = np.zeros(graph.count, dtype=bool)
    held[_first(ordered)[:wanted]] = True
    return held


def sample(
    graph: NodeGraph, partitioning: Partitioning, topics: Ints, allowed: NDArray[np.bool_], size: int, seed: int
) -> SampledNodes:
    """`size` times one or two of the allowed nodes, without hub nodes, half of each kind; a kind that there is none of
    (no bridge edge in the split) leaves its half to the other."""
    rng = np.random.default_rng(seed)
    kept = allowed.copy()
    kept[partitioning.hub_nodes] = False
    nodes, bridges = np.flatnonzero(kept), _bridges(graph, partitioning)
    edges = bridges[kept[graph.sources[bridges]] & kept[graph.targets[bridges]]]
    of_edges = size // 2 if len(nodes) else size
    of_edges = of_edges if len(edges) else 0
    of_nodes = size - of_edges if len(nodes) else 0
    chosen = _draw_edges(graph, partitioning, topics, edges, of_edges, rng)
    return SampledNodes(
        _draw_nodes(partitioning, nodes, of_nodes, rng), np.stack([graph.sources[chosen], graph.targets[chosen]])
    )


def topics_of(cells: Cells) -> Ints:
    """Of each partition its topic, from 0: Leiden over the graph of partitions, joined by their bridge edges."""
    import igraph
    import leidenalg

    ends, counts = cells.bridge_pairs()
    graph = igraph.Graph(n=cells.count, edges=ends.T.tolist())
    found = leidenalg.find_partition(
        graph, leidenalg.ModularityVertexPartition, weights=counts.tolist(), seed=SEED, n_iterations=4
    )
    return np.array(found.membership, np.int64)


def _bridges(graph: NodeGraph, partitioning: Partitioning) -> Ints:
    of = partitioning.of_node
    return np.flatnonzero(of[graph.sources] != of[graph.targets])


def _draw_nodes(partitioning: Partitioning, nodes: Ints, size: int, rng: np.random.Generator) -> Ints:
    """A partition first, then one of its nodes."""
    _, groups = np.unique(partitioning.of_node[nodes], return_inverse=True)
    by_partition = Ragged.grouped(groups.reshape(-1), int(groups.max(initial=-1)) + 1, nodes)
    return _one_of_each(by_partition, rng.integers(0, max(1, len(by_partition.starts) - 1), size), rng)


def _draw_edges(
    graph: NodeGraph, partitioning: Partitioning, topics: Ints, edges: Ints, size: int, rng: np.random.Generator
) -> Ints:
    if not size:
        return np.zeros(0, np.int64)
    ends = partitioning.of_node[np.stack([graph.sources[edges], graph.targets[edges]])]
    pairs, of_edge = np.unique(_key(ends, partitioning.count), return_inverse=True)
    its_topics = topics[np.stack([pairs // partitioning.count, pairs % partitioning.count])]
    kinds, of_pair = np.unique(_key(its_topics, partitioning.count), return_inverse=True)
    by_topics = Ragged.grouped(of_pair.reshape(-1), len(kinds))
    by_pair = Ragged.grouped(of_edge.reshape(-1), len(pairs), edges)
    return _one_of_each(by_pair, _one_of_each(by_topics, rng.integers(0, len(kinds), size), rng), rng)


def _key(ends: Ints, count: int) -> Ints:
    low, high = np.sort(ends, axis=0)
    return np.asarray(low * count + high)


def _one_of_each(lists: Ragged, chosen: Ints, rng: np.random.Generator) -> Ints:
    """Of each of the chosen lists one of its values."""
    if not len(chosen):
        return chosen
    starts, counts = lists.starts[chosen], lists.starts[chosen + 1] - lists.starts[chosen]
    return np.asarray(lists.values[starts + rng.integers(0, counts)])


def _first(values: Ints) -> Ints:
    """Each value once, in the order of its first place."""
    _, places = np.unique(values, return_index=True)
    return np.asarray(values[np.sort(places)])
