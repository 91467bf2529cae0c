"""A walk as paths and lines."""

from dataclasses import replace

from clew.memory.datatypes import Edge, Subgraph
from clew.memory.knowledge.walking.walk_paths import arrow, chain, lines, on_ways, parents, told
from tests.agent.walks import WALK


def test_each_node_knows_what_it_was_walked_to_from() -> None:
    before = parents(WALK)
    assert before == (-1, -1, 0, 2, 0) and on_ways(WALK) == {*WALK.nodes} - {"laika"}
    assert chain(before, 3) == (0, 2, 3) and chain(before, 1) == (1,)
    assert (parents(Subgraph()), lines(Subgraph())) == ((), ())
    assert arrow(WALK, before, 2) == "-[title link]->" and arrow(WALK, before, 4) == "<-[Ufa]-"


def test_lines_go_to_the_ends_best_first_and_name_a_document_once() -> None:
    """Of paths of the same titles one is told, and none of one title; a checkpoint gives lists back for tuples."""
    told = ("Metropolis -> Thea von Harbou", "Metropolis -> Fritz Lang")
    more = replace(
        WALK,
        nodes=(*WALK.nodes, "harbou-2", "laika-2"),
        edges=(*WALK.edges, Edge("metropolis", "harbou-2", "1927"), Edge("laika", "laika-2", "next")),
        titles=(*WALK.titles, "Thea von Harbou", "Laika"),
        scores=(*WALK.scores, 0.1, 0.1),
        partitions=(*WALK.partitions, "people", "animals"),
    )
    given = replace(WALK, nodes=list(WALK.nodes), edges=list(WALK.edges), titles=list(WALK.titles))  # type: ignore[arg-type]
    assert lines(WALK) == lines(more) == lines(given) == told


def test_a_walk_is_told_in_a_sentence() -> None:
    assert told(WALK) == "From “Metropolis” it went to “Thea von Harbou” and to “Fritz Lang”."
    line = replace(WALK, edges=(*WALK.edges[:2], Edge("lang-2", "harbou", "married")))
    assert told(line) == "From “Metropolis” it went by “Fritz Lang” to “Thea von Harbou”."
    names = tuple("abcdefghij")
    edges = (Edge("a", "c"), Edge("c", "d"), Edge("d", "e"), Edge("b", "f"), *(Edge("a", one) for one in "ghij"))
    scores = tuple(1 - n / 10 for n in range(10))
    many = Subgraph(names, edges, tuple(name.upper() for name in names), scores, names, 2)
    assert told(many) == "From “A” it went by “C” and “D” to “E” and to “G”; from “B” it went to “F” (3 ways more)."
    landed = Subgraph(names, (), names, (0.1,) * 10, names, 10)
    assert told(landed) == "It landed on “a” and 9 other documents, and went no further."
    assert told(replace(landed, nodes=("a",), titles=("A",), landings=1)) == "It landed on “A”, and went no further."
