"""`stitch` and `walk` of a turn: from the plain values of its state, on the walker that all turns share."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import groupby
from typing import TypeVar

import numpy as np

from clew.memory.datatypes import Ints, Subgraph
from clew.memory.knowledge.question import LibraryQuestion
from clew.memory.knowledge.walking.walker import Stitched, Thought, Walker
from clew.memory.text import number_of

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
        yield f"{thought.partitions[partition]:.2f} {partitioning.names[partition]}: {sizes[partition]} nodes"


def size(stitched: Stitched, walker: Walker) -> str:
    """`11 partitions: 1,934 nodes, 7,120 edges, 210 of them bridges`."""
    bridges = walker.graph.partitioning.bridges(stitched.graph, stitched.edges)
    edges = f"{len(stitched.edges):,} edges" + (f", {bridges:,} of them bridges" if bridges else "")
    return f"{number_of(len(stitched.partitions), 'partition')}: {len(stitched.nodes):,} nodes, {edges}"


# A walk as paths (seed 004, section 5) -------------------------------------------------------------------------------


def parents(walk: Subgraph) -> tuple[int, ...]:
    """Of each node the place of the one that it was walked to from; -1 of a landing.

    Behind the landings each node was walked to by one edge, and both are in the order of the walk.
    """
    places = {node: place for place, node in enumerate(walk.nodes)}
    steps = zip(walk.nodes[walk.landings :], walk.edges, strict=True)
    before = (places[edge.target if edge.source == node else edge.source] for node, edge in steps)
    return (*(-1 for _ in range(walk.landings)), *before)


def depths(before: Sequence[int]) -> tuple[int, ...]:
    """Steps from a landing to each node, by its `parents`."""
    found: list[int] = []
    for parent in before:
        found.append(0 if parent < 0 else found[parent] + 1)
    return tuple(found)


def chain(before: Sequence[int], place: int) -> tuple[int, ...]:
    """The nodes from a landing to this one."""
    return () if place < 0 else (*chain(before, before[place]), place)


def arrow(walk: Subgraph, before: Sequence[int], place: int) -> str:
    """The edge to a node as it was walked: `-[directed]->`, or `<-[directed]-` against its direction."""
    edge = walk.edges[place - walk.landings]
    forwards = edge.source == walk.nodes[before[place]]
    return f"-[{edge.relation}]->" if forwards else f"<-[{edge.relation}]-"


def into(walk: Subgraph, before: Sequence[int], place: int) -> str:
    """What is said of a step over a bridge edge: the partition that it leads to; nothing of others."""
    name = walk.partitions[place]
    return f", into {name}" if name != walk.partitions[before[place]] else ""


def relation(walk: Subgraph, before: Sequence[int], place: int) -> str:
    """`title link from Metropolis`, and whether the walk had gone back there."""
    return f"{walk.edges[place - walk.landings].relation} from {walk.titles[before[place]]}{back(walk, place)}"


def back(walk: Subgraph, place: int) -> str:
    """What is said of a step from a node that the walk had gone back to; nothing of others."""
    return ", after going back" if walk.nodes[place] in walk.back else ""


def lines(walk: Subgraph) -> tuple[str, ...]:
    """Each path that no other goes on from, that of the best score at its end first; steps within a document are one,
    and what is the same by its titles stands once."""
    before = parents(walk)
    ends = sorted(set(range(walk.landings, len(walk.nodes))) - set(before), key=lambda end: -walk.scores[end])
    told = ([title for title, _ in groupby(walk.titles[place] for place in chain(before, end))] for end in ends)
    return tuple(dict.fromkeys(" -> ".join(titles) for titles in told if len(titles) > 1))


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
