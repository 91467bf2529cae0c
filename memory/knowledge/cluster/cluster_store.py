"""The cluster's store: documents, chunks and searches asked of the index of one generation, by its own name and never
by a wildcard. Only reads."""

import threading
from base64 import b64decode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.memory.datatypes import Chunk, Document, Edge, Hit, Mark, Triple, Vectors, weighed
from clew.memory.errors import BadInput, ClewError
from clew.memory.knowledge.catalogue import Catalogue, Listed
from clew.memory.knowledge.cluster.connection import AT_ONCE, Cluster, ClusterAddress
from clew.memory.knowledge.cluster.generations import Generations
from clew.memory.knowledge.cluster.graph import ClusterGraph, RecentlyRead, decoded
from clew.memory.knowledge.cluster.rows import STATISTICS, key
from clew.memory.knowledge.cluster.slices import Joined, Slice, unpacked
from clew.memory.knowledge.cluster.statistics import WordStatistics
from clew.memory.knowledge.disk import BROKEN, Manifest
from clew.memory.knowledge.vocabulary import HELD_BY, LibraryVocabulary
from clew.memory.layers import Entity
from clew.memory.titles import name_key

MOST_HITS = 10_000
"""That a search of Elasticsearch gives."""

CANDIDATES, OVERSAMPLE = 2, 2.0
"""Of a search by vector: how many times k its graph looks at, and how many times k are scored anew by whole vectors."""

WHOLE = 100_000
"""Chunks of a library up to which a graph of all of it is taken into memory."""


