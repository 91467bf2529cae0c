"""What Clew requires of a library, whoever keeps it: a folder or a cluster."""

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from clew.memory.datatypes import Chunk, Document, Hit, Ints, Query, Triple, Vectors, WordShares
from clew.memory.knowledge.layers import Communities, Layers, Unit
from clew.memory.knowledge.nodes import Cells, NodeGraph, Partitioning
from clew.memory.knowledge.tables import Tables
from clew.memory.knowledge.titles import TitleIndex


class Graph(Protocol):
    """Arrays over a part of a library, for walks, votes and sums. Chunks, sentences and entities are numbers of
    `layers`; nodes are its chunks. Read-only, read on demand, and safe from several threads."""

    @property
    def layers(self) -> Layers:
        """Chunks, sentences, entities and what joins them; without sentences where the library has none."""

    @property
    def nodes(self) -> NodeGraph:
        """The edges between nodes."""

    @property
    def partitioning(self) -> Partitioning:
        """The partitioning in use: the last one made."""

    @property
    def cells(self) -> Cells:
        """The edges of `nodes` by the partitions that they join, bridge edges among them."""

    @property
    def titles(self) -> TitleIndex:
        """The index of nodes by their titles."""

    @property
    def communities(self) -> Communities:
        """The communities with their reports, coarsest level first; empty if the library has no sentences."""

    @property
    def vectors(self) -> Vectors:
        """Vectors of nodes, shape (nodes, d)."""

    @property
    def smoothed(self) -> NDArray[np.float16]:
        """Vectors of nodes smoothed over the graph; unit rows, shape (nodes, d)."""

    @property
    def sentence_vectors(self) -> Vectors:
        """Shape (sentences, d); each is embedded with the title of its document."""

    def entity_vectors(self, entities: Ints) -> Vectors:
        """The vectors of the names of entities, shape (len(entities), d). Only those that join chunks
        (`Layers.joining`) have one, of unit length; the rows of others are 0."""

    def partition_vectors(self, partition: int) -> Vectors:
        """Vectors of the nodes of a partition, in their order, shape (its nodes, d); read in one piece."""

    def words(self, query: str, nodes: Ints) -> WordShares:
        """The parts of the score of a keyword search for these nodes, over title and text together."""

    def sentences(self, numbers: Sequence[int]) -> list[Unit]:
        """The sentences of these numbers. Raises `KeyError` for one that does not exist."""


class Search(Protocol):
    """What is asked of a library by id, and what any search engine can provide. Lists in, lists out, in the same order;
    safe from several threads. A search is limited to the documents of its `scope`, by id (None: all)."""

    def documents(self, ids: Sequence[str]) -> list[Document]:
        """The documents of these ids. Raises `KeyError` for an unknown id; so do `chunks` and `vectors`."""

    def chunks(self, ids: Sequence[str]) -> list[Chunk]: ...

    def vectors(self, ids: Sequence[str]) -> Vectors:
        """Vectors of chunks, shape (len(ids), d)."""

    def keyword_search(
        self,
        queries: Sequence[str],
        k: int,
        *,
        scope: frozenset[str] | None = None,
        among: Sequence[str] | None = None,
        fields: Mapping[str, float] | None = None,
    ) -> list[list[Hit]]:
        """BM25 over title and text together, or, with the weights `fields`, the sum of what each of `title`, `text` and
        `metadata` alone has of its most: for each query at most k hits above 0, best first. `among` are the ids of the
        chunks that may be found (None: all)."""

    def vector_search(self, vectors: Vectors, k: int, *, scope: frozenset[str] | None = None) -> list[list[Hit]]:
        """For each row of (q, d) at most k hits by cosine, best first."""

    def candidates(
        self,
        queries: Sequence[str],
        vectors: Vectors,
        k: int,
        nearest: int,
        scope: frozenset[str] | None = None,
        fields: Mapping[str, float] | None = None,
    ) -> list[list[Hit]]:
        """Both searches at once: at most k hits of each query by keywords, then the `nearest` to each vector."""

    def triples(self) -> list[Triple]:
        """All triples of the documents, given or extracted, each with a chunk of its document; with repetitions."""

    @property
    def tables(self) -> Tables:
        """The tables of its documents; none for a library on a cluster."""

    @property
    def whole(self) -> bool:
        """Whether the whole graph is available and cheap; else a part is requested `around` a question."""

    def around(self, query: Query) -> "Search":
        """The library as far as a question reaches: its `part()` has the partitions of what matches."""

    def part(self, partitions: Sequence[int] | None = None) -> Graph:
        """The arrays over these partitions and the bridge edges among them; None: over the whole library. A store may
        serve more than it was asked for; this is cheap, and arrays are read as they are needed."""

    def close(self) -> None: ...
