"""What is asked of a whole table: its most, its least, what rows add up to."""

from pathlib import Path

import pytest

from clew.agent.assistant import Assistant
from clew.agent.settings import read_settings
from clew.agent.state import Turn
from clew.memory.encoding import CachedEncoder
from clew.memory.knowledge.index.run import index
from tests.agent.conftest import Opened

WALKS = """# Walking week in the Harz

| Day | Walk | Length | Climb |
|---|---|---|---|
| Mon | Ilsenburg to Brocken | 12 km | 880 m |
| Tue | Brocken to Torfhaus | 9 km | 120 m |
| Thu | Torfhaus to Altenau | 14 km | 210 m |
| Fri | Altenau to Goslar | 19 km | 430 m |

Costs

| What | Who paid | Amount |
|---|---|---|
| Train | Kat | 142.00 |
| Hut Brocken | Lars | 310.50 |
| Hut Torfhaus | Lars | 298.00 |
| Food | Kat | 88.20 |
"""
BREAD = """# Bakery

| Bread | Weight | Price |
|---|---|---|
| White loaf | 500 g | 2.40 EUR |
| Rye loaf | 750 g | 3.90 EUR |
| Bun | 60 g | 0.70 EUR |
| Pretzel | 90 g | 0.70 EUR |
"""
BILL = "# Bill\n\n| Item | Amount |\n|---|---|\n| Paint | 40 EUR |\n| Brushes | 12 EUR |\n| Total | 52 EUR |\n"
DOCUMENTS: dict[str, str | bytes] = {"walks.md": WALKS, "bread.md": BREAD, "bill.md": BILL}


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Which is the longest walk?", ["Fri | Altenau to Goslar | 19 km | 430 m"]),
        ("Which walk has the least climb?", ["Tue | Brocken to Torfhaus | 9 km | 120 m"]),
        ("Which bread is the most expensive?", ["Rye loaf | 750 g | 3.90 EUR"]),
        ("Which bread is the cheapest?", ["Bun | 60 g | 0.70 EUR", "Pretzel | 90 g | 0.70 EUR"]),
        ("What is the heaviest bread?", ["Rye loaf | 750 g | 3.90 EUR"]),
    ],
)
def test_the_row_with_the_most_or_the_least_is_quoted(opened: Opened, question: str, told: list[str]) -> None:
    answer = opened(DOCUMENTS)(question)
    assert [claim.text for claim in answer.claims if " | " in claim.text][1:] == told
    assert all(quote.text for claim in answer.claims for quote in claim.quotes)


@pytest.mark.parametrize(
    ("question", "worked"),
    [
        ("What did the huts cost in total?", "Worked out: 310.50 + 298.00 = 608.50."),
        ("How much did Kat pay altogether?", "Worked out: 142.00 + 88.20 = 230.20."),
        ("How much climb is it in total?", "Worked out: 880 m + 120 m + 210 m + 430 m = 1,640 m."),
    ],
)
def test_rows_are_added_up_and_the_sum_is_no_quotation(opened: Opened, question: str, worked: str) -> None:
    *rows, said = opened(DOCUMENTS)(question).claims
    assert said.text == worked and not (said.quotes or said.cites)
    assert rows and all(claim.quotes for claim in rows)


def test_a_sum_that_the_table_has_is_quoted(opened: Opened) -> None:
    answer = opened({"bill.md": BILL})("What did the bill come to in total?")
    assert "Total | 52 EUR" in answer.plain and "Worked out" not in answer.plain


def test_a_question_of_yes_or_no_is_no_such_question(opened: Opened) -> None:
    answer = opened(DOCUMENTS)("Is the white loaf the cheapest?")
    assert "White loaf" in answer.plain


JOBS = """# Boiler

| Date | Who | What | Cost |
|---|---|---|---|
| 12 Jan 2025 | Reiter | annual service | 145.00 |
| 20 Oct 2025 | Huber | pump replaced | 412.00 |
"""


def test_a_row_that_was_just_told_tells_another_of_its_cells(tmp_path: Path, encoder: CachedEncoder) -> None:
    notes, library = tmp_path / "notes", tmp_path / "library"
    notes.mkdir()
    (notes / "boiler.md").write_text(JOBS, "utf-8")
    for _ in index([notes], library, encoder):
        pass
    with Assistant.open(read_settings(library=library)) as assistant:
        for question, told in (("Who replaced the pump?", "Huber"), ("What did the pump cost?", "412.00")):
            *_, turn = assistant.ask("t", question)
            assert isinstance(turn, Turn) and told in turn.answer.plain