class ClusterStore:
    """One generation of a library: `index` is its name. `said` is what the manifest's row tells of it.

    Every method raises `ServiceUnreachable` where the cluster, or a part of its shards, does not answer.
    """

    def __init__(self, cluster: Cluster, index: str, manifest: Manifest, said: Mapping[str, Any]) -> None:
        self.cluster, self.index, self.manifest = cluster, index, manifest
        self._said = said
        self._kept = RecentlyRead()
        self._vectors = RecentlyRead()
        self._parts: dict[tuple[int, ...], ClusterGraph] = {}
        self._making = threading.RLock()

    @property
    def dimension(self) -> int:
        """Of the vectors."""
        return self.manifest.encoder.dimension

    @property
    def state(self) -> str:
        """Which generation this is."""
        return self.index

    def close(self) -> None:
        """The client is shared by the generations of a library, and is closed with the process."""

    # What is read whole ------------------------------------------------------------------------------------------

    @cached_property
    def statistics(self) -> WordStatistics:
        with self._reading():
            read = unpacked(self.file(STATISTICS))
        held, said = read.arrays["held"].astype(np.int64), read.texts
        tokens, lengths = tuple(said["tokens"]), tuple(said["lengths"])
        return WordStatistics(tokens, held, lengths, said["size"], self.manifest.keywords, self.manifest.date_order)

    def file(self, name: str) -> bytes:
        """A file that is kept in pieces. Raises `KeyError` where there is none."""
        pieces = []
        for number in range(AT_ONCE):
            id_ = f"file:{number}:{name}"
            found = self.cluster.found(self.index, [id_], ["blob"])
            if id_ not in found:
                break
            pieces.append(b64decode(found[id_]["blob"]))
        if not pieces:
            raise KeyError(name)
        return b"".join(pieces)

    @property
    def unread(self) -> tuple[str, ...]:
        return tuple(self._said["unread"])

    @property
    def of_triples(self) -> bool:
        return bool(self._said["of_triples"])

    def files(self) -> list[str]:
        """The names of all that are kept."""
        query = {"bool": {"filter": [{"term": {"kind": "file"}}, {"term": {"number": 0}}]}}
        return sorted(hit["_source"]["name"] for hit in self.cluster.scanned(self.index, query, ["name"]))

    def rows(self, kind: str) -> Iterator[dict[str, Any]]:
        """All of a kind, in no order."""
        return (hit["_source"] for hit in self.cluster.scanned(self.index, {"term": {"kind": kind}}))

    @property
    def proof(self) -> tuple[int, str]:
        """How many rows were sent, and the hash over them."""
        return int(self._said["rows"]), str(self._said["hash"])

    @cached_property
    def communities(self) -> list[tuple[int, dict[str, Any]]]:
        found = self.cluster.scanned(self.index, {"term": {"kind": "community"}})
        return sorted(((hit["_source"]["number"], hit["_source"]) for hit in found), key=lambda one: one[0])

    @cached_property
    def catalogue(self) -> Catalogue:
        columns = ["document", "title", "place", "date", "path", "position"]
        found = self.cluster.scanned(self.index, {"term": {"kind": "document"}}, columns, AT_ONCE)
        rows = sorted((hit["_source"] for hit in found), key=lambda one: (one["path"], one["position"]))
        listed = [Listed(one["document"], one["title"], one["place"], one["date"]) for one in rows]
        return Catalogue(listed, self.manifest.date_order)

    def titles(self, limit: int) -> list[str]:
        return list(dict.fromkeys(one.title for one in self.catalogue.documents))[:limit]

    # By id -------------------------------------------------------------------------------------------------------

    def _rows(self, ids: Sequence[str]) -> dict[str, dict[str, Any]]:
        """The sources of rows, by id; those that there are."""
        found = {id_: self._kept.get(id_) for id_ in ids}
        missing = [id_ for id_, source in found.items() if source is None]
        fresh = self.cluster.found(self.index, missing) if missing else {}
        for id_, source in fresh.items():
            self._kept.put(id_, source, 1000 + sum(len(v) for v in source.values() if isinstance(v, str)))
        return {id_: source for id_, source in {**found, **fresh}.items() if source is not None}

    def _of(self, kind: str, ids: Sequence[str]) -> list[dict[str, Any]]:
        """In the order asked. Raises `KeyError` for one that there is not."""
        keys = [key(kind, id_) for id_ in ids]
        found = self._rows(list(dict.fromkeys(keys)))
        return [found[one] for one in keys]

    def documents(self, ids: Sequence[str]) -> list[Document]:
        return [_document(source) for source in self._of("document", ids)]

    def chunks(self, ids: Sequence[str]) -> list[Chunk]:
        names = ("chunk", "document", "title", "text", "start", "end", "page", "heading", "place", "date")
        return [Chunk(*(source[name] for name in names)) for source in self._of("chunk", ids)]

    def vectors(self, ids: Sequence[str]) -> Vectors:
        dimension = self.dimension
        found = [decoded(source["half"], dimension) for source in self._of("chunk", ids)]
        return np.concatenate([*found, np.zeros((0, dimension), np.float32)])

    def sentences_of(self, ids: Sequence[str]) -> list[Vectors]:
        """Of each chunk the vectors of its sentences, in their order."""
        held = {id_: self._vectors.get(id_) for id_ in ids}
        missing = [id_ for id_, one in held.items() if one is None]
        for id_, source in zip(missing, self._of("chunk", missing), strict=True):
            held[id_] = decoded(source["sentences"], self.dimension)
            self._vectors.put(id_, held[id_], held[id_].nbytes)
        return [held[id_] for id_ in ids]

    def entities(self, ids: Sequence[str]) -> list[dict[str, Any]]:
        return self._of("entity", ids)

    def names(self, ids: Sequence[str]) -> list[list[Entity]]:
        chunks = self._of("chunk", ids)
        wanted = list(dict.fromkeys(id_ for source in chunks for id_ in source["entities"]))
        known = dict(zip(wanted, self.entities(wanted), strict=True))
        found = []
        for source in chunks:
            its = [known[id_] for id_ in source["entities"]]
            its.sort(key=lambda one: (one["type"] == "date", one["count"], one["entity"]))
            found.append([Entity(one["entity"], one["name"], one["type"]) for one in its])
        return found

    def neighbours(self, ids: Sequence[str]) -> list[list[Edge]]:
        wanted = list(dict.fromkeys(ids))
        there = self._rows([key("document", id_) for id_ in wanted])
        leaving = {one["document"]: _edges(one) for one in there.values()}
        entering: dict[str, list[Edge]] = {}
        for part in _parts(wanted):
            for hit in self.cluster.scanned(self.index, {"terms": {"targets": part}}, ["document", "rest.edges"]):
                for edge in _edges(hit["_source"]):
                    entering.setdefault(edge.target, []).append(edge)
        ends = {edge.target for edges in leaving.values() for edge in edges}
        known = {one["document"] for one in self._rows([key("document", end) for end in ends]).values()}
        found = []
        for id_ in ids:
            out = [edge for edge in leaving.get(id_, []) if edge.target in known]
            into = [edge for edge in entering.get(id_, []) if edge.source != id_] if id_ in leaving else []
            found.append([*out, *into])
        return found

    def triples(self) -> list[Triple]:
        stated = {"term": {"kind": "document"}}
        found = self.cluster.scanned(self.index, stated, ["document", "rest.triples"])
        rows = sorted((hit["_source"] for hit in found), key=lambda one: one["document"])
        given = [Triple(*one) for row in rows for one in row.get("rest", {}).get("triples", ()) if one[3] is not None]
        return given + self.part().layers.extracted

    # Searched ----------------------------------------------------------------------------------------------------

    def keyword_search(
        self,
        queries: Sequence[str],
        k: int,
        *,
        scope: frozenset[str] | None = None,
        among: Sequence[str] | None = None,
        fields: Mapping[str, float] | None = None,
    ) -> list[list[Hit]]:
        """Of the fields it has title and text."""
        asked = [(query, list(self.statistics.known(query))) for query in queries]
        filters = _filters(scope, among)
        bodies = [
            {
                "query": {"bool": {"should": [{"term": {"words": token}} for token in tokens], "filter": one,
                                   "minimum_should_match": 1}},
                "size": min(k, MOST_HITS),
                "_source": ["chunk"],
            }
            for _, tokens in asked if tokens and k for one in filters
        ]  # fmt: skip
        answers = iter(self.cluster.searched(self.index, bodies))
        ids = [
            [hit["_source"]["chunk"] for _ in filters for hit in next(answers)["hits"]["hits"]] if tokens and k else []
            for _, tokens in asked
        ]
        rows = dict(
            zip(flat := list(dict.fromkeys(id_ for its in ids for id_ in its)), self._of("chunk", flat), strict=True)
        )
        found = [self._scored(query, its, rows, k) for (query, _), its in zip(asked, ids, strict=True)]
        return [weighed(hits, fields) for hits in found] if fields else found

    def alike(self, words: Sequence[str], most: int) -> list[tuple[str, ...]]:  # noqa: ARG002 the port's
        raise BadInput("synonyms are learned from a library on this machine", "--set tools.hybrid.synonyms=none")

    def _scored(self, query: str, ids: Sequence[str], rows: Mapping[str, Mapping[str, Any]], k: int) -> list[Hit]:
        words = ((id_, rows[id_]["title_words"].split(), rows[id_]["text_words"].split()) for id_ in ids)
        hits = [hit for one in words if (hit := self.statistics.hit(one[0], query, *one[1:]))]
        return sorted(hits, key=lambda hit: -hit.score)[:k]

    def vector_search(
        self, vectors: Vectors, k: int, *, scope: frozenset[str] | None = None, among: Sequence[str] | None = None
    ) -> list[list[Hit]]:
        most, filters = min(k, MOST_HITS), _filters(scope, among)
        if not most or not len(vectors) or not self.manifest.chunks:
            return [[] for _ in vectors]
        bodies = [
            {
                "knn": {
                    **{"field": "vector", "query_vector": vector.astype(float).tolist(), "k": most},
                    **{"num_candidates": min(MOST_HITS, max(100, CANDIDATES * most)), "filter": one},
                    "rescore_vector": {"oversample": min(OVERSAMPLE, MOST_HITS / most)},
                },
                "size": most,
                "_source": ["chunk"],
            }
            for vector in vectors for one in filters
        ]  # fmt: skip
        answers = iter(self.cluster.searched(self.index, bodies))
        found = []
        for _ in vectors:
            hits = [hit for _ in filters for hit in next(answers)["hits"]["hits"]]
            near = [Hit(hit["_source"]["chunk"], 2 * hit["_score"] - 1) for hit in hits]
            found.append(sorted(near, key=lambda hit: -hit.score)[:most])
        return found

    # The graph ---------------------------------------------------------------------------------------------------

    def part(self, partitions: Sequence[int] | None = None) -> ClusterGraph:
        """Of all only where they are few enough for this machine. Raises `ClewError` where they are not."""
        count = int(self._said["partitions"])
        if partitions is None and self.manifest.chunks > WHOLE:
            raise ClewError(
                f"the library has {self.manifest.chunks:,} chunks: this looks at all, and takes {WHOLE:,} at most",
                "ask with --tool hybrid or walk",
            )
        wanted = tuple(range(count)) if partitions is None else tuple(sorted(set(partitions)))
        with self._making:
            if wanted not in self._parts:
                while len(self._parts) >= 8:
                    self._parts.pop(next(iter(self._parts)))
                self._parts[wanted] = ClusterGraph(self, self._joined(wanted))
            return self._parts[wanted]

    def _joined(self, partitions: Sequence[int]) -> Joined:
        method, size = self._said["plan"]
        return Joined(self._slices(partitions), method, size, self.statistics)

    def _slices(self, partitions: Sequence[int]) -> list[Slice]:
        """One request for those that are not held."""
        ids = [f"capsule:{partition}" for partition in partitions]
        held = {id_: self._vectors.get(id_) for id_ in ids}
        missing = [id_ for id_, one in held.items() if one is None]
        for first in range(0, len(missing), 50):
            fresh = self.cluster.found(self.index, missing[first : first + 50], ["blob"])
            with self._reading():
                for id_ in missing[first : first + 50]:
                    held[id_] = one = unpacked(b64decode(fresh[id_]["blob"]))
                    self._vectors.put(id_, one, one.size)
        return [held[id_] for id_ in ids]

    # Names -------------------------------------------------------------------------------------------------------

    @cached_property
    def vocabulary(self) -> LibraryVocabulary:
        return LibraryVocabulary(self.statistics, self._are_titles, self._kinds, self._texts, self._holding)

    def _are_titles(self, phrases: Sequence[str]) -> list[bool]:
        bodies = [
            {"query": {"term": {"named": f"{name_key(one):016x}"}}, "size": 0, "terminate_after": 1} for one in phrases
        ]
        return [bool(one["hits"]["total"]["value"]) for one in self.cluster.searched(self.index, bodies)]

    def _kinds(self, ids: Sequence[str]) -> dict[str, str]:
        found = self._rows([key("entity", id_) for id_ in ids])
        return {one["entity"]: one["type"] for one in found.values()}

    def _texts(self, tokens: Iterable[str]) -> list[str]:
        wanted = list(tokens)
        bodies = [{"query": {"term": {"words": one}}, "size": HELD_BY, "_source": ["title", "text"]} for one in wanted]
        hits = (hit["_source"] for one in self.cluster.searched(self.index, bodies) for hit in one["hits"]["hits"])
        return [f"{one['title']}\n{one['text']}" for one in hits]

    def _holding(self, tokens: Sequence[str]) -> NDArray[np.int64]:
        query = {"bool": {"filter": [{"term": {"words": token}} for token in tokens]}}
        found = self.cluster.scanned(self.index, query, ["chunk"], AT_ONCE)
        numbers = self.part().layers.chunk_numbers
        return np.array(sorted(numbers[hit["_source"]["chunk"]] for hit in found), np.int64)

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """What broken bytes raise, as a `ClewError`."""
        from safetensors import SafetensorError

        try:
            yield
        except (SafetensorError, *BROKEN) as error:
            where = self.cluster.where
            raise ClewError(f"the library at {where} is damaged", f"clew doctor --repair --library {where}") from error


