"""The vectors of a generation, of its chunks and of its sentences: the old generation's where a text was there before,
the encoder's for others."""

import json
import random
import re
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from operator import itemgetter
from pathlib import Path

import numpy as np

from clew.memory.datatypes import Chunk, Ints, Passage, Progress, Vectors
from clew.memory.files import mapped, new_array, new_file, within
from clew.memory.ports import Encoder

TITLE_BYTES = 200
"""Bytes of a title that are embedded: in English or Chinese about a quarter of MiniLM's 254 tokens, and never all."""

SLICE = 512
"""Texts embedded between two reports of progress."""


@dataclass(frozen=True, slots=True)
class Embedded:
    """A table of texts with vectors (row, document, start, end, digest), their file, and the name of the stage."""

    table: str
    file: str
    stage: str


NAMES = "names.npy"
"""The file of the vectors of the names of entities."""

NAMED = "named.json"
"""These names."""

CHUNKS = Embedded("chunks", "vectors.npy", "embedding")
SENTENCES = Embedded("sentences", "sentences.npy", "embedding sentences")


def embedded_text(chunk: Chunk | Passage) -> str:
    return with_title(chunk.title, chunk.text)


def with_title(title: str, text: str) -> str:
    """What is encoded: the title, unless the text begins with it as a line, and the text."""
    prefix = title_prefix(title)
    return text if f"{text}\n".startswith(prefix) else prefix + text


def title_prefix(title: str) -> str:
    """The title as it is embedded, with its line's end; empty without one."""
    title = " ".join(title.split())
    if len(title.encode()) > TITLE_BYTES:
        title = title.encode()[:TITLE_BYTES].decode(errors="ignore")
        title = title.rsplit(None, 1)[0]
    return f"{title}\n" if title else ""


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
    done = 0 if old is None else _taken_over(vectors, old, *_known(database, what))
    yield Progress(what.stage, done, total)
    for rows in _missing(database, what, old is not None):
        found = titles_and_texts(database, what, "WHERE row IN (SELECT value FROM json_each(?))", json.dumps(rows))
        texts = {row: with_title(title, text) for row, title, text in found}
        vectors[rows] = encoder.encode([texts[row] for row in rows], "passage")
        done += len(rows)
        yield Progress(what.stage, done, total)
    vectors.flush()


def named_vectors(generation: Path) -> tuple[dict[str, int], Vectors]:
    """What `embed_names` wrote: each name's row, and the vectors; none where it wrote no names. Raises
    one of `disk.BROKEN`."""
    if not within(generation, NAMED).exists():
        return {}, np.empty((0, 0), np.float32)
    names, vectors = json.loads(within(generation, NAMED).read_text("utf-8")), mapped(within(generation, NAMES))
    if len(names) != len(vectors):
        raise ValueError(f"{len(vectors)} vectors of {len(names)} names")
    return {name: row for row, name in enumerate(names)}, vectors


def embed_names(
    names: Sequence[str], folder: Path, before: tuple[Mapping[str, int], Vectors], encoder: Encoder
) -> Iterator[Progress]:
    """Write the vectors of names, (names, d), and whose they are; `before` is the old generation's `named_vectors`."""
    vectors = np.empty((len(names), encoder.dimension), np.float32)
    rows = np.array([before[0].get(name, -1) for name in names], np.int64)
    _taken_over(vectors, before[1], np.flatnonzero(rows >= 0), rows[rows >= 0])
    missing = np.flatnonzero(rows < 0)
    for start in range(0, len(missing), SLICE):
        part = missing[start : start + SLICE]
        vectors[part] = encoder.encode([names[place] for place in part], "sentence")
        yield Progress("embedding names", len(names) - len(missing) + start + len(part), len(names))
    np.save(new_file(folder, NAMES), vectors)
    new_file(folder, NAMED).write_text(json.dumps(names), "utf-8")


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


def _known(database: sqlite3.Connection, what: Embedded) -> tuple[Ints, Ints]:
    """Rows, and the old generation's rows of the same texts. By a dictionary: SQLite joins on digests, which have no
    index, by going through all pairs."""
    rows = dict(database.execute(f"SELECT digest, row FROM old.{what.table} ORDER BY row DESC"))
    found = database.execute(f"SELECT row, digest FROM main.{what.table} ORDER BY row")
    pairs = np.array([(row, rows[digest]) for row, digest in found if digest in rows], np.int64).reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1]


def _taken_over(vectors: Vectors, old: Vectors, rows: Ints, there: Ints) -> int:
    """Copy old rows, those that follow one another in both at once; returns how many."""
    breaks = np.flatnonzero((np.diff(rows) != 1) | (np.diff(there) != 1)) + 1
    for start, end in pairwise([0, *breaks.tolist(), len(rows)]):
        if start < end:
            vectors[rows[start] : rows[start] + end - start] = old[there[start] : there[start] + end - start]
    return len(rows)


def _missing(database: sqlite3.Connection, what: Embedded, has_old: bool) -> list[list[int]]:
    """Rows of like length together, so that a batch wastes little padding; the slices in a mixed order, so that the
    time that is left follows from the time that has passed."""
    known = f"SELECT digest FROM old.{what.table}" if has_old else "SELECT NULL WHERE 0"
    found = f"SELECT row FROM main.{what.table} WHERE digest NOT IN ({known}) ORDER BY end - start, row"
    rows = [row for (row,) in database.execute(found)]
    slices = [rows[start : start + SLICE] for start in range(0, len(rows), SLICE)]
    random.Random(0).shuffle(slices)  # noqa: S311 an order, not a secret
    return slices


def about_documents(database: sqlite3.Connection) -> list[str]:
    """The metadata of each chunk, in their order: what is known of its document beside its words."""
    return [_BETWEEN.sub(" ", text) for (text,) in database.execute(_ABOUT)]
