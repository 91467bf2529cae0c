"""The embedded store: SQLite for documents, chunks and edges, memory-mapped vectors, BM25 by field. Only reads.

A chunk's row is its place in the vectors and in the keyword indexes; ids go in and come out.
"""

import json
import sqlite3
import threading
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from clew.memory.cached import Cached, Value
from clew.memory.communities import Communities
from clew.memory.datatypes import Chunk, Document, Edge, Hit, Ints, Triple, Vectors, WordShares
from clew.memory.knowledge.communities.community_index import read_communities
from clew.memory.knowledge.disk import naming_damage
from clew.memory.knowledge.embedding import CHUNKS, NAMES, SENTENCES, check_rows, mapped, open_vectors
from clew.memory.knowledge.keywords import KeywordIndex, KeywordParameters, KeywordScores
from clew.memory.knowledge.numbering import read_layers
from clew.memory.knowledge.partitioning.capsule import capsule_with_vectors
from clew.memory.knowledge.partitioning.graph import read_graph
from clew.memory.knowledge.schema import TRIPLES, document_of
from clew.memory.knowledge.walking.smoothing import FILE as SMOOTHED
from clew.memory.layers import Layers, Unit
from clew.memory.nodes import Cells, NodeGraph, Partitioning
from clew.memory.titles import TitleIndex, read_titles

EDGES = """
SELECT DISTINCT source, target, relation FROM edges
WHERE {end} IN (SELECT value FROM json_each(?))
AND EXISTS (SELECT 1 FROM documents WHERE id = edges.source)
AND EXISTS (SELECT 1 FROM documents WHERE id = edges.target)
"""
"""Loose edges, to documents that the library does not have (yet), are kept but not told. (With `IN` for `EXISTS`
SQLite goes through all documents: 800 ms instead of one, in a graph of 377,000 edges.)"""


