"""The values that pass between the parts of Clew. All are immutable; none holds a connection or a model."""

import threading
import time
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clew.memory.errors import Cancelled, DeadlineExceeded

Vector = NDArray[np.float32]  # shape (d,), unit length
Vectors = NDArray[np.float32]  # shape (n, d), rows of unit length

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Float32s = NDArray[np.float32]

Speaker = Literal["user", "agent"]

# What was read ---------------------------------------------------------------------------------------------------


class Mark(NamedTuple):
    """Something that begins at a character of a document: a page (its number as text) or a heading."""

    start: int
    text: str


class Table(NamedTuple):
    """A table as its document has it: what its columns are called, and its rows, each with a cell for every column.

    `title` is its caption, its sheet's name or the heading above it, `place` what a person finds it by ("sheet Weekly",
    "page 3"), and `first_row` what the first of `rows` is numbered in its file.
    """

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    first_row: int = 1
    place: str = ""


@dataclass(frozen=True, slots=True)
class Document:
    """One document as it was read. `text` is what the character spans of its chunks count in.

    `source` is where a person finds it again: a path, with `:line` for a line of a file of many, or a URL. `triples`
    has subject, relation and object of each that comes with it, and () for an entry that is none; a store, which tells
    of all triples at once, leaves them out. `date` is ISO 8601 (`2024-09-03`, `2024-09`, `2024`), or empty; `status` is
    what a document says of itself that keeps it from being in force: `draft`, `superseded`. A loader gives both as they
    are written, and `author` and `tags` with a comma between two. `hidden_text` is what the file says and does not
    show, which is no part of the text. `tables` are those of two columns and more with heads; their cells stand in the
    text too.
    """

    id: str
    title: str
    text: str
    source: str = ""
    pages: tuple[Mark, ...] = ()
    headings: tuple[Mark, ...] = ()
    triples: tuple[tuple[str, ...], ...] = ()
    date: str = ""
    status: str = ""
    author: str = ""
    tags: str = ""
    hidden_text: str = ""
    tables: tuple[Table, ...] = ()

    def page_at(self, place: int) -> str:
        """The page that a character stands on; empty where there are none."""
        return _last_mark(self.pages, place)

    def heading_at(self, place: int) -> str:
        """The heading that a character stands under; empty before the first."""
        return _last_mark(self.headings, place)


def _last_mark(marks: Sequence[Mark], place: int) -> str:
    before = bisect_right(marks, place, key=lambda mark: mark.start)
    return marks[before - 1].text if before else ""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A part of a document, `text == document.text[start:end]`, that fits the encoder's window with its title. `date`
    is its document's."""

    id: str
    document: str
    title: str
    text: str
    start: int
    end: int
    page: str = ""
    heading: str = ""
    source: str = ""
    date: str = ""


@dataclass(frozen=True, slots=True)
class Edge:
    """A directed edge between two documents of a graph folder."""

    source: str
    target: str
    relation: str = ""


@dataclass(frozen=True, slots=True)
class Triple:
    """A relation between two entities, and the chunk that says so (empty: none does). `given`: it came with its
    document, and was not extracted from it."""

    subject: str
    relation: str
    object: str
    chunk: str = ""
    given: bool = field(default=True, compare=False)


# What was found --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FieldHit:
    """What a query matched in one field: its BM25 there, as a share of the maximum, and the matching words."""

    score: float
    terms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk that a search of a store found.

    From a keyword search `score` is BM25 over all fields as a share (0 to 1) of the most that this query could reach,
    so that it compares between queries; `fields` has the parts; `title_coverage` is the share of the title, by the
    rarity of its words, that the query names. From a vector search `score` is the cosine, and the rest is empty.
    """

    chunk: str
    score: float
    fields: Mapping[str, FieldHit] = field(default_factory=dict)
    title_coverage: float = 0.0

    @property
    def terms(self) -> tuple[str, ...]:
        """The query's words that matched in any field."""
        return tuple(dict.fromkeys(term for part in self.fields.values() for term in part.terms))


@dataclass(frozen=True, slots=True, eq=False)
class WordShares:
    """Of the words of a query that a library has: `weights` by their rarity, summing to 1, shape (words,), and how much
    of each word's BM25 each chunk reaches, 0 to 1, shape (chunks, words); their product is a keyword search's score."""

    words: tuple[str, ...]
    weights: NDArray[np.float64]
    shares: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of evidence: a chunk with its score, the tool that found it, and why.

    `scores` are the parts of `score` by name (`keyword`, `cosine`); `keywords` the question's words that it holds.
    `ranks` has its place, from 1, by each form of the question alone. `path` are the steps by which a walk came to it,
    and is empty where there was no walk. `date` is that of its document, ISO 8601, or empty. `copies` are the paths of
    other files that are the same as its own, of a passage that an answer cites.
    """

    id: str
    document: str
    title: str
    text: str
    score: float
    tool: str
    why: str = ""
    keywords: tuple[str, ...] = ()
    scores: Mapping[str, float] = field(default_factory=dict)
    ranks: Mapping[str, int] = field(default_factory=dict)
    path: tuple[str, ...] = ()
    start: int = 0
    end: int = 0
    page: str = ""
    heading: str = ""
    source: str = ""
    date: str = ""
    copies: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Its title, else the id of its document."""
        return self.title or self.document


