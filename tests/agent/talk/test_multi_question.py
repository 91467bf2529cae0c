"""Several questions in one turn: how their answers are joined."""

from dataclasses import replace

from clew.agent.state import Answer, Claim
from clew.agent.talk.multi_question import joined
from clew.memory.datatypes import Passage


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
