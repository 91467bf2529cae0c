"""The stitched graph: all edges among the chosen partitions and no other, places, ways, scope."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.memory.knowledge.walking.walker import stitch
from clew.memory.nodes import TITLE_LINK, NodeGraph, cells_of
from tests.memory.knowledge.partitioning.made import graph
from tests.memory.knowledge.walking.made import graph_of, ints, partitioning_of, stitched_of


@st.composite
def cases(draw: st.DrawFn) -> tuple[NodeGraph, list[int], list[int], list[bool]]:
    """A graph, the partition of each node without a gap, partitions in some order, and the nodes in scope."""
    of_node = draw(st.lists(st.integers(0, 5), min_size=1, max_size=14))
    numbers = sorted(set(of_node))
    of_node = [numbers.index(number) for number in of_node]
    nodes = st.integers(0, len(of_node) - 1)
    edges = draw(st.lists(st.tuples(nodes, nodes), max_size=40))
    chosen = draw(st.permutations(range(len(numbers))))[: draw(st.integers(0, len(numbers)))]
    allowed = draw(st.lists(st.booleans(), min_size=len(of_node), max_size=len(of_node)))
    return graph(len(of_node), edges), of_node, chosen, allowed


@settings(deadline=None)
@given(cases())
def test_edges_are_those_with_both_ends_inside(case: tuple[NodeGraph, list[int], list[int], list[bool]]) -> None:
    made, of_node, chosen, allowed = case
    partitioning = partitioning_of(of_node)
    ends = list(zip(made.sources.tolist(), made.targets.tolist(), strict=True))
    for scope in (None, np.array(allowed)):
        found = stitch(ints(chosen), partitioning, cells_of(made, partitioning), made, scope)
        inside = [node for p in chosen for node, of in enumerate(of_node) if of == p and (scope is None or scope[node])]
        assert found.nodes.tolist() == inside
        assert sorted(found.edges.tolist()) == [e for e, (a, b) in enumerate(ends) if a in inside and b in inside]
        parts = np.split(found.nodes, found.starts[1:-1]) if chosen else []
        assert [{of_node[node] for node in part.tolist()} <= {p} for part, p in zip(parts, chosen, strict=True)] == [
            True
        ] * len(chosen)


@settings(deadline=None)
@given(cases())
def test_places_and_ways_are_what_loops_find(case: tuple[NodeGraph, list[int], list[int], list[bool]]) -> None:
    made, of_node, chosen, _ = case
    found = stitched_of(made, of_node, chosen)
    inside = found.nodes.tolist()
    every = list(range(len(of_node)))
    assert found.place_of(ints(every)).tolist() == [inside.index(n) if n in inside else -1 for n in every]
    asked = inside[:3]
    ways = found.ways_from(ints(asked))
    slow = [
        (place, b if a == node else a, edge)
        for place, node in enumerate(asked)
        for edge, (a, b) in enumerate(zip(made.sources.tolist(), made.targets.tolist(), strict=True))
        if node in (a, b) and (b if a == node else a) in inside
    ]
    assert sorted(zip(ways.of.tolist(), ways.others.tolist(), ways.edges.tolist(), strict=True)) == sorted(slow)


def test_bridges_are_there_and_their_other_side_is_not_where_it_was_not_chosen() -> None:
    bridged = graph(6, [(0, 1), (1, 2), (2, 3), (3, 4), (5, 0)])
    found = stitched_of(bridged, [0, 0, 1, 1, 2, 2], [1, 0])
    ends = {(int(bridged.sources[edge]), int(bridged.targets[edge])) for edge in found.edges}
    assert ends == {(0, 1), (1, 2), (2, 3)}
    assert found.nodes.tolist() == [2, 3, 0, 1] and found.starts.tolist() == [0, 2, 4]


def test_hub_nodes_is_marked_where_it_stands() -> None:
    found = stitched_of(graph(4, []), [0, 0, 1, 1], [1, 0], hub_nodes=[0, 3])
    assert found.hub_nodes.tolist() == [False, True, True, False]


def test_nothing_is_chosen() -> None:
    found = stitched_of(graph(3, [(0, 1)]), [0, 0, 1], [])
    assert len(found.nodes) == len(found.edges) == 0 and found.starts.tolist() == [0]
    assert found.place_of(ints([0, 2])).tolist() == [-1, -1]


def test_links_by_title_count_forwards_alone() -> None:
    made = graph_of(3, [(0, 1, 0, 1.0), (0, 2, 1, 1.0), (2, 0, 0, 1.0)], (TITLE_LINK, "orbits"))
    ways = stitched_of(made, [0, 0, 0], [0]).ways_from(ints([0]))
    ends = zip(made.sources[ways.edges].tolist(), made.targets[ways.edges].tolist(), ways.links.tolist(), strict=True)
    assert sorted(ends) == [(0, 1, True), (0, 2, False), (2, 0, False)]
