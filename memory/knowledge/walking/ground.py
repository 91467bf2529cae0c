"""What a walk stands on: a library's graph as neighbours, its titles as names, computed once."""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from clew.memory.datatypes import Ints
from clew.memory.knowledge.walking.smoothing import neighbour_mean
from clew.memory.nodes import NodeGraph, Partitioning, Weights
from clew.memory.ports import Store
from clew.memory.ragged import Ragged, spread
from clew.memory.titles import TitleIndex

MOST_NEIGHBOURS = 48
"""Of a node that a look around it takes in, the strongest first: what a hub has more of says little."""


class _Joined(NamedTuple):
    neighbours: Ragged
    strengths: Weights
    balance: Weights


@dataclass(frozen=True, eq=False)
class Ground:
    """`sentences_of` has the sentences of each node, none in a graph folder."""

    graph: NodeGraph
    partitioning: Partitioning
    titles: TitleIndex
    sentences_of: Ragged

    @cached_property
    def neighbours(self) -> Ragged:
        """Of each node its neighbours by any edge, either way, each once, the strongest first."""
        return self._joined.neighbours

    @cached_property
    def strengths(self) -> Weights:
        """Of the pairs of `neighbours`, the sum of the weights of the edges between the two, at most 1."""
        return self._joined.strengths

    @cached_property
    def balance(self) -> Weights:
        """Of the pairs of `neighbours`, what the neighbour counts in the mean over the kinds of edges
        (`smoothing.neighbour_mean`)."""
        return self._joined.balance

    @cached_property
    def _joined(self) -> "_Joined":
        graph, count = self.graph, max(1, self.graph.count)
        ends = np.concatenate([graph.sources, graph.targets]), np.concatenate([graph.targets, graph.sources])
        pairs, of_pair = np.unique(ends[0] * count + ends[1], return_inverse=True)
        strengths = np.bincount(of_pair.reshape(-1), np.tile(graph.weights, 2), len(pairs)).clip(max=1)
        mean = neighbour_mean(graph).tocoo()
        balance = np.zeros(len(pairs), np.float32)
        balance[np.searchsorted(pairs, mean.row.astype(np.int64) * count + mean.col)] = mean.data
        nodes, others = pairs // count, pairs % count
        order = np.lexsort((others, -strengths, nodes))
        starts = np.searchsorted(nodes, np.arange(graph.count + 1))
        return _Joined(Ragged(starts, others[order]), strengths[order].astype(np.float32), balance[order])

    @cached_property
    def degrees(self) -> Ints:
        """Neighbours of each node."""
        return np.diff(self.neighbours.starts)

    def around(self, nodes: Ints, most: int = MOST_NEIGHBOURS) -> tuple[Ints, Ints]:
        """Places in `neighbours.values` of the strongest neighbours of the nodes, and the place in `nodes` of each."""
        starts = self.neighbours.starts[nodes]
        return spread(starts, np.minimum(self.neighbours.starts[nodes + 1], starts + most))


def ground_of(store: Store) -> Ground:
    layers = store.layers()
    sentences = Ragged.grouped(layers.sentence_chunks, len(layers.chunk_ids))
    return Ground(store.nodes(), store.partitioning(), store.title_index(), sentences)
