"""The vectors of a generation, of its chunks and of its sentences: the old generation's where a text was there before,
the encoder's for others."""

import json
import re
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from pathlib import Path

import numpy as np

from clew.memory.datatypes import Ints, Progress, Vectors
from clew.memory.encoding import with_title
from clew.memory.files import new_file, within
from clew.memory.knowledge.arrays import mapped, new_array
from clew.memory.ports import Encoder

SLICE = 32
"""Texts embedded between two reports of progress."""


@dataclass(frozen=True, slots=True)
class Embedded:
    """A table of texts with vectors (row, document, start, end, digest), their file, and the name of the stage."""

    table: str
    file: str
    stage: str


NAMES = "names.npy"
"""The file of the vectors of the names of entities."""

CHUNKS = Embedded("chunks", "vectors.npy", "embedding")
SENTENCES = Embedded("sentences", "sentences.npy", "embedding sentences")


def open_vectors(generation: Path, what: Embedded) -> Vectors:
    """Shape (rows, d), memory-mapped. Raises one of `disk.BROKEN`."""
    return mapped(within(generation, what.file))


def check_rows(vectors: Vectors, what: Embedded, database: sqlite3.Connection, schema: str = "main") -> None:
    """Raises one of `disk.BROKEN` where there are not as many rows as vectors, or SQLite sees that its file is cut
    off."""
    (last,) = database.execute(f"SELECT max(row) FROM {schema}.{what.table}").fetchone()
    if len(vectors) != (0 if last is None else last + 1):
        raise ValueError(f"{len(vectors)} vectors of {what.table}, and the last row is {last}")


def embed(
    database: sqlite3.Connection, what: Embedded, folder: Path, old: Vectors | None, encoder: Encoder
) -> Iterator[Progress]:
    """Write the vectors of all rows, (rows, d). Where there is an old generation it is attached, `old` its vectors."""
    (total,) = database.execute(f"SELECT count(*) FROM main.{what.table}").fetchone()
    vectors = new_array(folder, what.file, np.float32, (total, encoder.dimension))
    known, missing = _known(database, what, old is not None)
    if old is not None:
        for start in range(0, len(known), SLICE):
            at, there = known[start : start + SLICE].T
            vectors[at] = old[there]
    done = len(known)
    yield Progress(what.stage, done, total)
    for start in range(0, len(missing), SLICE):
        rows = missing[start : start + SLICE]
        found = titles_and_texts(database, what, "WHERE row IN (SELECT value FROM json_each(?))", json.dumps(rows))
        texts = {row: with_title(title, text) for row, title, text in found}
        vectors[rows] = encoder.encode([texts[row] for row in rows], "passage")
        done += len(rows)
        yield Progress(what.stage, done, total)
    vectors.flush()


def embed_names(names: Sequence[str], folder: Path, encoder: Encoder) -> Iterator[Progress]:
    """Write the vectors of names, (names, d)."""
    vectors = np.empty((len(names), encoder.dimension), np.float32)
    for start in range(0, len(names), SLICE):
        vectors[start : start + SLICE] = encoder.encode(names[start : start + SLICE], "sentence")
        yield Progress("embedding names", min(start + SLICE, len(names)), len(names))
    np.save(new_file(folder, NAMES), vectors)


_ABOUT = """SELECT d.id || ' ' || d.date || ' ' || d.status || ' ' || d.author || ' ' || d.tags FROM main.chunks c
JOIN main.documents d ON d.id = c.document ORDER BY c.row"""
_BETWEEN = re.compile(r"[\W_]+")


def titles_and_texts(
    database: sqlite3.Connection, what: Embedded, where: str = "", *values: str
) -> Iterator[tuple[int, str, str]]:
    """Row, title and text in order. Each document's text is read once and cut here: SQLite counts characters from a
    text's beginning, and a part at a time that is quadratic."""
    found = database.execute(f"SELECT row, document, start, end FROM main.{what.table} {where} ORDER BY row", values)
    for id_, of_document in groupby(found, key=itemgetter(1)):
        title, text = database.execute("SELECT title, text FROM main.documents WHERE id = ?", (id_,)).fetchone()
        for row, _, start, end in of_document:
            yield row, title, text[start:end]


def _known(database: sqlite3.Connection, what: Embedded, has_old: bool) -> tuple[Ints, list[int]]:
    """Rows with the old generation's rows of the same texts, shape (known, 2); and the other rows, those of like length
    together, so that a batch wastes little padding. By a dictionary: SQLite joins on digests, which have no index, by
    going through all pairs."""
    there = dict(database.execute(f"SELECT digest, row FROM old.{what.table} ORDER BY row DESC")) if has_old else {}
    rows = database.execute(f"SELECT row, digest FROM main.{what.table} ORDER BY end - start, row").fetchall()
    known = sorted((row, there[digest]) for row, digest in rows if digest in there)
    return np.array(known, np.int64).reshape(-1, 2), [row for row, digest in rows if digest not in there]


def about_documents(database: sqlite3.Connection) -> list[str]:
    """The metadata of each chunk, in their order: what is known of its document beside its words."""
    return [_BETWEEN.sub(" ", text) for (text,) in database.execute(_ABOUT)]
