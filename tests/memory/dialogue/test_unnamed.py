"""What a question speaks of as known."""

import pytest

from clew.memory.dialogue.unnamed import unnamed


@pytest.mark.parametrize(
    ("question", "nouns"),
    [
        ("What awards has the actor received?", ("actor",)),
        ("In which country is this language officially spoken?", ("language",)),
        ("How was the hurricane's impact on this town?", ("town", "hurricane")),
        ("What is the capital of Mongolia?", ()),
        ("Who directed the film that Lang wrote?", ()),
        ("Who was the first human in space?", ()),
        ("How far away is the Moon?", ()),
        ("Kiu estas la urbo?", ()),
    ],
)
def test_a_noun_that_nothing_makes_definite(question: str, nouns: tuple[str, ...]) -> None:
    assert unnamed(question, []) == nouns


def test_what_was_said_before_is_known() -> None:
    assert unnamed("What awards has the actor received?", ["Chris Hemsworth is an actor."]) == ()
