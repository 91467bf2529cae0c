"""The embedded store: SQLite for documents, chunks and edges, memory-mapped vectors, BM25 by field. Only reads.

A chunk's row is its place in the vectors, in the keyword indexes and in the layers: a node of the graph.
"""

import json
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from clew.memory.datatypes import Chunk, Document, Edge, Hit, Ints, Query, Triple, Vectors, WordShares
from clew.memory.dates import DateOrder
from clew.memory.files import check_plain, within
from clew.memory.knowledge.arrays import looked_up, mapped
from clew.memory.knowledge.catalogue import Catalogue, Listed
from clew.memory.knowledge.communities.community_index import read_communities
from clew.memory.knowledge.disk import COLUMNS, TRIPLES, document_of, leased, naming_damage, open_database
from clew.memory.knowledge.embedding import CHUNKS, NAMES, SENTENCES, check_rows, open_vectors
from clew.memory.knowledge.extraction.aliases import normalised
from clew.memory.knowledge.keywords import KeywordIndex, KeywordParameters
from clew.memory.knowledge.layers import Communities, Layers, Unit
from clew.memory.knowledge.nodes import FILE as SMOOTHED
from clew.memory.knowledge.nodes import Cells, Partitioning
from clew.memory.knowledge.numbering import read_layers
from clew.memory.knowledge.partitioning.capsule import capsule_with_vectors
from clew.memory.knowledge.partitioning.partitioner import read_graph
from clew.memory.knowledge.tables import Tables
from clew.memory.knowledge.titles import is_name, read_titles
from clew.memory.knowledge.vocabulary import HELD_BY, LibraryVocabulary
from clew.memory.vectors import highest

EDGES = """
SELECT DISTINCT source, target, relation FROM edges
WHERE {end} IN ?
AND EXISTS (SELECT 1 FROM documents WHERE id = edges.source)
AND EXISTS (SELECT 1 FROM documents WHERE id = edges.target)
"""
"""Loose edges, to documents that the library does not have (yet), are kept but not served. (With `IN` for `EXISTS`
SQLite goes through all documents: 800 ms instead of one, in a graph of 377,000 edges.)"""


Read = TypeVar("Read")


class StoredSource(NamedTuple):
    """A file that was read: the digest of its bytes (empty: it was not read whole), how many documents it holds, and id
    and title of the first one."""

    path: str
    digest: str
    documents: int
    first: str
    title: str


