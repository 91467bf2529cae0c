"""What the bench of conversations counts."""

from dataclasses import replace

import pytest

from clew.agent.state import Answer, Claim, Turn
from tests.benchmarks.conversations import verdict

CASE = {"outcome": "answered", "must": [["221|two hundred"], ["guests"]], "must_not": ["250"], "most_words": 4}


@pytest.mark.parametrize(
    ("said", "outcome", "wanted"),
    [
        ("There were 221 guests.", "answered", "R"),
        ("As far as anybody knows, 221 guests came.", "answered", "P"),
        ("221 guests, of 250.", "answered", "W"),
        ("221 came.", "answered", "W"),
        ("221 guests" + " came" * 15, "answered", "W"),
        ("I found nothing.", "nothing-found", "WR"),
        ("Which guests do you mean?", "unclear", "WR"),
    ],
)
def test_a_turn_is_right_where_it_holds_all_that_it_must(said: str, outcome: str, wanted: str) -> None:
    turn = replace(Turn("", 0, ""), answer=Answer(outcome, (Claim(said),)))  # type: ignore[arg-type]
    assert verdict(CASE, turn) == wanted
    assert verdict({**CASE, "outcome": "refused"}, turn) == ("R" if outcome == "nothing-found" else "AU")
