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


@pytest.mark.parametrize(
    ("turns", "question", "expected"),
    [
        ([("Who wrote Night Tides?", "Ines Berg wrote it.")], "when?", "When did Ines Berg write Night Tides?"),
        ([("Who has the key?", "It is lost.")], "why?", "Why does someone have the key?"),
        ([("What did Ines paint?", "A boat.")], "when was that?", "When did Ines paint that?"),
        ([("When did we sow the peas?", "In May.")], "how many rows?", "How many rows of the peas did we sow?"),
        ([("Do you mend electric bikes?", "Yes, we do.")], "is it the same for scooters?", "Do you mend scooters?"),
        ([("What is the price of the tent?", "It is 80.")], "and the stove?", "What is the price of the stove?"),
        ([("What is the rent of the flat?", "It is 900.")], "and the deposit?", "What is the deposit of the flat?"),
        ([("Can I cancel if I lost my card?", "Yes, you can.")], "and if it was a year ago?",
         "Can I cancel if I lost my card a year ago?"),
        ([("What happens to my account when I die?", "It is closed.")], "who can open it?", "Who can open my account?"),
        ([("Who is responsible for the shop?", "Olga Winter is in charge.")], "since when?",
         "Since when is Olga Winter responsible for the shop?"),
    ],
)  # fmt: skip
def test_gaps_and_slots(turns: list[tuple[str, str]], question: str, expected: str) -> None:
    assert standing(question, said(*turns)).text.casefold().rstrip("?") == expected.casefold().rstrip("?")
