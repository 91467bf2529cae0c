"""The cluster's store: documents, chunks and searches asked of the index of one generation, by its own name and never
by a wildcard. Only reads."""

import json
import threading
from base64 import b64decode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, cast

import numpy as np

from clew.memory.cache import once
from clew.memory.datatypes import Chunk, Hit, Ints, Query, Triple, Vectors
from clew.memory.errors import BadInput, ClewError, LibraryMismatch
from clew.memory.knowledge.cluster.connection import AT_ONCE, PRESENT, Cluster, ClusterAddress
from clew.memory.knowledge.cluster.generations import Generations
from clew.memory.knowledge.cluster.reading import IndexReader, JustRead, stated
from clew.memory.knowledge.cluster.rows import CLUSTER_FORMAT, decoded, key
from clew.memory.knowledge.cluster.searches import (
    HALF,
    LOOKED,
    MOST_HITS,
    MOST_TOKENS,
    NO_NAMES,
    PLACED,
    VOTING,
    Body,
    FoundChunk,
    TokenWeights,
    by_id,
    by_name,
    by_sparse,
    by_vector,
    by_words,
    chosen,
    in_scope,
    parts_of,
)
from clew.memory.knowledge.cluster.slices import Joined, Slice, unpacked
from clew.memory.knowledge.cluster.statistics import ChunkWords
from clew.memory.knowledge.disk import Manifest
from clew.memory.knowledge.extraction.aliases import normalised
from clew.memory.knowledge.keywords import FIELDS, TOGETHER
from clew.memory.knowledge.vocabulary import HELD_BY, LibraryVocabulary
from clew.memory.layers import Communities, Community, Unit
from clew.memory.nodes import Cells, cells_of
from clew.memory.ports import Search
from clew.memory.titles import name_key
from clew.memory.vectors import looked_up, places


class ClusterGraph(Joined):
    """The slices of some partitions of a generation, or of all, and what its store has beside them."""

    def __init__(self, store: IndexReader, slices: Sequence[Slice], method: str, size: int) -> None:
        super().__init__(slices, method, size, store.statistics, store.dimension)
        self._store = store

    @once
    def cells(self) -> Cells:
        return cells_of(self.nodes, self.partitioning)

    @once
    def sentence_vectors(self) -> Vectors:
        """Read for all of the part when one is first needed, so that there is one request."""
        layers, none = self.layers, np.zeros((0, self._store.dimension), np.float32)
        found = self._store.sentences_of(layers.chunk_ids)
        if [len(one) for one in found] != np.diff(layers.sentences_of.starts).tolist():
            raise ClewError("the library's sentences are damaged", "clew doctor, with --repair")
        made = np.empty((len(layers.sentence_chunks), self._store.dimension), np.float32)
        made[layers.sentences_of.values] = np.concatenate([*found, none])
        return made

    @once
    def _names(self) -> Vectors:
        """Of the entities that join chunks, zeros of one that the library has no vector of; read as
        `sentence_vectors`."""
        layers = self.layers
        found = self._store.entities([layers.entities[entity].id for entity in layers.joining.tolist()])
        made = np.zeros((len(found), self._store.dimension), np.float32)
        for place, one in enumerate(found):
            if half := one.get("half"):
                made[place] = decoded(half, self._store.dimension)[0]
        return made

    @once
    def communities(self) -> Communities:
        """With those of their entities that are of this part; those that have none are left out."""
        numbers = self.entity_numbers
        items, vectors, renumbered = list[Community](), list[Vectors](), {-1: -1}
        for number, source in self._store.communities:
            name, report, by = source["name"], source["report"], source["author"]
            first, last, parent, entities, _ = source["rest"]["row"]
            at, known = places(numbers, np.array(entities, np.int64))
            if len(known) or len(numbers) == 0:
                renumbered[number] = len(items)
                own = tuple(at[np.argsort(known, kind="stable")].tolist())
                items.append(Community(name, report, by, first, last, renumbered.get(parent, -1), own))
                vectors.append(decoded(source["half"], self._store.dimension)[0])
        none = np.zeros((0, self._store.dimension), np.float32)
        return Communities(tuple(items), np.stack(vectors) if vectors else none)

    def entity_vectors(self, entities: Ints) -> Vectors:
        return looked_up(self.layers.joining, entities, self._names, 0)

    def partition_vectors(self, partition: int) -> Vectors:
        return self.vectors.take(self.partitioning.members.row(partition), axis=0)

    def sentences(self, numbers: Sequence[int]) -> list[Unit]:
        layers, spans = self.layers, self.spans
        if any(not 0 <= int(number) < len(spans) for number in numbers):
            raise KeyError(numbers)
        chunks = [int(layers.sentence_chunks[int(number)]) for number in numbers]
        read = self._store.chunks([layers.chunk_ids[chunk] for chunk in chunks])
        return [
            Unit(one.document, one.id, one.text[start - one.start : end - one.start], start, end)
            for one, (start, end) in zip(read, (spans[int(n)].tolist() for n in numbers), strict=True)
        ]


