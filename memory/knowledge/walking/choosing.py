"""Think: which partitions of the graph a question is about (seed 004, section 4.1)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clew.memory.datatypes import Floats, Ints
from clew.memory.nodes import Partitioning


@dataclass(frozen=True, slots=True)
class ThinkParameters:
    """The `top` partitions, and those that score at least `above`: the seed's K, and its tau of 0.5 calibrated for
    shares of votes, of which a second partition has 0.15 where two are meant. More are taken until there are `least`
    nodes, none once there would be more than `most`."""

    top: int = 5
    above: float = 0.15
    least: int = 500
    most: int = 2000


def votes(nodes: Ints, shares: Floats, partitioning: Partitioning) -> Floats:
    """The share of the mass that stands in each partition, hub nodes left out; shape (partitions,)."""
    counted = ~np.isin(nodes, partitioning.hub_nodes)
    return np.bincount(partitioning.of_node[nodes[counted]], shares[counted], partitioning.count).astype(np.float64)


def choose(
    scores: Floats,
    found: Ints,
    partitioning: Partitioning,
    parameters: ThinkParameters,
    allowed: NDArray[np.bool_] | None = None,
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


def _sizes(partitioning: Partitioning, allowed: NDArray[np.bool_] | None) -> Ints:
    if allowed is None:
        return np.diff(partitioning.members.starts)
    return np.bincount(partitioning.of_node[allowed], minlength=partitioning.count)
