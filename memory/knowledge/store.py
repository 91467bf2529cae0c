"""The embedded store: SQLite for documents, chunks and edges, memory-mapped vectors, BM25 by field. Only reads.

A chunk's row is its place in the vectors and in the keyword indexes; ids go in and come out.
"""

import json
import sqlite3
import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memory.datatypes import Chunk, Document, Edge, Hit, Mark, Vectors
from memory.knowledge.keywords import KeywordIndex, KeywordParameters, KeywordScores

SCHEMA = """
CREATE TABLE sources (
    path TEXT PRIMARY KEY, digest TEXT NOT NULL);
CREATE TABLE documents (
    id TEXT PRIMARY KEY, title TEXT NOT NULL, text TEXT NOT NULL, place TEXT NOT NULL, pages TEXT NOT NULL,
    headings TEXT NOT NULL, digest TEXT NOT NULL, source TEXT NOT NULL, position INTEGER NOT NULL);
CREATE INDEX documents_by_source ON documents (source, position);
CREATE TABLE chunks (
    row INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, document TEXT NOT NULL, start INTEGER NOT NULL,
    end INTEGER NOT NULL, page TEXT NOT NULL, heading TEXT NOT NULL, digest BLOB NOT NULL);
CREATE INDEX chunks_by_document ON chunks (document);
CREATE TABLE edges (
    source TEXT NOT NULL, target TEXT NOT NULL, relation TEXT NOT NULL, origin TEXT NOT NULL,
    PRIMARY KEY (source, target, relation)) WITHOUT ROWID;
CREATE INDEX edges_by_target ON edges (target);
"""

VECTORS = "vectors.npy"

Rows = NDArray[np.int64]


