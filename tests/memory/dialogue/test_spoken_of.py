"""Whom and what a short turn speaks of: people in small letters, behind a year, of a second question, 'the one'."""

import pytest

from clew.memory.dialogue.follow_ups import standing
from clew.memory.dialogue.question_parser import parts
from tests.memory.dialogue.test_referents import said


@pytest.mark.parametrize(
    ("before", "answer", "question", "rewritten"),
    [
        (
            "Who started the ferry?",
            "In 1738 the widow Susannah Crake began to carry passengers across.",
            "what did she charge for a cow?",
            "what did Susannah Crake charge for a cow?",
        ),
        (
            "who was ottilie brandvold",
            "Ottilie Marie Brandvold was born in 1866 at Harnesund.",
            "where did she study?",
            "where did Ottilie Marie Brandvold study?",
        ),
        (
            "Where are we staying in Balestrand and what does Balestrand cost per night?",
            "Balestrand, Kviknes hotel, 2,190 a night.",
            "sorry, I meant Bergen",
            "Where are we staying in Bergen and what does Bergen cost per night?",
        ),
        (
            "Which dividend does the board propose?",
            "The board proposes a dividend of 6 pence per share.",
            "sorry, I meant the one of the year before",
            "What is the dividend of the year before?",
        ),
        (
            "What is the blue valve good for?",
            "It closes the circuit of the garden.",
            "where is it?",
            "where is the blue valve?",
        ),
    ],
)
def test_what_it_stands_for(before: str, answer: str, question: str, rewritten: str) -> None:
    assert standing(question, said((before, answer))).text == rewritten


def test_a_second_question_has_its_own_verb() -> None:
    found = parts("When did the bus leave and when does the last train arrive?")
    assert [one.text for one in found.phrases] == ["the bus", "the last train"]
