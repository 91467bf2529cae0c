"""`stitch` and `walk` of a turn: from the plain values of its state, on the walker that all turns share."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TypeVar

import numpy as np

from clew.memory.datatypes import Ints, Subgraph
from clew.memory.knowledge.question import LibraryQuestion
from clew.memory.knowledge.walking.walker import Stitched, Thought, Walker
from clew.memory.text import in_brackets, number_of
from clew.memory.walk_paths import chain, parents

_Item = TypeVar("_Item")


def think(walker: Walker, question: LibraryQuestion, ids: Iterable[str]) -> Thought:
    """With the chunks that were found as candidates: their partitions are stitched in."""
    numbers = walker.graph.layers.chunk_numbers
    return walker.think(question, np.array(sorted({numbers[id_] for id_ in ids if id_ in numbers}), np.int64))


def scored(walker: Walker, thought: Thought, partitions: Ints) -> Iterator[str]:
    """A line for each partition: its score, its name, its size."""
    partitioning = walker.graph.partitioning
    sizes = np.diff(partitioning.members.starts)
    for partition in partitions.tolist():
        score = in_brackets(thought.partitions[partition])
        yield f"{partitioning.names[partition]}{score}: {sizes[partition]} nodes"


def size(stitched: Stitched, walker: Walker) -> str:
    """`11 partitions: 1,934 nodes, 7,120 edges, 210 of them bridges`."""
    bridges = walker.graph.partitioning.bridges(stitched.graph, stitched.edges)
    edges = f"{len(stitched.edges):,} edges" + (f", {bridges:,} of them bridges" if bridges else "")
    return f"{number_of(len(stitched.partitions), 'partition')}: {len(stitched.nodes):,} nodes, {edges}"


def joined(first: Subgraph, second: Subgraph, wanted: Collection[str]) -> Subgraph:
    """A walk and, of a further one, the paths to those of the `wanted` nodes that it did not come to itself."""
    before, there = parents(second), set(first.nodes)
    ends = [place for place, node in enumerate(second.nodes) if node in wanted and node not in there]
    on_the_way = sorted({place for end in ends for place in chain(before, end)})
    new = [place for place in on_the_way if second.nodes[place] not in there]
    landed, steps = ([place for place in new if (before[place] < 0) == is_landing] for is_landing in (True, False))

    def both(own: Sequence[_Item], other: Sequence[_Item]) -> tuple[_Item, ...]:
        begun, walked = own[: first.landings], own[first.landings :]
        return (*begun, *(other[place] for place in landed), *walked, *(other[place] for place in steps))

    return Subgraph(
        nodes=both(first.nodes, second.nodes),
        edges=(*first.edges, *(second.edges[place - second.landings] for place in steps)),
        titles=both(first.titles, second.titles),
        scores=both(first.scores, second.scores),
        partitions=both(first.partitions, second.partitions),
        landings=first.landings + len(landed),
        back=(*first.back, *(second.nodes[place] for place in steps if second.nodes[place] in second.back)),
    )
