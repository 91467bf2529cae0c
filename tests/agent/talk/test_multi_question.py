"""Several questions in one turn: where they are split, and how their answers are joined."""

from dataclasses import replace

import pytest

from clew.agent.state import Answer, Claim
from clew.agent.talk.multi_question import joined, questions_of
from clew.memory.datatypes import Passage


@pytest.mark.parametrize(
    "typed, questions",
    [
        ("What is the rent and who pays the heating?", ("What is the rent?", "Who pays the heating?")),
        ("Who was Laika, and how did she die?", ("Who was Laika?", "How did she die?")),
        ("Who paid for it? Why?", ("Who paid for it?", "Why?")),
        (
            "who comes to it and what do they eat and where is it?",
            ("who comes to it?", "What do they eat?", "Where is it?"),
        ),
        ("Wann öffnet das Museum und was kostet es?", ("Wann öffnet das Museum?", "Was kostet es?")),
        ("¿Dónde nació ella y cuándo murió?", ("¿Dónde nació ella?", "Cuándo murió?")),
    ],
)
def test_questions_that_stand_on_their_own_are_split(typed: str, questions: tuple[str, ...]) -> None:
    assert questions_of(typed) == questions


@pytest.mark.parametrize(
    "typed",
    [
        "What is the rent?",
        "I have a dog. Is it allowed?",
        "Do you know what it is and how it works?",
        "Wisst ihr, was die Miete ist und wer die Heizung zahlt?",
        'What does "who am I? and what is this?" mean?',
        "Who? What? When? Where? Why?",
        "",
    ],
)
def test_one_question_stays_one(typed: str) -> None:
    assert questions_of(typed) == (typed,)


def passage(name: str) -> Passage:
    return Passage(name, name, name, f"All about {name}.", 1.0, "hybrid")


def test_answers_are_joined_with_the_sources_of_both_and_a_refusal_names_its_question() -> None:
    rent = Answer("answered", (Claim("It is 900.", (1,)), Claim("Or so.", (2,))), (passage("a"), passage("b")))
    heating = Answer("answered", (Claim("The tenant pays.", (1,)),), (passage("b"),))
    pets = Answer("nothing-found", (Claim("I found nothing."),), missing=("pets",), nearest=("a",))
    both = joined([("Rent?", rent), ("Heating?", heating)])
    assert (both.outcome, both.text) == ("answered", "It is 900. [1] Or so. [2]\nThe tenant pays. [2]")
    half = joined([("Rent?", rent), ("what of pets", pets)])
    assert half.outcome == "partial" and half.text.endswith("\nWhat of pets? I found nothing.")
    assert (half.missing, half.nearest) == (("pets",), ("a",))
    assert joined([("What of pets?", pets), ("Of cats?", pets)]).refused
    forms = joined([("Rent?", replace(rent, form="fact")), ("May I?", replace(heating, form="yes-no"))])
    assert forms.form == "fact"
    assert joined([("Rent?", replace(rent, outcome="stopped")), ("Pets?", pets)]).outcome == "stopped"
