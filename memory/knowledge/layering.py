"""The layers of a library as its documents have them: their sentences, what these name, the relations that they state.

This depends neither on other documents nor on the chunker, so that an unchanged document is not read again;
`numbering` joins it.
"""

import hashlib
import sqlite3
import time
from collections.abc import Iterator
from typing import Literal

from clew.memory.datatypes import Document
from clew.memory.knowledge.chunking import with_title
from clew.memory.knowledge.extraction.documents import Extraction, Extractor, extract_document
from clew.memory.progress import Progress

Triples = Literal["auto", "given", "extract", "both", "none"]
"""What a library knows of entities and relations: from the triples that its documents carry, from what is extracted,
from both, or nothing. `auto`: given where a document carries triples, none in a graph folder, else extracted."""

SCHEMA = """
CREATE TABLE sentences (
    document TEXT NOT NULL, n INTEGER NOT NULL, start INTEGER NOT NULL, end INTEGER NOT NULL, digest BLOB NOT NULL,
    row INTEGER, chunk INTEGER, PRIMARY KEY (document, n)) WITHOUT ROWID;
CREATE UNIQUE INDEX sentences_by_row ON sentences (row);
CREATE TABLE names (
    document TEXT NOT NULL, n INTEGER NOT NULL, sentence INTEGER NOT NULL, text TEXT NOT NULL, kind TEXT NOT NULL,
    given INTEGER NOT NULL, PRIMARY KEY (document, n)) WITHOUT ROWID;
CREATE TABLE relations (
    document TEXT NOT NULL, n INTEGER NOT NULL, sentence INTEGER NOT NULL, subject INTEGER NOT NULL, verb TEXT NOT NULL,
    object INTEGER NOT NULL, given INTEGER NOT NULL, PRIMARY KEY (document, n)) WITHOUT ROWID;
CREATE TABLE entities (number INTEGER PRIMARY KEY, id TEXT NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL);
CREATE TABLE verbs (number INTEGER PRIMARY KEY, text TEXT NOT NULL);
"""

REPORT_EVERY = 50
"""Documents between two reports of progress, or"""

SECONDS = 1.0
"""by an extractor that is slow."""

_COPIED = {"sentences": "t.document, t.n, t.start, t.end, t.digest, NULL, NULL", "names": "t.*", "relations": "t.*"}


_OUTSIDE_GRAPHS = " AND d.source NOT IN (SELECT origin FROM main.edges)"


def copy_layers(database: sqlite3.Connection, triples: Triples) -> None:
    """Of the documents that are as the old generation has them, though others of their source may have changed."""
    for table, columns in _COPIED.items():
        database.execute(
            f"INSERT INTO main.{table} SELECT {columns}"
            f" FROM main.documents d JOIN old.documents o ON o.id = d.id JOIN old.{table} t ON t.document = d.id"
            f" WHERE o.source = d.source AND o.digest = d.digest {_OUTSIDE_GRAPHS if triples == 'auto' else ''}"
        )


def extract_missing(database: sqlite3.Connection, triples: Triples, extractor: Extractor) -> Iterator[Progress]:
    """The layers of the documents that have none yet."""
    missing = "SELECT id FROM main.documents d WHERE id NOT IN (SELECT document FROM main.sentences)"
    if triples == "auto":
        missing += _OUTSIDE_GRAPHS
    ids = [id_ for (id_,) in database.execute(missing)]
    told = time.monotonic()
    for done, id_ in enumerate(ids, 1):
        title, text = database.execute("SELECT title, text FROM main.documents WHERE id = ?", (id_,)).fetchone()
        document, given = Document(id_, title, text), _given(database, id_) if triples != "extract" else []
        extracted = triples in ("extract", "both") or (triples == "auto" and not given)
        _add(database, document, extract_document(document, given, extractor if extracted else None))
        if done % REPORT_EVERY == 0 or done == len(ids) or time.monotonic() > told + SECONDS:
            told = time.monotonic()
            yield Progress("extracting entities", done, len(ids))


def _given(database: sqlite3.Connection, document: str) -> list[tuple[str, ...]]:
    found = "SELECT subject, relation, object FROM main.triples WHERE document = ? ORDER BY n"
    return database.execute(found, (document,)).fetchall()


def _add(database: sqlite3.Connection, document: Document, found: Extraction) -> None:
    texts = [document.text[start:end] for start, end in found.sentences]
    rows = [
        (
            document.id,
            n,
            *span,
            hashlib.sha256(with_title(document.title, text).encode()).digest(),
            None,
            None,
        )
        for n, (span, text) in enumerate(zip(found.sentences, texts, strict=True))
    ]
    names = [(document.id, n, one.sentence, one.text, one.kind, one.given) for n, one in enumerate(found.names)]
    relations = [
        (document.id, n, one.sentence, one.subject, one.verb, one.object, one.given)
        for n, one in enumerate(found.relations)
    ]
    for table, values in (("sentences", rows), ("names", names), ("relations", relations)):
        if values:
            database.executemany(f"INSERT INTO main.{table} VALUES ({', '.join('?' * len(values[0]))})", values)
