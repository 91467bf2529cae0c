"""The map of a library: passages in the discs of their partitions, those lit that a conversation has touched, and over
them the walk of a turn. Where things lie depends on what is shown alone, so that the same map looks the same again."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from clew.agent.state import Turn
from clew.memory.datatypes import Chunk, Floats, Ints, Subgraph
from clew.memory.nodes import Partitioning
from clew.memory.ports import Graph, Search
from clew.memory.vectors import looked_up
from clew.memory.walk_paths import on_ways, parents
from clew.ui.plain import one_line
from clew.ui.rendering import place_of

MOST, LINES = 2000, 4000
"""Passages on the map, and lines between them, the strongest first."""

PARTITIONS, AROUND = 60, 10
"""Partitions on the map, and on one around a single one of them: of many, each shows some of its passages."""

LISTED = 500
"""Partitions that are named beside it."""

APART = 10.0
"""Between two passages, about, in the map's own unit."""

LABEL = 0.12
"""Room between two discs, where their names stand, as a share of about half the width of the map."""

GOLDEN = np.pi * (3 - np.sqrt(5))
"""The angle from one seed of a sunflower to the next (Vogel 1979): no two get in each other's way."""

SEED, ROUNDS = 42, 300


class MapDisc(NamedTuple):
    """A partition by its number; `lit`: the conversation has touched it; a `radius` of 0: it is not drawn."""

    number: int
    name: str
    size: int
    lit: bool
    x: float = 0.0
    y: float = 0.0
    radius: float = 0.0


class MapDot(NamedTuple):
    """A passage, by its id, in the partition of this number; `place` is its page and heading."""

    id: str
    title: str
    place: str
    partition: int
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class LibraryMap:
    """`total` counts the passages of the library. `lines` join two dots by their places, `bridges` two partitions by
    their numbers, and so many edges are in one. Of the `walk`, in its order, each has its dot (-1: it is not in the
    library any more), the place in the walk that it was come to from (-1: it was landed on), and whether it went on."""

    total: int
    discs: Sequence[MapDisc]
    dots: Sequence[MapDot]
    lines: Sequence[tuple[int, int]]
    bridges: Sequence[tuple[int, int, int]]
    walk: Sequence[tuple[int, int, bool]]


def map_of(store: Search, turns: Sequence[Turn], walk: Subgraph | None, around: int = -1) -> LibraryMap:
    """The partitions that the turns have touched, those that bridges join with them, and the largest; or the one of the
    number `around` and those that are joined with it. Raises `ClewError` where a cluster has too many passages."""
    graph = store.part()
    partitioning = graph.partitioning
    walked = _rows(graph, walk.nodes if walk else ())
    touched = _rows(graph, [id_ for turn in turns for id_ in _touched(turn)])
    lit = np.isin(np.arange(partitioning.count), partitioning.of_node[touched[touched >= 0]])
    shown = _chosen(graph, partitioning.of_node[walked[walked >= 0]], lit, around)
    rows, order, lines = _passages(graph, shown, walked)
    own = np.searchsorted(shown, partitioning.of_node[rows])
    sizes = np.bincount(own, minlength=len(shown))
    bridges = _bridges(graph, shown)
    centres, radii = placed(tuple(sizes.tolist()), tuple(bridges))
    far = APART * np.sqrt(order + 0.5)
    at = centres[own] + np.stack([far * np.cos(order * GOLDEN), far * np.sin(order * GOLDEN)], axis=1)
    chunks = store.chunks([graph.layers.chunk_ids[row] for row in rows.tolist()])
    before = parents(walk) if walk else ()
    went = on_ways(before)
    dots_of_walk = looked_up(rows, walked, np.arange(len(rows)), -1).tolist()
    return LibraryMap(
        total=len(partitioning.of_node),
        discs=_discs(partitioning, lit, shown, np.column_stack([centres, radii])),
        dots=[_dot(*one) for one in zip(chunks, shown[own].tolist(), at.round(1).tolist(), strict=True)],
        lines=lines,
        bridges=[(int(shown[one]), int(shown[other]), edges) for one, other, edges in bridges],
        walk=[(dot, back, n in went) for n, (dot, back) in enumerate(zip(dots_of_walk, before, strict=True))],
    )


def _touched(turn: Turn) -> Iterator[str]:
    """The passages that the answer has, and those that were walked to, and from."""
    yield from (source.id for source in turn.answer.sources)
    if turn.walk:
        yield from (turn.walk.nodes[place] for place in on_ways(parents(turn.walk)))


def _rows(graph: Graph, ids: Sequence[str]) -> Ints:
    """Of each chunk its row; -1 of what is no chunk of the library."""
    return np.array([graph.layers.chunk_numbers.get(id_, -1) for id_ in ids], np.int64)


