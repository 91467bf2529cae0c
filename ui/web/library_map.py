"""The map of a library: its passages in the discs of their partitions, with those lit that a conversation has touched,
and the walk of a turn drawn over them. The positions of the discs depend on what is shown alone, so that the same map
looks the same again."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from clew.agent.state import Turn
from clew.memory.datatypes import Floats, Ints, Subgraph
from clew.memory.knowledge.library_ports import Graph, Search
from clew.memory.knowledge.walking.walk_paths import on_ways, parents, told
from clew.ui.plain import cut, one_line
from clew.ui.rendering import name_of, place_of

MOST, LINES, PARTITIONS = 2000, 4000, 60
"""At most on the map: passages, lines between them, partitions."""

ROW = 40
"""Characters of the row that a passage of a table begins with, which tell it from others of the table."""

APART, LABEL, ROUNDS = 10.0, 0.12, 300
"""From a passage to the next, about; room for names between two discs, as a share of about half the map; of layout."""


class MapDisc(NamedTuple):
    """The disc of a partition; `lit` says whether the conversation has touched it."""

    number: int
    name: str
    size: int
    lit: bool
    x: float
    y: float
    radius: float


@dataclass(frozen=True, slots=True)
class LibraryMap:
    """What is drawn. `total` counts all passages of the library. Each dot is a passage: its id, its title (with page,
    heading and table row), and the number of its partition; the dots of a disc are ordered from the middle outwards.

    `lines` join two dots (places), `bridges` two partitions (numbers), with the number of edges. `walk` has for each
    step its dot (-1: not shown) and the place in the walk that it came from (-1: a landing); `told` is the walk as a
    sentence.
    """

    total: int
    discs: list[MapDisc]
    dots: list[tuple[str, str, int]]
    lines: list[tuple[int, int]]
    bridges: list[tuple[int, int, int]]
    walk: list[tuple[int, int]]
    told: str


def map_of(store: Search, turns: Sequence[Turn], turn: int = 0) -> LibraryMap:
    """Make the map of the partitions that the turns have touched, those that bridges join with them, and the largest
    ones, with the walk of a turn (0: the last). Raises `ClewError` if a library on a cluster has too many passages."""
    graph = store.part()
    rows_of, partitioning, (ends, joining) = graph.layers.chunk_numbers, graph.partitioning, graph.cells.bridge_pairs()
    walks = [one.walk for one in turns if one.walk and one.walk.nodes and turn in (0, one.turn)]
    walk = walks[-1] if walks else Subgraph()
    walked = [rows_of.get(id_, -1) for id_ in walk.nodes]
    touched = {source.id for one in turns for source in one.answer.sources}
    touched |= {id_ for one in turns if one.walk for id_ in on_ways(one.walk)}
    every, sizes = np.arange(partitioning.count), np.diff(partitioning.members.starts)
    lit = np.isin(every, partitioning.of_node[[rows_of[id_] for id_ in touched & rows_of.keys()]])
    near = np.zeros(len(every))
    for one, other in (ends, ends[::-1]):
        np.add.at(near, one, joining * lit[other])
    shown = np.sort(np.lexsort((-sizes, -near, ~lit))[:PARTITIONS])
    rows, lines = _passages(graph, shown, walked)
    both = np.isin(ends, shown).all(axis=0)
    bridges = [(int(one), int(other), int(n)) for one, other, n in zip(*ends[:, both], joining[both], strict=True)]
    own, dots = partitioning.of_node[rows].tolist(), {row: place for place, row in enumerate(rows.tolist())}
    at = placed(tuple((n, own.count(n)) for n in shown.tolist()), tuple(bridges)).round(1).tolist()
    where, names = dict(zip(shown.tolist(), at, strict=True)), partitioning.names
    listed = sorted(shown.tolist(), key=lambda n: (not lit[n], -sizes[n]))
    chunks = store.chunks([graph.layers.chunk_ids[row] for row in dots])
    titles = (" · ".join(filter(None, (name_of(one), place_of(one), _row(one.text)))) for one in chunks)
    return LibraryMap(
        total=len(partitioning.of_node),
        discs=[MapDisc(n, one_line(names[n]), int(sizes[n]), bool(lit[n]), *where[n]) for n in listed],
        dots=[(chunk.id, title, n) for chunk, title, n in zip(chunks, titles, own, strict=True)],
        lines=lines,
        bridges=bridges,
        walk=[(dots.get(row, -1), before) for row, before in zip(walked, parents(walk), strict=True)],
        told=told(walk) if walk.nodes else "",
    )


def _row(text: str) -> str:
    """Return the table row that a passage begins with; empty if it is not from a table."""
    first = text.partition("\n")[0]
    return cut(one_line(first), ROW) if " | " in first else ""


def _passages(graph: Graph, shown: Ints, walked: Sequence[int]) -> tuple[Ints, list[tuple[int, int]]]:
    """Return the passages of these partitions, partition by partition and in each those with the most edges first, and
    the lines between them as pairs of places. If there are too many, each partition gets an equal number, passages of
    the walk first."""
    rows, nodes, edges = np.sort(graph.partitioning.members.of(shown)[0]), graph.nodes, graph.cells.among(shown)
    ends = np.searchsorted(rows, np.stack([nodes.sources[edges], nodes.targets[edges]]))
    own = np.searchsorted(shown, graph.partitioning.of_node[rows])
    degrees, sizes = np.bincount(ends.reshape(-1), minlength=len(rows)), np.bincount(own, minlength=len(shown))
    level = sum(np.minimum(sizes, most).sum() <= MOST for most in range(1, MOST + 1))
    order = np.lexsort((-degrees, ~np.isin(rows, [*walked]), own))
    kept = order[np.arange(len(order)) - np.searchsorted(own[order], own[order]) < level]
    kept = kept[np.lexsort((-degrees[kept], own[kept]))]
    at = np.full(len(rows), -1)
    at[kept] = np.arange(len(kept))
    there = (own[ends[0]] == own[ends[1]]) & (at[ends] >= 0).all(axis=0)
    best = np.argsort(-nodes.weights[edges][there], kind="stable")[:LINES]
    return rows[kept], [(int(one), int(other)) for one, other in at[ends[:, there][:, best]].T]


@lru_cache(8)
def placed(sizes: tuple[tuple[int, int], ...], bridges: tuple[tuple[int, int, int], ...]) -> Floats:
    """Return positions and radii of discs, shape (discs, 3), of these numbers and sizes. Springs draw together discs
    that bridges join, by the share of their passages; then overlapping discs are pushed apart."""
    import networkx

    graph, size = networkx.Graph(), dict(sizes)
    graph.add_nodes_from(size)
    graph.add_weighted_edges_from((one, other, n / (size[one] * size[other]) ** 0.5) for one, other, n in bridges)
    radii = APART * np.sqrt(np.array([*size.values()], float))
    half = np.sqrt((radii**2).sum())
    room = radii[:, None] + radii[None] + LABEL * half
    springs = networkx.spring_layout(graph, seed=42, iterations=ROUNDS)
    at = np.array([*springs.values()]).reshape(-1, 2) * (1.4, 1) * half
    for turn in range(ROUNDS):
        at *= 0.99 if turn < ROUNDS // 2 else 1  # towards the middle, until they touch
        apart = at[:, None] - at[None]
        distance = np.hypot(*np.moveaxis(apart, 2, 0)) + np.eye(len(at))
        overlap = np.maximum(room - distance, 0) * (1 - np.eye(len(at)))
        at += (apart * (overlap / distance / 2)[:, :, None]).sum(axis=1)
    return np.column_stack([at, radii])
