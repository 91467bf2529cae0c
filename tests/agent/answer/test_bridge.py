"""Which name an inner question is answered by, and what an answer holds of a question."""

import pytest

from clew.agent.answer.bridge import held, told
from clew.agent.search.nested import nested
from clew.agent.state import Answer, Claim
from clew.memory.datatypes import Passage


def answer(*claims: str, title: str = "") -> Answer:
    source = Passage("p", "d", title, " ".join(claims), 1.0, "hybrid")
    return Answer("answered", tuple(Claim(text, (1,)) for text in claims), (source,))


@pytest.mark.parametrize(
    "question, said, title, first",
    [
        (
            "When was the director of Jump for Joy born?",
            "Jump for Joy is a 1937 film by Ann Marr, with sets by the art director Edward Carr.",
            "",
            "Ann Marr",
        ),
        (
            "How old is the author of Brand?",
            "Brand is a play by the Norwegian playwright Henrik Ost.",
            "",
            "Henrik Ost",
        ),
        (
            "What is near the county in which Johnnycake is located?",
            "Johnnycake is a place in McDowell County, West Virginia, United States.",
            "",
            "McDowell County",
        ),
        (
            "Who governs the state where the Kraus House is located?",
            "The Kraus House is a house in Kirkwood, Missouri, United States.",
            "",
            "Missouri",
        ),
        (
            "Who governs the city where the Kraus House is located?",
            "The Kraus House is a house in Kirkwood, Missouri, United States.",
            "",
            "Kirkwood",
        ),
        (
            "Who rules the country where Baure is located?",
            "Baure is a town in the Katsina Region of Nigeria.",
            "",
            "Nigeria",
        ),
        (
            "Which river runs through Gisvi's birthplace?",
            "He was born in Windhoek and lives in Oslo.",
            "Gisvi",
            "Windhoek",
        ),
        ("Who owns the range that Norris is part of?", "Norris lies in the Lewis Range, near Oslo.", "", "Lewis Range"),
    ],
)
def test_the_likeliest_name(question: str, said: str, title: str, first: str) -> None:
    one = nested(question)
    assert one
    found = told(one, answer(said, title=title))
    assert found[0] == (0, first)


def test_what_is_told_of_another_tells_no_name() -> None:
    one = nested("How old is the author of Brand?")
    assert one
    assert told(one, answer("Henrik Ost wrote Peer Gynt.")) == []
    assert told(one, Answer("nothing-found", ())) == []


def test_the_name_may_stand_beside_the_claim_that_says_it() -> None:
    one = nested("Who founded the publisher of Low Tide?")
    assert one
    said = answer("Low Tide is about the ferry to Amrum.", "Its publisher is the Deich Verlag.")
    assert told(one, said)[0] == (1, "Deich Verlag")


def test_the_share_of_words_that_is_held() -> None:
    said = answer("Walsh married Miriam Cooper.", title="Raoul Walsh")
    assert held("Raoul Walsh", said) == 1
    assert held("Ann Walsh", said) == 0.5
    assert held("Walsh", Answer("nothing-found", ())) == 0
