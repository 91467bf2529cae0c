"""What a pronoun stands for where the documents tell of one thing and not of another."""

from collections.abc import Callable, Sequence

import pytest

from clew.memory.dialogue.follow_ups import standing
from tests.memory.dialogue.test_referents import said

PORT = ("Which port does Privoxy listen on?", "Enter 8118 in the Port field of the browser.")
COURSE = ("When did the course begin?", "In April.")


def near(*texts: str) -> Callable[[Sequence[str]], list[float]]:
    """A library that holds these questions, and nothing else."""
    held = {one.casefold() for one in texts}
    return lambda asked: [0.9 if one.casefold() in held else 0.5 for one in asked]


@pytest.mark.parametrize(
    ("held", "expected"),
    [
        ((), "Does the port cache pages too?"),
        (("Does Privoxy cache pages too?",), "Does Privoxy cache pages too?"),
        (("Does the port cache pages too?", "Does Privoxy cache pages too?"), "Does the port cache pages too?"),
    ],
)
def test_a_pronoun_is_what_the_documents_answer_about(held: tuple[str, ...], expected: str) -> None:
    turns = said(("What is Privoxy?", "A proxy."), ("When was the port opened?", "In 2001."))
    assert standing("does it cache pages too?", turns, nearness=near(*held)).text.casefold() == expected.casefold()


def test_what_was_left_is_not_what_is_spoken_of() -> None:
    turns = said(("How much is the rent?", "940 euros."), ("and the deposit?", "1,880 euros."))
    held = near("is the rent paid back?")
    assert standing("is it paid back?", turns, nearness=held).text == "is the deposit paid back?"


def test_what_only_an_answer_tells_of_takes_the_place_of_nothing_that_was_asked_about() -> None:
    asked = standing("does it cache pages?", said(PORT), nearness=near("Does the browser cache pages?"))
    assert "browser" not in asked.text


def test_the_topic_is_said_only_where_it_leads_nearer() -> None:
    told, question = said(("What is the Cautious?", "A list of rules.")), "am I anonymous?"
    assert standing(question, told).text == "As for the Cautious, am I anonymous?"
    assert standing(question, told, nearness=near()).text == question
    nearer = near("As for the Cautious, am I anonymous?")
    assert standing(question, told, nearness=nearer).text == "As for the Cautious, am I anonymous?"


def test_it_is_asked_of_the_documents_only_where_there_are_several_things() -> None:
    def never(_: Sequence[str]) -> list[float]:
        raise AssertionError("asked")

    assert standing("how long did it last?", said(COURSE), nearness=never).text == "how long did the course last?"
