"""The store of a library on a cluster: reads and searches one generation in its index, by the index's own name and
never by a wildcard. It writes nothing."""

import json
import threading
from base64 import b64decode
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from itertools import chain
from typing import Any, cast

import numpy as np

from clew.memory.datatypes import Chunk, Document, Edge, Hit, Ints, Mark, Query, Triple, Vectors
from clew.memory.errors import ClewError, LibraryMismatch
from clew.memory.knowledge.arrays import looked_up, places
from clew.memory.knowledge.catalogue import Catalogue, Listed
from clew.memory.knowledge.cluster import searches
from clew.memory.knowledge.cluster.connection import AT_ONCE, PRESENT, Cluster, ClusterAddress
from clew.memory.knowledge.cluster.generations import Generations
from clew.memory.knowledge.cluster.rows import CLUSTER_FORMAT, STATISTICS, decoded, key, stacked
from clew.memory.knowledge.cluster.searches import Body, FoundChunk, in_scope, parts_of
from clew.memory.knowledge.cluster.slices import Joined, Slice, unpacked
from clew.memory.knowledge.cluster.statistics import ChunkWords, WordStatistics
from clew.memory.knowledge.disk import BROKEN, Manifest
from clew.memory.knowledge.extraction.aliases import normalised
from clew.memory.knowledge.keywords import FIELDS, TOGETHER
from clew.memory.knowledge.layers import Communities, Community, Unit
from clew.memory.knowledge.library_ports import Search
from clew.memory.knowledge.nodes import Cells, cells_of
from clew.memory.knowledge.tables import Tables
from clew.memory.knowledge.titles import name_key
from clew.memory.knowledge.vocabulary import HELD_BY, LibraryVocabulary

KEPT_BYTES = 400_000_000
"""Of what was read of one generation."""

JustRead = Iterable[tuple[str, Any, int]]
"""Ids, each with its value and about how many bytes that takes."""


class RecentlyRead:
    """A cache of what was read last, by kind and id, of at most `KEPT_BYTES`. It needs no invalidation, as a generation
    never changes. Safe from several threads."""

    def __init__(self) -> None:
        self.size = 0
        self._held: OrderedDict[tuple[str, str], tuple[Any, int]] = OrderedDict()
        self._lock = threading.Lock()

    def values(self, kind: str, ids: Sequence[str], read: Callable[[list[str]], JustRead]) -> dict[str, Any]:
        """Return the values by id. Those that are not in the cache are read by one call of `read`, and cached."""
        found = {}
        with self._lock:
            for id_ in ids:
                if held := self._held.get((kind, id_)):
                    self._held.move_to_end((kind, id_))
                    found[id_] = held[0]
        missing = [id_ for id_ in dict.fromkeys(ids) if id_ not in found]
        for id_, value, size in read(missing) if missing else ():
            found[id_] = value
            with self._lock:
                self.size += size - self._held.pop((kind, id_), (None, 0))[1]
                self._held[kind, id_] = value, size
                while self.size > KEPT_BYTES and len(self._held) > 1:
                    self.size -= self._held.popitem(last=False)[1][1]
        return found


