from pathlib import Path

import pytest

from clew.memory.datatypes import Document
from clew.memory.knowledge.loaders.registry import loader_of, read
from clew.memory.knowledge.loaders.source import LoadFailure, Source
from clew.memory.knowledge.loaders.table import ROWS, TABLE


def only(path: Path, content: str) -> Document | LoadFailure:
    path.write_text(content, "utf-8")
    (found,) = read(Source(path, TABLE, path))
    return found


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("jars_2025.csv", 'Jar,Price\n"250 g, small",4.50\n\n"500 g\nbig",\n'),
        ("jars_2025.csv", 'Jar;Price\n"250 g, small";4.50\n;\n500 g big;\n'),
        ("jars_2025.tsv", "Jar\tPrice\n250 g, small\t4.50\n500 g big\t\n"),
    ],
)
def test_rows_have_cells_that_are_parted_alike(tmp_path: Path, name: str, content: str) -> None:
    path = tmp_path / name
    assert only(path, content) == Document(name, "jars 2025", "Jar | Price\n250 g, small | 4.50\n500 g big", str(path))
    assert loader_of(path) is TABLE


def test_the_names_of_the_columns_stand_above_every_part_of_a_long_table(tmp_path: Path) -> None:
    rows = "".join(f"row {number},{number}\n" for number in range(2 * ROWS + 1))
    found = only(tmp_path / "long.csv", f"name,number\n{rows}")
    assert isinstance(found, Document)
    parts = found.text.split("\n\n")
    assert [len(part.splitlines()) for part in parts] == [ROWS + 1, ROWS + 1, 2]
    assert {part.splitlines()[0] for part in parts} == {"name | number"}
    assert parts[-1].endswith(f"row {2 * ROWS} | {2 * ROWS}")


@pytest.mark.parametrize(
    ("content", "why"), [("", "empty"), (",,\n,\n", "empty"), ('a,"' + "b" * 140_000 + '"', "not a table: field")]
)
def test_what_is_no_table_is_said(tmp_path: Path, content: str, why: str) -> None:
    found = only(tmp_path / "x.csv", content)
    assert isinstance(found, LoadFailure) and found.reason.startswith(why)
