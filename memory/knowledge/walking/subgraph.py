"""Think and stitch (seed 004, section 4.1): which partitions of the graph a question is about, and these and the bridge
edges among them as one small graph."""

from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil

import numpy as np
from numpy.typing import NDArray

from clew.memory.datatypes import Floats, Ints
from clew.memory.nodes import TITLE_LINK, Cells, NodeGraph, Partitioning, Weights
from clew.memory.parameters import Count, Natural, Share
from clew.memory.vectors import looked_up

Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class ThinkParameters:
    """The `top` partitions, and those that score at least `above`: the seed's K, and its tau of 0.5 calibrated for
    shares of votes, of which a second partition has 0.15 where two are meant. More are taken until there are `least`
    nodes, none once there would be more than `most`; of a library that has not even `least`, this `share` of its nodes,
    so that there is a choice."""

    top: Count = 5
    above: Share = 0.15
    least: Natural = 500
    most: Count = 2000
    share: Share = 0.5

    def within(self, nodes: int) -> "ThinkParameters":
        """For a library of so many nodes."""
        if nodes >= self.least:
            return self
        some = max(1, ceil(self.share * nodes))
        return replace(self, least=some, most=min(some, self.most))


def votes(nodes: Ints, shares: Floats, partitioning: Partitioning) -> Floats:
    """The share of the mass that stands in each partition, hub nodes left out; shape (partitions,)."""
    counted = ~np.isin(nodes, partitioning.hub_nodes)
    return np.bincount(partitioning.of_node[nodes[counted]], shares[counted], partitioning.count).astype(np.float64)


def choose(
    scores: Floats,
    found: Ints,
    partitioning: Partitioning,
    parameters: ThinkParameters,
    allowed: Flags | None = None,
) -> Ints:
    """The partitions in the order of their choice: by score, then those of the nodes that were found, best first, then
    more by score. The first is taken whatever its size; only `allowed` nodes, shape (nodes,), count."""
    sizes = _sizes(partitioning, allowed).tolist()
    order = np.argsort(-scores, kind="stable")
    above = int((scores[order] >= parameters.above).sum())  # the order falls, so these come first
    first = order[: max(parameters.top, above)]
    chosen: dict[int, None] = {}
    nodes = 0
    wanted = [*first.tolist(), *partitioning.of_node[found].tolist()]
    for place, partition in enumerate([*wanted, *order.tolist()]):
        if place >= len(wanted) and nodes >= parameters.least:
            break
        if partition not in chosen and (not chosen or nodes + sizes[partition] <= parameters.most):
            chosen[partition] = None
            nodes += sizes[partition]
    return np.array(list(chosen), np.int64)


def _sizes(partitioning: Partitioning, allowed: Flags | None) -> Ints:
    if allowed is None:
        return np.diff(partitioning.members.starts)
    return np.bincount(partitioning.of_node[allowed], minlength=partitioning.count)


@dataclass(frozen=True, eq=False)
class Stitched:
    """`nodes` are rows, partition after partition in the order of their choice; `starts` say where each begins. `edges`
    are numbers of the graph's edges, within the partitions and between them. Where `hub_nodes[i]`, nothing lands on
    node i."""

    partitions: Ints
    nodes: Ints
    starts: Ints
    edges: Ints
    hub_nodes: Flags
    graph: NodeGraph

    @cached_property
    def _order(self) -> Ints:
        return np.argsort(self.nodes, kind="stable")

    @cached_property
    def _rising(self) -> Ints:
        return self.nodes[self._order]

    def place_of(self, rows: Ints) -> Ints:
        """Where rows are in `nodes`; -1 where they are not."""
        return looked_up(self._rising, rows, self._order, -1)

    def ways_from(self, rows: Ints) -> "Ways":
        """The edges from these nodes to others that are stitched, forwards or backwards."""
        edges, of = self.graph.by_end.of(rows)
        sources, targets = self.graph.sources[edges], self.graph.targets[edges]
        others = np.where(sources == rows[of], targets, sources)
        inside = np.flatnonzero(self.place_of(others) >= 0)
        of, others, edges = of[inside], others[inside], edges[inside]
        links = self._links[self.graph.kinds[edges]] & (sources[inside] == rows[of])
        return Ways(of, others, edges, self.graph.weights[edges], links)

    @cached_property
    def _links(self) -> Flags:
        """Which relations of the graph are links by title."""
        return np.array([relation == TITLE_LINK for relation in self.graph.relations], dtype=bool)


@dataclass(frozen=True, eq=False)
class Ways:
    """Way i leads from the place `of[i]` in what was asked for to node `others[i]` by edge `edges[i]`; `links[i]`: it
    follows a link by title forwards, from the node that names the other."""

    of: Ints
    others: Ints
    edges: Ints
    weights: Weights
    links: Flags


def stitch(
    partitions: Ints, partitioning: Partitioning, cells: Cells, graph: NodeGraph, allowed: Flags | None = None
) -> Stitched:
    """Of the `allowed` nodes, shape (nodes of the graph,), where not all are."""
    nodes, of = partitioning.members.of(partitions)
    edges = cells.among(partitions)
    if allowed is not None:
        nodes, of = nodes[allowed[nodes]], of[allowed[nodes]]
        edges = edges[allowed[graph.sources[edges]] & allowed[graph.targets[edges]]]
    starts = np.searchsorted(of, np.arange(len(partitions) + 1))
    return Stitched(partitions, nodes, starts, edges, np.isin(nodes, partitioning.hub_nodes), graph)
