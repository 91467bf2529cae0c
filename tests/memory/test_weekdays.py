"""Days of the week, abbreviated or not."""

import pytest

from clew.memory.weekdays import DAYS, days_in_full, days_written_out, found_days


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("Mon-Fri 6:30-18:00", (0, 1, 2, 3, 4)),
        ("Sat 7-13", (5,)),
        ("- Sun closed", (6,)),
        ("Thurs. and Fri", (3, 4)),
        ("Tuesdays to Thursdays", (1, 2, 3)),
        ("Sat-Mon", (5, 6, 0)),
        ("| Wed | rest |", (2,)),
        ("open on saturdays", (5,)),
        ("He sat there, the Sun shone and they wed.", ()),
        ("Sun cream and a mon", ()),
    ],
)
def test_days_are_told_from_words(text: str, days: tuple[int, ...]) -> None:
    found = list(found_days(text))
    assert tuple(day for one in found for day in one.days) == days
    assert all(text[one.start : one.end].strip() == text[one.start : one.end] for one in found)


def test_a_span_has_every_day_in_words_and_its_ends_to_be_read() -> None:
    assert days_written_out("Mon-Wed 9-12, Sat 9-10") == "Monday Tuesday Wednesday 9-12, Saturday 9-10"
    assert days_in_full("Mon-Wed 9-12, Sat 9-10") == "Monday-Wednesday 9-12, Saturday 9-10"
    assert days_written_out("Mon-Fri") == f"{' '.join(DAYS[:5])} weekdays"
    assert days_written_out("Sat/Sun") == "Saturday/Sunday"
    assert days_written_out("Monday to Tuesday") == "Monday Tuesday"
    assert days_written_out("On Sunday he sat in the sun.") == "On Sunday he sat in the sun."
