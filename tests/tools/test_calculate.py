"""Sums by kind, and what is none."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.memory.errors import BadInput
from clew.tools.calculate import calculate, in_text

SUMS = """
1,200 EUR - 950 EUR = 250 EUR
(1200 - 950) / 4 = 62.5
$1,200.50 * 2 = 2,401 $
1.200,50 EUR * 2 = 2,401 EUR
900 km / 3 h = 300 km/h
950 EUR/month * 12 months = 11,400 EUR
12 months * 1,200 EUR/month = 14,400 EUR
1,200 EUR/month * 2 years = 28,800 EUR
30 min * 90 km/h = 45 km
384,400 km to m = 384,400,000 m
(3 km - 200 m) / 2 = 1.4 km
90 km/h to m/s = 25 m/s
250 EUR / 1,000 EUR = 0.25
20 °C − 5 °C = 15 °C
19% * 1,200 EUR = 228 EUR
1,200 EUR + 19% = 1,428 EUR
1.05 ** 2 = 1.1025
-5 + 3 = -2
2024-05-01 + 30 days = 2024-05-31
1 May 2024 - 3 weeks = 2024-04-10
31 January 2024 + 1 month = 2024-02-29
2024-02-29 + 1 year = 2025-02-28
2024-05-01 - 2024-03-15 = 47 days
"""


@pytest.mark.parametrize("line", SUMS.strip().splitlines())
def test_a_sum_is_worked_out(line: str) -> None:
    assert calculate(line.rpartition(" = ")[0]) == line


@pytest.mark.parametrize(
    ("expression", "why"),
    [
        ("5 EUR - 3 km", "km and EUR are not the same"),
        ("3 km to EUR", "km and EUR are not the same"),
        ("3 to m", "a bare number and m are not the same"),
        ("2 days * 1,200 EUR/month", "days times EUR/month is no unit that is known"),
        ("3 m * 4 m", "m times m is no unit that is known"),
        ("1/0", "it divides by 0"),
        ("2 ** 99", "a power is of bare numbers, 30 at most"),
        ("2024-05-01 * 2", "to a day, days, weeks, months or years are added"),
        ("__import__('os').system('true')", "only + - * / ** and brackets stand between numbers"),
        ("2 +", "cannot be worked out"),
        ("1000000000000000000000000 + 1", "cannot be worked out"),
        ("", "cannot be worked out"),
        ("1+" * 200, "the expression has 400 characters, and may have 200"),
    ],
)
def test_what_is_no_sum_is_said_in_a_line(expression: str, why: str) -> None:
    with pytest.raises(BadInput, match=r"Try: write it as") as wrong:
        calculate(expression)
    assert why in wrong.value.message and "\n" not in wrong.value.message


@given(st.text("0123456789.,+-*/()% EURdays_a=\n'", max_size=40))
def test_whatever_is_written_is_a_result_or_an_error_of_ours(expression: str) -> None:
    with suppress(BadInput):
        assert " = " in calculate(expression)


def test_the_numbers_of_a_text_are_read_both_ways_where_they_can_be() -> None:
    assert {str(one) for one in in_text("1.200 EUR since 3 May 2024, 12,5% of 1,000")} >= {
        "1.200",
        "1200",
        "2024-05-03",
        "12.5",
        "1000",
    }