@dataclass(frozen=True, slots=True)
class Subgraph:
    """What a tool walked: node ids in the order of their visit, and the edges taken.

    Of a walk over chunks each node has a title, a score (its share of the mass of all that were weighed) and the name
    of its partition, and the first `landings` of them were landed on; `back` are those to which it went on from a node
    that it had left for a better one. Other walks leave that out.
    """

    nodes: tuple[str, ...] = ()
    edges: tuple[Edge, ...] = ()
    titles: tuple[str, ...] = ()
    scores: tuple[float, ...] = ()
    partitions: tuple[str, ...] = ()
    landings: int = 0
    back: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Findings:
    """What a tool returns: passages, best first; notes for the person; an answer and a walk if it has them."""

    passages: tuple[Passage, ...] = ()
    notes: tuple[str, ...] = ()
    answer: str = ""
    walk: Subgraph | None = None


# What was said ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Utterance:
    """Everything that one speaker said in a turn."""

    speaker: Speaker
    text: str


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of the conversation: a user's turn whole, or one sentence of an answer. `turn`, from 1, is when it was
    last said, `earlier` are the turns before in which it was said too."""

    text: str
    speaker: Speaker
    turn: int
    cluster_id: int = -1
    earlier: tuple[int, ...] = field(default=(), compare=False)

    @property
    def turns(self) -> tuple[int, ...]:
        return (*self.earlier, self.turn)

    def said_after(self, before: "Sentence | None") -> "Sentence":
        """The sentence, with the turns in which it was said before."""
        if before is None or before.speaker != self.speaker:
            return self
        return replace(self, earlier=tuple(turn for turn in before.turns if turn < self.turn)[-EARLIER:])


EARLIER = 12  # turns before that a sentence is kept with


@dataclass(frozen=True, slots=True)
class Recalled:
    """What seed 003's method made of the sentences said so far; `selected`, in MMR's order, is the rewriter's context.

    Every sentence of `representatives` and `selected` carries its cluster; `cluster_sizes[c]` counts cluster c.
    """

    extracted: tuple[Sentence, ...] = ()
    cluster_sizes: tuple[int, ...] = ()
    representatives: tuple[Sentence, ...] = ()
    selected: tuple[Sentence, ...] = ()

    @property
    def in_order(self) -> list[Sentence]:
        """The selected sentences in the order said."""
        return [one for one in self.extracted if one in self.selected]


@dataclass(frozen=True, slots=True)
class Wording:
    """One wording of the question, and its weight among the others (weights sum to 1). `context` is how much of the
    selected context's direction is added to its vector. `why` says in words what was done to the question; the one that
    `won` after the first hits is the question that a person reads."""

    name: str
    text: str
    weight: float
    context: float = 0.0
    why: str = ""
    won: bool = False


# What is asked ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Form:
    """A wording as a tool searches it: with its vector, of shape (d,)."""

    name: str
    text: str
    weight: float
    vector: Vector


@dataclass(frozen=True, slots=True, eq=False)
class Query:
    """A question as a tool takes it: the words as asked, the forms to search, and the bounds of the search.

    `history` is the mean of the vectors of `context` (H of seed 001's equation 4), None without any. `scope` are the
    ids of the documents to search in (None: all). `deadline` is on `time.monotonic()`'s clock.
    """

    text: str
    forms: tuple[Form, ...]
    context: tuple[Sentence, ...] = ()
    history: Vector | None = None
    scope: frozenset[str] | None = None
    deadline: float | None = None
    cancel: threading.Event = field(default_factory=threading.Event)

    def check(self) -> None:
        """Raise `Cancelled` or `DeadlineExceeded` where the search has to end; tools call it between their steps."""
        if self.cancel.is_set():
            raise Cancelled("the search was cancelled")
        if self.deadline is not None and time.monotonic() > self.deadline:
            raise DeadlineExceeded("the search took longer than it was given", "ask again; a cluster has ES_TIMEOUT")


@dataclass(frozen=True, slots=True)
class Progress:
    """What a long step yields while it works: `done` of `total` of a stage (total 0: not known yet). A stage's last one
    has done == total."""

    stage: str
    done: int
    total: int
