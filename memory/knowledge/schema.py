"""The tables of a library's database (`schema.sql`), and a document as it stands there."""

import json
from collections.abc import Sequence
from pathlib import Path

from clew.memory.datatypes import Document, Mark

SCHEMA = Path(__file__).with_name("schema.sql").read_text("utf-8")

COLUMNS = "id, title, text, place, pages, headings, date, status"
"""Of a document."""

TRIPLES = "SELECT subject, relation, object, chunk FROM triples WHERE chunk IS NOT NULL ORDER BY document, n"


def document_of(row: Sequence[str]) -> Document:
    """Of `COLUMNS`."""
    id_, title, text, place, pages, headings, date, status = row
    of_pages, of_headings = (tuple(Mark(*mark) for mark in json.loads(column)) for column in (pages, headings))
    return Document(id_, title, text, place, of_pages, of_headings, date=date, status=status)


def row_of(document: Document) -> tuple[str, ...]:
    """`COLUMNS`."""
    marks = (json.dumps(its, ensure_ascii=False) for its in (document.pages, document.headings))
    return document.id, document.title, document.text, document.source, *marks, document.date, document.status
