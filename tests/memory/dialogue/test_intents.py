"""What a turn wants: phrases that nothing was fitted on, questions that only begin like talk, those of data sets."""

from collections import defaultdict
from pathlib import Path

import pytest

from clew.memory.dialogue.intents import QUESTION, heard
from clew.memory.text import LANGUAGES
from tests.training import talk

SPOKEN = LANGUAGES[:6]
"""Those that have phrases of talk: in Dutch and Portuguese only answers and refusals are said."""


def test_phrases_that_it_was_not_fitted_on_are_recognised() -> None:
    right: dict[str, list[bool]] = defaultdict(list)
    for name, language, text in talk.held_out():
        found = heard(text).intent or QUESTION
        right[QUESTION if name == QUESTION else language].append(found == name)
        right["all" if name != QUESTION else QUESTION].append(found == name)
    shares = {name: sum(each) / len(each) for name, each in right.items()}
    assert set(shares) == {*SPOKEN, "all", QUESTION} and len(right["all"]) > 500
    assert shares[QUESTION] >= 0.98 and shares["all"] >= 0.85
    assert min(shares[language] for language in SPOKEN) >= 0.75


def test_talk_as_people_say_it_is_recognised_with_its_language() -> None:
    said = talk.held_out(Path(__file__).with_name("said.txt"))
    told = [(heard(text).intent or QUESTION, heard(text).language or language, text) for _, language, text in said]
    assert len(said) > 60 and len({*said} - {*told}) <= len(said) / 10
    assert not [text for name, _, text in said if name == QUESTION and heard(text).intent]


@pytest.mark.parametrize(
    "typed, searched",
    [
        ("Thanks. What does it cost?", "What does it cost?"),
        ("What does it cost? Thank you!", "What does it cost?"),
        ("Hi! Who pays the heating?", "Who pays the heating?"),
        ("Hola, ¿quién paga la calefacción?", "¿quién paga la calefacción?"),
        ("Hello Kitty: who made it?", "Hello Kitty: who made it?"),
        ("Are you sure that the flat is 60 m²?", "Are you sure that the flat is 60 m²?"),
        ("what is his name?", "what is his name?"),
        ("Wann war das?", "Wann war das?"),
        ("what is this about?", "what is this about?"),
        ("", ""),
        ("?", "?"),
    ],
)
def test_a_question_is_searched_whatever_it_begins_with(typed: str, searched: str) -> None:
    assert (heard(typed).intent, heard(typed).question) == (None, searched)


def test_a_thing_in_two_words_is_a_question() -> None:
    """As people type it: the bus, today's menu. None of these ways is its trainer's."""
    things = "bus password hours birthday menu salary terms error address minutes invoice doctor recipe boiler lease"
    ways = ("my last {}", "the new {}", "{} tomorrow?", "and my {}", "is there a {}?", "{} costs", "no {}?", "old {}?")
    asked = [way.format(thing) for thing in things.split() for way in ways]
    assert sum(heard(one).intent is not None for one in asked) <= len(asked) / 50
    named = ("my grades", "the grades", "Next bus?", "Today's menu?", "my hours", "What are your hours?")
    assert [one for one in named if heard(one).intent] == []


def test_no_question_of_the_data_sets_is_taken_for_talk(data: Path) -> None:
    """Of the splits that nothing was fitted on; those of conversations hold thanks and the like."""
    asked = [text for name, text in talk.questions(data, ("dev",)) if not name.startswith(("doc2dial", "ikat"))]
    assert len(asked) > 5000
    assert [text for text in asked if heard(text).intent] == []
