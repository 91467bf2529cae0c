"""The tables of a library's database (`schema.sql`), and a document as it stands there."""

import json
from collections.abc import Sequence
from pathlib import Path

from clew.memory.datatypes import Document, Mark

SCHEMA = Path(__file__).with_name("schema.sql").read_text("utf-8")

TRIPLES = "SELECT subject, relation, object, chunk FROM triples WHERE chunk IS NOT NULL ORDER BY document, n"


def document_of(row: Sequence[str]) -> Document:
    """Of the columns id, title, text, place, pages, headings."""
    id_, title, text, place, pages, headings = row
    return Document(id_, title, text, place, _marks(pages), _marks(headings))


def row_of(document: Document) -> tuple[str, ...]:
    """The columns that `document_of` reads."""
    marks = (_dumped(document.pages), _dumped(document.headings))
    return document.id, document.title, document.text, document.source, *marks


def _marks(text: str) -> tuple[Mark, ...]:
    return tuple(Mark(start, title) for start, title in json.loads(text))


def _dumped(marks: Sequence[Mark]) -> str:
    return json.dumps([(mark.start, mark.text) for mark in marks], ensure_ascii=False)
