"""Days that a question counts from today."""

from datetime import date, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.memory.dates import DAYS
from clew.memory.dialogue import rewriting
from clew.memory.dialogue.rewriting import dated, relative_dates

SUNDAY = "2026-11-22"
ROWS = Path(rewriting.__file__).with_name("relative_dates.txt").read_text("utf-8").splitlines()


@pytest.mark.parametrize(
    ("question", "shown"),
    [
        *(tuple(row.split(" | ")[2:]) for row in ROWS if " | " in row),
        ("What was said in yesterday's meeting?", "What was said in the 21 November 2026 meeting?"),
        ("What was the rent three years ago?", "What was the rent in 2023?"),
        ("What did I weigh last November?", "What did I weigh in November 2025?"),
        ("What will I do next Monday?", "What will I do on 23 November 2026?"),
        ("What changed in the past two years?", "What changed from 1 January 2024 to 22 November 2026?"),
    ],
)
def test_a_date_takes_the_place_of_a_relative_one(question: str, shown: str) -> None:
    assert dated(question, SUNDAY) == shown
    assert dated(question, "") == question


@pytest.mark.parametrize(
    "question",
    [
        "What happened in the last week of the war?", "What did he do the next day?", "What happened in March 1918?",
        "What happened on 3 March?", "Who wrote March?", "When did Lenin spend his last year of exile?",
        "What is a problem of today's world?",
        "Who wrote the tonight show?", "When is the last day to register?",
        "How many did he sell in two weeks?", "Was it from June to August?",
    ],
)  # fmt: skip
def test_what_does_not_count_from_today_stays(question: str) -> None:
    assert dated(question, SUNDAY) == question


def test_today_may_mean_nowadays() -> None:
    question = "Is the mill a museum today?"
    assert dated(question, SUNDAY, but_today=True) == question != dated(question, SUNDAY)


todays = st.dates(date(1970, 1, 1), date(2090, 12, 31))


@given(todays, st.sampled_from(DAYS))
def test_weekdays(today: date, weekday: str) -> None:
    (last,), (coming,) = (relative_dates(f"Who is it {which} {weekday}?", str(today)) for which in ("last", "next"))
    assert last.first.strftime("%A") == coming.first.strftime("%A") == weekday
    assert today - timedelta(7) <= last.first < today < coming.first <= today + timedelta(7)