class ClusterGraph(Joined):
    """The graph of some partitions of a generation, or of all: their slices joined, and what their store has beside
    them."""

    def __init__(self, store: "ClusterStore", slices: Sequence[Slice], method: str, size: int) -> None:
        super().__init__(slices, method, size, store.statistics, store.dimension)
        self._store = store

    @cached_property
    def cells(self) -> Cells:
        return cells_of(self.nodes, self.partitioning)

    @cached_property
    def sentence_vectors(self) -> Vectors:
        """The vectors of all sentences of this part, shape (sentences, d). All are read in one request, when the first
        is needed."""
        layers = self.layers
        found = self._store.sentences_of(layers.chunk_ids)
        if [len(one) for one in found] != np.diff(layers.sentences_of.starts).tolist():
            raise ClewError("the library's sentences are damaged", "clew doctor, with --repair")
        made = np.empty((len(layers.sentence_chunks), self._store.dimension), np.float32)
        made[layers.sentences_of.values] = stacked(found, self._store.dimension)
        return made

    @cached_property
    def _names(self) -> Vectors:
        """The vectors of the entities that join chunks, shape (entities, d); zeros for an entity that the library has
        no vector of. Read all at once, as `sentence_vectors` are."""
        layers = self.layers
        found = self._store.rows("entity", [layers.entities[entity].id for entity in layers.joining.tolist()])
        made = np.zeros((len(found), self._store.dimension), np.float32)
        for place, one in enumerate(found):
            if half := one.get("half"):
                made[place] = decoded(half, self._store.dimension)[0]
        return made

    @cached_property
    def communities(self) -> Communities:
        """The communities that have entities in this part, each with these entities alone."""
        numbers, dimension = self.entity_numbers, self._store.dimension
        items, vectors, renumbered = list[Community](), list[Vectors](), {-1: -1}
        for row in self._store.communities:
            first, last, parent, entities, *_ = row["rest"]["row"]
            at, known = places(numbers, np.array(entities, np.int64))
            if len(known) or len(numbers) == 0:
                renumbered[row["number"]] = len(items)
                own = tuple(at[np.argsort(known, kind="stable")].tolist())
                told = row["name"], row["report"], row["author"], first, last
                items.append(Community(*told, renumbered.get(parent, -1), own))
                vectors.append(decoded(row["half"], dimension)[:1])
        return Communities(tuple(items), stacked(vectors, dimension))

    def entity_vectors(self, entities: Ints) -> Vectors:
        return looked_up(self.layers.joining, entities, self._names, 0)

    def partition_vectors(self, partition: int) -> Vectors:
        return self.vectors.take(self.partitioning.members.row(partition), axis=0)

    def sentences(self, numbers: Sequence[int]) -> list[Unit]:
        layers, spans = self.layers, self.spans
        if any(not 0 <= int(number) < len(spans) for number in numbers):
            raise KeyError(numbers)
        read = self._store.chunks([layers.chunk_ids[layers.sentence_chunks[int(number)]] for number in numbers])
        return [
            Unit(one.document, one.id, one.text[start - one.start : end - one.start], start, end)
            for one, (start, end) in zip(read, (spans[int(n)].tolist() for n in numbers), strict=True)
        ]


WHOLE = 100_000
"""Chunks of a library up to which a graph of all of it is taken into memory, for what looks at all."""

PARTS = 8
"""Graphs that are held."""


