"""`stitch` and `walk` of a turn: from the plain values of its state, on the walker that all turns share."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TypeVar

import numpy as np

from clew.memory.datatypes import Ints, Passage, Query, Subgraph
from clew.memory.knowledge.question import LibraryQuestion
from clew.memory.knowledge.walking.subgraph import Stitched
from clew.memory.knowledge.walking.walker import Thought, Walker
from clew.memory.ports import Search
from clew.tools.walk import findings

_Item = TypeVar("_Item")


@dataclass(frozen=True, slots=True)
class WalkingParameters:
    """`nearest`: nodes that vote for partitions before a tool was called (the 50 of which research says that their
    votes beat centroids); `best`: of all that was weighed, what may become evidence; `passages`: how much of it does;
    `told`: partitions that a step names."""

    nearest: int = 50
    best: int = 20
    passages: int = 3
    told: int = 5


def nearest(store: Search, query: Query, most: int) -> tuple[int, ...]:
    """The rows of the nodes that are nearest to the question by meaning, rising."""
    vectors = np.stack([form.vector for form in query.forms])
    numbers = store.part().layers.chunk_numbers
    found = store.vector_search(vectors, most, scope=query.scope)
    return tuple(sorted({numbers[hit.chunk] for hits in found for hit in hits}))


def think(walker: Walker, question: LibraryQuestion, near: Sequence[int], passages: Sequence[Passage]) -> Thought:
    """With what the tools found among the candidates: its partitions are stitched in."""
    numbers = walker.graph.layers.chunk_numbers
    found = {numbers[passage.id] for passage in passages if passage.id in numbers}
    return walker.think(question, np.array(sorted(found.union(near)), np.int64))


def scored(walker: Walker, thought: Thought, partitions: Ints) -> Iterator[str]:
    """A line for each partition: its score, its name, its size."""
    partitioning = walker.graph.partitioning
    sizes = np.diff(partitioning.members.starts)
    for partition in partitions.tolist():
        yield f"{thought.partitions[partition]:.2f} {partitioning.names[partition]}: {sizes[partition]} nodes"


def best_partitions(thought: Thought, most: int) -> Ints:
    """Those that anything speaks for, best first."""
    order = np.argsort(-thought.partitions, kind="stable")[:most]
    return order[thought.partitions[order] > 0]


def size(stitched: Stitched, walker: Walker) -> str:
    """`11 partitions: 1,934 nodes, 7,120 edges, 210 of them bridges`."""
    graph, of_node = stitched.graph, walker.graph.partitioning.of_node
    bridges = int((of_node[graph.sources[stitched.edges]] != of_node[graph.targets[stitched.edges]]).sum())
    number = len(stitched.partitions)
    edges = f"{len(stitched.edges):,} edges" + (f", {bridges:,} of them bridges" if bridges else "")
    return f"{number} partition{'' if number == 1 else 's'}: {len(stitched.nodes):,} nodes, {edges}"


@dataclass(frozen=True, slots=True)
class Reached:
    """What a walk went through, and the passages that it came to, each with its path, best first."""

    walk: Subgraph
    passages: tuple[Passage, ...]


def walk(walker: Walker, store: Search, thought: Thought, stitched: Stitched, most: int) -> Reached:
    walked = walker.walk(thought, stitched)
    found = findings(store, walked, most)
    graph = found.walk or Subgraph()
    came_to = tuple(passage for passage in found.passages if passage.id in graph.nodes)
    return Reached(graph, came_to)


def with_paths(passages: Sequence[Passage], reached: Reached) -> tuple[Passage, ...]:
    """What a tool found, with the path to it where the walk came there too."""
    paths = {passage.id: passage.path for passage in reached.passages}
    return tuple(replace(p, path=tuple(p.path) or paths.get(p.id, ())) for p in passages)


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
