"""The synthetic queries of a partitioning, of the nodes that are trained on and of those that are held out."""

from collections.abc import Sequence
from typing import NamedTuple

from clew.memory.knowledge.aligning.queries import SyntheticQuery
from clew.memory.knowledge.aligning.sampling import draw, held_out_nodes
from clew.memory.knowledge.aligning.topics import topics_of
from clew.memory.knowledge.aligning.wording import Wording
from clew.memory.nodes import Cells, NodeGraph, Partitioning

SPLIT = 42
"""The seed of the split, always the same: aligners trained with different seeds are measured on the same nodes."""

HELD_OUT = 1_000


class Synthetic(NamedTuple):
    train: list[SyntheticQuery]
    held_out: list[SyntheticQuery]


def make_queries(
    graph: NodeGraph,
    partitioning: Partitioning,
    cells: Cells,
    titles: Sequence[str],
    texts: Sequence[str],
    size: int,
    seed: int,
) -> Synthetic:
    """`size` to train on and `HELD_OUT` others; the latter are the same whatever the size and the seed."""
    topics, held = topics_of(cells), held_out_nodes(graph, partitioning, SPLIT)
    train = Wording(titles, texts, partitioning, seed).queries(draw(graph, partitioning, topics, ~held, size, seed))
    unseen = draw(graph, partitioning, topics, held, HELD_OUT, SPLIT)
    return Synthetic(list(train), list(Wording(titles, texts, partitioning, SPLIT).queries(unseen)))
