from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.knowledge.extracting.entities import entities
from memory.knowledge.extracting.relations import triples
from memory.sentences import split


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
    "Lang Metropolis Vienna Dr. he it who the a of by in was is directed wrote born and , ( ) 's ; 1927 wife".split()
)


@settings(deadline=None, max_examples=300)
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
