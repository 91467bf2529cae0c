"""The step that makes the layers of a library: the sentences, what they name, the relations that they state.

What a document has of them depends neither on other documents nor on the chunker, so that an unchanged document is not
read again; `numbering` joins the documents'. The triples that came with the documents are kept as they were read, and
where they are used each gets the chunk of its document that states it.
"""

import hashlib
import sqlite3
import time
from collections.abc import Generator, Iterator, Sequence
from itertools import groupby
from operator import itemgetter

from clew.memory.datatypes import Document, Progress, Triple
from clew.memory.knowledge.clues.clue_index import normalise
from clew.memory.knowledge.disk import TriplesFrom
from clew.memory.knowledge.embedding import with_title
from clew.memory.knowledge.extraction.extractors import Extraction, Extractor, extract_document
from clew.memory.knowledge.index.generation import Generation
from clew.memory.knowledge.numbering import number_layers

REPORT_EVERY = 50
"""Documents between two reports of progress, or"""

SECONDS = 1.0
"""by an extractor that is slow."""

USING_GIVEN = ("auto", "given", "both")

_COPIED = {"sentences": "t.document, t.n, t.start, t.end, t.digest, NULL, NULL", "names": "t.*", "relations": "t.*"}
_OUTSIDE_GRAPHS = " AND d.source NOT IN (SELECT origin FROM main.edges)"


def make_layers(generation: Generation) -> Iterator[Progress]:
    database, choices = generation.database, generation.choices
    if choices.triples in USING_GIVEN and (repeated := (yield from place_triples(database))):
        generation.notes.append(f"{repeated} repeated triples merged")
    if generation.old and choices.same_layers:
        copy_layers(database, choices.triples)
    if choices.triples != "none":
        yield from extract_missing(database, choices.triples, choices.extractor.extract)
    number_layers(database, generation.folder)


def place_triples(database: sqlite3.Connection) -> Generator[Progress, None, int]:
    """Find the chunk of every given triple; returns how many repeat another."""
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


def copy_layers(database: sqlite3.Connection, triples: TriplesFrom) -> None:
    """Of the documents that are as the old generation has them, though others of their source may have changed."""
    for table, columns in _COPIED.items():
        database.execute(
            f"INSERT INTO main.{table} SELECT {columns}"
            f" FROM main.documents d JOIN old.documents o ON o.id = d.id JOIN old.{table} t ON t.document = d.id"
            f" WHERE o.source = d.source AND o.digest = d.digest {_OUTSIDE_GRAPHS if triples == 'auto' else ''}"
            " ORDER BY t.document, t.n"
        )


def extract_missing(database: sqlite3.Connection, triples: TriplesFrom, extractor: Extractor) -> Iterator[Progress]:
    """The layers of the documents that have none yet."""
    missing = "SELECT id FROM main.documents d WHERE id NOT IN (SELECT document FROM main.sentences)"
    if triples == "auto":
        missing += _OUTSIDE_GRAPHS
    ids = [id_ for (id_,) in database.execute(missing)]
    reported = time.monotonic()
    for done, id_ in enumerate(ids, 1):
        title, text = database.execute("SELECT title, text FROM main.documents WHERE id = ?", (id_,)).fetchone()
        found = "SELECT subject, relation, object FROM main.triples WHERE document = ? ORDER BY n"
        given = database.execute(found, (id_,)).fetchall() if triples != "extract" else []
        extracted = triples in ("extract", "both") or (triples == "auto" and not given)
        document = Document(id_, title, text)
        _add(database, document, extract_document(document, given, extractor if extracted else None))
        if done % REPORT_EVERY == 0 or done == len(ids) or time.monotonic() > reported + SECONDS:
            reported = time.monotonic()
            yield Progress("extracting entities", done, len(ids))


def _add(database: sqlite3.Connection, document: Document, found: Extraction) -> None:
    texts = [document.text[start:end] for start, end in found.sentences]
    rows = [
        (document.id, n, *span, hashlib.sha256(with_title(document.title, text).encode()).digest(), None, None)
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
