"""Tables in a library: what their cells are read as, and that they come and go with their documents."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from clew.memory.datatypes import Table
from clew.memory.encoding import CachedEncoder
from clew.memory.knowledge.disk import DATABASE
from clew.memory.knowledge.library import open_library
from clew.memory.knowledge.tables import LARGE, TABLES, typed
from clew.memory.text import stemmed_words
from tests.memory.knowledge.index.test_damage import generation_of
from tests.memory.knowledge.index.test_run import run

COLUMNS = [
    (["1,200.50 EUR", "80 EUR", ""], "number", "EUR", [1200.5, 80.0, None]),
    (["1.200,50 €", "80,00 €"], "number", "€", [1200.5, 80.0]),
    (["$5", "-$3", "(2)"], "number", "$", [5.0, -3.0, -2.0]),
    (["12 %", "7.5 %"], "number", "%", [12.0, 7.5]),
    (["3 kg", "400 g"], "text", "", ["3 kg", "400 g"]),
    (["007", "012"], "text", "", ["007", "012"]),
    (["A3", "B1"], "text", "", ["a3", "b1"]),
    (["03/04/2024", "13/04/2024"], "date", "", ["2024-04-03", "2024-04-13"]),
    (["3 May 2024", "2024-06-01"], "date", "", ["2024-05-03", "2024-06-01"]),
    (["yes", "No", ""], "yes-no", "", [1, 0, None]),
    (["\u2713", "\u2717"], "yes-no", "", [1, 0]),
    (["Café", "n/a"], "text", "", ["cafe", "n/a"]),
]


@pytest.mark.parametrize(("cells", "kind", "unit", "values"), COLUMNS, ids=lambda one: str(one)[:20])
def test_what_cells_are_read_as(cells: list[str], kind: str, unit: str, values: list[object]) -> None:
    columns, rows = typed(Table("", ("What", "It is"), tuple((f"x{n}", cell) for n, cell in enumerate(cells))))
    assert (columns[1].kind, columns[1].unit, [row[1] for row in rows]) == (kind, unit, values)


def test_a_last_row_that_sums_up_the_others_is_no_row() -> None:
    with_sum = Table("", ("Item", "Cost"), (("a", "3"), ("b", "4"), ("", "7")))
    assert len(typed(with_sum)[1]) == 2
    assert len(typed(with_sum._replace(rows=(*with_sum.rows[:2], ("c", "8"))))[1]) == 3


def test_they_come_and_go_with_their_documents(tmp_path: Path, encoder: CachedEncoder) -> None:
    folder, library = tmp_path / "lists", tmp_path / "library"
    folder.mkdir()
    (folder / "boats.csv").write_text("Name,Length\nIda,7\nOda,9\n", "utf-8")
    (folder / "crew.csv").write_text("Name,Age\nBo,41\n", "utf-8")

    def held() -> dict[str, int]:
        with open_library(library, encoder) as opened:
            return {one.document: one.size for one in opened.store.tables.all}

    run([folder], library, encoder)
    assert held() == {"boats.csv": 2, "crew.csv": 1}
    (folder / "boats.csv").write_text("Name,Length\nIda,7\n", "utf-8")
    assert run([folder], library, encoder).changed == 1
    assert held() == {"boats.csv": 1, "crew.csv": 1}
    (folder / "crew.csv").unlink()
    run([folder], library, encoder)
    assert held() == {"boats.csv": 1}
    with closing(sqlite3.connect(generation_of(library) / DATABASE)) as database:
        documents = [database.execute(f"SELECT DISTINCT document FROM {table}").fetchall() for table in TABLES]
    assert documents == [[("boats.csv",)]] * 3


def test_of_many_rows_the_text_has_some_and_the_table_all(tmp_path: Path, encoder: CachedEncoder) -> None:
    rows = "".join(f"Person {n},{n}\n" for n in range(LARGE + 1))
    (tmp_path / "many.csv").write_text(f"Name,Points\n{rows}", "utf-8")
    run([tmp_path / "many.csv"], tmp_path / "library", encoder)
    with open_library(tmp_path / "library", encoder) as opened:
        (document,) = opened.store.documents(["many.csv"])
        assert document.text.count("Person") < 200 and opened.store.tables.all[0].size == LARGE + 1
        (links,) = opened.store.tables.links(stemmed_words("person 1777"), 5).values()
    assert (links[0].value, links[0].share, len(links)) == ("person 1777", 1, 5)
