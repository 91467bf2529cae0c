"""Relative dates of a question count from a given day."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.memory.dates import found_dates
from clew.memory.relative_dates import dated, days_text, relative_dates

SUNDAY = "2026-11-22"


@pytest.mark.parametrize(
    ("question", "shown"),
    [
        ("What did I eat yesterday?", "What did I eat on 21 November 2026?"),
        ("Yesterday, what did I eat?", "On 21 November 2026, what did I eat?"),
        ("the day before yesterday what happened", "On 20 November 2026 what happened"),
        ("What happened last week?", "What happened from 9 to 15 November 2026?"),
        ("What happened since last week?", "What happened since 9 to 15 November 2026?"),
        ("What changed in the last 3 weeks?", "What changed from 1 to 22 November 2026?"),
        ("What changed over the past month?", "What changed from 22 October to 22 November 2026?"),
        ("What was my pulse in March?", "What was my pulse in March 2026?"),
        ("What was my pulse in December?", "What was my pulse in December 2025?"),
        ("What will happen in December?", "What will happen in December 2026?"),
        ("how much did i spend in may", "how much did i spend in May 2026"),
        ("What did I weigh last March?", "What did I weigh in March 2026?"),
        ("What did I weigh last November?", "What did I weigh in November 2025?"),
        ("What is this year's budget?", "What is the 2026 budget?"),
        ("What is the rent this month?", "What is the rent in November 2026?"),
        ("What was the rent three years ago?", "What was the rent in 2023?"),
        ("Who came two days ago?", "Who came on 20 November 2026?"),
        ("Who came a couple of weeks ago?", "Who came on 8 November 2026?"),
        ("Who came last Tuesday?", "Who came on 17 November 2026?"),
        ("Who came last Sunday?", "Who came on 15 November 2026?"),
        ("Who comes next Friday?", "Who comes on 27 November 2026?"),
        ("What did I do on Monday?", "What did I do on Monday 16 November 2026?"),
        ("What will I do on Monday?", "What will I do on Monday 23 November 2026?"),
        ("What was said in yesterday's meeting?", "What was said in the 21 November 2026 meeting?"),
        ("What is due in two weeks' time?", "What is due on 6 December 2026?"),
        ("What did I do last weekend?", "What did I do from 14 to 15 November 2026?"),
        ("What did I do at the weekend?", "What did I do from 21 to 22 November 2026?"),
        ("and last month?", "and in October 2026?"),
        ("What changed in the last day?", "What changed from 21 to 22 November 2026?"),
        ("What was said in our last month's meeting?", "What was said in our October 2026 meeting?"),
    ],
)
def test_a_date_takes_the_place(question: str, shown: str) -> None:
    assert dated(question, SUNDAY) == shown


@pytest.mark.parametrize(
    "question",
    [
        "What happened in the last week of the war?", "What did he do the next day?", "What happened in March 1918?",
        "What happened on 3 March?", "Who wrote March?", "When did Lenin spend his last year of exile?",
        "May I ask who directed Metropolis?", "What is a problem of today's world?",
        "Who wrote the tonight show?", "What was our last day in the old shop?", "What did I do in my last week there?",
        "When is the last day to register?",
        "How many did he sell in two weeks?",         "On Monday 3 June, what was said?",
        "What does she weigh on Friday evenings?", "Was it from June to August?",
    ],
)  # fmt: skip
def test_what_does_not_count_from_today_stays(question: str) -> None:
    assert dated(question, SUNDAY) == question


@pytest.mark.parametrize("question", ["Is the mill a museum today?", "What was my pulse in March?"])
def test_what_a_reader_understands_stays_where_it_is_plain(question: str) -> None:
    assert dated(question, SUNDAY, plain=True) == question != dated(question, SUNDAY)


def test_without_a_today_nothing_is_put_in() -> None:
    assert dated("What did I do yesterday?", "") == "What did I do yesterday?"


todays = st.dates(date(1970, 1, 1), date(2090, 12, 31))


@given(todays, st.integers(1, 40), st.sampled_from(["day", "week", "month", "year"]))
def test_so_long_ago(today: date, count: int, unit: str) -> None:
    (found,) = relative_dates(f"What was it {count} {unit}s ago?", today.isoformat())
    length = {"day": 1, "week": 7, "month": 30.44, "year": 365.25}[unit] * count
    middle = found.first + (found.last - found.first) / 2
    assert abs((today - middle).days - length) <= {"day": 0, "week": 0, "month": 32, "year": 367}[unit]
    assert found.first <= found.last < today


@given(todays, st.sampled_from(["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]))
def test_weekdays(today: date, weekday: str) -> None:
    (last,), (coming,) = (relative_dates(f"Who is it {which} {weekday}?", str(today)) for which in ("last", "next"))
    assert last.first.strftime("%A") == coming.first.strftime("%A") == weekday
    assert today - timedelta(7) <= last.first < today < coming.first <= today + timedelta(7)


@given(todays, st.sampled_from(["yesterday", "last week", "this year", "last month", "2 days ago", "next Friday"]))
def test_what_takes_the_place_is_read_as_these_days(today: date, said: str) -> None:
    (found,) = relative_dates(f"What is it {said}?", today.isoformat())
    assert relative_dates(dated(f"What is it {said}?", today.isoformat()), today.isoformat()) == []
    for one in found_dates(days_text(found.first, found.last))[:1]:
        assert (one.date.month, one.date.day or 1) == (found.first.month, found.first.day)
