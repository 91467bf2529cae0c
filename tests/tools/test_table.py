"""Requests to tables: the rows and values that they get, and what is said of those that cannot be."""

from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import ValidationError

from clew.memory.encoding import CachedEncoder
from clew.memory.errors import BadInput
from clew.memory.knowledge.index.run import index
from clew.memory.knowledge.library import open_library
from clew.tools.table import TableRequest, TableTool

BOATS = """Name,Harbour,Length,Built,Insured
Ida,North quay,7.5,2001-05-02,yes
Oda,South quay,9,1998-07-11,no
Una,North quay,9,2015-01-30,yes
Eve,South quay,6.25,2015-12-01,
"""


@pytest.fixture(scope="module")
def tool(tmp_path_factory: pytest.TempPathFactory, encoder: CachedEncoder) -> Iterator[TableTool]:
    folder = tmp_path_factory.mktemp("tables")
    (folder / "harbour").mkdir()
    (folder / "harbour" / "boats.csv").write_text(BOATS, "utf-8")
    (folder / "crew.csv").write_text("Name,Age\nBo,41\nAl,39\n", "utf-8")
    *_, _ = index([folder], folder / "library", encoder)
    with open_library(folder / "library", encoder) as library:
        yield TableTool(library.store.tables)


def condition(column: str, value: Any, operator: str = "=") -> dict[str, Any]:
    return {"column": column, "operator": operator, "value": value}


def computed(function: str, column: str = "") -> dict[str, str]:
    return {"function": function, "column": column}


REQUESTS: list[tuple[dict[str, Any], str]] = [
    ({"where": [condition("Harbour", "north quay")], "columns": ["Name"]}, "2 of 4 rows with Harbour North quay\n"
     "Name\nrow 2: Ida\nrow 4: Una"),
    ({"table": "boats.csv", "aggregate": computed("count"), "limit": 0}, "4 of 4 rows\ncount: 4"),
    ({"aggregate": computed("sum", "Length"), "limit": 0}, "4 of 4 rows\n"
     "sum of Length (4 values): 7.50 + 9.00 + 9.00 + 6.25 = 31.75"),
    ({"aggregate": computed("mean", "age"), "limit": 0}, "2 of 2 rows\nmean of age (2 values): (41 + 39) / 2 = 40"),
    ({"aggregate": computed("max", "Length"), "columns": ["Name"]}, "4 of 4 rows\nmax of Length (4 values): 9.00\n"
     "Name\nrow 3: Oda\nrow 4: Una"),
    ({"aggregate": computed("min", "Built"), "columns": ["Name"]}, "4 of 4 rows\nmin of Built (4 values): 1998-07-11\n"
     "Name\nrow 3: Oda"),
    ({"aggregate": computed("count"), "group_by": "Harbour", "table": "harbour"}, "4 of 4 rows\n"
     "North quay: 2\nSouth quay: 2"),
    ({"where": [condition("Built", "2015")], "columns": ["Name"]}, "2 of 4 rows with Built 2015\n"
     "Name\nrow 4: Una\nrow 5: Eve"),
    ({"where": [condition("Built", "2001", ">")], "columns": ["Name"]}, "2 of 4 rows with Built > 2001\n"
     "Name\nrow 4: Una\nrow 5: Eve"),
    ({"where": [condition("Insured", "yes"), condition("Length", 8, ">")], "columns": ["Name"]},
     "1 of 4 rows with Insured yes, Length > 8.0\nName\nrow 4: Una"),
    ({"where": [condition("Name", ["Ida", "Eve"])], "columns": ["Length"]}, "2 of 4 rows with Name Ida / Eve\n"
     "Length\nrow 2: 7.5\nrow 5: 6.25"),
    ({"order_by": "Length", "descending": True, "columns": ["Name"], "limit": 1}, "4 of 4 rows\n"
     "the first 1 of 4: Name\nrow 3: Oda"),
    ({"where": [condition("Name", "Zoe")], "columns": ["Length"]}, "0 of 4 rows with Name Zoe"),
    ({"where": [condition("Name", "'; DROP TABLE tables; --")], "table": "boats"},
     "0 of 4 rows with Name '; DROP TABLE tables; --"),
]  # fmt: skip


@pytest.mark.parametrize(("request_", "text"), REQUESTS, ids=lambda one: str(one)[:60])
def test_what_requests_get(tool: TableTool, request_: dict[str, Any], text: str) -> None:
    result = tool.call(TableRequest.model_validate(request_))
    assert result.text == text
    assert result.passage.text == text and result.passage.document == result.table.document


FAULTS: list[tuple[dict[str, Any], str]] = [
    ({"table": "planes"}, "there is no table 'planes'"),
    ({"columns": ["Name"]}, "2 tables have the columns Name"),
    ({"columns": ["Weight"]}, "no table has the columns Weight"),
    ({"table": "boats", "columns": ["Weight"]}, "has no column 'Weight'"),
    ({"aggregate": computed("sum", "Harbour")}, "sum is of a column of numbers"),
    ({"where": [condition("Length", "long", ">")]}, "'long' is no number for the column Length"),
]


@pytest.mark.parametrize(("request_", "message"), FAULTS, ids=lambda one: str(one)[:40])
def test_requests_that_cannot_be(tool: TableTool, request_: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput, match=message) as refused:
        tool.call(TableRequest.model_validate(request_))
    assert refused.value.hint


def test_the_schema_is_closed() -> None:
    for wrong in ({"sql": "SELECT 1"}, {"limit": 10**6}, {"aggregate": computed("median", "x")}):
        with pytest.raises(ValidationError):
            TableRequest.model_validate(wrong)
