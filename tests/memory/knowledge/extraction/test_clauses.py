from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.memory.knowledge.extraction.clauses import triples
from clew.memory.knowledge.extraction.entities import entities
from clew.memory.text import split


def said(text: str) -> list[tuple[str, str, str]]:
    return [(one.subject.text, one.relation, one.object.text) for one in triples(text, entities(text))]


@pytest.mark.parametrize(
    "text, expected",
    [
        ("Fritz Lang directed Metropolis.", [("Fritz Lang", "directed", "Metropolis")]),
        ("Metropolis was directed by Fritz Lang.", [("Fritz Lang", "directed", "Metropolis")]),
        ("Faust was written by Wolfgang Goethe.", [("Wolfgang Goethe", "wrote", "Faust")]),
        ("Fritz Lang was born in Vienna.", [("Fritz Lang", "born in", "Vienna")]),
        ("Red Hall is located in Leeds.", [("Red Hall", "located in", "Leeds")]),
        ("Paris is the capital of France.", [("Paris", "capital of", "France")]),
        ("The capital of France is Paris.", [("Paris", "capital of", "France")]),
        ("Fritz Lang's wife Thea Harbou slept.", [("Thea Harbou", "wife of", "Fritz Lang")]),
        ("Fritz Lang's second wife was Thea Harbou.", [("Thea Harbou", "wife of", "Fritz Lang")]),
        ("Thea Harbou wrote the screenplay for Metropolis.", [("Thea Harbou", "wrote screenplay for", "Metropolis")]),
        (
            "Lang directed Metropolis and Murnau directed Faust.",
            [("Lang", "directed", "Metropolis"), ("Murnau", "directed", "Faust")],
        ),
        ("Alien stars Ian Holm and John Hurt.", [("Alien", "stars", "Ian Holm"), ("Alien", "stars", "John Hurt")]),
        (
            "Bill Hay and Ben Kay founded Kodo Works.",
            [("Bill Hay", "founded", "Kodo Works"), ("Ben Kay", "founded", "Kodo Works")],
        ),
        ("David Hume did not meet Adam Smith.", []),
        ("Kodo Works was not founded by Bill Hay.", []),
        ("Kodo Works was founded by 1991.", [("Kodo Works", "founded by", "1991")]),
        ("Red Hall is in the district of Leeds.", [("Red Hall", "is in", "Leeds")]),
    ],
)
def test_relations(text: str, expected: list[tuple[str, str, str]]) -> None:
    assert said(text) == expected


@pytest.mark.parametrize(
    "text, triple",
    [
        ("Fritz Lang, the director of Metropolis, was born in Vienna.", ("Fritz Lang", "director of", "Metropolis")),
        ("Fritz Lang, the director of Metropolis, was born in Vienna.", ("Fritz Lang", "born in", "Vienna")),
        ("Fritz Lang, who directed Metropolis, moved to Paris.", ("Fritz Lang", "moved to", "Paris")),
        ("Metropolis is a silent film directed by Fritz Lang.", ("Fritz Lang", "directed", "Metropolis")),
        ("Metropolis is a silent film directed by Fritz Lang.", ("Metropolis", "is", "silent film")),
        ("Ada Hale (born July 1, 1982) is an actress.", ("Ada Hale", "born", "July 1, 1982")),
        ("In 1927 Fritz Lang directed Metropolis.", ("Fritz Lang", "directed", "Metropolis")),
        ("In 1927 Fritz Lang directed Metropolis.", ("Fritz Lang", "directed in", "1927")),
        ("Otto Weil was a football player who played for Leeds.", ("Otto Weil", "played for", "Leeds")),
        ("In Berlin, Fritz Lang directed Metropolis.", ("Fritz Lang", "directed", "Metropolis")),
        ("Ada Hale met Ian Holm. She moved to Paris.", ("Ada Hale", "moved to", "Paris")),
        ("Red Hall is a house. It was built in 1890.", ("Red Hall", "built in", "1890")),
        ("The play Red Hall is set in Leeds. The play was written by Ada Hale.", ("Ada Hale", "wrote", "Red Hall")),
    ],
)
def test_a_relation_among_others(text: str, triple: tuple[str, str, str]) -> None:
    assert triple in said(text)