def _document(source: Mapping[str, Any]) -> Document:
    told = source["rest"]
    pages, headings = (tuple(Mark(*mark) for mark in told[name]) for name in ("pages", "headings"))
    id_, title, text, place = (source[name] for name in ("document", "title", "text", "place"))
    return Document(id_, title, text, place, pages, headings, date=source["date"], status=source["status"])


def _edges(source: Mapping[str, Any]) -> list[Edge]:
    """Those that leave a document, each once, whatever it came from."""
    told = source.get("rest", {}).get("edges", ())
    return list(dict.fromkeys(Edge(source["document"], target, relation) for target, relation, _ in told))


def _parts(values: Sequence[str]) -> list[Sequence[str]]:
    return [values[start : start + AT_ONCE] for start in range(0, len(values), AT_ONCE)]


def _filters(scope: frozenset[str] | None, among: Sequence[str] | None) -> list[list[dict[str, Any]]]:
    """What a search is limited to, one list for each search that it takes: a query has a bound number of terms."""
    documents = [{"terms": {"document": part}} for part in _parts(sorted(scope))] if scope is not None else [None]
    chunks = [{"terms": {"chunk": part}} for part in _parts(list(among))] if among is not None else [None]
    return [[one for one in (by, of) if one is not None] for by in documents for of in chunks]


def open_cluster(where: ClusterAddress) -> ClusterStore:
    """The generation that is in use. Raises `NoLibrary`, `NotSetUp`, `LibraryMismatch`, `ServiceUnreachable`."""
    return open_generation(Cluster(where))


def open_generation(cluster: Cluster) -> ClusterStore:
    _ = cluster.version
    generations = Generations(cluster)
    index = generations.required()
    generations.checked(index)
    row = cluster.found(index, ["manifest"])
    if "manifest" not in row:
        where = cluster.where
        raise ClewError(f"the library at {where} is not whole", f"clew index YOUR-FOLDER --library {where}")
    said = row["manifest"]["rest"]
    return ClusterStore(cluster, index, Manifest.model_validate_json(said["manifest"]), said)
