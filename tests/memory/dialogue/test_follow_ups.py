"""What a follow-up stands for, by the classes of follow-ups that there are."""

import pytest

from clew.memory.dialogue.follow_ups import standing
from tests.memory.dialogue.test_referents import said

PRESSURE = ("What was my blood pressure in June?", "It was 128 over 82.")
BOILER = ("Who repaired the boiler on Monday?", "Karim did, for 90 euros.")


@pytest.mark.parametrize(
    ("turns", "question", "expected"),
    [
        ([PRESSURE], "and in September?", "What was my blood pressure in September?"),
        ([BOILER], "and on Friday?", "Who repaired the boiler on Friday?"),
        ([BOILER], "and the gutter?", "Who repaired the gutter on Monday?"),
        ([("How far is it from Leeds to York?", "24 miles.")], "and to Hull?", "How far is it from Leeds to Hull?"),
        ([("How much does the blue tent cost?", "80.")], "and the red one?", "How much does the red tent cost?"),
        ([("Is the harbour lit at night?", "Yes.")], "why?", "Why is the harbour lit at night?"),
        ([("When does Ines need the forms?", "Soon.")], "which forms?", "Which forms does Ines need?"),
        ([("How much did Ines bet?", "40.")], "against whom?", "Against whom did Ines bet?"),
        ([("When is the fair?", "In May.")], "no, I meant Olga's fair", "When is Olga's fair?"),
        ([("When is the fair?", "In May.")], "no, not the fair: where do I park?", "Where do I park?"),
        ([BOILER], "back to the boat: how long is it?", "how long is the boat?"),
        (
            [("What's the difference between oak and ash?", "")],
            "which one is harder?",
            "which of oak and ash is harder?",
        ),
        ([("Why is the pump off?", "It is broken.")], "how do I turn it on?", "how do I turn the pump on?"),
        ([("How do I drain the tank?", "Open it.")], "does that take long?", "does draining the tank take long?"),
        (
            [("Does the warranty of the pump cover frost?", "No.")],
            "is rust covered?",
            "As for the warranty of the pump, is rust covered?",
        ),
    ],
)
def test_follow_ups(turns: list[tuple[str, str]], question: str, expected: str) -> None:
    assert standing(question, said(*turns)).text.casefold().removesuffix("?") == expected.casefold().removesuffix("?")
