"""A walk as paths and lines."""

from dataclasses import replace

from agent.paths import arrow, chain, depths, lines, parents
from memory.datatypes import Edge, Subgraph
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
