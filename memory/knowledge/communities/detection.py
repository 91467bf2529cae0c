"""Communities by Leiden or Louvain, in levels: clusters of the entity graph, divided further where they are big, and
joined to themes until there are few enough to be read.

Both methods maximise modularity. They look at links alone, and a library of unconnected texts has no links between its
clusters: what is joined to themes is therefore near in links or in meaning.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from clew.memory.datatypes import Ints, Vectors
from clew.memory.knowledge.communities.entity_graph import DIGITS, Links, weighted_graph
from clew.memory.knowledge.partitioning.methods import optimised
from clew.memory.layers import DetectionParameters
from clew.memory.nodes import sums_of
from clew.memory.vectors import Ragged, highest, unit

ROWS = 1024
"""Clusters whose cosines with all others are held at once: all with all would take the square of their number."""

RESOLUTIONS = (4.0, 3.0, 2.0, 1.5, 1.0, 0.7, 0.5, 0.3, 0.2, 0.1)
"""Of modularity, from many themes to few: the first that gives no more than can be read is taken."""


def detect(links: Links, vectors: Vectors, parameters: DetectionParameters, standing: Sequence[int] = ()) -> list[Ints]:
    """The levels, coarsest first, each nested in the one before: of each entity the number of its cluster, from 0, or
    -1 for none, of shape (entities,). `vectors` are the entities', of shape (entities, d).

    An entity without a link is in no community, but for those of `standing` (`standing_for`).
    """
    linked = np.unique(np.concatenate([links.ends.reshape(-1), np.array(standing, np.int64)]))
    if not len(linked):
        return []
    found = cluster(links.among(linked), parameters)
    found = _fragments_joined(found, vectors[linked], parameters.smallest, parameters.alike)
    levels = [found]
    if (np.bincount(found) > parameters.largest).any():
        levels.append(_divided(found, links.among(linked), vectors[linked], parameters))
    if found.max() >= parameters.readable:
        levels.insert(0, _themes(found, links.among(linked), vectors[linked], parameters))
    everywhere = np.full((len(levels), links.nodes), -1, np.int64)
    everywhere[:, linked] = levels
    return list(everywhere)


def cluster(links: Links, parameters: DetectionParameters, resolution: float = 1.0) -> Ints:
    """Clusters numbered by size, then by their first node."""
    if parameters.method == "louvain":
        return numbered(_louvain(links, parameters, resolution))
    iterations, seed = parameters.iterations, parameters.seed
    return numbered(optimised(links.nodes, links.ends, links.weights, resolution, iterations, seed))


def numbered(labels: Ints) -> Ints:
    """The same clusters, the biggest first, of equally big ones that with the lowest node."""
    _, first, inverse, sizes = np.unique(labels, return_index=True, return_inverse=True, return_counts=True)
    order = np.lexsort((first, -sizes))
    numbers = np.empty(len(order), np.int64)
    numbers[order] = np.arange(len(order))
    return numbers[inverse.reshape(-1)]


def _louvain(links: Links, parameters: DetectionParameters, resolution: float) -> Ints:
    import networkx as nx

    graph = weighted_graph(links)
    labels = np.empty(links.nodes, np.int64)
    found = nx.community.louvain_communities(graph, weight="weight", resolution=resolution, seed=parameters.seed)
    for number, nodes in enumerate(found):
        labels[list(nodes)] = number
    return labels


def _fragments_joined(labels: Ints, vectors: Vectors, smallest: int, alike: float = -1.0) -> Ints:
    """What is too small for a report joins the cluster whose mean is nearest, where it is as near as `alike`; else
    a fragment before it that is; else it stands for itself."""
    sizes, means = np.bincount(labels), centroids(labels, vectors)
    whole, small, joined = np.flatnonzero(sizes >= smallest), np.flatnonzero(sizes < smallest), np.arange(len(sizes))
    alone = [small]
    if len(whole):
        alone = []
        for start in range(0, len(small), ROWS):
            some = small[start : start + ROWS]
            cosines = np.round(means[some] @ means[whole].T, 4)
            near = cosines.max(axis=1) >= alike
            joined[some[near]] = whole[cosines[near].argmax(axis=1)]
            alone.append(some[~near])
    standing: list[int] = []
    stood = np.empty_like(means)
    for fragment in np.concatenate([small[:0], *alone]).tolist():
        to = np.round(stood[: len(standing)] @ means[fragment], 4)
        if len(to) and to.max() >= alike:
            joined[fragment] = standing[int(to.argmax())]
        else:
            stood[len(standing)] = means[fragment]
            standing.append(fragment)
    return numbered(joined[labels])


def centroids(labels: Ints, vectors: Vectors) -> Vectors:
    """The mean of each cluster's entities, of unit length; shape (clusters, d)."""
    return unit(sums_of(labels, int(labels.max()) + 1, vectors))