WHOLE = 100_000
"""Chunks of a library up to which a graph of all of it is taken into memory, for what looks at all."""

PARTS = 8
"""Graphs that are held."""


class ClusterStore(IndexReader):
    """One generation of a library, searched."""

    def __init__(self, cluster: Cluster, index: str, manifest: Manifest, said: Mapping[str, Any]) -> None:
        super().__init__(cluster, index, manifest, said)
        self._parts: dict[tuple[int, ...], ClusterGraph] = {}
        self._making = threading.RLock()

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
        """Of known chunks (`among`) without a request but for their rows."""
        if among is not None:
            held = [id_ for id_, row in zip(among, self._of("chunk", among), strict=True)
                    if scope is None or row["document"] in scope]  # fmt: skip
            return [self._scored(query, held, k, fields) for query in queries]
        return self.candidates(queries, np.zeros((0, self.dimension), np.float32), k, 0, scope, fields)

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
        """Two requests: a search for all, and the rows of what it finds."""
        if not self.manifest.chunks:
            return [[] for _ in (*queries, *vectors)]
        known = [self._known(query, fields) if k else {} for query in queries]
        most = k if fields is None else LOOKED * k
        asked: list[list[Body]] = [
            [by_words(one, most, part) for part in in_scope(scope)] if one else [] for one in known
        ]
        asked += [[by_vector(one, nearest, part) for part in in_scope(scope)] if nearest else [] for one in vectors]
        found = self._found(asked)
        words, near = found[: len(queries)], found[len(queries) :]
        self._of("chunk", list(dict.fromkeys(hit.chunk for its in found for hit in its)))
        hits = [self._scored(q, [hit.chunk for hit in its], k, fields) for q, its in zip(queries, words, strict=True)]
        return hits + [[Hit(one.chunk, 2 * one.score - 1) for one in its][:nearest] for its in near]

    @property
    def tokens_by(self) -> str:
        """The endpoint that its chunks have ELSER's tokens from; empty where they have none."""
        return str(self._said.get("elser", ""))

    @property
    def without_tokens(self) -> int:
        """Chunks that have none from there: they were indexed while no endpoint was named."""
        return int(self._said.get("without", 0))

    def by_tokens(self, tokens: Sequence[TokenWeights], k: int, scope: frozenset[str] | None) -> list[list[FoundChunk]]:
        """Of each, at most k chunks by ELSER's tokens, best first."""
        asked = [[by_sparse(one, k, part) for part in in_scope(scope)] for one in tokens]
        return [its[:k] for its in self._found(asked)]

    def alike(self, words: Sequence[str], most: int) -> list[tuple[str, ...]]:  # noqa: ARG002 the port's
        raise BadInput("synonyms are learned from a library on this machine", "--set tools.hybrid.synonyms=none")

    def _found(self, asked: Sequence[Sequence[Body]]) -> list[list[FoundChunk]]:
        """The hits of searches that each may take several, best first; one request for those that are not held."""

        def read(missing: list[str]) -> JustRead:
            answers = self.cluster.searched(self.index, [json.loads(one) for one in missing])
            for one, answer in zip(missing, answers, strict=True):
                hits = [FoundChunk(hit["fields"]["chunk"][0], hit["_score"]) for hit in answer["hits"]["hits"]]
                yield one, hits, 2 * len(one) + 200 * len(hits)

        keys = [[json.dumps(body, sort_keys=True) for body in bodies] for bodies in asked]
        held = self._kept.values("found", [one for its in keys for one in its], read)
        return [sorted((hit for one in its for hit in held[one]), key=lambda hit: -hit.score) for its in keys]

    def _known(self, query: str, fields: Mapping[str, float] | None) -> dict[str, list[str]]:
        """The tokens of a query by the fields of the index that have them."""
        asked = {"words": TOGETHER} if fields is None or fields.keys() - {"metadata"} else {}
        asked |= {"metadata": "metadata"} if fields and "metadata" in fields else {}
        found = {name: list(self.statistics.known(query, its)) for name, its in asked.items()}
        for name, tokens in found.items():
            if len(tokens) > MOST_TOKENS:  # the rarest, as many as a search takes
                counts = partial(self.statistics.count, field=asked[name])
                found[name] = sorted(tokens, key=counts)[:MOST_TOKENS]
        return {name: tokens for name, tokens in found.items() if tokens}

    def _scored(self, query: str, ids: Sequence[str], k: int, fields: Mapping[str, float] | None) -> list[Hit]:
        def words(missing: list[str]) -> JustRead:
            for id_, row in zip(missing, self._of("chunk", missing), strict=True):
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
        some = [one.id for one in listed[:: max(1, len(listed) // most)][:most]]
        held = {"bool": {"filter": [{"term": {"kind": "chunk"}}, {"terms": {"document": some}}]}}
        body = {"query": held, "size": MOST_HITS, "_source": False, "docvalue_fields": PLACED}
        (answer,) = self.cluster.searched(self.index, [body]) if some else ({"hits": {"hits": []}},)
        ids = self._in_order(answer["hits"]["hits"])
        return self.chunks(ids[:: max(1, len(ids) // most)][:most])

    def _in_order(self, hits: Iterable[Mapping[str, Any]]) -> list[str]:
        """Chunks in the order of the library, from hits with `PLACED`."""
        places = {one.id: place for place, one in enumerate(self.catalogue.documents)}
        rows = [tuple(hit["fields"][name][0] for name in PLACED) for hit in hits]
        return [id_ for id_, *_ in sorted(rows, key=lambda one: (places[one[1]], one[2]))]

    # The graph ---------------------------------------------------------------------------------------------------

    def triples(self) -> list[Triple]:
        found = self.cluster.scanned(self.index, {"term": {"kind": "document"}}, ["document", "rest.triples"])
        rows = sorted((hit["_source"] for hit in found), key=lambda one: one["document"])
        return [triple for row in rows for triple in stated(row)] + self.part().layers.extracted

    @property
    def whole(self) -> bool:
        return False

    def part(self, partitions: Sequence[int] | None = None) -> ClusterGraph:
        """Of all only where they are few enough for this machine. Raises `ClewError` where they are not."""
        if partitions is None and self.manifest.chunks > WHOLE:
            raise ClewError(
                f"the library has {self.manifest.chunks:,} chunks: this looks at all, and takes {WHOLE:,} at most",
                "ask for something that stands in a passage",
            )
        count = len(self._said["sizes"])
        wanted = tuple(range(count)) if partitions is None else tuple(sorted(set(partitions)))
        with self._making:
            if wanted not in self._parts:
                while len(self._parts) >= PARTS:
                    self._parts.pop(next(iter(self._parts)))
                self._parts[wanted] = ClusterGraph(self, self._slices(wanted), *self._said["plan"])
            return self._parts[wanted]

    def around(self, query: Query) -> Search:
        """The partitions that what matches the question votes for: the best, as many as `NODES` nodes are in."""
        texts, vectors = [form.text for form in query.forms], np.stack([form.vector for form in query.forms])
        found = self.candidates(texts, vectors, VOTING, VOTING, query.scope)
        votes = np.zeros(len(self._said["sizes"]))
        for form, hits in zip((*query.forms, *query.forms), found, strict=True):
            ids = [hit.chunk for hit in hits]
            for rank, row in enumerate(self._of("chunk", ids)):
                votes[row["partition"]] += form.weight / (rank + HALF)
        return cast(Search, PartStore(self, chosen(votes, self._said["sizes"])))

    def _slices(self, partitions: Sequence[int]) -> list[Slice]:
        """One request for those that are not held, as far as `AT_ONCE` nodes go."""

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
        """One request for those that are not held."""

        def read(missing: list[str]) -> JustRead:
            ids, names = [normalised(one) for one in missing], [f"{name_key(one):016x}" for one in missing]
            bodies = [*map(by_id, parts_of([key("entity", id_) for id_ in ids])), *map(by_name, parts_of(names))]
            kinds, titles = dict[str, str](), set[str]()
            for answer in self.cluster.searched(self.index, bodies):
                kinds |= {hit["_source"]["entity"]: hit["_source"]["type"] for hit in answer["hits"]["hits"]}
                titles |= {one["key"] for one in answer.get("aggregations", NO_NAMES)["named"]["buckets"]}
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


@dataclass(frozen=True, slots=True)
class PartStore:
    """A store as far as a question reaches: its searches, and of its graph these partitions."""

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
    """The generation that is in use. Raises `NoLibrary`, `NotSetUp`, `LibraryMismatch`, `ServiceUnreachable`."""
    return open_generation(Cluster(where, PRESENT))


def open_generation(cluster: Cluster) -> ClusterStore:
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
        where = cluster.where
        mend = f"clew index YOUR-FOLDER --rebuild --library {where}"
        raise LibraryMismatch(f"the library at {where} is not whole", mend) from error