class LibraryDatabase:
    """The tables of a generation, read-only, one thread at a time."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.RLock()
        self._connection = open_database(folder, check_same_thread=False)

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Raises `ClewError` where what is read is damaged."""
        with self._lock, naming_damage(self._folder):
            yield self._connection

    def run(self, sql: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
        """All rows; `values` are what stands for each `?`."""
        with self.reading() as connection:
            return connection.execute(sql, values).fetchall()

    def select(self, sql: str, values: Sequence[str] | Sequence[int] | None = None) -> list[tuple[Any, ...]]:
        """All rows; `values` are what stands for the `?` of `IN ?`, as a JSON list."""
        sql = sql.replace("IN ?", "IN (SELECT value FROM json_each(?))")
        with naming_damage(self._folder):
            rows = self.run(sql, () if values is None else (json.dumps(list(values)),))
            if any(isinstance(cell, bytes) for row in rows for cell in row):
                raise ValueError("bytes stand where text does")
            return rows

    def close(self) -> None:
        self._connection.close()


def _read_once(read: Callable[[Path], Read]) -> cached_property[Read]:
    """What a file of a generation has, for a graph with the folder of one."""

    def compute(graph: "EmbeddedGraph") -> Read:
        with naming_damage(graph.folder):
            return read(graph.folder)

    return cached_property(compute)


class EmbeddedGraph:
    """All of a generation, whatever part is asked for. Raises `ClewError` where it finds the files damaged."""

    def __init__(self, folder: Path, database: LibraryDatabase, keywords: KeywordIndex) -> None:
        self.folder, self._database, self._keywords = folder, database, keywords
        self.vectors, self.sentence_vectors = (open_vectors(folder, what) for what in (CHUNKS, SENTENCES))
        self._names = mapped(within(folder, NAMES))
        with database.reading() as connection:
            check_rows(self.vectors, CHUNKS, connection)
            check_rows(self.sentence_vectors, SENTENCES, connection)

    @cached_property
    def layers(self) -> Layers:
        with self._database.reading() as connection:
            return read_layers(connection, self.folder)

    @cached_property
    def communities(self) -> Communities:
        with self._database.reading() as connection:
            return read_communities(connection, self.folder)

    nodes = _read_once(read_graph)
    titles = _read_once(read_titles)
    smoothed: cached_property[NDArray[np.float16]] = _read_once(
        lambda folder: np.asarray(mapped(within(folder, SMOOTHED)), np.float16)
    )
    _capsule = _read_once(capsule_with_vectors)

    @property
    def partitioning(self) -> Partitioning:
        return self._capsule[0].partitioning

    @property
    def cells(self) -> Cells:
        return self._capsule[0].cells

    def partition_vectors(self, partition: int) -> Vectors:
        starts = self.partitioning.members.starts
        return self._capsule[1][starts[partition] : starts[partition + 1]]

    def entity_vectors(self, entities: Ints) -> Vectors:
        with naming_damage(self.folder):
            return looked_up(self.layers.joining, entities, self._names, 0)

    def words(self, query: str, nodes: Ints) -> WordShares:
        return self._keywords.word_shares(query, nodes)

    def sentences(self, numbers: Sequence[int]) -> list[Unit]:
        found = {}
        of_rows = self._database.select(
            "SELECT s.row, s.document, c.id, s.start, s.end FROM sentences s JOIN chunks c ON c.row = s.chunk"
            " WHERE s.row IN ?",
            [int(number) for number in numbers],
        )
        documents = sorted({document for _, document, *_ in of_rows})
        texts = dict(self._database.select("SELECT id, text FROM documents WHERE id IN ?", documents))
        with naming_damage(self.folder):
            for row, document, chunk, start, end in of_rows:
                found[row] = Unit(document, chunk, texts[document][start:end], start, end)
            return [found[int(number)] for number in numbers]


class EmbeddedStore:
    """One generation of a library, in `folder`, opened: it stays until this is closed. `tables` has its schema,
    `generation` fills it. `dates` is how the library writes them.

    Every method raises `ClewError` where it finds the files damaged; so does opening.
    """

    def __init__(self, folder: Path, keywords: KeywordParameters, dates: DateOrder = "") -> None:
        self.folder = folder
        with naming_damage(folder), ExitStack() as opened:
            opened.enter_context(leased(folder))
            check_plain(folder)
            self._database = LibraryDatabase(folder)
            opened.enter_context(closing(self._database))
            self._select = self._database.select
            size = len(open_vectors(folder, CHUNKS))
            self._keywords, self._dates = KeywordIndex(folder / "keywords", keywords, size, dates), dates
            self._graph = EmbeddedGraph(folder, self._database, self._keywords)
            self._vectors = self._graph.vectors
            self._opened = opened.pop_all()

    @property
    def state(self) -> str:
        """Which generation this is."""
        return str(self.folder)

    def close(self) -> None:
        self._opened.close()

    def part(self, partitions: Sequence[int] | None = None) -> EmbeddedGraph:  # noqa: ARG002 it serves everything
        return self._graph

    @property
    def sources(self) -> list[StoredSource]:
        """What was read, in the order of paths."""
        sql = """SELECT path, s.digest, COUNT(id), COALESCE(id, ''), COALESCE(title, ''), MIN(position) FROM sources s
        LEFT JOIN documents ON source = path GROUP BY path ORDER BY path"""
        return [StoredSource(*row[:-1]) for row in self._select(sql)]

    def source_of(self, document: str) -> StoredSource | None:
        """The file that a document is; None where it is a part of one."""
        sql = """SELECT path, s.digest, 1, id, title FROM documents d JOIN sources s ON path = source
        WHERE id IN ? AND path = place"""
        return next((StoredSource(*row) for row in self._select(sql, [document])), None)

    @cached_property
    def of_triples(self) -> bool:
        """Whether most documents are the triples that they were given with, and no other text."""
        sql = """WITH told AS (SELECT document, SUM(LENGTH(subject) + LENGTH(relation) + LENGTH(object) + 4) AS length
        FROM (SELECT DISTINCT document, subject, relation, object FROM triples) GROUP BY document)
        SELECT COUNT(*) * 2 > (SELECT COUNT(*) FROM documents)
        FROM documents JOIN told ON id = document WHERE LENGTH(text) BETWEEN 0.9 * length AND length"""
        return bool(self._select(sql)[0][0])

    def documents(self, ids: Sequence[str]) -> list[Document]:
        sql = f"SELECT {COLUMNS} FROM documents WHERE id IN ?"
        with naming_damage(self.folder):
            found = {row[0]: document_of(row) for row in self._select(sql, ids)}
        return [found[id_] for id_ in ids]

    def copies(self, path: str) -> tuple[str, ...]:
        """The paths of the other files that are the same as this one, to the byte; none on a cluster."""
        sql = """SELECT s.path FROM sources s JOIN sources o ON o.digest = s.digest AND o.path != s.path
        WHERE s.digest != '' AND o.path IN ? ORDER BY s.path"""
        return tuple(same for (same,) in self._select(sql, [path]))

    def chunks(self, ids: Sequence[str]) -> list[Chunk]:
        rows = self._select("SELECT id, document, start, end, page, heading FROM chunks WHERE id IN ?", ids)
        sql = "SELECT id, title, text, place, date FROM documents WHERE id IN ?"
        documents = {id_: told for id_, *told in self._select(sql, sorted({row[1] for row in rows}))}
        found = {}
        for id_, document, start, end, page, heading in rows:
            title, text, place, date = documents[document]  # cut here: SQLite counts characters from a text's beginning
            found[id_] = Chunk(id_, document, title, text[start:end], start, end, page, heading, place, date)
        return [found[id_] for id_ in ids]

    def vectors(self, ids: Sequence[str]) -> Vectors:
        return np.array(self._vectors[self._rows(ids)], dtype=np.float32)

    def keyword_search(
        self,
        queries: Sequence[str],
        k: int,
        *,
        scope: frozenset[str] | None = None,
        among: Sequence[str] | None = None,
        fields: Mapping[str, float] | None = None,
    ) -> list[list[Hit]]:
        allowed = self._allowed(scope, among)
        with naming_damage(self.folder):
            return [self._keywords.hits(query, k, self._ids, allowed, fields) for query in queries]

    def vector_search(self, vectors: Vectors, k: int, *, scope: frozenset[str] | None = None) -> list[list[Hit]]:
        allowed = self._allowed(scope)
        searched = self._vectors if allowed is None else self._vectors[allowed]
        found = []
        for cosines in (searched @ vectors.T).T.copy():  # in this order three questions cost hardly more than one
            best = highest(cosines, k)
            rows = best if allowed is None else allowed[best].tolist()
            found.append([Hit(id_, float(cosines[one])) for one, id_ in zip(best, self._ids(rows), strict=True)])
        return found

    def candidates(
        self,
        queries: Sequence[str],
        vectors: Vectors,
        k: int,
        nearest: int,
        scope: frozenset[str] | None = None,
        fields: Mapping[str, float] | None = None,
    ) -> list[list[Hit]]:
        found = self.keyword_search(queries, k, scope=scope, fields=fields)
        return found + (self.vector_search(vectors, nearest, scope=scope) if nearest else [])

    def sample(self, most: int) -> list[Chunk]:
        """At most so many, from all over the library."""
        ids = self._graph.layers.chunk_ids
        return self.chunks(ids[:: max(1, len(ids) // most)][:most])

    whole = True

    def around(self, query: Query) -> Self:  # noqa: ARG002 it serves everything
        return self

    def neighbours(self, ids: Sequence[str]) -> list[list[Edge]]:
        """The edges that leave or enter each document."""
        found: dict[str, list[Edge]] = {id_: [] for id_ in ids}
        for row in self._select(EDGES.format(end="source"), ids):
            found[row[0]].append(Edge(*row))
        for row in self._select(EDGES.format(end="target"), ids):
            if row[0] != row[1]:  # an edge from a node to itself is one edge
                found[row[1]].append(Edge(*row))
        return [found[id_] for id_ in ids]

    def triples(self) -> list[Triple]:
        given = [Triple(*row) for row in self._select(TRIPLES)]
        return given + self._graph.layers.extracted

    def titles(self, limit: int) -> list[str]:
        """Titles of documents, at most so many and each once, in the order of the library."""
        sql = "SELECT DISTINCT title FROM documents ORDER BY source, position LIMIT ?"
        return [title for (title,) in self._database.run(sql, (limit,))]

    @cached_property
    def tables(self) -> Tables:
        return Tables(self._database.run)

    @cached_property
    def catalogue(self) -> Catalogue:
        rows = self._select("SELECT id, title, place, date FROM documents ORDER BY source, position")
        return Catalogue([Listed(*row) for row in rows], self._dates)

    @cached_property
    def vocabulary(self) -> LibraryVocabulary:
        return LibraryVocabulary(self._keywords, self._named, self._texts)

    def _named(self, phrases: Sequence[str]) -> list[tuple[str, bool]]:
        ids, titles = [normalised(phrase) for phrase in phrases], self._graph.titles
        kinds = dict(self._select("SELECT id, kind FROM entities WHERE id IN ?", list(dict.fromkeys(ids))))
        return [(kinds.get(id_, ""), is_name(phrase, titles)) for id_, phrase in zip(ids, phrases, strict=True)]

    def _texts(self, tokens: Iterable[str]) -> list[str]:
        """Title and text of the first chunks that hold each token."""
        rows = sorted({row for token in tokens for row in self._keywords.rows(token)[:HELD_BY].tolist()})
        return [f"{chunk.title}\n{chunk.text}" for chunk in self.chunks(self._ids(rows))]

    def _allowed(self, scope: frozenset[str] | None, among: Sequence[str] | None = None) -> Ints | None:
        """The rows that may be found, rising; None for all."""
        rows = [
            {row for (row,) in self._select(f"SELECT row FROM chunks WHERE {column} IN ?", list(ids))}
            for column, ids in (("document", scope), ("id", among))
            if ids is not None
        ]
        return np.array(sorted(set.intersection(*rows)), np.int64) if rows else None

    def _rows(self, ids: Sequence[str]) -> Ints:
        rows = dict(self._select("SELECT id, row FROM chunks WHERE id IN ?", ids))
        return np.array([rows[id_] for id_ in ids], np.int64)

    def _ids(self, rows: Sequence[int]) -> list[str]:
        found = dict(self._select("SELECT row, id FROM chunks WHERE row IN ?", list(rows)))
        return [found[row] for row in rows]
