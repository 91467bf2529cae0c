"""The date of a document and what it says against itself."""

import sqlite3

import pytest

from clew.memory.datatypes import Document
from clew.memory.knowledge.disk import COLUMNS
from clew.memory.knowledge.document_dates import date_orders, dated_texts, with_date


def read(id_: str, title: str, text: str, **more: str) -> tuple[str, str]:
    found = with_date(Document(id_, title, text, f"/notes/{id_}", **more))  # type: ignore[arg-type]
    return found.date, found.status


@pytest.mark.parametrize(
    ("id_", "title", "text", "expected"),
    [
        ("2024-09-03.md", "Visit", "The doctor said that all is well.", "2024-09-03"),
        ("20240903_visit.txt", "visit", "All is well.", "2024-09-03"),
        ("notes-2024-09.md", "Notes", "All is well.", "2024-09"),
        ("a.md", "Budget 2023", "All is well. Next year, on 3 May 2024, it ends.", "2023"),
        ("a.md", "Minutes of 3 May 2024", "All is well.", "2024-05-03"),
        ("a.md", "Minutes", "Minutes\n\nTuesday, 3 Sept. 2024\n\nPresent: Ann", "2024-09-03"),
        ("a.md", "Policy", "Date: 3 April 2024\nEffective from: 1 May 2024\n", "2024-05-01"),
        ("a.txt", "Mail", "From: Ann\nDate: Tue, 3 Sep 2024 10:12:00 +0200\nSubject: x", "2024-09-03"),
        ("a.md", "Policy", "SUPERSEDED by the policy of 4 May 2024.\nIn force since 2 May 2020.", "2020-05-02"),
        ("a.md", "Ann Lee", "Ann Lee (5 May 1890 – 2 August 1976) was a painter.", ""),
        ("a.xls", "loans", "Loans\n\nDay | Book\n3 May 2020 | Atlas", ""),
        ("a.json", "staff", "staff\n\n- name: Ann\n- joined: 2019", ""),
        ("a.md", "Rules", "No shoes.\n\n" * 9 + "Written on 3 May 2020.", ""),
    ],
)
def test_the_date(id_: str, title: str, text: str, expected: str) -> None:
    assert read(id_, title, text)[0] == expected


def test_what_the_loader_found_goes_first() -> None:
    assert read("2020-01-01.md", "Of 2021", "On 3 May 2022.", date="1 June 2019")[0] == "2019-06-01"
    assert read("2020-01-01.md", "Of 2021", "On 3 May 2022.", date="no date")[0] == "2021"


@pytest.mark.parametrize(
    ("id_", "title", "text", "expected"),
    [
        ("a.md", "Travel (draft)", "All may fly.", "draft"),
        ("archive/a.md", "Travel", "All may fly.", "archive"),
        ("a.md", "Travel", "Superseded by the policy of 2024.\nAll may fly.", "superseded"),
        ("a.md", "Travel", "This version is no longer in force.", "no longer in force"),
        ("a.md", "Travel", "Status: cancelled\nParty on 3 May.", "cancelled"),
        ("a.md", "Travel", "This policy supersedes that of 2023, which is archived.", ""),
        ("a.md", "2010 NBA draft", "The draft was held in June.", ""),
        ("old/a.md", "Travel", "All may fly.", "old"),
        ("old-town/old-bridge.md", "The Old Bridge", "Cancelled flights are paid back.", ""),
    ],
)
def test_the_status(id_: str, title: str, text: str, expected: str) -> None:
    assert read(id_, title, text)[1] == expected


def library(*documents: Document) -> sqlite3.Connection:
    database = sqlite3.connect(":memory:")
    database.execute(f"CREATE TABLE documents ({COLUMNS})")
    database.execute("CREATE TABLE chunks (row, document, heading)")
    for row, one in enumerate(map(with_date, documents)):
        values = (one.id, one.title, one.text, "", "[]", "[]", one.date, one.status, "", "")
        database.execute("INSERT INTO documents VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", values)
        database.execute("INSERT INTO chunks VALUES (?, ?, ?)", (row, one.id, "10 Sept 2024" if row == 1 else ""))
    return database


def test_a_library_reads_numbers_as_one_of_its_documents_shows() -> None:
    database = library(Document("a", "A", "Paid on 12/31/2023."), Document("b", "B", "Paid on 03/09/2024."))
    orders = date_orders(database)
    assert (orders.library, orders.of("b")) == ("month", "month")
    assert database.execute("SELECT date FROM documents ORDER BY id").fetchall() == [("2023-12-31",), ("2024-03-09",)]
    _, text = dated_texts(database, ["Paid.", "Paid on 03/09/2024."], orders)
    assert text == "Paid on 9 March 2024 d0309. 10 September 2024 d0910"
    dated = library(Document("a", "Visit of 3 September 2024", "All is well. Again on 4 May."))
    assert list(dated_texts(dated, ["All is well."], date_orders(dated))) == ["All is well. 3 September 2024 d0903"]
