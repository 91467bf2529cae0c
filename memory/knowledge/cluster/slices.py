"""A capsule's slice: what a graph has of one partition, as bytes; and some of them as one graph.

In a slice things have the numbers of the whole library (rows of chunks, numbers of sentences, entities, relations and
edges), so that slices can be joined: the numbers of a part are the places among those that it has, in their order. All
slices together have the arrays that the embedded store has.
"""

import json
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load, save

from clew.memory.datatypes import Ints, Vectors, WordShares
from clew.memory.knowledge.arrays import Ragged, looked_up
from clew.memory.knowledge.cluster.statistics import ChunkWords, WordStatistics
from clew.memory.knowledge.layers import Entity, Layers
from clew.memory.knowledge.library_ports import Graph
from clew.memory.knowledge.nodes import NodeGraph, Partitioning
from clew.memory.knowledge.titles import TitleIndex

Arrays = Mapping[str, NDArray[Any]]
TEXTS = "texts"
"""The array that holds what is no number, as JSON in UTF-8."""


@dataclass(frozen=True, eq=False)
class Slice:
    """What the graph has of one partition: arrays and texts by name."""

    arrays: Arrays
    texts: Mapping[str, Any]

    @property
    def size(self) -> int:
        """About how many bytes it takes in memory."""
        return sum(array.nbytes for array in self.arrays.values()) + 4 * self.arrays[TEXTS].nbytes

    @cached_property
    def entities(self) -> list[Entity]:
        return [Entity(*one) for one in self.texts["entities"]]

    def holding(self, token: str) -> tuple[Ints, NDArray[np.float32]]:
        """Return the chunks that hold a token, by their numbers in the library, and how much of the token's BM25 each
        reaches."""
        tokens = self.texts["tokens"]
        place = bisect_left(tokens, token)
        there = place < len(tokens) and tokens[place] == token
        first, last = self.arrays["token_starts"][place : place + 2] if there else (0, 0)
        return self.arrays["token_chunks"][first:last].astype(np.int64), self.arrays["token_shares"][first:last]