class EmbeddedStore:
    """One generation of a library, opened. `tables` has its schema, `generation` fills it.

    Every method raises `ClewError` where it finds the files damaged; so does opening.
    """

    def __init__(self, folder: Path, keywords: KeywordParameters) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._layers = Cached(lambda: self._read(lambda: read_layers(self._database, folder)))
        self._communities = Cached(lambda: self._read(lambda: read_communities(self._database, folder)))
        self._graph = Cached(lambda: self._read(lambda: read_graph(folder)))
        self._title_index = Cached(lambda: self._read(lambda: read_titles(folder)))
        self._smoothed = Cached(lambda: self._read(lambda: mapped(folder / SMOOTHED)))
        self._capsule = Cached(lambda: self._read(lambda: capsule_with_vectors(folder)))
        with naming_damage(folder), ExitStack() as opened:
            uri = f"{(folder / 'library.sqlite').resolve().as_uri()}?mode=ro&immutable=1"
            self._database = sqlite3.connect(uri, uri=True, check_same_thread=False)
            opened.enter_context(closing(self._database))
            self._vectors, self._sentences = (open_vectors(folder, what) for what in (CHUNKS, SENTENCES))
            self._names = mapped(folder / NAMES)
            check_rows(self._vectors, CHUNKS, self._database)
            check_rows(self._sentences, SENTENCES, self._database)
            self._keywords = KeywordIndex(folder / "keywords", keywords, len(self._vectors))
            opened.pop_all()

    def close(self) -> None:
        self._database.close()

    def documents(self, ids: Sequence[str]) -> list[Document]:
        found = {
            row[0]: document_of(row)
            for row in self._select(
                "SELECT id, title, text, place, pages, headings FROM documents"
                " WHERE id IN (SELECT value FROM json_each(?))",
                ids,
            )
        }
        return [found[id_] for id_ in ids]

    def chunks(self, ids: Sequence[str]) -> list[Chunk]:
        rows = self._select(
            "SELECT id, document, start, end, page, heading FROM chunks WHERE id IN (SELECT value FROM json_each(?))",
            ids,
        )
        documents = {
            id_: (title, text, place)
            for id_, title, text, place in self._select(
                "SELECT id, title, text, place FROM documents WHERE id IN (SELECT value FROM json_each(?))",
                sorted({row[1] for row in rows}),
            )
        }
        found = {}
        for id_, document, start, end, page, heading in rows:
            title, text, place = documents[document]  # cut here: SQLite counts characters from a text's beginning
            found[id_] = Chunk(id_, document, title, text[start:end], start, end, page, heading, place)
        return [found[id_] for id_ in ids]

    def vectors(self, ids: Sequence[str]) -> Vectors:
        return np.array(self._vectors[self._rows(ids)], dtype=np.float32)

    def keyword_search(
        self, queries: Sequence[str], k: int, *, scope: frozenset[str] | None = None, among: Sequence[str] | None = None
    ) -> list[list[Hit]]:
        allowed = self._allowed(scope, among)
        return [self._keyword_hits(self._keywords.scores(query), k, allowed) for query in queries]

    def word_shares(self, query: str, ids: Sequence[str]) -> WordShares:
        return self._keywords.word_shares(query, self._rows(ids))

    def node_words(self, query: str, rows: Ints) -> WordShares:
        return self._keywords.word_shares(query, rows)

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
        for row in self._select(EDGES.format(end="source"), ids):
            found[row[0]].append(Edge(*row))
        for row in self._select(EDGES.format(end="target"), ids):
            if row[0] != row[1]:  # an edge from a node to itself is one edge
                found[row[1]].append(Edge(*row))
        return [found[id_] for id_ in ids]

    def triples(self) -> list[Triple]:
        given = [Triple(*row) for row in self._select(TRIPLES)]
        layers = self.layers()
        names, chunks = layers.entities, layers.sentence_chunks[layers.stated]
        return given + [
            Triple(
                names[layers.subjects[r]].name,
                layers.verbs[layers.verb_numbers[r]],
                names[layers.objects[r]].name,
                layers.chunk_ids[chunks[r]],
                given=False,
            )
            for r in np.flatnonzero(~layers.given)
        ]

    def layers(self) -> Layers:
        return self._layers()

    def communities(self) -> Communities:
        return self._communities()

    def nodes(self) -> NodeGraph:
        return self._graph()

    def partitioning(self) -> Partitioning:
        return self._capsule().capsule.partitioning

    def cells(self) -> Cells:
        return self._capsule().capsule.cells

    def title_index(self) -> TitleIndex:
        return self._title_index()

    def partition_vectors(self, partition: int) -> Vectors:
        starts = self.partitioning().members.starts
        return self._capsule().vectors[starts[partition] : starts[partition + 1]]

    def smoothed_vectors(self, rows: Ints) -> Vectors:
        return self._smoothed().take(rows, axis=0).astype(np.float32)

    def node_vectors(self, rows: Ints) -> Vectors:
        return self._vectors.take(rows, axis=0)  # half the time of indexing

    def units(self, rows: Sequence[int]) -> list[Unit]:
        found = {}
        of_rows = self._select(
            "SELECT s.row, s.document, c.id, s.start, s.end FROM sentences s JOIN chunks c ON c.row = s.chunk"
            " WHERE s.row IN (SELECT value FROM json_each(?))",
            [int(row) for row in rows],
        )
        texts = dict(
            self._select(
                "SELECT id, text FROM documents WHERE id IN (SELECT value FROM json_each(?))",
                sorted({document for _, document, *_ in of_rows}),
            )
        )
        for row, document, chunk, start, end in of_rows:
            found[row] = Unit(document, chunk, texts[document][start:end], start, end)
        return [found[int(row)] for row in rows]

    def unit_vectors(self, rows: Ints) -> Vectors:
        return self._sentences.take(rows, axis=0)

    def entity_vectors(self, entities: Ints) -> Vectors:
        joining, found = self.layers().joining, np.zeros((len(entities), self._vectors.shape[1]), np.float32)
        places = np.searchsorted(joining, entities).clip(max=max(0, len(joining) - 1))
        known = joining[places] == entities if len(joining) else np.zeros(len(entities), dtype=bool)
        with naming_damage(self._folder):
            found[known] = self._names[places[known]]
        return found

    def unit_search(
        self, vectors: Vectors, k: int, *, among: Ints | None = None
    ) -> list[tuple[Ints, NDArray[np.float32]]]:
        searched = self._sentences if among is None else self._sentences[among]
        found = []
        for cosines in vectors @ searched.T:
            places = np.array(_best(cosines, k), np.int64)
            found.append((places if among is None else among[places], cosines[places]))
        return found

    def titles(self, limit: int) -> list[str]:
        """Titles of documents, at most so many and each once, in the order of the library."""
        sql = "SELECT DISTINCT title FROM documents ORDER BY source, position LIMIT ?"
        with self._lock:
            return [title for (title,) in self._database.execute(sql, (limit,))]

    def _keyword_hits(self, scores: KeywordScores, k: int, allowed: Ints | None) -> list[Hit]:
        # The many zeros are left out first: NumPy's partition is slow where most values are equal.
        hit = np.flatnonzero(scores.total) if allowed is None else allowed[scores.total[allowed] > 0]
        rows = _best(scores.total, k, hit)
        return [
            Hit(id_, float(scores.total[row]), fields, float(scores.title_coverage[row]))
            for row, id_, fields in zip(rows, self._ids(rows), scores.field_hits(rows), strict=True)
        ]

    def _allowed(self, scope: frozenset[str] | None, among: Sequence[str] | None) -> Ints | None:
        """The rows that may be found, rising; None for all."""
        if scope is None and among is None:
            return None
        by_document = "SELECT row FROM chunks WHERE document IN (SELECT value FROM json_each(?))"
        by_chunk = "SELECT row FROM chunks WHERE id IN (SELECT value FROM json_each(?))"
        parts = [(by_document, sorted(scope))] if scope is not None else []
        parts += [(by_chunk, list(among))] if among is not None else []
        rows = [{row for (row,) in self._select(sql, ids)} for sql, ids in parts]
        return np.array(sorted(set.intersection(*rows)), dtype=np.int64)

    def _rows(self, ids: Sequence[str]) -> Ints:
        rows = dict(self._select("SELECT id, row FROM chunks WHERE id IN (SELECT value FROM json_each(?))", ids))
        return np.array([rows[id_] for id_ in ids], np.int64)

    def _ids(self, rows: Sequence[int]) -> list[str]:
        found = dict(
            self._select("SELECT row, id FROM chunks WHERE row IN (SELECT value FROM json_each(?))", list(rows))
        )
        return [found[row] for row in rows]

    def _read(self, read: Callable[[], Value]) -> Value:
        with self._lock, naming_damage(self._folder):
            return read()

    def _select(self, sql: str, values: Sequence[str] | Sequence[int] | None = None) -> list[tuple]:  # type: ignore[type-arg]
        with self._lock, naming_damage(self._folder):
            return self._database.execute(sql, () if values is None else (json.dumps(list(values)),)).fetchall()


def _best(scores: NDArray[np.float32], k: int, allowed: Ints | None = None) -> list[int]:
    """The places of the k highest scores, best first, ties by place."""
    places = np.arange(len(scores)) if allowed is None else allowed
    values = scores if allowed is None else scores[allowed]
    if k < len(values):
        worst = np.partition(values, len(values) - k)[len(values) - k]
        # All that tie with the k-th are kept here, so that which of them stays is not the partition's whim.
        kept = np.flatnonzero(values >= worst)
        places, values = places[kept], values[kept]
    return [int(place) for place in places[np.argsort(-values, kind="stable")][:k]]
