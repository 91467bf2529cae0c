"""A question back, and what a reply to it chooses."""

import pytest

from clew.memory.datatypes import Sentence
from clew.memory.dialogue.utterances import chosen, clarifying_question
from clew.memory.text import LANGUAGES

QUESTION = "When was the river's bridge built?"
CHOICES = ("Thames (London)", "The Seine", "Danube in Vienna")


def after(back: str, question: str = QUESTION) -> list[Sentence]:
    return [Sentence("Tell me of rivers.", "user", 1), Sentence(question, "user", 2), Sentence(back, "agent", 2)]


@pytest.mark.parametrize(
    ("reply", "choice"),
    [
        ("2", "The Seine"),
        ("The last one, please", "Danube in Vienna"),
        ("the Seine one", "The Seine"),
        ("I mean the Danube", "Danube in Vienna"),
    ],
)
def test_a_reply_chooses_by_place_or_by_words(reply: str, choice: str) -> None:
    assert chosen(reply, after(clarifying_question("river", CHOICES))) == f"When was {choice}'s bridge built?"


def test_where_the_question_does_not_say_it_the_choice_stands_behind() -> None:
    said = after(clarifying_question("", CHOICES), "Tell me about bridges.")
    assert chosen("the first", said) == "Tell me about bridges, regarding Thames (London)?"


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_question_back_of_any_language_is_replied_to(language: str) -> None:
    for what in ("", "document"):
        said = after(clarifying_question(what, CHOICES, language), "Tell me about bridges.")
        assert chosen("Vienna", said) == "Tell me about bridges, regarding Danube in Vienna?"
    back = clarifying_question("document", CHOICES, "de")
    assert back == "Welches Dokument meinst du: Thames (London); The Seine; oder Danube in Vienna?"


@pytest.mark.parametrize("reply", ["Who built the Seine bridge?", "the fourth", "neither", "something about fish", ""])
def test_what_chooses_nothing_is_left_alone(reply: str) -> None:
    assert chosen(reply, after(clarifying_question("river", CHOICES))) == ""


def test_only_a_question_back_is_replied_to() -> None:
    assert chosen("the second one", after("The Seine is a river.")) == ""
    assert chosen("the second one", []) == ""
    newer = [*after(clarifying_question("river", CHOICES)), Sentence("Thanks, and fish?", "user", 3)]
    assert chosen("the second one", newer) == ""
