"""The ports: what Clew requires of an encoder, a language model and a library, whoever implements them."""

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from clew.memory.datatypes import Chunk, Document, Hit, Ints, Query, Triple, Vectors, WordShares
from clew.memory.knowledge.layers import Communities, Layers, Unit
from clew.memory.knowledge.nodes import Cells, NodeGraph, Partitioning
from clew.memory.knowledge.tables import Tables
from clew.memory.knowledge.titles import TitleIndex
from clew.memory.text import Span

Role = Literal["passage", "query", "sentence"]
"""What a text is for the encoder: models such as E5 need a prefix for each role; `sentence` compares texts of one
kind."""


class Encoder(Protocol):
    """Turns texts into unit vectors. Safe from several threads."""

    @property
    def name(self) -> str: ...

    @property
    def hash(self) -> str:
        """SHA-256, in hex, of the weights and of what else its vectors depend on: one hash, the same vectors."""

    @property
    def dimension(self) -> int: ...

    @property
    def window(self) -> int:
        """Word pieces that a text may have, the model's own special ones not counted."""

    def encode(self, texts: Sequence[str], role: Role) -> Vectors:
        """Shape (len(texts), dimension), float32, unit rows. What is longer than the window is cut."""

    def tokens(self, texts: Sequence[str]) -> list[list[Span]]:
        """The word pieces of each text, uncut and without special ones: their number is its length for the window."""

    def token_vectors(self, texts: Sequence[str], role: Role) -> list[Vectors]:
        """For each text an array (its word pieces within the window, dimension) of unit rows."""


@dataclass(frozen=True, slots=True)
class Message:
    """A message to a language model. There are no other roles, as some models' templates have no others."""

    role: Literal["user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens read and written, as the model's server counts them; `whole`: it ended by itself, not at a limit."""

    read: int
    written: int
    whole: bool = True


@dataclass(frozen=True, slots=True)
class Void:
    """All text so far was a thought, not the answer: some models only mark where a thought ends."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """What a writer waits for before its first word: 'loading llama3.1:8b'."""

    text: str


Output = str | Usage | Waiting | Void  # what a writer hands out


SMALL = 1_000_000_000  # parameters of a model, from which it plans, refuses and asks back
LARGE = 6_500_000_000  # parameters of a model that is said to have 7 billion: it chooses among the methods of search


@dataclass(frozen=True, slots=True)
class Abilities:
    """What a model can be asked to do, by its number of `parameters`: 0 if its server does not say."""

    parameters: int = 0

    @property
    def is_small(self) -> bool:
        """Whether it has less than a billion parameters: then it only shortens what would be quoted, and decides
        nothing."""
        return 0 < self.parameters < SMALL

    @property
    def is_large(self) -> bool:
        return self.parameters >= LARGE


@dataclass(frozen=True, slots=True)
class WriteOptions:
    """With `schema`, the text is JSON that fits it; `temperature` (None: the model's own) and
    `tokens`, the most that it may write, are its server's options."""

    schema: Mapping[str, Any] | None = None
    cancel: threading.Event | None = None
    temperature: float | None = None
    tokens: int | None = None


PLAIN = WriteOptions()


class Writer(Protocol):
    """A language model: takes messages; yields pieces of text as they come, and the usage at the end."""

    @property
    def name(self) -> str: ...

    @property
    def window(self) -> int:
        """Tokens for prompt and answer together."""

    @property
    def abilities(self) -> Abilities: ...

    def tokens(self, text: str) -> int:
        """The estimated number of tokens of a text for this model; too many rather than too few."""

    def write(self, messages: Sequence[Message], options: WriteOptions = PLAIN) -> Iterator[Output]:
        """Raises `ServiceUnreachable`, as `ModelFailed` where the server is there and the model is the trouble, as
        `PromptCut` where the server has read less than it was sent; `Cancelled` when `cancel` is set."""


def text_of(said: Iterable[Output]) -> str:
    """The text alone."""
    text = ""
    for piece in said:
        text = "" if isinstance(piece, Void) else text + piece if isinstance(piece, str) else text
    return text


class Vocabulary(Protocol):
    """The words of a library: one answer for each word or phrase, in the order given. Cheap, and safe from several
    threads."""

    def counts(self, words: Sequence[str]) -> list[int]:
        """The number of chunks with each word, in any form; 0 if the library lacks it. Function words ("the") count as
        being in all chunks."""

    def kinds(self, phrases: Sequence[str]) -> list[str]:
        """What each phrase is in the library: an entity that is a `person`, `place`, `organisation`, `work` or `date`;
        else a `title`; else an entity that is a `name` or a `term`; else nothing."""

    def near(self, words: Sequence[str]) -> list[tuple[str, ...]]:
        """For each word that the library lacks, its words at an edit distance of one or two, likeliest first, in lower
        case; empty for others."""


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
