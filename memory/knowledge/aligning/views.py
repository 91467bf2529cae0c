"""What an aligner sees of the partitions: their centroids, their words, and the graph of partitions."""

from dataclasses import dataclass

import numpy as np

from clew.memory.datatypes import Ints, Vectors
from clew.memory.knowledge.aligning.topics import bridge_pairs
from clew.memory.knowledge.aligning.words import Floats, PartitionWords
from clew.memory.nodes import Cells, NodeGraph, Partitioning

RELATIONS = 12
"""How many relations have weights of their own; the rarer ones share one."""


@dataclass(frozen=True, eq=False)
class PartitionViews:
    """`edges` joins partitions by bridge edges, both ways, shape (2, e), and `counts` says by how many; `typed` is the
    same by relation, shape (2, t), with `kinds` below `relations`. Each pair (of a relation) stands once each way."""

    centroids: Vectors
    words: PartitionWords
    edges: Ints
    counts: Floats
    typed: Ints
    kinds: Ints
    relations: int

    @property
    def count(self) -> int:
        return len(self.centroids)


def views_of(graph: NodeGraph, partitioning: Partitioning, cells: Cells, words: PartitionWords) -> PartitionViews:
    ends, counts = bridge_pairs(cells)
    typed, kinds, relations = _typed(graph, partitioning)
    both = np.concatenate([ends, ends[::-1]], axis=1)
    weights = np.tile(counts, 2).astype(np.float32)
    return PartitionViews(partitioning.centroids, words, both, weights, typed, kinds, relations)


def _typed(graph: NodeGraph, partitioning: Partitioning) -> tuple[Ints, Ints, int]:
    """The commonest relations among bridge edges are told apart."""
    sources, targets = partitioning.of_node[graph.sources], partitioning.of_node[graph.targets]
    between = sources != targets
    times = np.bincount(graph.kinds[between], minlength=len(graph.relations))
    kind_of = np.argsort(np.argsort(-times, kind="stable")).clip(max=RELATIONS - 1)
    kinds = np.tile(kind_of[graph.kinds[between]], 2)
    starts, ends = (
        np.concatenate(pair)
        for pair in zip((sources[between], targets[between]), (targets[between], sources[between]), strict=True)
    )
    count = partitioning.count
    keys = np.unique((kinds * count + starts) * count + ends)
    return np.stack([keys // count % count, keys % count]), keys // count**2, min(RELATIONS, len(graph.relations))