def packed(arrays: Arrays, texts: Mapping[str, Any]) -> bytes:
    """Return arrays and texts as bytes; equal content gives equal bytes."""
    said = json.dumps(texts, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()
    made = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    return save(made | {TEXTS: np.frombuffer(said, np.uint8)})


def unpacked(data: bytes) -> Slice:
    """Read what `packed` wrote. Damaged bytes raise `disk.BROKEN` or safetensors' own error."""
    arrays = load(data)
    return Slice(arrays, json.loads(arrays[TEXTS].tobytes()))


# Cut -----------------------------------------------------------------------------------------------------------------


class Cutter:
    """Cuts a whole graph into the slices of its partitions. `spans` are start and end of each sentence, shape
    (sentences, 2); `tokens` has for each chunk the tokens of its fields in the index."""

    def __init__(
        self, graph: Graph, spans: Ints, tokens: Sequence[tuple[Sequence[str], ...]], statistics: WordStatistics
    ) -> None:
        self.graph, self.spans, self.tokens, self.statistics = graph, spans, tokens, statistics
        sentences = len(graph.layers.sentence_chunks)
        self._mentions_of = Ragged.grouped(graph.layers.mentions[0], sentences)
        self._relations_of = Ragged.grouped(graph.layers.stated, sentences)
        self._names_of = Ragged.grouped(graph.titles.nodes, len(graph.layers.chunk_ids))

    def slices(self) -> Iterator[tuple[int, bytes]]:
        for partition in range(self.graph.partitioning.count):
            yield partition, packed(*self._cut(partition))

    def _cut(self, partition: int) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        graph, layers = self.graph, self.graph.layers
        rows = np.asarray(graph.partitioning.members.of(np.array([partition]))[0], np.int64)
        sentences = layers.sentences_of.of(rows)[0]
        documents = np.unique(layers.chunk_documents[rows])
        mentions = layers.mentions[:, self._mentions_of.of(sentences)[0]]
        relations = np.sort(self._relations_of.of(sentences)[0])
        named = [mentions[1], layers.titles[documents], layers.subjects[relations], layers.objects[relations]]
        entities = np.unique(np.concatenate(named))
        entities, edges = entities[entities >= 0], np.unique(graph.nodes.by_end.of(rows)[0])
        verbs = np.unique(layers.verb_numbers[relations])
        columns, starts, holding, shares = self._postings(rows)
        arrays = {
            "rows": rows,
            "documents": documents,
            "chunk_documents": layers.chunk_documents[rows],
            "vectors": graph.vectors.take(rows, axis=0).astype(np.float16),
            "smoothed": np.asarray(graph.smoothed.take(rows, axis=0), np.float16),
            "hubs": np.isin(rows, graph.partitioning.hub_nodes),
            "centroid": graph.partitioning.centroids[partition],
            "sentences": sentences,
            "sentence_chunks": layers.sentence_chunks[sentences],
            "spans": self.spans[sentences].reshape(-1, 2),
            "headings": np.isin(sentences, layers.headings),
            "mentions": mentions,
            "titles": layers.titles[documents],
            "relations": relations,
            "stated": self._stated(relations),
            "entities": entities,
            "chunks_of_entity": layers.chunks_of_entity[entities],
            "verbs": verbs,
            "edges": edges,
            "ends": np.stack([graph.nodes.sources[edges], graph.nodes.targets[edges], graph.nodes.kinds[edges]]),
            "weights": graph.nodes.weights[edges],
            **self._titles(rows),
            "token_starts": starts,
            "token_chunks": holding,
            "token_shares": shares,
        }
        arrays = {name: array.astype(np.int32) if array.dtype == np.int64 else array for name, array in arrays.items()}
        return arrays, {
            "partition": partition,
            "name": graph.partitioning.names[partition],
            "chunks": [layers.chunk_ids[row] for row in rows],
            "documents": [layers.document_ids[number] for number in documents],
            "entities": [[e.id, e.name, e.kind] for e in (layers.entities[number] for number in entities)],
            "verbs": [layers.verbs[number] for number in verbs],
            "relations": list(graph.nodes.relations),
            "tokens": columns,
        }

    def _stated(self, relations: Ints) -> Ints:
        """Return these relations as an array of shape (5, relations): subject, verb, object, sentence, and whether it
        came with the documents."""
        layers = self.graph.layers
        columns = (layers.subjects, layers.verb_numbers, layers.objects, layers.stated, layers.given)
        return np.stack([column[relations] for column in columns]).astype(np.int64)

    def _titles(self, rows: Ints) -> dict[str, NDArray[Any]]:
        """Return the words of the titles of these chunks, in the arrays of `Titles`."""
        titles, titled = self.graph.titles, self._names_of.of(rows)[0]
        return {
            "title_stems": titles.stems[titled],
            "title_written": titles.written[titled],
            "title_nodes": titles.nodes[titled],
            "title_places": titles.places[titled],
            "names": titles.names[rows],
            "lengths": titles.lengths[rows],
        }

    def _postings(self, rows: Ints) -> tuple[list[str], Ints, Ints, NDArray[np.float32]]:
        """Return the tokens of these chunks in alphabetical order, and for each the chunks that hold it with their
        shares of its BM25."""
        held: dict[str, list[tuple[int, float]]] = {}
        for row in rows.tolist():
            for token, share in self.statistics.shares(ChunkWords.of(*self.tokens[row])).items():
                held.setdefault(token, []).append((row, share))
        tokens = sorted(held)
        starts = np.cumsum([0, *(len(held[token]) for token in tokens)])
        pairs = [pair for token in tokens for pair in held[token]]
        chunks = np.array([row for row, _ in pairs], np.int64)
        return tokens, starts, chunks, np.array([share for _, share in pairs], np.float32)


# Joined --------------------------------------------------------------------------------------------------------------


class Joined:
    """The slices of some partitions as one `Graph`; `method` and `size` are those by which the partitions were made.
    Safe from several threads."""

    def __init__(
        self, slices: Sequence[Slice], method: str, size: int, statistics: WordStatistics, dimension: int
    ) -> None:
        self.slices = sorted(slices, key=lambda one: int(one.texts["partition"]))
        self._method, self._size, self._statistics = method, size, statistics
        self._empty = {"mentions": (2, 0), "stated": (5, 0), "ends": (3, 0)}
        self._empty |= dict.fromkeys(("vectors", "smoothed", "centroid"), (0, dimension))
        self._all_rows = self._put("rows")
        self._order = np.argsort(self._all_rows, kind="stable")
        self._held: dict[str, tuple[Ints, NDArray[np.float32]]] = {}
        self.rows = self._all_rows[self._order]

    def _put(self, name: str) -> NDArray[Any]:
        """Return an array of all slices, joined in their order."""
        found = [one.arrays[name] for one in self.slices] or [np.zeros(self._empty.get(name, (0,)), np.int64)]
        whole = np.concatenate(found, axis=-1 if found[0].ndim == 2 and name in _BY_COLUMN else 0)
        return whole.astype(np.int64) if whole.dtype == np.int32 else whole

    def _texts(self, name: str) -> list[Any]:
        return [text for one in self.slices for text in one.texts[name]]

    def _once(self, numbers: str, texts: str) -> tuple[Ints, list[Any]]:
        """Return the numbers that the slices have, ascending and without repetitions, and the text that belongs to
        each."""
        found, first = np.unique(self._put(numbers), return_index=True)
        said = self._texts(texts)
        return found, [said[place] for place in first.tolist()]

    @cached_property
    def vectors(self) -> Vectors:
        return np.asarray(self._put("vectors")[self._order], np.float32)

    @cached_property
    def smoothed(self) -> NDArray[np.float16]:
        return np.asarray(self._put("smoothed")[self._order], np.float16)

    @cached_property
    def sentence_numbers(self) -> Ints:
        """The numbers of the sentences in the library, ascending."""
        return np.sort(self._put("sentences"))

    @cached_property
    def spans(self) -> Ints:
        """Start and end of each sentence in its document, shape (sentences, 2)."""
        return np.asarray(self._put("spans").reshape(-1, 2)[np.argsort(self._put("sentences"))], np.int64)

    @cached_property
    def layers(self) -> Layers:
        documents, document_ids = self._once("documents", "documents")
        entities, first_entities = np.unique(self._put("entities"), return_index=True)
        described = [entity for one in self.slices for entity in one.entities]
        verbs, said = self._once("verbs", "verbs")
        chunks = self._texts("chunks")
        sentences = np.argsort(self._put("sentences"))
        mentions = self._put("mentions")
        of, named = mentions[:, np.lexsort((mentions[1], mentions[0]))]
        relations = np.argsort(self._put("relations"))
        subjects, of_verbs, objects, stated, given = self._put("stated")[:, relations]
        _, first = np.unique(self._put("documents"), return_index=True)
        titles = self._put("titles")[first]
        made = Layers(
            chunk_ids=tuple(chunks[place] for place in self._order),
            document_ids=tuple(document_ids),
            chunk_documents=np.searchsorted(documents, self._put("chunk_documents")[self._order]),
            sentence_chunks=self.places_of(self._put("sentence_chunks")[sentences]),
            mentions=np.stack([np.searchsorted(self.sentence_numbers, of), np.searchsorted(entities, named)]),
            entities=tuple(described[place] for place in first_entities.tolist()),
            titles=np.where(titles >= 0, np.searchsorted(entities, titles), -1),
            subjects=np.searchsorted(entities, subjects),
            verb_numbers=np.searchsorted(verbs, of_verbs),
            objects=np.searchsorted(entities, objects),
            stated=np.searchsorted(self.sentence_numbers, stated),
            given=given.astype(bool),
            verbs=tuple(said),
            headings=np.flatnonzero(self._put("headings")[sentences]),
        )  # fmt: skip
        # Rare is what few chunks of the library name, and not what few of a part do.
        vars(made)["chunks_of_entity"] = self._put("chunks_of_entity")[first_entities]
        return made

    @cached_property
    def entity_numbers(self) -> Ints:
        """The numbers in the library of `layers.entities`, ascending."""
        return np.unique(self._put("entities"))

    @cached_property
    def nodes(self) -> NodeGraph:
        edges, first = np.unique(self._put("edges"), return_index=True)
        sources, targets, kinds = self._put("ends")[:, first] if len(edges) else np.zeros((3, 0), np.int64)
        at, to = self.places_of(sources), self.places_of(targets)
        inside = (at >= 0) & (to >= 0)
        relations = tuple(self.slices[0].texts["relations"]) if self.slices else ()
        weights = np.asarray(self._put("weights")[first], np.float32)
        return NodeGraph(len(self.rows), at[inside], to[inside], kinds[inside], weights[inside], relations)

    @cached_property
    def partitioning(self) -> Partitioning:
        sizes = np.array([len(one.arrays["rows"]) for one in self.slices], np.int64)
        of = np.repeat(np.arange(len(sizes)), sizes)
        centroids = np.asarray(self._put("centroid").reshape(-1, self._empty["centroid"][1]), np.float32)
        names = tuple(str(one.texts["name"]) for one in self.slices)
        hubs = np.flatnonzero(self._put("hubs")[self._order])
        return Partitioning(self._method, self._size, of[self._order], names, centroids, hubs)  # type: ignore[arg-type]

    @cached_property
    def titles(self) -> TitleIndex:
        stems, nodes, at = self._put("title_stems"), self.places_of(self._put("title_nodes")), self._put("title_places")
        order = np.lexsort((at, nodes, stems))
        names, lengths = (self._put(name)[self._order] for name in ("names", "lengths"))
        written = self._put("title_written")
        return TitleIndex(stems[order], written[order], nodes[order], at[order], names, lengths)

    def places_of(self, rows: Ints) -> Ints:
        """Return the numbers in this part of the chunks with these numbers in the library; -1 for a chunk of another
        part."""
        return looked_up(self.rows, rows, np.arange(len(self.rows)), -1)

    def words(self, query: str, nodes: Ints) -> WordShares:
        tokens = self._statistics.known(query)
        idf = np.array([self._statistics.idf(token) for token in tokens])
        shares = np.zeros((len(nodes), len(tokens)))
        for column, token in enumerate(tokens):
            if token not in self._held:
                parts = [one.holding(token) for one in self.slices] or [_NONE]
                chunks, values = (np.concatenate(its) for its in zip(*parts, strict=True))
                order = np.argsort(chunks)
                self._held[token] = self.places_of(chunks[order]), values[order]
            holding, values = self._held[token]
            shares[:, column] = looked_up(holding, nodes, values, 0)
        return WordShares(tuple(tokens.values()), idf / idf.sum() if len(idf) else idf, shares)


_BY_COLUMN = ("mentions", "stated", "ends")
_NONE = (np.zeros(0, np.int64), np.zeros(0, np.float32))
