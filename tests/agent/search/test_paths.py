"""A walk as paths and lines."""

from dataclasses import replace

from clew.agent.search.walk import arrow, chain, depths, joined, lines, parents
from clew.memory.datatypes import Edge, Subgraph
from tests.agent.walks import WALK


def test_each_node_knows_what_it_was_walked_to_from() -> None:
    before = parents(WALK)
    assert before == (-1, -1, 0, 2, 0)
    assert depths(before) == (0, 0, 1, 2, 1)
    assert chain(before, 3) == (0, 2, 3) and chain(before, 1) == (1,)
    assert (parents(Subgraph()), lines(Subgraph())) == ((), ())


def test_an_edge_is_shown_in_its_own_direction() -> None:
    before = parents(WALK)
    assert arrow(WALK, before, 2) == "-[title link]->"
    assert arrow(WALK, before, 4) == "<-[Ufa]-"


def test_lines_go_to_the_ends_best_first_and_name_a_document_once() -> None:
    assert lines(WALK) == ("Metropolis -> Thea von Harbou", "Metropolis -> Fritz Lang")


def test_two_paths_of_the_same_titles_are_one_line_and_one_of_one_title_is_none() -> None:
    nodes = (*WALK.nodes, "harbou-2", "laika-2")
    edges = (*WALK.edges, Edge("metropolis", "harbou-2", "1927"), Edge("laika", "laika-2", "next"))
    more = replace(
        WALK,
        nodes=nodes,
        edges=edges,
        titles=(*WALK.titles, "Thea von Harbou", "Laika"),
        scores=(*WALK.scores, 0.1, 0.1),
        partitions=(*WALK.partitions, "people", "animals"),
    )
    assert lines(more) == lines(WALK)


SECOND = Subgraph(
    nodes=("babel", "lang", "vienna", "danube", "prater"),
    edges=(Edge("lang", "vienna", "born in"), Edge("vienna", "danube", "lies on"), Edge("babel", "prater", "tower")),
    titles=("Babel", "Fritz Lang", "Vienna", "Danube", "Prater"),
    scores=(0.1, 0.2, 0.3, 0.05, 0.01),
    partitions=("towers", "people", "cities", "rivers", "cities"),
    landings=2,
    back=("vienna", "prater"),
)
"""A further walk: it lands on a node to which the first one walked, and goes on from there."""


def test_of_a_further_walk_the_paths_to_what_is_wanted_go_on_from_the_first() -> None:
    both = joined(WALK, SECOND, ["vienna", "laika"])
    assert both.nodes == (*WALK.nodes, "vienna") and both.landings == WALK.landings
    assert both.edges == (*WALK.edges, Edge("lang", "vienna", "born in"))
    assert (both.titles[5], both.scores[5], both.partitions[5]) == ("Vienna", 0.3, "cities")
    assert both.back == ("vienna",)
    assert chain(parents(both), 5) == (0, 2, 5) and "Metropolis -> Fritz Lang -> Vienna" in lines(both)


def test_of_a_further_walk_a_new_landing_stands_behind_the_others_and_its_way_is_whole() -> None:
    both = joined(WALK, SECOND, ["prater", "danube"])
    assert both.nodes[: both.landings] == ("metropolis", "laika", "babel")
    assert both.nodes[both.landings :] == ("lang", "lang-2", "harbou", "vienna", "danube", "prater")
    before = parents(both)
    assert [both.nodes[place] for place in chain(before, 8)] == ["babel", "prater"]
    assert [both.nodes[place] for place in chain(before, 7)] == ["metropolis", "lang", "vienna", "danube"]
    assert [both.titles[n] for n in (2, 3, 8)] == ["Babel", "Fritz Lang", "Prater"]


def test_a_further_walk_that_came_to_nothing_new_leaves_the_first_as_it_is() -> None:
    assert joined(WALK, SECOND, ["metropolis", "lang", "elsewhere"]) == WALK


def test_what_a_checkpoint_gives_back_as_lists_is_read_alike() -> None:
    given = Subgraph(
        list(WALK.nodes),  # type: ignore[arg-type]
        list(WALK.edges),  # type: ignore[arg-type]
        list(WALK.titles),  # type: ignore[arg-type]
        list(WALK.scores),  # type: ignore[arg-type]
        list(WALK.partitions),  # type: ignore[arg-type]
        WALK.landings,
    )
    assert lines(given) == lines(WALK)
