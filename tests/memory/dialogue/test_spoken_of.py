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
        (
            "I want to send a patch. What do I need?",
            "Every patch needs a test. Patches are sent against the branch develop.",
            "who looks at it?",
            "who looks at the patch?",
        ),
        (
            "Where does Aunt Rosa live?",
            "Aunt Rosa lives in Porto.",
            "when did she move there?",
            "when did Aunt Rosa move to Porto?",
        ),
        (
            "what does the funicular cost?",
            "On 9 June we take the funicular; a ticket costs 180 kroner.",
            "who booked it?",
            "who booked the funicular?",
        ),
        (
            "Who is Lena married to?",
            "Lena is married to Oskar.",
            "where did they meet?",
            "where did Lena and Oskar meet?",
        ),
        (
            "Who chairs the club?",
            "Hanna Weiss chaired the club until May; Piotr Nowak chairs it now.",
            "since when?",
            "Since when does Piotr Nowak chair the club?",
        ),
        (
            "Who did Mr Feld marry?",
            "He married the violinist Ada Moser, with whom he had two daughters, Lisa and Ruth.",
            "how many children did they have?",
            "how many children did Mr Feld and Ada Moser have?",
        ),
        ("what does ruth want to see", "Ruth wants to see the fort.", "when is she going?", "when is Ruth going?"),
        ("Where are the dishes?", "In the sink.", "who does them?", "who does the dishes?"),
        ("Where is the party?", "The party is in Malmö.", "what does that cost?", "what does the party cost?"),
    ],
)
def test_what_it_stands_for(before: str, answer: str, question: str, rewritten: str) -> None:
    assert standing(question, said((before, answer))).text == rewritten


@pytest.mark.parametrize(
    ("before", "answer", "question", "rewritten"),
    [
        (
            "What does the hotel in Oslo cost?",
            "4,050.",
            "and the one in Bergen?",
            "What does the hotel in Bergen cost?",
        ),
        (
            "Who wrote the letter to the council?",
            "Ida.",
            "and the one to the bank?",
            "Who wrote the letter to the bank?",
        ),
        ("How much was the bill of March?", "91 euros.", "sorry, the one of April", "How much was the bill of April?"),
        (
            "How much are tickets for the autumn concert?",
            "14 euros.",
            "and for children?",
            "How much are tickets for the autumn concert for children?",
        ),
        (
            "How hot is the oven for the buns?",
            "225.",
            "and for the rye bread?",
            "How hot is the oven for the rye bread?",
        ),
        ("When do we fly to Bergen?", "On 8 June.", "and back?", "When do we fly back from Bergen?"),
        (
            "When is the next meeting?",
            "On 11 January.",
            "No, I meant the one after September.",
            "When is the meeting after September?",
        ),
        ("how much sugar is in the cake?", "200 g", "and butter?", "how much butter is in the cake?"),
        ("how many eggs do I need for the cake?", "3", "and milk?", "how much milk do I need for the cake?"),
        ("how much sugar is in the cake?", "200 g", "and the bread?", "how much sugar is in the bread?"),
    ],
)
def test_what_takes_its_place(before: str, answer: str, question: str, rewritten: str) -> None:
    assert standing(question, said((before, answer))).text == rewritten


@pytest.mark.parametrize(
    ("before", "question", "rewritten"),
    [
        ("When is the concert in May?", "I meant June, sorry", "When is the concert in June?"),
        ("When is the concert in May?", "no, in June I mean", "When is the concert in June?"),
        ("When is the concert in May?", "oops, June", "When is the concert in June?"),
        ("When is the concert in May?", "June, not May", "When is the concert in June?"),
        ("When does the train to Bath leave?", "not leave, arrive", "When does the train to Bath arrive?"),
        ("How much is the rent?", "per year I mean", "How much is the rent per year?"),
        ("Who is the treasurer?", "the deputy I mean", "Who is the deputy?"),
        ("When do we fly to Bergen?", "sorry, I meant the return", "As for the return, when do we fly to Bergen?"),
    ],
)
def test_what_a_correction_corrects(before: str, question: str, rewritten: str) -> None:
    assert standing(question, said((before, "In the documents."))).text == rewritten


def test_of_two_that_took_each_others_place_each_is_said_in_full() -> None:
    turns = said(("What does the hotel in Oslo cost?", "4,050."), ("and in Bergen?", "5,200."))
    whole = "which of the hotel in Oslo and the hotel in Bergen is cheaper?"
    assert standing("which of them is cheaper?", turns).text == whole


def test_a_second_question_has_its_own_verb() -> None:
    found = parts("When did the bus leave and when does the last train arrive?")
    assert [one.text for one in found.phrases] == ["the bus", "the last train"]


def test_what_is_to_be_done_is_no_thing_that_another_takes_the_place_of() -> None:
    assert (
        standing("my next meeting?", said(("Sum up Metropolis in short.", "A film of 1927."))).text
        == "my next meeting?"
    )