class EmbeddedStore:
    """One generation of a library, opened. The schema is above; `indexing` fills it."""

    def __init__(self, folder: Path, keywords: KeywordParameters) -> None:
        self._lock = threading.Lock()
        self._database = sqlite3.connect(
            f"{(folder / 'library.sqlite').resolve().as_uri()}?mode=ro&immutable=1", uri=True, check_same_thread=False
        )
        self._vectors: Vectors = open_vectors(folder)
        self._keywords = KeywordIndex(folder / "keywords", keywords, len(self._vectors))

    def close(self) -> None:
        self._database.close()

    def documents(self, ids: Sequence[str]) -> list[Document]:
        found = {
            row[0]: Document(*row[:4], *map(_marks, row[4:]))
            for row in self._select(
                "SELECT id, title, text, place, pages, headings FROM documents"
                " WHERE id IN (SELECT value FROM json_each(?))",
                ids,
            )
        }
        return [found[id_] for id_ in ids]

    def chunks(self, ids: Sequence[str]) -> list[Chunk]:
        found = {
            row[0]: Chunk(*row)
            for row in self._select(
                "SELECT c.id, d.id, d.title, substr(d.text, c.start + 1, c.end - c.start), c.start, c.end, c.page,"
                " c.heading, d.place FROM chunks c JOIN documents d ON d.id = c.document"
                " WHERE c.id IN (SELECT value FROM json_each(?))",
                ids,
            )
        }
        return [found[id_] for id_ in ids]

    def vectors(self, ids: Sequence[str]) -> Vectors:
        rows = dict(self._select("SELECT id, row FROM chunks WHERE id IN (SELECT value FROM json_each(?))", ids))
        return np.array(self._vectors[[rows[id_] for id_ in ids]], dtype=np.float32)

    def keyword_search(
        self, queries: Sequence[str], k: int, *, scope: frozenset[str] | None = None, among: Sequence[str] | None = None
    ) -> list[list[Hit]]:
        allowed = self._allowed(scope, among)
        return [self._keyword_hits(self._keywords.scores(query), k, allowed) for query in queries]

    def vector_search(
        self, vectors: Vectors, k: int, *, scope: frozenset[str] | None = None, among: Sequence[str] | None = None
    ) -> list[list[Hit]]:
        allowed = self._allowed(scope, among)
        found = []
        searched = self._vectors if allowed is None else self._vectors[allowed]
        for cosines in vectors @ searched.T:
            places = _best(cosines, k)
            rows = places if allowed is None else [int(allowed[place]) for place in places]
            found.append([Hit(id_, float(cosines[place])) for place, id_ in zip(places, self._ids(rows), strict=True)])
        return found

    def neighbours(self, ids: Sequence[str]) -> list[list[Edge]]:
        found: dict[str, list[Edge]] = {id_: [] for id_ in ids}
        leaving = self._select(
            "SELECT source, target, relation FROM edges WHERE source IN (SELECT value FROM json_each(?))", ids
        )
        entering = self._select(
            "SELECT source, target, relation FROM edges WHERE target IN (SELECT value FROM json_each(?))", ids
        )
        for row in leaving:
            found[row[0]].append(Edge(*row))
        for row in entering:
            if row[0] != row[1]:  # an edge from a node to itself is one edge
                found[row[1]].append(Edge(*row))
        return [found[id_] for id_ in ids]

    def titles(self) -> list[str]:
        """The titles of the documents, each once, in the order of the library."""
        return [title for (title,) in self._select("SELECT DISTINCT title FROM documents ORDER BY source, position")]

    def _keyword_hits(self, scores: KeywordScores, k: int, allowed: Rows | None) -> list[Hit]:
        rows = [row for row in _best(scores.total, k, allowed) if scores.total[row] > 0]
        return [
            Hit(id_, float(scores.total[row]), scores.field_hits(row), float(scores.title_coverage[row]))
            for row, id_ in zip(rows, self._ids(rows), strict=True)
        ]

    def _allowed(self, scope: frozenset[str] | None, among: Sequence[str] | None) -> Rows | None:
        """The rows that may be found, rising; None for all."""
        if scope is None and among is None:
            return None
        by_document = "SELECT row FROM chunks WHERE document IN (SELECT value FROM json_each(?))"
        by_chunk = "SELECT row FROM chunks WHERE id IN (SELECT value FROM json_each(?))"
        parts = [(by_document, sorted(scope))] if scope is not None else []
        parts += [(by_chunk, list(among))] if among is not None else []
        rows = [{row for (row,) in self._select(sql, ids)} for sql, ids in parts]
        return np.array(sorted(set.intersection(*rows)), dtype=np.int64)

    def _ids(self, rows: Sequence[int]) -> list[str]:
        found = dict(
            self._select("SELECT row, id FROM chunks WHERE row IN (SELECT value FROM json_each(?))", list(rows))
        )
        return [found[row] for row in rows]

    def _select(self, sql: str, values: Sequence[str] | Sequence[int] | None = None) -> list[tuple]:  # type: ignore[type-arg]
        with self._lock:
            return self._database.execute(sql, () if values is None else (json.dumps(list(values)),)).fetchall()


def open_vectors(generation: Path) -> Vectors:
    """The vectors of a generation's chunks, (n, d), memory-mapped."""
    vectors: Vectors = np.load(generation / VECTORS, mmap_mode="r")
    return vectors


def _best(scores: NDArray[np.float32], k: int, allowed: Rows | None = None) -> list[int]:
    """The places of the k highest scores, best first, ties by place."""
    places = np.arange(len(scores)) if allowed is None else allowed
    values = scores if allowed is None else scores[allowed]
    if k < len(values):
        worst = np.partition(values, len(values) - k)[len(values) - k]
        # All that tie with the k-th are kept here, so that which of them stays is not the partition's whim.
        kept = np.flatnonzero(values >= worst)
        places, values = places[kept], values[kept]
    return [int(place) for place in places[np.argsort(-values, kind="stable")][:k]]


def _marks(text: str) -> tuple[Mark, ...]:
    return tuple(Mark(start, title) for start, title in json.loads(text))
