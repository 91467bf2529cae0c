"""Who did, and who did not: of parallel sentences those are quoted that deny as the question does."""

from collections.abc import Callable

import pytest

from clew.agent.answer.negation import denied
from clew.agent.state import Answer
from clew.memory.encoding import CachedEncoder

FILES: dict[str, str | bytes] = {
    "suppers.md": "# Suppers\n\n- Lentil soup is made without eggs.\n- The omelette is made with four eggs.\n"
    "- Pancakes are made with two eggs.\n- Flatbread is made without eggs.\n",
    "trip.md": "# Rowing trip\n\nAda has signed up. Bruno has not signed up. Cilla signed up on Monday. Dora never "
    "signed up.\n",
    "policy.md": "# Policy\n\nFire is covered. Theft is covered. Flood is not covered. Mice are not covered.\n",
}


@pytest.mark.parametrize(
    ("question", "said", "unsaid"),
    [
        ("Which dishes are made without eggs?", ("Lentil", "Flatbread"), ("omelette", "Pancakes")),
        ("Which dishes are made with eggs?", ("omelette", "Pancakes"), ("Lentil", "Flatbread")),
        ("Who has signed up?", ("Ada", "Cilla"), ("Bruno", "Dora")),
        ("Who has not signed up?", ("Bruno", "Dora"), ("Ada", "Cilla")),
        ("What is not covered?", ("Flood", "Mice"), ("Fire", "Theft")),
    ],
)
def test_what_does_otherwise_than_the_question_is_left_out(
    question: str,
    said: tuple[str, ...],
    unsaid: tuple[str, ...],
    opened: Callable[[dict[str, str | bytes]], Callable[[str], Answer]],
) -> None:
    text = opened(FILES)(question).text
    assert all(word in text for word in said) and not any(word in text for word in unsaid)


def test_a_text_denies_or_does_not(encoder: CachedEncoder) -> None:
    pairs = [("Which lamps are not for hire?", "Which lamps are for hire?"), ("Nobody came.", "Everybody came.")]
    for denies, affirms in pairs:
        more, less = denied([denies, affirms], encoder)
        assert more > 0.9 and less < 0.1
