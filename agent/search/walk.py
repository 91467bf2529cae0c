"""`stitch` and `walk` of a turn: from the plain values of its state, on the walker that all turns share."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from clew.memory.datatypes import Ints, Passage, Query, Subgraph
from clew.memory.knowledge.question import LibraryQuestion
from clew.memory.knowledge.walking.subgraph import Stitched
from clew.memory.knowledge.walking.walker import Thought, Walker
from clew.memory.ports import Search
from clew.tools.walk import Walk, findings


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
    found = findings(store, walked, most, Walk.name)
    graph = found.walk or Subgraph()
    came_to = tuple(passage for passage in found.passages if passage.id in graph.nodes)
    return Reached(graph, came_to)


def with_paths(passages: Sequence[Passage], reached: Reached) -> tuple[Passage, ...]:
    """What a tool found, with the path to it where the walk came there too."""
    paths = {passage.id: passage.path for passage in reached.passages}
    return tuple(replace(p, path=tuple(p.path) or paths.get(p.id, ())) for p in passages)
