"""A walk as paths (seed 004, section 5): how each node of it was come to, in words and as `Hub -> A -> B`."""

from collections.abc import Sequence
from itertools import groupby, pairwise

from clew.memory.datatypes import Subgraph


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


def path(walk: Subgraph, before: Sequence[int], place: int) -> tuple[str, ...]:
    """The steps to a node, in the form of seed 000: `(fritz lang) -[directed]-> (metropolis)`; none to a landing."""
    steps = pairwise(chain(before, place))
    return tuple(f"({walk.titles[one]}) {arrow(walk, before, other)} ({walk.titles[other]})" for one, other in steps)


def crossed_into(walk: Subgraph, before: Sequence[int], place: int) -> str:
    """The partition that a step over a bridge edge leads to; empty for other steps."""
    name = walk.partitions[place]
    return name if name != walk.partitions[before[place]] else ""


def into(walk: Subgraph, before: Sequence[int], place: int) -> str:
    """What is said of a step over a bridge edge: the partition that it leads to; nothing of others."""
    name = crossed_into(walk, before, place)
    return f", into {name}" if name else ""


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
