"""Several questions in one turn: where they are taken apart, and how their answers are joined."""

from dataclasses import replace

import pytest

from clew.agent.state import Answer, Claim
from clew.agent.talk.several import joined, questions_of
from clew.memory.datatypes import Passage


@pytest.mark.parametrize(
    "typed, questions",
    [
        ("What is the rent and who pays the heating?", ("What is the rent?", "Who pays the heating?")),
        ("When does it open? And how much is a ticket?", ("When does it open?", "And how much is a ticket?")),
        ("Who was Laika, and how did she die?", ("Who was Laika?", "How did she die?")),
        ("Where and when was it read?", ("Where was it read?", "When was it read?")),
        (
            "What do we pay for the van and for its tyres?",
            ("What do we pay for the van?", "What do we pay for its tyres?"),
        ),
        ("When is it, who comes, and who pays?", ("When is it?", "Who comes?", "Who pays?")),
        ("Who signs, in the lease and in the contract?", ("Who signs in the lease?", "Who signs in the contract?")),
        ("How old are Ann and Bob Lee?", ("How old is Ann?", "How old is Bob Lee?")),
        ("What did he buy, and at what price?", ("What did he buy?", "At what price did he buy?")),
        ("Wann ist das Fest, wer kommt und wer zahlt?", ("Wann ist das Fest?", "Wer kommt?", "Wer zahlt?")),
        ("What is the rent? Also the deposit?", ("What is the rent?", "Also the deposit?")),
        ("Tell me the rent. Also, who pays?", ("Tell me the rent.", "Also, who pays?")),
        (
            "What is it? Who pays? And where? Also tell me when.",
            ("What is it?", "Who pays?", "And where?", "Also tell me when."),
        ),
        ("Also, when is it, and who comes?", ("Also, when is it?", "Who comes?")),
        ("how much was it, and who's paying for it?", ("how much was it?", "Who's paying for it?")),
        (
            "where do the covers and where do the lyrics get stored?",
            ("where do the covers get stored?", "Where do the lyrics get stored?"),
        ),
        (
            "I want to file a bug: where's my log, and what goes in the report?",
            ("I want to file a bug: where's my log?", "What goes in the report?"),
        ),
        ("What is it made of and of what use is it?", ("What is it made of and of what use is it?",)),
        ("Are dogs allowed, and is there a deposit?", ("Are dogs allowed?", "Is there a deposit?")),
        (
            "Wann öffnet das Museum und was kostet der Eintritt?",
            ("Wann öffnet das Museum?", "Was kostet der Eintritt?"),
        ),
        ("what does it cost and do I need a deposit", ("what does it cost?", "Do I need a deposit")),
        ("¿Dónde nació y cuándo murió?", ("¿Dónde nació?", "Cuándo murió?")),
        ("Quel est le loyer et qui paie le chauffage ?", ("Quel est le loyer?", "Qui paie le chauffage ?")),
    ],
)
def test_questions_that_stand_on_their_own_are_taken_apart(typed: str, questions: tuple[str, ...]) -> None:
    assert questions_of(typed) == questions


@pytest.mark.parametrize(
    "typed",
    [
        "What is the rent?",
        "I also have a dog. Is it allowed?",
        "Do you know what it is and how it works?",
        "Tell me who pays and what it costs?",
        "What is the difference between a lease and a rental contract?",
        "Who wrote 'Where are you and what is it'?",
        'What does "who am I? and what is this?" mean?',
        "I have a dog. Is it allowed?",
        "Where do cats and dogs live?",
        "What is the difference in price and in size?",
        "How long are lunch and breakfast breaks?",
        "When were Ann and Bob married?",
        "Who? What? When? Where? Why?",
        "What does the lease say about pets and how they are kept?",
        "Weißt du, was die Miete ist und wer die Heizung zahlt?",
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
    forms = [("Rent?", replace(rent, form="fact")), ("May I?", replace(heating, form="yes-no", says="no"))]
    assert (joined(forms).form, joined(forms).says) == ("fact", None)
