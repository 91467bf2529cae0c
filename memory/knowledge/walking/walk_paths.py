"""A walk as paths (seed 004, section 5): how each node was come to, in words, as `Hub -> A -> B`, and in a sentence."""

from collections.abc import Sequence
from itertools import groupby, pairwise

from clew.memory.datatypes import Subgraph
from clew.memory.text import number_of


def parents(walk: Subgraph) -> tuple[int, ...]:
    """Return for each node the place of the node from which it was reached; -1 for a landing. (Every other node was
    reached by one edge, and edges are in the order of the walk.)"""
    places = {node: place for place, node in enumerate(walk.nodes)}
    steps = zip(walk.nodes[walk.landings :], walk.edges, strict=True)
    before = (places[edge.target if edge.source == node else edge.source] for node, edge in steps)
    return (*(-1 for _ in range(walk.landings)), *before)


def on_ways(walk: Subgraph) -> frozenset[str]:
    """Return the nodes that an edge of the walk leads to or from; a landing from which the walk did not go on is
    none."""
    steps = enumerate(parents(walk))
    return frozenset(walk.nodes[place] for step in steps if step[1] >= 0 for place in step)


def chain(before: Sequence[int], place: int) -> tuple[int, ...]:
    """Return the places of the nodes from the landing to this one, in order."""
    return () if place < 0 else (*chain(before, before[place]), place)


def arrow(walk: Subgraph, before: Sequence[int], place: int) -> str:
    """Return the edge by which a node was reached: `-[directed]->`, or `<-[directed]-` if it was walked against its
    direction."""
    edge = walk.edges[place - walk.landings]
    forwards = edge.source == walk.nodes[before[place]]
    return f"-[{edge.relation}]->" if forwards else f"<-[{edge.relation}]-"


def path(walk: Subgraph, before: Sequence[int], place: int) -> tuple[str, ...]:
    """Return the steps to a node as seed 000 prints them: `(fritz lang) -[directed]-> (metropolis)`; none for a
    landing."""
    steps = pairwise(chain(before, place))
    return tuple(f"({walk.titles[one]}) {arrow(walk, before, other)} ({walk.titles[other]})" for one, other in steps)


def into(walk: Subgraph, before: Sequence[int], place: int) -> str:
    """Return a remark on a step: the partition into which a bridge edge leads, or that the walk went back to an earlier
    node; empty for other steps."""
    name = walk.partitions[place]
    crossed = f", into {name}" if name and name != walk.partitions[before[place]] else ""
    return f"{crossed}, after going back" if walk.nodes[place] in walk.back else crossed


def ways(walk: Subgraph) -> tuple[tuple[str, ...], ...]:
    """Return the titles along each complete path, the path with the best score at its end first. Steps within a
    document are one title; paths with the same titles are listed once."""
    before = parents(walk)
    ends = sorted(set(range(walk.landings, len(walk.nodes))) - set(before), key=lambda end: -walk.scores[end])
    found = (tuple(title for title, _ in groupby(walk.titles[place] for place in chain(before, end))) for end in ends)
    return tuple(dict.fromkeys(titles for titles in found if len(titles) > 1))


def lines(walk: Subgraph) -> tuple[str, ...]:
    """Return the `ways` of a walk as text: `Hub -> A -> B`."""
    return tuple(" -> ".join(titles) for titles in ways(walk))


TOLD = 3  # ways that are told in a sentence


def told(walk: Subgraph) -> str:
    """Return the best paths as a sentence: `From “Laika” it went by “Sputnik 2” to “Soviet space program”.`"""
    found, starts = [[f"“{title}”" for title in way] for way in ways(walk)], dict[str, list[str]]()
    for first, *between, last in found[:TOLD]:
        by = f"by {_and(between)} " if between else ""
        starts.setdefault(first, []).append(f"{by}to {last}")
    if not starts:
        others = len(set(walk.titles)) - 1
        more = f" and {number_of(others, 'other document')}" if others else ""
        return f"It landed on “{walk.titles[0]}”{more}, and went no further."
    parts = "; ".join(f"from {first} it went {_and(goals)}" for first, goals in starts.items())
    left = f" ({number_of(len(found) - TOLD, 'way')} more)" if len(found) > TOLD else ""
    return f"F{parts[1:]}{left}."


def _and(parts: Sequence[str]) -> str:
    *first, last = parts
    return f"{', '.join(first)} and {last}" if first else last
