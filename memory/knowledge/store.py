"""The embedded store: SQLite for documents, chunks and edges, memory-mapped vectors, BM25 by field. Only reads."""

from collections.abc import Sequence
from contextlib import ExitStack, closing
from pathlib import Path

import numpy as np

from clew.memory.datatypes import Chunk, Document, Edge, Hit, Ints, Triple, Vectors
from clew.memory.knowledge.arrays import EmbeddedGraph, LibraryDatabase
from clew.memory.knowledge.disk import naming_damage
from clew.memory.knowledge.embedding import CHUNKS, open_vectors
from clew.memory.knowledge.keywords import KeywordIndex, KeywordParameters, KeywordScores
from clew.memory.knowledge.schema import TRIPLES, document_of
from clew.memory.layers import Entity
from clew.memory.vectors import highest

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
        with naming_damage(folder), ExitStack() as opened:
            self._database = LibraryDatabase(folder)
            opened.enter_context(closing(self._database))
            self._select = self._database.select
            size = len(open_vectors(folder, CHUNKS))
            self._keywords = KeywordIndex(folder / "keywords", keywords, size)
            self._graph = EmbeddedGraph(folder, self._database, self._keywords)
            self._vectors = self._graph.vectors
            opened.pop_all()

    def close(self) -> None:
        self._database.close()

    def part(self, partitions: Sequence[int] | None = None) -> EmbeddedGraph:  # noqa: ARG002 it serves everything
        return self._graph

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

    def vector_search(
        self, vectors: Vectors, k: int, *, scope: frozenset[str] | None = None, among: Sequence[str] | None = None
    ) -> list[list[Hit]]:
        allowed = self._allowed(scope, among)
        found = []
        searched = self._vectors if allowed is None else self._vectors[allowed]
        for cosines in vectors @ searched.T:
            places = highest(cosines, k)
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
        layers = self._graph.layers
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

    def names(self, ids: Sequence[str]) -> list[list[Entity]]:
        layers = self._graph.layers
        named, df, entities = layers.chunk_entities, layers.chunks_of_entity, layers.entities
        found = []
        for row in self._rows(ids).tolist():
            its = named.indices[named.indptr[row] : named.indptr[row + 1]].tolist()
            its.sort(key=lambda entity: (entities[entity].kind == "date", df[entity], entity))
            found.append([entities[entity] for entity in its])
        return found

    def titles(self, limit: int) -> list[str]:
        """Titles of documents, at most so many and each once, in the order of the library."""
        sql = "SELECT DISTINCT title FROM documents ORDER BY source, position LIMIT ?"
        with self._database.reading() as connection:
            return [title for (title,) in connection.execute(sql, (limit,))]

    def _keyword_hits(self, scores: KeywordScores, k: int, allowed: Ints | None) -> list[Hit]:
        # The many zeros are left out first: NumPy's partition is slow where most values are equal.
        hit = np.flatnonzero(scores.total) if allowed is None else allowed[scores.total[allowed] > 0]
        rows = highest(scores.total, k, hit)
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
