"""The triples that came with the documents: kept as they were read, and each told of by one chunk of its document.

They are kept also where the library does not use them: the chunk of such a one is NULL.
"""

import sqlite3
from collections.abc import Generator, Iterator, Sequence
from itertools import groupby
from operator import itemgetter

from clew.memory.datatypes import Document, Triple
from clew.memory.knowledge.clues.triple_graph import normalise
from clew.memory.progress import Progress

TRIPLES = "SELECT subject, relation, object, chunk FROM triples WHERE chunk IS NOT NULL ORDER BY document, n"


def add_triples(database: sqlite3.Connection, document: Document) -> int:
    """Returns how many of its entries are none, and left out."""
    given = [parts for parts in document.triples if parts]
    rows = ((document.id, n, *parts) for n, parts in enumerate(given))
    database.executemany("INSERT INTO triples VALUES (?, ?, ?, ?, ?, NULL)", rows)
    return len(document.triples) - len(given)


def copy_triples(database: sqlite3.Connection, source: str) -> None:
    """Of the documents that were taken over from the old generation."""
    database.execute(
        "INSERT INTO main.triples SELECT t.document, t.n, t.subject, t.relation, t.object, NULL"
        " FROM main.documents d JOIN old.triples t ON t.document = d.id WHERE d.source = ?",
        (source,),
    )


def place_triples(database: sqlite3.Connection) -> Generator[Progress, None, int]:
    """Find the chunk of every triple; returns how many say what another says already."""
    keys: set[tuple[str, ...]] = set()
    found = "SELECT document, n, subject, relation, object FROM main.triples ORDER BY document, n"
    rows, done = database.execute(found).fetchall(), 0
    for document, of_document in groupby(rows, key=itemgetter(0)):
        chunks = list(_chunks(database, document))
        for _, n, *parts in of_document:
            keys.add(tuple(map(normalise, parts)))
            placed = "UPDATE main.triples SET chunk = ? WHERE document = ? AND n = ?"
            database.execute(placed, (chunk_of(Triple(*parts), chunks), document, n))
            done += 1
        yield Progress("placing triples", done, len(rows))
    database.commit()
    return len(rows) - len(keys)


def chunk_of(triple: Triple, chunks: Sequence[tuple[str, str]]) -> str:
    """Of ids with their normalised texts: the first that has both of its entities, else the first that has one, else
    the first."""
    ends = {normalise(triple.subject), normalise(triple.object)}
    held = [sum(end in text for end in ends) for _, text in chunks]
    return chunks[held.index(max(held))][0]


def _chunks(database: sqlite3.Connection, document: str) -> Iterator[tuple[str, str]]:
    (text,) = database.execute("SELECT text FROM main.documents WHERE id = ?", (document,)).fetchone()
    found = "SELECT id, start, end FROM main.chunks WHERE document = ? ORDER BY row"
    for id_, start, end in database.execute(found, (document,)):
        yield id_, normalise(text[start:end])
