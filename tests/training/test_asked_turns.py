"""Playing the project's own conversations on every processor."""

import json
from pathlib import Path

import pytest

from tests.training.asked_turns import QUESTIONS, AskedTurn, asked_turns, cases_of, of_turns


def _told(one: AskedTurn) -> tuple[str, str, str] | None:
    return None if one.case["turn"] == 2 else (one.case["collection"], one.case["question"], one.turn.rewritten)


@pytest.mark.skipif(not QUESTIONS.exists(), reason="the conversations are not beside the data (CLEW_DATA)")
@pytest.mark.soak
def test_turns_are_played_as_one_after_the_other_and_in_the_order_of_the_files(tmp_path: Path) -> None:
    first, second, third = "bees", "hearth", "joinery"
    cases = [
        [case for case in cases_of(QUESTIONS) if case["collection"] == name and case["outcome"] == "answered"][:3]
        for name in (first, second, third)
    ]
    cases = [[case | {"conversation": "one", "turn": n} for n, case in enumerate(its, 1)] for its in cases]
    file = tmp_path / "questions.jsonl"
    file.write_text("".join(json.dumps(case) + "\n" for its in cases for case in its), "utf-8")
    found = list(of_turns(_told, [file], {second}))
    assert [(collection, question) for collection, question, _ in found] == [
        (case["collection"], case["question"]) for its in (cases[0], cases[2]) for case in its if case["turn"] != 2
    ]
    assert found == [told for one in asked_turns(file, {first, third}) if (told := _told(one))]
