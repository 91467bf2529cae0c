"""Dates: the ways of writing one day meet, in whatever order; what is no date stays as it is."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.memory.dates import MONTHS, CalendarDate, asked_times, found_dates, order_of, written_out
from clew.memory.knowledge.document_dates import lines_with_dates
from clew.memory.knowledge.keywords import search_text

days = st.dates(date(1400, 1, 1), date(2099, 12, 31))


def ways(day: date) -> list[str]:
    """How people write a day, but for numbers whose order nobody knows."""
    name = MONTHS[day.month - 1]
    short = name[:3]
    dot = "." if short != "May" else ""
    ordinal = f"{day.day}{'th' if day.day in (11, 12, 13) else {1: 'st', 2: 'nd', 3: 'rd'}.get(day.day % 10, 'th')}"
    return [
        f"{day.day} {name} {day.year}",
        f"{day.day:02} {short}{dot} {day.year}",
        f"{ordinal} of {name}, {day.year}",
        f"{name} {ordinal}, {day.year}",
        f"{short} {day.day} {day.year}",
        f"{name.upper()} {day.day}, {day.year}",
        f"{day.day}-{short}-{day.year}",
        day.isoformat(),
        day.isoformat().replace("-", "/"),
        f"{day.isoformat()}T10:20:00Z",
    ]


@given(days)
def test_all_ways_of_writing_a_day_are_that_day_and_are_searched_by_the_same_words(day: date) -> None:
    for way in ways(day):
        (found,) = found_dates(f"It was on {way}, they say.")
        assert (found.date, found.other) == (CalendarDate(day.year, day.month, day.day), None), way
        assert found.date.iso == day.isoformat()
    words = {search_text(way) for way in ways(day)}
    assert words == {f"{day.day} {MONTHS[day.month - 1]} {day.year} d{day.month:02}{day.day:02}"}


@given(days, st.booleans())
def test_numbers_are_read_in_the_order_of_the_document(day: date, month_first: bool) -> None:
    text = f"{day.month}/{day.day}/{day.year}" if month_first else f"{day.day:02}/{day.month:02}/{day.year}"
    order = order_of([f"{text} and {'12/31/1999' if month_first else '31/12/1999'}"])
    (found,) = found_dates(text, order)
    assert order == ("month" if month_first else "day")
    assert (found.date.iso, found.other) == (day.isoformat(), None)


def test_numbers_whose_order_nothing_shows_are_both() -> None:
    (found,) = found_dates("due 03/09/2024")
    assert (found.date.iso, found.other and found.other.iso) == ("2024-09-03", "2024-03-09")
    assert {"d0903", "d0309", "September", "March"} <= set(search_text("due 03/09/2024").split())
    (same,) = found_dates("03/03/2024")
    assert same.other is None
    assert order_of(["13/01/2024 and 01/13/2024"]) == "" == order_of(["03/09/2024"])


@pytest.mark.parametrize(
    "text",
    [
        "the 2010-11 season", "from 2008-12", "version 3.9.2 of it", "24/7 and 9/11", "I may 3 times",
        "March 3,000 men", "May 4:30", "10.1.2.3", "32 May", "31 June", "a ratio of 3/4",
        "page 2024", "1914-18", "in September",
    ],
)  # fmt: skip
def test_what_is_no_day_and_no_month_of_a_year_stays_as_it_is(text: str) -> None:
    assert found_dates(text) == []
    assert search_text(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Sept. 2024", "September 2024"),
        ("2024-09", "September 2024"),
        ("16-22 November 2026", "16 to 22 November 2026"),
        ("Nov. 16 to 22, 2026", "16 to 22 November 2026"),
        ("9/13/24", "13 September 2024"),
        ("Tue, 3 Sep 2024 10:12:00 +0200", "Tuesday, 3 September 2024 10:12:00 +0200"),
        ("Mon-Wed 9-12, Sat 9-10", "Monday Tuesday Wednesday 9-12, Saturday 9-10"),
        ("Sat-Mon", "Saturday Sunday Monday"),
        ("Sun closed, Thurs. and Fri", "Sunday closed, Thursday and Friday"),
        ("open on saturdays", "open on saturdays"),
    ],
)
def test_written_out(text: str, shown: str) -> None:
    assert written_out([text, shown]) == [shown, shown]


def test_a_span_has_all_its_days() -> None:
    words = search_text("3-5 May 2020").split()
    assert words[-3:] == ["d0503", "d0504", "d0505"]
    (span,) = found_dates("3-5 May 2020")
    assert [span.meets(CalendarDate(2020, 5, day)) for day in (2, 3, 4, 5, 6)] == [False, True, True, True, False]


@pytest.mark.parametrize(
    ("question", "times"),
    [
        ("What happened in 1914 and in March, and on 3 May 2020?", ["1914", "March", "3 May 2020"]),
        ("May I ask who wrote it?", []),
        ("Good. May dogs stay here?\nMay dogs stay in the shed?", []),
        ("what happened in may?", ["May"]),
        ("may I march on in june?", ["June"]),
    ],
)
def test_the_times_of_a_question(question: str, times: list[str]) -> None:
    assert [one.date.text for one in asked_times(question)] == times


def test_entries_of_a_diary() -> None:
    text = "Diary\n2024-09-03: ran\nmore on 4 May 2020\n## Tuesday 10 Sept 2024\nswam"
    assert [(text[place:][:2], day.iso) for place, day in lines_with_dates(text)] == [
        ("20", "2024-09-03"),
        ("##", "2024-09-10"),
    ]


@given(st.text(max_size=200))
def test_nothing_raises(text: str) -> None:
    for one in found_dates(text):
        assert 0 <= one.start < one.end <= len(text)
    assert len(search_text(text)) >= 0 and order_of([text]) in ("day", "month", "")
