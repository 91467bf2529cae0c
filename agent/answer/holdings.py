"""What answers over documents are made of: the documents of a library, their sentences, the last answer."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from clew.agent.state import Answer, Quote
from clew.agent.talk.lines import line
from clew.memory.datatypes import Document, Passage, Vectors
from clew.memory.knowledge.catalogue import Catalogue, Listed
from clew.memory.knowledge.library import LibraryStore
from clew.memory.ports import Encoder
from clew.memory.text import Span, split
from clew.tools.base import passages_of

LONGEST_TITLE = 12
"""Words of a title that is shown."""


@dataclass(frozen=True, slots=True)
class WholeAnswer:
    """`passages` are the evidence; `why` and `details` are for the steps."""

    answer: Answer
    passages: tuple[Passage, ...] = ()
    why: str = ""
    details: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Holdings:
    """What these answers are made of. `scope`: the documents that may be told of (None: all); `before` is the last
    answer of the thread, None where there is none; `subject` what all documents are about, empty where none is told;
    `language` that of what is said of them."""

    store: LibraryStore
    encoder: Encoder
    scope: frozenset[str] | None = None
    before: Callable[[], Answer | None] = field(default=lambda: None)
    subject: str = ""
    language: str = ""

    @property
    def catalogue(self) -> Catalogue:
        return self.store.catalogue

    @property
    def documents(self) -> list[Listed]:
        return [one for one in self.catalogue.documents if self.scope is None or one.id in self.scope]

    def line(self, key: str, count: int = 0, **values: str) -> str:
        """A line that counts documents."""
        of = line("document" if count == 1 else "documents", self.language, count=f"{count:,}")
        return line(key, self.language, count=f"{count:,}", documents=of, **values)

    def title(self, one: Listed | str) -> str:
        words = self.catalogue.shown[one if isinstance(one, str) else one.id].split()
        return " ".join(words[:LONGEST_TITLE]).rstrip(" ,;:") + ("\u2026" if len(words) > LONGEST_TITLE else "")

    def sentences(self, document: Document) -> tuple[list[Span], Vectors, list[int]]:
        """Of a document in their order: spans, vectors, and the chunk of each by number; made anew where the library
        keeps none."""
        graph = self.store.part()
        layers = graph.layers
        chunks = layers.chunk_documents == layers.document_ids.index(document.id)
        rows = np.flatnonzero(chunks[layers.sentence_chunks]) if len(layers.sentence_chunks) else np.zeros(0, np.int64)
        if len(rows):
            units = graph.sentences(rows.tolist())
            vectors = np.asarray(graph.sentence_vectors[rows], np.float32)
            return [(u.start, u.end) for u in units], vectors, layers.sentence_chunks[rows].tolist()
        numbers = np.flatnonzero(chunks).tolist()
        found = self.store.chunks([layers.chunk_ids[number] for number in numbers])
        spans = {(c.start + s, c.start + e): n for n, c in zip(numbers, found, strict=True) for s, e in split(c.text)}
        texts = [document.text[start:end] for start, end in sorted(spans)]
        return sorted(spans), self.encoder.encode(texts, "passage"), [spans[span] for span in sorted(spans)]

    def passages(self, chunks: Iterable[int], tool: str) -> list[Passage]:
        ids = self.store.part().layers.chunk_ids
        return passages_of(self.store.chunks([ids[number] for number in dict.fromkeys(chunks)]), tool)


def quote(document: Document, span: Span) -> Quote:
    return Quote(document.id, *span, document.text[slice(*span)])


def first_chunks(ids: Sequence[str], holdings: Holdings) -> dict[str, int]:
    """Document -> the number of its first chunk."""
    layers = holdings.store.part().layers
    numbers = {id_: number for number, id_ in enumerate(layers.document_ids)}
    documents, first = np.unique(layers.chunk_documents, return_index=True)
    chunk = dict(zip(documents.tolist(), first.tolist(), strict=True))
    return {id_: chunk[numbers[id_]] for id_ in ids if numbers.get(id_) in chunk}


def number_of(count: int, thing: str) -> str:
    return f"{count:,} {thing}" if count == 1 else f"{count:,} {thing}s"