class ClusterStore:
    """One generation of a library: `index` is the name of its index, `said` the content of the manifest's row.

    Every method raises `ServiceUnreachable` if the cluster, or some of its shards, does not answer.
    """

    def __init__(self, cluster: Cluster, index: str, manifest: Manifest, said: Mapping[str, Any]) -> None:
        self.cluster, self.index, self.manifest = cluster, index, manifest
        self._said = said
        self._kept = RecentlyRead()
        self._graph = lru_cache(PARTS)(lambda wanted: ClusterGraph(self, self._slices(wanted), *said["plan"]))

    @property
    def dimension(self) -> int:
        """The length of its vectors."""
        return self.manifest.encoder.dimension

    @property
    def state(self) -> str:
        """The name of the generation's index: it differs whenever the content of the library does."""
        return self.index

    def close(self) -> None:
        """Do nothing: the client is shared by all generations of a library and closed when the process ends."""

    # What is read whole ------------------------------------------------------------------------------------------

    @cached_property
    def statistics(self) -> WordStatistics:
        """How often the words of the library stand in its chunks, as needed for BM25; read from the index once."""
        pieces = list[bytes]()
        while found := self.cluster.found(self.index, [f"file:{len(pieces)}:{STATISTICS}"], ["blob"]):
            pieces += [b64decode(one["blob"]) for one in found.values()]
        with self._reading():
            read = unpacked(b"".join(pieces))
        held, said = read.arrays["held"].astype(np.int64), read.texts
        tokens, lengths = tuple(said["tokens"]), tuple(said["lengths"])
        return WordStatistics(tokens, held, lengths, said["size"], self.manifest.keywords, self.manifest.date_order)

    @property
    def of_triples(self) -> bool:
        return bool(self._said["of_triples"])

    @property
    def proof(self) -> tuple[int, str]:
        """How many rows were sent, and the hash over them."""
        return int(self._said["rows"]), str(self._said["hash"])

    @cached_property
    def communities(self) -> list[dict[str, Any]]:
        """The rows of all communities, in the order of their numbers."""
        return self._all("community", True, "number")

    @cached_property
    def tables(self) -> Tables:
        return Tables(lambda *_: [])

    @cached_property
    def catalogue(self) -> Catalogue:
        columns = ["document", "title", "place", "date", "path", "position"]
        rows = self._all("document", columns, "path", "position", size=AT_ONCE)
        listed = [Listed(one["document"], one["title"], one["place"], one["date"]) for one in rows]
        return Catalogue(listed, self.manifest.date_order)

    def titles(self, limit: int) -> list[str]:
        return list(dict.fromkeys(one.title for one in self.catalogue.documents))[:limit]

    def _all(self, kind: str, columns: Sequence[str] | bool, *order: str, size: int = 500) -> list[dict[str, Any]]:
        """Return the sources of all rows of a kind, sorted by the columns `order`; `columns` are the fields to read
        (True: all)."""
        found = self.cluster.scanned(self.index, {"term": {"kind": kind}}, columns, size)
        return sorted((hit["_source"] for hit in found), key=lambda row: [row[column] for column in order])

    # By id -------------------------------------------------------------------------------------------------------

    def _there(self, keys: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Return the sources of the rows that exist, by key."""

        def read(missing: list[str]) -> JustRead:
            for key_, source in self.cluster.found(self.index, missing, excludes=("sentences",)).items():
                yield key_, source, 1000 + sum(len(v) for v in source.values() if isinstance(v, str))

        return self._kept.values("row", keys, read)

    def rows(self, kind: str, ids: Sequence[str]) -> list[dict[str, Any]]:
        """Return the sources of these rows, in the order of `ids`. Raises `KeyError` for a row that does not exist."""
        keys = [key(kind, id_) for id_ in ids]
        found = self._there(keys)
        return [found[one] for one in keys]

    def copies(self, path: str) -> tuple[str, ...]:  # noqa: ARG002 a cluster keeps no files
        return ()

    def documents(self, ids: Sequence[str]) -> list[Document]:
        return [document_of_row(source) for source in self.rows("document", ids)]

    def chunks(self, ids: Sequence[str]) -> list[Chunk]:
        names = ("chunk", "document", "title", "text", "start", "end", "page", "heading", "place", "date")
        return [Chunk(*(source[name] for name in names)) for source in self.rows("chunk", ids)]

    def vectors(self, ids: Sequence[str]) -> Vectors:
        return stacked([decoded(row["half"], self.dimension) for row in self.rows("chunk", ids)], self.dimension)

    def sentences_of(self, ids: Sequence[str]) -> list[Vectors]:
        """Return for each chunk the vectors of its sentences, in their order, shape (sentences, d)."""

        def read(missing: list[str]) -> JustRead:
            found = self.cluster.found(self.index, missing, ["sentences"])
            made = ((one, decoded(found[one]["sentences"], self.dimension)) for one in missing)
            return ((one, vectors, vectors.nbytes) for one, vectors in made)

        keys = [key("chunk", id_) for id_ in ids]
        held = self._kept.values("sentences", keys, read)
        return [held[one] for one in keys]

    def neighbours(self, ids: Sequence[str]) -> list[list[Edge]]:
        wanted = list(dict.fromkeys(ids))
        there = self._there([key("document", id_) for id_ in wanted])
        leaving = {one["document"]: _edges(one) for one in there.values()}
        entering: dict[str, list[Edge]] = {}
        for part in parts_of(wanted):
            for hit in self.cluster.scanned(self.index, {"terms": {"targets": part}}, ["document", "rest.edges"]):
                for edge in _edges(hit["_source"]):
                    entering.setdefault(edge.target, []).append(edge)
        ends = {edge.target for edges in leaving.values() for edge in edges}
        known = {one["document"] for one in self._there([key("document", end) for end in ends]).values()}
        found = []
        for id_ in ids:
            out = [edge for edge in leaving.get(id_, []) if edge.target in known]
            into = [edge for edge in entering.get(id_, []) if edge.source != id_] if id_ in leaving else []
            found.append([*out, *into])
        return found

    def given(self, documents: Sequence[str]) -> list[Triple]:
        """Return the triples that these documents came with."""
        return [triple for row in self.rows("document", documents) for triple in _stated(row)]

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Translate what damaged bytes raise into a `ClewError`."""
        from safetensors import SafetensorError

        try:
            yield
        except (SafetensorError, *BROKEN) as error:
            mend = f"clew doctor --repair --library {self.cluster.where}"
            raise ClewError(f"the library at {self.cluster.where} is damaged", mend) from error

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
        """As `Search.keyword_search`. If the chunks are given (`among`) only their rows are read, and the scores are
        made here."""
        if among is None:
            return self.candidates(queries, np.zeros((0, self.dimension), np.float32), k, 0, scope, fields)
        rows = self.rows("chunk", among)
        held = [row["chunk"] for row in rows if scope is None or row["document"] in scope]
        return [self._scored(query, held, k, fields) for query in queries]

    def vector_search(self, vectors: Vectors, k: int, *, scope: frozenset[str] | None = None) -> list[list[Hit]]:
        return self.candidates([], vectors, 0, k, scope)

    def candidates(
        self,
        queries: Sequence[str],
        vectors: Vectors,
        k: int,
        nearest: int,
        scope: frozenset[str] | None = None,
        fields: Mapping[str, float] | None = None,
    ) -> list[list[Hit]]:
        """As `Search.candidates`, in two requests: one search for all queries, and the rows of what it finds."""
        if not self.manifest.chunks:
            return [[] for _ in (*queries, *vectors)]
        known = [self._known(query, fields) if k else {} for query in queries]
        most, parts = k if fields is None else searches.LOOKED * k, in_scope(scope)
        asked = [[searches.by_words(one, most, part) for part in parts if one] for one in known]
        asked += [[searches.by_vector(one, nearest, part) for part in parts if nearest] for one in vectors]
        found = self._found(asked)
        words, near = found[: len(queries)], found[len(queries) :]
        self.rows("chunk", list(dict.fromkeys(hit.chunk for its in found for hit in its)))
        hits = [self._scored(q, [hit.chunk for hit in its], k, fields) for q, its in zip(queries, words, strict=True)]
        return hits + [[Hit(one.chunk, 2 * one.score - 1) for one in its][:nearest] for its in near]

    @property
    def tokens_by(self) -> str:
        """The inference endpoint that made ELSER's tokens of the chunks; empty if some chunks have no tokens."""
        return "" if self._said.get("without") else str(self._said["elser"])

    def by_tokens(
        self, tokens: Sequence[searches.TokenWeights], k: int, scope: frozenset[str] | None
    ) -> list[list[FoundChunk]]:
        """Return for each text at most k chunks by ELSER's tokens, best first."""
        asked = [[searches.by_sparse(one, k, part) for part in in_scope(scope)] for one in tokens]
        return [its[:k] for its in self._found(asked)]

    def _found(self, asked: Sequence[Sequence[Body]]) -> list[list[FoundChunk]]:
        """Return the hits of each search, best first; a search may consist of several bodies, whose hits are merged.
        One request is sent for all that are not in the cache."""

        def read(missing: list[str]) -> JustRead:
            answers = self.cluster.searched(self.index, [json.loads(one) for one in missing])
            for one, answer in zip(missing, answers, strict=True):
                hits = [FoundChunk(hit["fields"]["chunk"][0], hit["_score"]) for hit in answer["hits"]["hits"]]
                yield one, hits, 2 * len(one) + 200 * len(hits)

        keys = [[json.dumps(body, sort_keys=True) for body in bodies] for bodies in asked]
        held = self._kept.values("found", list(chain.from_iterable(keys)), read)
        return [sorted((hit for one in its for hit in held[one]), key=lambda hit: -hit.score) for its in keys]

    def _known(self, query: str, fields: Mapping[str, float] | None) -> dict[str, list[str]]:
        """Return the tokens of a query that the library has, by the field of the index that has them."""
        asked = {"words": TOGETHER} if fields is None or fields.keys() - {"metadata"} else {}
        asked |= {"metadata": "metadata"} if fields and "metadata" in fields else {}
        found = {name: list(self.statistics.known(query, its)) for name, its in asked.items()}
        for name, tokens in found.items():
            if len(tokens) > searches.MOST_TOKENS:  # the rarest, as many as a search takes
                counts = partial(self.statistics.count, field=asked[name])
                found[name] = sorted(tokens, key=counts)[: searches.MOST_TOKENS]
        return {name: tokens for name, tokens in found.items() if tokens}

    def _scored(self, query: str, ids: Sequence[str], k: int, fields: Mapping[str, float] | None) -> list[Hit]:
        def words(missing: list[str]) -> JustRead:
            for id_, row in zip(missing, self.rows("chunk", missing), strict=True):
                made = ChunkWords.of(*(row[f"{name}_words"].split() for name in FIELDS))
                yield id_, made, 100 * len(made.text)

        def hits(missing: list[str]) -> JustRead:
            of_chunks = self._kept.values("words", missing, words)
            return ((id_, self.statistics.hit(id_, query, of_chunks[id_], fields), 500) for id_ in missing)

        asked = f"hits:{query}\0{sorted(fields.items()) if fields else ''}"
        held = self._kept.values(asked, ids, hits)
        return sorted((hit for id_ in ids if (hit := held[id_])), key=lambda hit: -hit.score)[:k]

    def sample(self, most: int) -> list[Chunk]:
        listed = self.catalogue.documents
        some = {one.id: place for place, one in enumerate(listed[:: max(1, len(listed) // most)][:most])}
        held = {"bool": {"filter": [{"term": {"kind": "chunk"}}, {"terms": {"document": list(some)}}]}}
        fields = ("chunk", "document", "start")
        body = {"query": held, "size": searches.MOST_HITS, "_source": False, "docvalue_fields": fields}
        (answer,) = self.cluster.searched(self.index, [body]) if some else ({"hits": {"hits": []}},)
        rows = [tuple(hit["fields"][name][0] for name in fields) for hit in answer["hits"]["hits"]]
        ids = [id_ for id_, *_ in sorted(rows, key=lambda row: (some[row[1]], row[2]))]
        return self.chunks(ids[:: max(1, len(ids) // most)][:most])

    # The graph ---------------------------------------------------------------------------------------------------

    def triples(self) -> list[Triple]:
        rows = self._all("document", ["document", "rest.triples"], "document")
        return [triple for row in rows for triple in _stated(row)] + self.part().layers.extracted

    whole = False

    def part(self, partitions: Sequence[int] | None = None) -> ClusterGraph:
        """Return the graph of these partitions, or of all if they are few enough for this machine. Raises `ClewError`
        if they are too many."""
        if partitions is None and self.manifest.chunks > WHOLE:
            raise ClewError(
                f"the library has {self.manifest.chunks:,} chunks: this looks at all, and takes {WHOLE:,} at most",
                "ask for something that stands in a passage",
            )
        count = len(self._said["sizes"])
        wanted = tuple(range(count)) if partitions is None else tuple(sorted(set(partitions)))
        return self._graph(wanted)

    def around(self, query: Query) -> Search:
        """Return a store whose graph has only the partitions that matter for the query: those with the most hits, up to
        `NODES` nodes."""
        texts, vectors = [form.text for form in query.forms], np.stack([form.vector for form in query.forms])
        found = self.candidates(texts, vectors, searches.VOTING, searches.VOTING, query.scope)
        votes = np.zeros(len(self._said["sizes"]))
        for form, hits in zip((*query.forms, *query.forms), found, strict=True):
            for rank, row in enumerate(self.rows("chunk", [hit.chunk for hit in hits])):
                votes[row["partition"]] += form.weight / (rank + searches.HALF)
        return cast(Search, PartStore(self, searches.chosen(votes, self._said["sizes"])))

    def _slices(self, partitions: Sequence[int]) -> list[Slice]:
        """Return the slices of these partitions; those that are not in the cache are read in requests of at most
        `AT_ONCE` nodes."""

        def read(missing: list[str]) -> JustRead:
            nodes = np.cumsum([self._said["sizes"][int(one)] for one in missing])
            for part in np.split(np.array(missing), np.flatnonzero(np.diff(nodes // AT_ONCE)) + 1):
                fresh = self.cluster.found(self.index, [f"capsule:{one}" for one in part], ["blob"])
                with self._reading():
                    made = [(str(one), unpacked(b64decode(fresh[f"capsule:{one}"]["blob"]))) for one in part]
                yield from ((one, its, its.size) for one, its in made)

        held = self._kept.values("slice", list(map(str, partitions)), read)
        return [held[str(one)] for one in partitions]

    # Names -------------------------------------------------------------------------------------------------------

    @cached_property
    def vocabulary(self) -> LibraryVocabulary:
        return LibraryVocabulary(self.statistics, self._named, self._texts)

    def _named(self, phrases: Sequence[str]) -> list[tuple[str, bool]]:
        """Return for each phrase its kind of entity, and whether a title is called so; one request for those that are
        not in the cache."""

        def read(missing: list[str]) -> JustRead:
            ids, names = [normalised(one) for one in missing], [f"{name_key(one):016x}" for one in missing]
            bodies = [searches.by_id(part) for part in parts_of([key("entity", id_) for id_ in ids])]
            bodies += map(searches.by_name, parts_of(names))
            kinds, titles = dict[str, str](), set[str]()
            for answer in self.cluster.searched(self.index, bodies):
                kinds |= {hit["_source"]["entity"]: hit["_source"]["type"] for hit in answer["hits"]["hits"]}
                titles |= {one["key"] for one in answer.get("aggregations", searches.NO_NAMES)["named"]["buckets"]}
            for one, id_, name in zip(missing, ids, names, strict=True):
                yield one, (kinds.get(id_, ""), name in titles), 200 + len(one)

        held = self._kept.values("named", phrases, read)
        return [held[one] for one in phrases]

    def _texts(self, tokens: Iterable[str]) -> list[str]:
        def read(missing: list[str]) -> JustRead:
            asked = {"size": HELD_BY, "_source": ["title", "text"]}
            bodies = [{"query": {"term": {"words": one}}, **asked} for one in missing]
            for token, answer in zip(missing, self.cluster.searched(self.index, bodies), strict=True):
                sources = (hit["_source"] for hit in answer["hits"]["hits"])
                made = [f"{one['title']}\n{one['text']}" for one in sources]
                yield token, made, 200 + sum(map(len, made))

        wanted = list(tokens)
        held = self._kept.values("texts", wanted, read)
        return [text for one in wanted for text in held[one]]


def document_of_row(source: Mapping[str, Any]) -> Document:
    """Make the document from the source of its row."""
    told = source["rest"]
    pages, headings = (tuple(Mark(*mark) for mark in told[name]) for name in ("pages", "headings"))
    id_, title, text, place = (source[name] for name in ("document", "title", "text", "place"))
    about = source["date"], source["status"], told.get("author", ""), told.get("tags", "")
    return Document(id_, title, text, place, pages, headings, (), *about)


def _stated(source: Mapping[str, Any]) -> list[Triple]:
    """Return the triples that a document came with, from the source of its row."""
    return [Triple(*one) for one in source.get("rest", {}).get("triples", ()) if one[3] is not None]


def _edges(source: Mapping[str, Any]) -> list[Edge]:
    """Return the different edges that leave a document, from the source of its row."""
    told = source.get("rest", {}).get("edges", ())
    return list(dict.fromkeys(Edge(source["document"], target, relation) for target, relation, _ in told))


@dataclass(frozen=True, slots=True)
class PartStore:
    """A store whose searches reach the whole library, and whose graph has some partitions alone."""

    store: ClusterStore
    partitions: tuple[int, ...]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.store, name)

    def part(self, partitions: Sequence[int] | None = None) -> ClusterGraph:
        return self.store.part(self.partitions if partitions is None else partitions)

    def triples(self) -> list[Triple]:
        layers = self.part().layers
        return [*self.store.given(layers.document_ids), *layers.extracted]


def open_cluster(where: ClusterAddress) -> ClusterStore:
    """Open the generation that is in use. Raises `NoLibrary`, `NotSetUp`, `LibraryMismatch` or `ServiceUnreachable`."""
    return open_generation(Cluster(where, PRESENT))


def open_generation(cluster: Cluster) -> ClusterStore:
    """Open the generation that the alias names. Raises as `open_cluster` does."""
    _ = cluster.version
    generations = Generations(cluster)
    index = generations.required()
    said = cluster.found(index, ["manifest"], ["rest"]).get("manifest", {}).get("rest", {})
    if said.get("format") != CLUSTER_FORMAT:
        generations.checked(index)  # the mapping is told by the master alone, and what is read needs none
        said = {}
    try:
        return ClusterStore(cluster, index, Manifest.model_validate_json(said["manifest"]), said)
    except (KeyError, ValueError) as error:
        mend = f"clew index YOUR-FOLDER --rebuild --library {cluster.where}"
        raise LibraryMismatch(f"the library at {cluster.where} is not whole", mend) from error
