"""The tables of a library's database (`schema.sql`), and a document as it stands there."""

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from functools import cache
from pathlib import Path

from clew.memory.datatypes import Document, Mark
from clew.memory.files import within

SCHEMA = Path(__file__).with_name("schema.sql").read_text("utf-8")

COLUMNS = "id, title, text, place, pages, headings, date, status"
"""Of a document."""

TRIPLES = "SELECT subject, relation, object, chunk FROM triples WHERE chunk IS NOT NULL ORDER BY document, n"


DATABASE = "library.sqlite"
DEFENSIVE = 1010
"""SQLITE_DBCONFIG_DEFENSIVE, which Python knows from 3.12 on."""

Statements = frozenset[tuple[str, str, str, str | None]]


def read_only(generation: Path) -> str:
    """The address of a generation's database."""
    return f"{within(generation, DATABASE).resolve().as_uri()}?mode=ro&immutable=1"


def open_database(generation: Path, check_same_thread: bool = True) -> sqlite3.Connection:
    """Read-only, whoever made it. Raises one of `disk.BROKEN` for one with another schema than ours."""
    connection = sqlite3.connect(read_only(generation), uri=True, check_same_thread=check_same_thread)
    try:
        harden(connection)
        check_schema(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def harden(connection: sqlite3.Connection) -> None:
    """What SQLite advises for a file of somebody else (sqlite.org/security.html)."""
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")
    if hasattr(connection, "setconfig"):
        connection.setconfig(DEFENSIVE)


def check_schema(connection: sqlite3.Connection, name: str = "main") -> None:
    """Raises `ValueError` where the tables, indexes, views and triggers are not those of `schema.sql`."""
    if _statements(connection, name) != _ours():
        raise ValueError("its database has another schema")


def _statements(connection: sqlite3.Connection, name: str) -> Statements:
    return frozenset(connection.execute(f"SELECT type, name, tbl_name, sql FROM {name}.sqlite_master"))


@cache
def _ours() -> Statements:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(f"{SCHEMA}; DROP TABLE staged")
        return _statements(connection, "main")


def order_chunks(database: sqlite3.Connection) -> None:
    """Number the chunks that are `staged` by source, position and place."""
    database.execute(
        "INSERT INTO chunks SELECT row_number() OVER (ORDER BY d.source, d.position, s.n) - 1, s.id, s.document,"
        " s.start, s.end, s.page, s.heading, s.digest FROM staged s JOIN documents d ON d.id = s.document"
    )
    database.execute("DROP TABLE staged")
    database.commit()


def document_of(row: Sequence[str]) -> Document:
    """Of `COLUMNS`."""
    id_, title, text, place, pages, headings, date, status = row
    of_pages, of_headings = (tuple(Mark(*mark) for mark in json.loads(column)) for column in (pages, headings))
    return Document(id_, title, text, place, of_pages, of_headings, date=date, status=status)


def row_of(document: Document) -> tuple[str, ...]:
    """`COLUMNS`."""
    marks = (json.dumps(its, ensure_ascii=False) for its in (document.pages, document.headings))
    return document.id, document.title, document.text, document.source, *marks, document.date, document.status
