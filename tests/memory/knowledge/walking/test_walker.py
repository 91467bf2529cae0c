"""The walker over the shipped documents, nodes weighed by the cosine alone: what is looked at, chosen, landed on."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.memory.datatypes import Floats, Ints, Query
from clew.memory.encoding import CachedEncoder
from clew.memory.knowledge.aligners.scoring import Aligner
from clew.memory.knowledge.library import Library
from clew.memory.knowledge.library_ports import Search
from clew.memory.knowledge.nodes import SHARED, TITLE_LINK, NodeGraph, cells_of
from clew.memory.knowledge.question import LibraryQuestion
from clew.memory.knowledge.walking.features import AROUND, DIRECT, PATH, MassLayer, NodeScorer, PathLine
from clew.memory.knowledge.walking.walker import (
    StepParameters,
    Stitched,
    ThinkParameters,
    Visit,
    Walker,
    WalkerParameters,
    choose,
    stitch,
    votes,
    wander,
)
from clew.tools.base import encode_query
from tests.memory.knowledge.partitioning.made import graph
from tests.memory.knowledge.walking.made import graph_of, ints, partitioning_of, stitched_of

HITS = ints([2, 20, 33, 50, 65])
STAYS = StepParameters(landings=1, depth=0)
ALL = ThinkParameters(top=5, least=0)


def by_cosine() -> NodeScorer:
    def layer(count: int) -> MassLayer:
        line = np.zeros(count)
        line[DIRECT.index("cosine")] = 1.0
        return MassLayer(np.zeros(count), np.ones(count), line, np.zeros((0, count)), np.zeros(0), np.zeros(0))

    return NodeScorer(layer(len(DIRECT)), layer(len(DIRECT) + len(AROUND)), PathLine(1.0, 0.0, np.zeros(len(PATH))))


@pytest.fixture
def query(encoder: CachedEncoder) -> Query:
    return encode_query("Who walked on the far side of it?", [], encoder)  # it names no title


def walker(store: Search, think: ThinkParameters = ALL, walk: StepParameters = STAYS, **more: Any) -> Walker:
    parameters = WalkerParameters(think=think, walk=walk, **{k: more.pop(k) for k in ("named", "looked") if k in more})
    return Walker(store, parameters, scorer=by_cosine(), **more)


def cosines(question: LibraryQuestion) -> Floats:
    return question.cosines(np.arange(len(question.graph.layers.chunk_ids)))


@dataclass(frozen=True)
class Even(Aligner):
    """Gives all partitions far more than the threshold of votes."""

    name = "even"

    def scores(self, found: object) -> np.ndarray[Any, np.dtype[np.float32]]:
        return np.array([3, 3, 3, 4, 3], np.float32)


def test_an_aligner_takes_the_place_of_votes_and_has_no_threshold(examples: Library, query: Query) -> None:
    made = walker(examples.store, ThinkParameters(top=1, above=0.15, least=0), aligner=Even())
    thought = made.think(made.question(query), ints([]))
    assert thought.partitions.tolist() == [3, 3, 3, 4, 3] and made.stitch(thought).partitions.tolist() == [3]


def landed(graph: Any, near: Floats, allowed: Ints) -> set[int]:
    """The nearest node of each partition, of those in scope."""
    of = graph.partitioning.of_node
    each = [allowed[of[allowed] == number] for number in range(graph.partitioning.count)]
    return {int(nodes[np.argmax(near[nodes])]) for nodes in each if len(nodes)}


def test_it_lands_on_the_nearest_of_each_partition_and_looks_at_the_best_that_were_found(
    examples: Library, query: Query
) -> None:
    made = walker(examples.store, looked=1)
    question = made.question(query)
    near, thought = cosines(question), made.think(question, HITS)
    walked = made.walk(thought, made.stitch(thought))
    best, nearest = int(HITS[np.argmax(near[HITS])]), landed(made.graph, near, np.arange(len(near)))
    assert best not in nearest and set(walked.nodes.tolist()) == nearest | {best}
    assert walked.masses == pytest.approx(near[walked.nodes]) and (np.diff(walked.masses) <= 0).all()
    assert [visit.node for visit in walked.visits] == [node for node in walked.nodes.tolist() if node in nearest]


def test_a_scope_bounds_what_is_landed_on(examples: Library, query: Query) -> None:
    graph = examples.store.part()
    scope = frozenset(graph.layers.document_ids[:6])
    made = walker(examples.store)
    question = made.question(replace(query, scope=scope))
    inside = np.flatnonzero(graph.layers.chunks_within(scope))
    thought = made.think(question, inside[:1])
    walked = made.walk(thought, made.stitch(thought))
    near = cosines(made.question(query))
    assert set(walked.nodes.tolist()) == landed(graph, near, inside) | {int(inside[0])}


# Which partitions are chosen: votes, K, tau, and the bounds of nodes.

SIZES = [4, 4, 4, 4, 4, 4, 4, 4]
EIGHT = partitioning_of([place for place, size in enumerate(SIZES) for _ in range(size)])


def chosen(scores: Sequence[float], parameters: ThinkParameters, found: Sequence[int] = ()) -> list[int]:
    numbers: list[int] = choose(np.array(scores), ints(found), EIGHT, parameters).tolist()
    return numbers


def test_votes_are_the_shares_of_the_nodes_and_hub_nodes_has_none() -> None:
    partitioning = partitioning_of([0, 0, 1, 1, 2], hub_nodes=[1, 2])
    found = votes(ints([0, 1, 2, 3]), np.array([0.4, 0.3, 0.2, 0.1]), partitioning)
    assert found == pytest.approx([0.4, 0.1, 0])
    assert votes(ints([]), np.zeros(0), partitioning).tolist() == [0, 0, 0]


SCORES = [0.05, 0.3, 0.16, 0.14, 0.2, 0.15, 0.0, 0.0]


def test_the_seed_takes_the_top_and_all_above() -> None:
    assert chosen(SCORES, ThinkParameters(top=3, above=2.0, least=0)) == [1, 4, 2]
    assert chosen(SCORES, ThinkParameters(top=1, above=0.15, least=0)) == [1, 4, 2, 5]
    assert chosen(SCORES, ThinkParameters(top=6, above=0.15, least=0)) == [1, 4, 2, 5, 3, 0]


@settings(deadline=None)
@given(
    st.lists(st.sampled_from([0.0, 0.1, 0.15, 0.3]), min_size=8, max_size=8),
    st.lists(st.integers(0, 31), max_size=5),
    st.builds(ThinkParameters, st.integers(1, 9), st.sampled_from([0.1, 0.2]), st.integers(0, 40), st.integers(0, 40)),
)
def test_each_once_and_within_the_bounds(scores: list[float], found: list[int], parameters: ThinkParameters) -> None:
    taken = chosen(scores, parameters, found)
    assert len(set(taken)) == len(taken) >= 1 and taken[0] == int(np.argmax(scores))
    nodes = sum(SIZES[partition] for partition in taken)
    assert nodes <= max(parameters.most, SIZES[taken[0]])
    assert nodes >= min(parameters.least, parameters.most - 3, sum(SIZES))


def test_of_a_small_library_half_is_taken() -> None:
    usual = ThinkParameters()
    assert usual.within(500) == usual and usual.within(10**6) == usual
    assert (usual.within(71).least, usual.within(71).most) == (36, 36)
    assert (usual.within(1).most, ThinkParameters(most=5).within(71).most) == (1, 5)
    assert chosen(SCORES, usual.within(32)) == [1, 4, 2, 5]
    assert chosen(SCORES, ThinkParameters(share=0.25).within(32)) == [1, 4]


# The stitched graph: all edges among the chosen partitions and no other, places, ways, scope.


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


# Landing and walking on graphs made by hand: bounds, going back, hubs, answers, islands.

PLAIN = StepParameters(landings=1, beam=1, depth=3, path=0.0, edge=0.0, hub=0.0)
WIDE = replace(PLAIN, beam=2, depth=1)


def walked(
    stitched: Stitched,
    landed: Sequence[int],
    masses: Sequence[float],
    parameters: StepParameters = PLAIN,
    answers: Callable[[int], bool] = lambda _: False,
) -> list[Visit]:
    return wander(stitched, ints(landed), lambda rows: np.array(masses)[rows], answers, parameters)


def nodes(visits: Sequence[Visit]) -> list[int]:
    return [visit.node for visit in visits]


FORK = stitched_of(graph(5, [(0, 1), (0, 2), (1, 3), (2, 4)]), [0] * 5, [0])
CHAIN = stitched_of(graph(6, [(0, 1), (2, 1), (2, 3), (3, 4), (4, 5)]), [0] * 6, [0])


def test_it_goes_back_where_a_branch_dries_up() -> None:
    """0 leads to 1 (promising) and 2; beyond 1 there is only 3, which weighs little."""
    visits = walked(FORK, [0], [1.0, 0.9, 0.5, -5.0, 0.8])
    assert nodes(visits) == [0, 1, 2, 4]
    assert [visit.before for visit in visits] == [-1, 0, 0, 2]
    assert [visit.back for visit in visits] == [False, False, True, False]


HUB = stitched_of(graph(11, [(0, 2), (1, 3), *((0, n) for n in range(4, 11))]), [0] * 11, [0])
"""0 is joined with 2 and with 7 others, 1 with 3 alone."""

WEAK = stitched_of(graph_of(4, [(0, 2, 0, 0.1), (1, 3, 0, 1.0)], ("shared",)), [0] * 4, [0])
THROUGH = stitched_of(graph(3, [(0, 1), (1, 2)]), [0] * 3, [0], hub_nodes=[1])
LINKED = stitched_of(graph_of(4, [(0, 1, 0, 1.0), (0, 2, 1, 0.5), (3, 0, 0, 1.0)], (TITLE_LINK, SHARED)), [0] * 4, [0])
"""0 names 1 and shares an entity with 2; 3 names 0."""

FEW = [1.0, 1.0, 0.3, 0.2, *[-9.0] * 7]
TO_LINKS = replace(PLAIN, depth=2)


@pytest.mark.parametrize(
    ("stitched", "landed", "masses", "parameters", "expected"),
    [
        (CHAIN, [0], [0.0] * 6, replace(PLAIN, depth=0), [0]),
        (CHAIN, [0], [0.0] * 6, PLAIN, [0, 1, 2, 3]),
        (FORK, [0], [1.0, 0.9, 0.5, 0.6, 0.8], PLAIN, [0, 1, 3, 2]),
        (HUB, [0, 1], FEW, WIDE, [0, 1, 2, 3]),
        (HUB, [0, 1], FEW, replace(WIDE, hub=0.25), [0, 1, 3, 2]),
        (WEAK, [0, 1], FEW, WIDE, [0, 1, 2, 3]),
        (WEAK, [0, 1], FEW, replace(WIDE, edge=0.25), [0, 1, 3, 2]),
        (WEAK, [0, 1], [0.0, *FEW[1:]], replace(WIDE, path=0.25), [0, 1, 3, 2]),
        (THROUGH, [0], [0.0] * 3, PLAIN, [0, 1, 2]),
        (LINKED, [0], [2.0, 0.0, 0.5, -1.0], replace(TO_LINKS, link=2.0), [0, 1, 2]),
        (LINKED, [0], [2.0, 0.0, 0.5, -1.0], replace(TO_LINKS, link=0.0), [0, 2, 1]),
    ],
    ids=["no step", "both ways of edges", "the better branch", "a hub", "a hub discounted", "a weak edge",
         "a weak edge counts less", "a light beginning counts less", "through a hub node", "a link leads first",
         "a link counts nothing"],
)  # fmt: skip
def test_where_a_walk_leads(
    stitched: Stitched, landed: list[int], masses: list[float], parameters: StepParameters, expected: list[int]
) -> None:
    assert nodes(walked(stitched, landed, masses, parameters)) == expected


def test_it_stops_at_a_node_that_answers_but_not_at_a_landing() -> None:
    """What has all words of a question often names the answer, and is not it."""
    assert nodes(walked(CHAIN, [0], [0.0] * 6, answers=lambda node: node in (0, 2))) == [0, 1, 2]


@st.composite
def walks(draw: st.DrawFn) -> tuple[Stitched, list[int], list[float], StepParameters]:
    count = draw(st.integers(1, 12))
    node = st.integers(0, count - 1)
    edges = draw(st.lists(st.tuples(node, node), max_size=30))
    of_node = [0, *draw(st.lists(st.integers(0, 1), min_size=count - 1, max_size=count - 1))]
    stitched = stitched_of(graph(count, edges), of_node, [0])
    masses = draw(st.lists(st.sampled_from([-3.0, -1.0, 0.0, 0.5, 2.0]), min_size=count, max_size=count))
    landed = draw(st.lists(st.sampled_from(stitched.nodes.tolist()), max_size=4, unique=True))
    few = st.integers(0, 4)
    parameters = StepParameters(beam=draw(st.integers(1, 4)), depth=draw(few))
    return stitched, landed, masses, parameters


@settings(deadline=None)
@given(walks())
def test_what_every_walk_keeps(case: tuple[Stitched, list[int], list[float], StepParameters]) -> None:
    stitched, landed, masses, parameters = case
    visits = walked(stitched, landed, masses, parameters)
    assert nodes(visits)[: len(landed)] == landed
    assert len(set(nodes(visits))) == len(visits)  # never twice through a node
    assert set(nodes(visits)) <= set(stitched.nodes.tolist())
    edges = set(stitched.edges.tolist())
    for place, visit in enumerate(visits):
        assert visit.mass == masses[visit.node]
        if place < len(landed):
            assert (visit.before, visit.edge, visit.depth) == (-1, -1, 0)
            continue
        assert 0 <= visit.before < place and visit.edge in edges
        ends = {int(stitched.graph.sources[visit.edge]), int(stitched.graph.targets[visit.edge])}
        assert ends == {visit.node, visits[visit.before].node}
        assert visits[visit.before].depth < visit.depth <= parameters.depth
    for depth in range(1, parameters.depth + 1):
        assert sum(visit.depth == depth for visit in visits) <= parameters.beam
    assert walked(stitched, landed, masses, parameters) == visits