def _divided(labels: Ints, links: Links, vectors: Vectors, parameters: DetectionParameters) -> Ints:
    """Every cluster that is too big by itself, once more and again; one that does not divide stays."""
    finer, count = labels.copy(), int(labels.max()) + 1
    waiting = _parts(labels, links, parameters.largest)
    while waiting:
        name, nodes, among = waiting.pop(0)
        inner = _fragments_joined(cluster(among, parameters), vectors[nodes], parameters.smallest)
        if not inner.max():
            continue
        names = np.concatenate([[name], np.arange(count, count + inner.max())])  # its own, and new ones
        finer[nodes] = names[inner]
        parts = _parts(inner, among, parameters.largest)
        waiting += [(int(names[part]), nodes[of_part], inside) for part, of_part, inside in parts]
        count += int(inner.max())
    return finer


def _parts(labels: Ints, links: Links, largest: int) -> list[tuple[int, Ints, Links]]:
    """The clusters of more than `largest` nodes, each with its nodes and the links among them."""
    of = labels[links.ends]
    inside = np.flatnonzero(of[0] == of[1])
    by_cluster = Ragged.grouped(of[0][inside], int(labels.max()) + 1, inside)
    parts = []
    for label in np.flatnonzero(np.bincount(labels) > largest).tolist():
        nodes, its = np.flatnonzero(labels == label), by_cluster.row(label)
        ends = np.searchsorted(nodes, links.ends[:, its])
        parts.append((label, nodes, Links(len(nodes), ends, links.weights[its])))
    return parts


def _themes(labels: Ints, links: Links, vectors: Vectors, parameters: DetectionParameters) -> Ints:
    """Clusters of clusters, by the links between them and by what is near in meaning: as many as can be read."""
    tied = _ties(labels, links, vectors, parameters)
    found = labels
    for resolution in RESOLUTIONS:
        found = cluster(tied, parameters, resolution)
        if found.max() < parameters.readable:
            break
    return found[labels]


def _ties(labels: Ints, links: Links, vectors: Vectors, parameters: DetectionParameters) -> Links:
    """Between clusters: their links as a share of what the busier of both has, and the cosine of near ones."""
    from scipy.sparse import coo_array, diags_array, triu

    count, ends = int(labels.max()) + 1, labels[links.ends]
    apart, shape = ends[0] != ends[1], (count, count)
    one_way = coo_array((links.weights[apart], ends[:, apart]), shape=shape).tocsr()
    between = one_way + one_way.T
    scale = diags_array(1 / np.sqrt(np.asarray(between.sum(axis=1)).reshape(-1).clip(1e-9)))
    near, cosines = _nearest(centroids(labels, vectors), min(parameters.near, count - 1))
    rows = np.repeat(np.arange(count), near.shape[1])
    meant = coo_array((cosines.reshape(-1).clip(0), (rows, near.reshape(-1))), shape=shape).tocsr()
    tied = triu(scale @ between @ scale + parameters.meaning * meant.maximum(meant.T), 1).tocsr()
    tied.data = np.round(tied.data, DIGITS)
    tied.eliminate_zeros()
    tied.sort_indices()
    found = tied.tocoo()
    return Links(count, np.stack([found.row, found.col]).astype(np.int64), found.data)


def _nearest(means: Vectors, k: int) -> tuple[Ints, NDArray[np.float64]]:
    """The k others nearest to each, best first, and their cosines; both of shape (len(means), k)."""
    near, cosines = np.empty((len(means), k), np.int64), np.empty((len(means), k))
    for start in range(0, len(means), ROWS):
        to = np.round(means[start : start + ROWS] @ means.T, 4)
        for row, its in enumerate(to, start):
            its[row] = -2  # less than any cosine
            near[row] = highest(its, k)
            cosines[row] = its[near[row]]
    return near, cosines
