import json
from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.memory.datatypes import Triple
from clew.memory.knowledge.clues.clue_index import (
    SHIPPED,
    TripleGraph,
    arrow,
    entity_key,
    load_aliases,
    normalise,
    triple_graph,
)
from clew.memory.text import stemmed_words
from tests.memory.knowledge.clues.cases import CASES, needs_cases


def named(text: str) -> list[str]:
    return [mention.relation for mention in load_aliases().mentions(text)]


@pytest.mark.parametrize(
    "text, relations",
    [
        ("directed", ["directed"]),
        ("Directing", ["directed"]),
        ("was written and directed by", ["written by", "directed"]),
        ("author", ["written by"]),
        ("stars", ["played by"]),
        ("was born in", ["born"]),
        ("wife", ["married"]),
        ("directory", []),
        ("", []),
    ],
)
def test_relations_are_named_with_their_inflections(text: str, relations: list[str]) -> None:
    assert named(text) == relations


@needs_cases
@pytest.mark.parametrize("relation", CASES.get("relations_named_in_docs_and_code", []))
def test_the_seeds_relations_are_in_the_table(relation: str) -> None:
    assert len(named(relation)) == 1


def test_no_alias_is_two_relations() -> None:
    table = json.loads(SHIPPED.read_text("utf-8"))
    phrases = Counter(
        phrase
        for relation, row in table.items()
        for phrase in {tuple(stemmed_words(alias)) for alias in (relation, *row["aliases"])}
    )
    assert not [phrase for phrase, count in phrases.items() if count > 1]


PARTS = st.sampled_from(["Ann", "ann ", "Bob", "Carl", "", " ", '"Dora"', "?"])
TRIPLES = st.lists(st.builds(Triple, PARTS, PARTS, PARTS, st.sampled_from(["", "c1", "c2"])), max_size=20)


def rows(graph: TripleGraph) -> list[tuple[str, str, str]]:
    parts = zip(graph.subjects, graph.kinds, graph.objects, strict=True)
    return [(graph.entities[s], graph.relations[r], graph.entities[o]) for s, r, o in parts]


def test_several_relations_between_one_pair_are_kept_and_the_same_ones_merged() -> None:
    graph = triple_graph(
        [
            Triple("Fritz Lang", "directed", "Metropolis", "c2"),
            Triple("fritz lang", "Directed", "Metropolis ", "c1"),
            Triple("Fritz Lang", "wrote", "Metropolis"),
            Triple("Fritz Lang", "", "Metropolis"),
        ]
    )
    assert rows(graph) == [("fritz lang", "directed", "metropolis"), ("fritz lang", "wrote", "metropolis")]
    assert graph.chunks == (("c1", "c2"), ())
    assert graph.names == ("Fritz Lang", "Metropolis")
    assert arrow(graph.edge(0)) == "(fritz lang) -[directed]-> (metropolis)"


def test_the_ways_to_write_a_name_are_one_entity_as_it_is_most_often_written() -> None:
    ways = ["Dr. B. R. Ambedkar", "B.R. Ambedkar", "B.R. Ambedkar", "BR Ambedkar"]
    graph = triple_graph([Triple(way, "wrote", f"book {number}") for number, way in enumerate(ways)])
    assert graph.entities == ("b.r. ambedkar", "book 0", "book 1", "book 2", "book 3")
    assert graph.names[0] == "B.R. Ambedkar"
    assert entity_key("14 March 1986") == entity_key("March 14, 1986")


@pytest.mark.parametrize("one, other", [("C++", "C"), ("C#", "C"), ("A-", "A+"), ("-5", "5"), ("5%", "5")])
def test_a_sign_that_says_something_keeps_names_apart(one: str, other: str) -> None:
    assert entity_key(one) != entity_key(other)


@given(TRIPLES, st.randoms(use_true_random=False))
def test_the_order_of_the_triples_does_not_matter(triples: list[Triple], random: Random) -> None:
    graph = triple_graph(triples)
    shuffled = list(triples)
    random.shuffle(shuffled)
    other = triple_graph(shuffled)
    assert rows(graph) == rows(other) == sorted(set(rows(graph)))
    assert (graph.names, graph.chunks) == (other.names, other.chunks)
    keys = {(entity_key(one.subject), normalise(one.relation), entity_key(one.object)) for one in triples}
    assert len(graph.subjects) == len([key for key in keys if all(key)])
