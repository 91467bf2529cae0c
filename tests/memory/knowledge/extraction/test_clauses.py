from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.memory.knowledge.extraction.clauses import triples
from clew.memory.knowledge.extraction.entities import entities
from clew.memory.text import split


def said(text: str) -> list[tuple[str, ...]]:
    return [(one.subject.text, one.relation, one.object.text) for one in triples(text, entities(text))]


@pytest.mark.parametrize(
    "text, expected",
    [
        ("Fritz Lang directed Metropolis.", "Fritz Lang|directed|Metropolis"),
        ("Metropolis was directed by Fritz Lang.", "Fritz Lang|directed|Metropolis"),
        ("Fritz Lang was born in Vienna.", "Fritz Lang|born in|Vienna"),
        ("Ada Hale (born July 1, 1982) is an actress.", "Ada Hale|born|July 1, 1982"),
        ("Paris is the capital of France.", "Paris|capital of|France"),
        ("Red Hall, the seat of Bill Hay, lies on the Seine.", "Red Hall|seat of|Bill Hay; Red Hall|lies on|Seine"),
        ("Fritz Lang's wife Thea Harbou moved to Paris.", "Thea Harbou|wife of|Fritz Lang; Thea Harbou|moved to|Paris"),
        ("Marie Curie, a Polish physicist, discovered polonium in 1898.", "Marie Curie|discovered polonium in|1898"),
        ("Lang directed Metropolis and Murnau directed Faust.", "Lang|directed|Metropolis; Murnau|directed|Faust"),
        ("Bill Hay and Ben Kay founded Kodo Works.", "Bill Hay|founded|Kodo Works; Ben Kay|founded|Kodo Works"),
        ("Otto Weil was a football player who played for Leeds.", "Otto Weil|played for|Leeds"),
        ("Ada Hale met Ian Holm. She moved to Paris.", "Ada Hale|met|Ian Holm; Ada Hale|moved to|Paris"),
        ("David Hume did not meet Adam Smith.", ""),
        ("The Polish physicist discovered polonium in 1898.", ""),
        ("He met Fritz Lang and moved to Berlin.", ""),  # what an unknown he does is not said of whom he met
        ("Red Hall is large.\n\nIt was built in 1890.", ""),  # a new paragraph has no subject before it
    ],
)
def test_relations(text: str, expected: str) -> None:
    assert "; ".join(map("|".join, said(text))) == expected


def test_several_relations_of_one_pair_are_all_kept() -> None:
    text = "Fritz Lang wrote Metropolis. Later Fritz Lang directed Metropolis."
    assert said(text) == [("Fritz Lang", "wrote", "Metropolis"), ("Fritz Lang", "directed", "Metropolis")]


def test_a_triple_has_its_sentence() -> None:
    text = "It rained. Fritz Lang directed Metropolis. It rained."
    [one] = triples(text, entities(text))
    assert text[one.start : one.end] == "Fritz Lang directed Metropolis."


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
