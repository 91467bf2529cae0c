"""Landing and walking on graphs made by hand: bounds, going back, hubs, answers, islands."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.memory.datatypes import Ints
from clew.memory.knowledge.walking.walker import StepParameters, Stitched, Visit, landings, wander
from tests.memory.knowledge.partitioning.made import graph
from tests.memory.knowledge.walking.made import graph_of, ints, stitched_of

PLAIN = StepParameters(landings=1, beam=1, depth=3, path=0.0, edge=0.0, hub=0.0)
Masses = Callable[[Ints], np.ndarray[tuple[int], np.dtype[np.float64]]]


def by(masses: Sequence[float]) -> Masses:
    return lambda rows: np.array([masses[row] for row in rows.tolist()])


def never(node: int) -> bool:
    return False


def walked(
    stitched: Stitched,
    landed: Sequence[int],
    masses: Sequence[float],
    parameters: StepParameters = PLAIN,
    answers: Callable[[int], bool] = never,
) -> list[Visit]:
    return wander(stitched, ints(landed), by(masses), answers, parameters)


def nodes(visits: Sequence[Visit]) -> list[int]:
    return [visit.node for visit in visits]


def test_landings_are_the_best_of_each_partition() -> None:
    stitched = stitched_of(graph(8, []), [0, 0, 0, 1, 1, 1, 2, 2], [1, 0], hub_nodes=[4])
    rows, masses = ints([0, 1, 2, 3, 4, 5, 6]), np.array([0.1, 0.6, 0.2, 0.3, 0.9, 0.5, 1.0])
    assert landings(stitched, rows, masses, 1).tolist() == [
        1,
        5,
    ]  # 4 is a hub node, 6 in no chosen partition
    assert landings(stitched, rows, masses, 2).tolist() == [1, 5, 3, 2]
    assert landings(stitched, rows, masses, 9).tolist() == [1, 5, 3, 2, 0]
    assert landings(stitched, rows, masses, 0).tolist() == []


def test_only_what_was_weighed_is_landed_on_and_ties_go_by_their_order() -> None:
    stitched = stitched_of(graph(4, []), [0, 0, 0, 0], [0])
    assert landings(stitched, ints([2, 1]), np.array([0.5, 0.5]), 1).tolist() == [2]
    assert landings(stitched, ints([]), np.zeros(0), 3).tolist() == []


def test_a_partition_of_hub_nodes_and_one_of_islands() -> None:
    stitched = stitched_of(graph(4, []), [0, 0, 1, 1], [0, 1], hub_nodes=[0, 1])
    landed = landings(stitched, ints([0, 1, 2, 3]), np.array([4.0, 3, 2, 1]), 3)
    assert landed.tolist() == [2, 3]
    assert nodes(walked(stitched, landed.tolist(), [4.0, 3, 2, 1])) == [2, 3]


def test_nothing_is_stitched_and_nothing_is_landed_on() -> None:
    nothing = stitched_of(graph(3, [(0, 1)]), [0, 0, 1], [])
    assert landings(nothing, ints([0, 2]), np.array([0.5, 0.4]), 3).tolist() == []
    assert walked(nothing, [], [0.0, 0, 0]) == []


CHAIN = stitched_of(graph(6, [(0, 1), (2, 1), (2, 3), (3, 4), (4, 5)]), [0] * 6, [0])


def test_a_chain_is_walked_in_both_directions_of_its_edges_to_the_depth() -> None:
    visits = walked(CHAIN, [0], [0.0] * 6)
    assert nodes(visits) == [0, 1, 2, 3]
    assert [visit.before for visit in visits] == [-1, 0, 1, 2]
    assert [visit.depth for visit in visits] == [0, 1, 2, 3]
    ends = [(int(CHAIN.graph.sources[v.edge]), int(CHAIN.graph.targets[v.edge])) for v in visits[1:]]
    assert ends == [(0, 1), (2, 1), (2, 3)]
    assert not any(visit.back for visit in visits)
    assert nodes(walked(CHAIN, [0], [0.0] * 6, replace(PLAIN, depth=0))) == [0]


def test_it_goes_back_where_a_branch_dries_up() -> None:
    """0 leads to 1 (promising) and 2; beyond 1 there is only 3, which weighs little."""
    fork = stitched_of(graph(5, [(0, 1), (0, 2), (1, 3), (2, 4)]), [0] * 5, [0])
    visits = walked(fork, [0], [1.0, 0.9, 0.5, -5.0, 0.8])
    assert nodes(visits) == [0, 1, 2, 4]
    assert [visit.before for visit in visits] == [-1, 0, 0, 2]
    assert [visit.back for visit in visits] == [False, False, True, False]
    assert nodes(walked(fork, [0], [1.0, 0.9, 0.5, 0.6, 0.8])) == [0, 1, 3, 2]


def test_a_dead_end_is_no_end_while_other_ways_are_open() -> None:
    fork = stitched_of(graph(4, [(0, 1), (0, 2), (0, 3)]), [0] * 4, [0])
    visits = walked(fork, [0], [1.0, 0.1, 0.3, 0.2])
    assert nodes(visits) == [0, 2, 3, 1] and [visit.before for visit in visits] == [-1, 0, 0, 0]
    assert [visit.back for visit in visits] == [False, False, True, True]


def test_a_landing_that_answers_does_not_end_it() -> None:
    """What has all words of a question often names the answer, and is not it."""
    assert len(walked(CHAIN, [0], [0.0] * 6, answers=lambda node: node == 0)) > 1


def test_it_stops_at_a_node_that_answers() -> None:
    assert nodes(walked(CHAIN, [0], [0.0] * 6, answers=lambda node: node == 2)) == [0, 1, 2]


def test_one_that_answers_is_enough_and_of_equal_ways_the_first_is_gone() -> None:
    fork = stitched_of(graph(5, [(0, 1), (0, 2), (1, 3), (2, 4)]), [0] * 5, [0])
    wide = replace(PLAIN, beam=2)
    assert nodes(walked(fork, [0], [0.0] * 5, wide, lambda node: node == 2)) == [0, 1, 2]
    joined = stitched_of(graph(3, [(0, 2), (1, 2)]), [0] * 3, [0])
    assert walked(joined, [0, 1], [1.0, 1.0, 0.5], wide)[-1].before == 0


def test_a_light_beginning_is_light_beside_the_best_of_its_round() -> None:
    """0 leads to 1 and 2, and 1 to 3: 2 at 1 - 0 is better than 3 at .8 - 0."""
    fork = stitched_of(graph(4, [(0, 1), (0, 2), (1, 3)]), [0] * 4, [0])
    assert nodes(walked(fork, [0], [1.0, 2.0, 1.0, 0.8], replace(PLAIN, path=1.0, depth=2))) == [0, 1, 2]
    # of 0 and 1: 3 at 9 - 0, 2 at 5 - 1, and 4 at 3.9 - 0 is left; then 6 from 3 at 3 - 0
    two = stitched_of(graph(7, [(0, 2), (1, 3), (1, 4), (3, 6)]), [0] * 7, [0])
    masses = [0.0, 1.0, 5.0, 9.0, 3.9, 0.0, 3.0]
    assert nodes(walked(two, [0, 1], masses, replace(PLAIN, path=1.0, depth=2, beam=2))) == [0, 1, 3, 2, 4, 6]


def test_the_beam_bounds_what_is_gone_on_from_not_what_is_landed_on() -> None:
    two = stitched_of(graph(6, [(0, 3), (1, 4), (2, 5)]), [0] * 6, [0])
    masses = [0.1, 0.3, 0.2, 9.0, 0.0, 0.0]
    visits = walked(two, [0, 1, 2], masses, replace(PLAIN, beam=2, depth=1))
    assert nodes(visits) == [0, 1, 2, 4, 5]  # 3 is the best of all, but its landing is beyond the beam
    assert [visit.before for visit in visits[3:]] == [1, 2]


def test_a_hub_is_discounted() -> None:
    """0 is joined with 2 and with 7 others, 1 with 3 alone."""
    hub = stitched_of(graph(11, [(0, 2), (1, 3), *((0, n) for n in range(4, 11))]), [0] * 11, [0])
    masses = [1.0, 1.0, 0.3, 0.2, *[-9.0] * 7]
    wide = replace(PLAIN, beam=2, depth=1)
    assert nodes(walked(hub, [0, 1], masses, wide))[2:] == [2, 3]
    assert nodes(walked(hub, [0, 1], masses, replace(wide, hub=0.25)))[2:] == [3, 2]


def test_weak_edges_and_light_beginnings_count_less() -> None:
    weak = stitched_of(graph_of(4, [(0, 2, 0, 0.1), (1, 3, 0, 1.0)], ("shared",)), [0] * 4, [0])
    masses, wide = [1.0, 1.0, 0.3, 0.2], replace(PLAIN, beam=2, depth=1)
    assert nodes(walked(weak, [0, 1], masses, wide))[2:] == [2, 3]
    assert nodes(walked(weak, [0, 1], masses, replace(wide, edge=0.25)))[2:] == [3, 2]
    light = [0.0, 1.0, 0.3, 0.2]
    assert nodes(walked(weak, [0, 1], light, replace(wide, path=0.25)))[2:] == [3, 2]


def test_hub_nodes_is_walked_through() -> None:
    chain = stitched_of(graph(3, [(0, 1), (1, 2)]), [0] * 3, [0], hub_nodes=[1])
    assert nodes(walked(chain, [0], [0.0] * 3)) == [0, 1, 2]


def test_several_edges_between_two_are_one_step_by_the_strongest() -> None:
    double = stitched_of(graph_of(2, [(0, 1, 0, 0.2), (0, 1, 1, 1.0), (1, 0, 0, 0.5)], ("a", "b")), [0, 0], [0])
    visits = walked(double, [0], [0.0, 0.0], replace(PLAIN, edge=0.25))
    assert [(visit.node, visit.edge) for visit in visits] == [(0, -1), (1, 1)]


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
