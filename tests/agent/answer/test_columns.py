"""Whether the first row of a table names its columns."""

import pytest

from clew.agent.answer.columns import names_columns

HIRE = ["Bike | 2 hours | Full day (8 h) | Deposit", "Adult | £11 | £24 | £50", "Tandem | £18 | £38 | £100"]
TREES = ["Species | Planted | Dead by autumn 2022", "Field maple | 310 | 53", "Lime | 280 | 22"]
YEARS = ["Country | 2019 | 2020", "Norway | 12 | 14", "Chile | 33 | 31"]
BORN = ["Name | Born", "1 | 1912", "2 | 1934", "3 | 1951"]
PRICES = ["Adult | £11 | £24", "Tandem | £18 | £38", "Cargo | £22 | £48"]
SALES = ["2019 | 3 items | 12", "2020 | 5 items | 14", "2021 | 6 items | 13"]
NAMES = ["Ann | Berg", "Ben | Roth", "Cleo | Sand"]


@pytest.mark.parametrize(("rows", "named"), [(HIRE, True), (TREES, True), (YEARS, True), (BORN, True), (PRICES, False),
                                             (SALES, False), (NAMES, False), (HIRE[:1], False)])  # fmt: skip
def test_heads_look_otherwise_than_what_is_below(rows: list[str], named: bool) -> None:
    assert names_columns(rows, laid_out=False) is named