@pytest.mark.parametrize(
    "text, expected",
    [
        (
            "Rajinikanth, an Indian actor, played the role of Deva.",
            [("Rajinikanth", "is", "Indian"), ("Rajinikanth", "played role of", "Deva")],
        ),
        (
            "Colombo, the capital of Sri Lanka, lies on the Indian Ocean.",
            [("Colombo", "capital of", "Sri Lanka"), ("Colombo", "lies on", "Indian Ocean")],
        ),
        (
            "Paris, the capital of France, lies on the Seine.",
            [("Paris", "capital of", "France"), ("Paris", "lies on", "Seine")],
        ),
        (
            "Paris, which is the capital of France, lies on the Seine.",
            [("Paris", "capital of", "France"), ("Paris", "lies on", "Seine")],
        ),
        (
            "Marie Curie, a Polish physicist, discovered polonium in 1898.",
            [("Marie Curie", "is", "Polish"), ("Marie Curie", "discovered polonium in", "1898")],
        ),
        (
            "Acme Corp., a maker of anvils, acquired Beta Ltd in 1999.",
            [("Acme Corp", "acquired", "Beta Ltd"), ("Acme Corp", "acquired in", "1999")],
        ),
        ("He met Fritz Lang, the director of Metropolis, in Berlin.", [("Fritz Lang", "director of", "Metropolis")]),
        (
            "Ada Hale met Fritz Lang, the director of Metropolis (1927), in Berlin.",
            [
                ("Ada Hale", "met", "Fritz Lang"),
                ("Fritz Lang", "director of", "Metropolis"),
                ("Metropolis", "dated", "1927"),
                ("Ada Hale", "met in", "Berlin"),
            ],
        ),
        (
            "Ada Hale met Fritz Lang, the director of Metropolis.",
            [("Ada Hale", "met", "Fritz Lang"), ("Fritz Lang", "director of", "Metropolis")],
        ),
        (
            "Marie Curie, who was born in Warsaw, moved to Paris.",
            [("Marie Curie", "born in", "Warsaw"), ("Marie Curie", "moved to", "Paris")],
        ),
        (
            "Marie Curie, a Polish physicist, the wife of Pierre Curie, moved to Paris.",
            [
                ("Marie Curie", "is", "Polish"),
                ("Marie Curie", "wife of", "Pierre Curie"),
                ("Marie Curie", "moved to", "Paris"),
            ],
        ),
        (
            "Fritz Lang, the son of Anton Lang and a director, who was born in Vienna, moved to Berlin.",
            [
                ("Fritz Lang", "son of", "Anton Lang"),
                ("Fritz Lang", "born in", "Vienna"),
                ("Fritz Lang", "moved to", "Berlin"),
            ],
        ),
        (
            "Ada Lovelace, daughter of Lord Byron, worked with Charles Babbage.",
            [("Ada Lovelace", "daughter of", "Lord Byron"), ("Ada Lovelace", "worked with", "Charles Babbage")],
        ),
        (
            "Anna Smith, the mayor, and John Brown met in Paris.",
            [("Anna Smith", "met in", "Paris"), ("John Brown", "met in", "Paris")],
        ),
        (
            "In Berlin, the capital of Germany, Fritz Lang directed Metropolis.",
            [("Berlin", "capital of", "Germany"), ("Fritz Lang", "directed", "Metropolis")],
        ),
        (
            "Lang directed Metropolis and Murnau, a German director, directed Faust.",
            [("Lang", "directed", "Metropolis"), ("Murnau", "is", "German"), ("Murnau", "directed", "Faust")],
        ),
        (
            "Ada Hale visited Paris, the capital of France, and Berlin.",
            [("Ada Hale", "visited", "Paris"), ("Paris", "capital of", "France"), ("Ada Hale", "visited", "Berlin")],
        ),
        (
            "Metropolis, a silent film directed by Fritz Lang, was shot in Berlin.",
            [("Fritz Lang", "directed", "Metropolis"), ("Metropolis", "shot in", "Berlin")],
        ),
        ("The Polish physicist discovered polonium in 1898.", []),
        ("In Paris, the film was shown, and Lang left for Berlin.", [("Lang", "left for", "Berlin")]),
    ],
)
def test_an_apposition_leaves_the_subject_what_it_is(text: str, expected: list[tuple[str, str, str]]) -> None:
    assert said(text) == expected


def test_what_an_unknown_he_does_is_not_said_of_whom_he_met() -> None:
    assert said("He met Fritz Lang and moved to Berlin.") == []


def test_several_relations_of_one_pair_are_all_kept() -> None:
    text = "Fritz Lang wrote Metropolis. Later Fritz Lang directed Metropolis."
    assert said(text) == [("Fritz Lang", "wrote", "Metropolis"), ("Fritz Lang", "directed", "Metropolis")]


def test_a_triple_has_its_sentence() -> None:
    text = "It rained. Fritz Lang directed Metropolis. It rained."
    [one] = triples(text, entities(text))
    assert text[one.start : one.end] == "Fritz Lang directed Metropolis."


def test_a_new_paragraph_has_no_subject_before_it() -> None:
    assert said("Red Hall is large.\n\nIt was built in 1890.") == []


WORDS = st.sampled_from(
    "Lang Metropolis Dr. he it who the a of by in was is directed wrote born and , ( ) 's ; 1927 wife German".split()
)


@settings(deadline=None)
@given(st.one_of(st.text(), st.lists(WORDS, max_size=20).map(" ".join)))
def test_any_text_is_read(text: str) -> None:
    mentions = entities(text)
    found = triples(text, mentions)
    assert found == triples(text, mentions)
    assert len(set(found)) == len(found)
    for one in found:
        assert one.subject in mentions and one.object in mentions and one.relation
        assert one.subject.text.casefold() != one.object.text.casefold()
        assert (one.start, one.end) in split(text)
        assert one.start <= one.object.start or one.start <= one.subject.start
    assert all(one.start <= other.start for one, other in pairwise(found))