def _chosen(graph: Graph, walked: Ints, lit: NDArray[np.bool_], around: int) -> Ints:
    """The partitions that are shown, rising."""
    numbers, (ends, joining) = np.arange(len(lit)), graph.cells.bridge_pairs()
    first = numbers == around if around >= 0 else lit
    near = np.zeros(len(lit))
    for one, other in (ends, ends[::-1]):
        np.add.at(near, one, joining * first[other])
    sizes = np.diff(graph.partitioning.members.starts)
    order = np.lexsort((-sizes, -near, ~first, ~np.isin(numbers, walked) & (around < 0)))
    return np.sort(order[: PARTITIONS if around < 0 else AROUND])


def _passages(graph: Graph, shown: Ints, walked: Ints) -> tuple[Ints, Ints, list[tuple[int, int]]]:
    """Those that are shown, rising; of each its place in its partition, from the middle; and the lines between them.
    Of too many each partition has as many as all others, those of the walk and those with the most edges first."""
    rows, partitioning, nodes = np.sort(graph.partitioning.members.of(shown)[0]), graph.partitioning, graph.nodes
    edges = graph.cells.among(shown)
    ends = np.searchsorted(rows, np.stack([nodes.sources[edges], nodes.targets[edges]]))
    degrees, own = np.bincount(ends.reshape(-1), minlength=len(rows)), partitioning.of_node[rows]
    sizes = np.bincount(np.searchsorted(shown, own), minlength=len(shown))
    level = int(np.searchsorted([np.minimum(sizes, most).sum() for most in range(1, MOST + 1)], MOST, side="right"))
    kept = np.flatnonzero(_ranked(own, (-degrees, ~np.isin(rows, walked))) < level)
    within = own[ends[0]] == own[ends[1]]
    pairs, weights = np.searchsorted(kept, ends[:, within]), nodes.weights[edges][within]
    there = np.isin(ends[:, within], kept).all(axis=0)
    best = np.argsort(-weights[there], kind="stable")[:LINES]
    lines = [(int(one), int(other)) for one, other in pairs[:, there][:, best].T]
    return rows[kept], _ranked(own[kept], (-degrees[kept],)), lines


def _ranked(groups: Ints, by: tuple[Ints, ...]) -> Ints:
    """Of each its place in its group, from 0, by these keys, the last one first."""
    order = np.lexsort((*by, groups))
    ranks = np.empty(len(groups), np.int64)
    ranks[order] = np.arange(len(groups)) - np.searchsorted(groups[order], groups[order])
    return ranks


def _bridges(graph: Graph, shown: Ints) -> list[tuple[int, int, int]]:
    ends, joining = graph.cells.bridge_pairs()
    at = looked_up(shown, ends.reshape(-1), np.arange(len(shown)), -1).reshape(ends.shape)
    there = (at >= 0).all(axis=0)
    return [(int(one), int(other), int(n)) for one, other, n in zip(*at[:, there], joining[there], strict=True)]


@lru_cache(8)
def placed(sizes: tuple[int, ...], bridges: tuple[tuple[int, int, int], ...]) -> tuple[Floats, Floats]:
    """Where the discs of these sizes lie, shape (discs, 2), and their radii: springs draw them together by the share of
    their passages that bridges join, then they make room for each other."""
    import networkx

    own = APART * np.sqrt(np.array(sizes, float))
    radii = own + LABEL / 2 * np.sqrt((own**2).sum())
    graph = networkx.Graph()
    graph.add_nodes_from(range(len(sizes)))
    graph.add_weighted_edges_from((one, other, n / (sizes[one] * sizes[other]) ** 0.5) for one, other, n in bridges)
    found = networkx.spring_layout(graph, seed=SEED, iterations=ROUNDS)
    at = np.array([found[one] for one in range(len(sizes))]).reshape(-1, 2) * (1.4, 1) * np.sqrt((radii**2).sum())
    for turn in range(ROUNDS):
        at *= 0.99 if turn < ROUNDS // 2 else 1  # towards the middle, until they touch
        apart = at[:, None] - at[None]
        distance = np.hypot(*np.moveaxis(apart, 2, 0)) + np.eye(len(at))
        overlap = np.triu(np.maximum(radii[:, None] + radii[None] - distance, 0), 1)
        push = apart * ((overlap + overlap.T) / distance / 2)[:, :, None]
        at += push.sum(axis=1)
    return at, own


def _discs(partitioning: Partitioning, lit: NDArray[np.bool_], shown: Ints, at: Floats) -> list[MapDisc]:
    """Those that are lit and those that are drawn first, the largest of each first; of all others `LISTED` at most."""
    sizes, drawn = np.diff(partitioning.members.starts), np.isin(np.arange(len(lit)), shown)
    order = np.lexsort((-sizes, ~drawn, ~lit))
    where = dict(zip(shown.tolist(), at.round(1).tolist(), strict=True))
    kept = [n for place, n in enumerate(order.tolist()) if place < LISTED or n in where]
    names = partitioning.names
    return [MapDisc(n, one_line(names[n]), int(sizes[n]), bool(lit[n]), *where.get(n, ())) for n in kept]


def _dot(chunk: Chunk, partition: int, at: tuple[float, float]) -> MapDot:
    return MapDot(chunk.id, one_line(chunk.title) or chunk.document, place_of(chunk), partition, *at)
