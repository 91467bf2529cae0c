"""Keyword search over the chunks: BM25 (bm25s) over title and text together, and over each field alone.

Scores are shares of the most that a query could reach, the sum of the idf of its words that the library (for a field:
the field) has, so that they compare between queries and with cosines. In the fields together the title stands
`title_weight` times. Dates are written in one way (`tokens.search_text`), a query's too.
"""

import sqlite3
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import chain, compress
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from clew.memory.datatypes import FieldHit, Hit, Ints, WordShares
from clew.memory.dates import DateOrder
from clew.memory.files import new_file, within
from clew.memory.knowledge.arrays import read_array
from clew.memory.knowledge.document_dates import DateOrders, dated_texts
from clew.memory.knowledge.embedding import CHUNKS, about_documents, titles_and_texts
from clew.memory.knowledge.tokens import (
    ROOT,
    ChunkRows,
    KeywordAnalyser,
    KeywordParameters,
    Shares,
    Tokens,
    idf_of,
    opened,
    search_text,
)
from clew.memory.vectors import highest

if TYPE_CHECKING:
    from scipy.sparse import csr_array

FIELDS = ("title", "text", "metadata")
"""The last is what is known of a document beside its words: date, status, and its id, with file name and folder."""
TOGETHER = "together"
INDEXES = (*FIELDS, TOGETHER)
FOLDER = "keywords"
TITLE_MASS = "title_mass.npy"

RECENT = 64  # queries whose tokens are kept: one search looks at its words many times


class KeywordIndex:
    """Reads what `write` wrote. Only reads, so it is safe from several threads. `words` has those of a query with the
    token of each. `dates`: how queries write them."""

    def __init__(self, folder: Path, parameters: KeywordParameters, size: int, dates: DateOrder = "") -> None:
        self.size = size
        self.analyse = KeywordAnalyser(parameters, dates)
        self.words = lru_cache(RECENT)(lambda query: self.analyse(query, self._rooted))
        self._indexes = {name: opened(folder / name, size) for name in INDEXES}
        self._title_mass: Shares = read_array(within(folder, TITLE_MASS))

    def hits(
        self,
        query: str,
        k: int,
        ids: Callable[[Sequence[int]], Sequence[str]],
        allowed: Ints | None = None,
        weights: Mapping[str, float] | None = None,
    ) -> list[Hit]:
        """The best k of the rows that are `allowed` (rising; None: all), best first, of equal ones the first; `ids` has
        those of rows. `weights` are of the fields whose shares are added; None: title and text are one text."""
        tokens = self.words(query)
        total = np.zeros(self.size, np.float32)
        for name, weight in (weights or {TOGETHER: 1.0}).items():
            index = self._indexes[name]
            known = index.known(tokens.values())
            total += np.float32(weight) * (index.sums(known) / index.most(known))
        hit = np.flatnonzero(total) if allowed is None else allowed[total[allowed] > 0]
        rows = np.array(highest(total, k, hit), np.int32)
        held = [field for field in weights or FIELDS[:2] if self._indexes[field].vocabulary]
        fields = zip(*(self._field_hits(field, tokens, rows) for field in held), strict=True)
        scores, coverage = total[rows].tolist(), self._title_coverage(tokens, rows).tolist()
        found = zip(ids(rows.tolist()), scores, fields, coverage, strict=True)
        return [Hit(id_, score, dict(zip(held, its, strict=True)), covered) for id_, score, its, covered in found]

    @cached_property
    def _rooted(self) -> bool:
        return any(token.endswith(ROOT) for token in self.tokens)

    @property
    def tokens(self) -> Collection[str]:
        """All that words become in the index."""
        return self._indexes[TOGETHER].vocabulary.keys()

    def count(self, token: str) -> int:
        """How many chunks hold it in title or text."""
        return len(self.rows(token))

    def rows(self, token: str) -> ChunkRows:
        """The chunks that hold it in title or text, rising."""
        index = self._indexes[TOGETHER]
        return index.column(token)[0] if token in index.vocabulary else np.zeros(0, np.int32)

    def word_shares(self, query: str, chunks: NDArray[np.int64]) -> WordShares:
        """For the chunks with these rows; of words with one stem the first."""
        index, tokens = self._indexes[TOGETHER], self.words(query)
        known = index.known(tokens.values())
        first = {token: word for word, token in reversed(tokens.items())}
        idf = index.idf(known)
        shares = index.scores(known, chunks.astype(np.int32)).T / idf
        return WordShares(tuple(first[token] for token in known), idf / idf.sum(), shares)

    def _title_coverage(self, tokens: Mapping[str, str], rows: ChunkRows) -> NDArray[np.float64]:
        titles = self._indexes["title"]
        known = titles.known(tokens.values())
        covered = self._indexes[TOGETHER].idf(known) @ (titles.scores(known, rows) > 0)
        return np.asarray(covered / self._title_mass[rows])

    def _field_hits(self, field: str, tokens: Mapping[str, str], rows: ChunkRows) -> list[FieldHit]:
        """Of the chunks with these rows, their shares in one index and the words that they hold."""
        index = self._indexes[field]
        words = {word: token for word, token in tokens.items() if token in index.vocabulary}
        known = index.known(words.values())
        scores = index.scores(known, rows)
        shares = (scores.sum(axis=0) / index.most(known)).tolist()
        held = (scores > 0)[[known.index(token) for token in words.values()]].T.tolist()
        return [FieldHit(share, tuple(compress(words, own))) for share, own in zip(shares, held, strict=True)]


def chunk_tokens(database: sqlite3.Connection, parameters: KeywordParameters, orders: DateOrders) -> Sequence[Tokens]:
    """Of each of `FIELDS` what all chunks are found by: dates are written in one way, and a chunk has that of its
    heading or its document."""
    found = list(titles_and_texts(database, CHUNKS))
    titles = [search_text(title, orders.library) for _, title, _ in found]
    texts = list(dated_texts(database, (text for *_, text in found), orders))
    return KeywordAnalyser(parameters).fields(titles, texts, about_documents(database))


def write(folder: Path, fields: Sequence[Tokens], parameters: KeywordParameters) -> Iterator[str]:
    """Index the tokens of all chunks, by `FIELDS`; yields the name of each of `INDEXES` when it is done. A field
    without a single word gets no index. Tokens are numbered by alphabet, so that the same texts give the same files."""
    vocabulary = sorted({token for of_chunks in fields for its in of_chunks for token in its})
    numbers = {token: number for number, token in enumerate(vocabulary)}
    title, text, metadata = (_counted(of_chunks, numbers) for of_chunks in fields)
    both = parameters.title_weight * title + text
    for name, counted in zip(INDEXES, (title, text, metadata, both), strict=True):
        _write_index(folder / name, counted, vocabulary, parameters)
        yield name
    idf = np.repeat(idf_of(np.diff(both.indptr), both.shape[1]), np.diff(title.indptr))
    mass = np.bincount(title.indices, idf, both.shape[1])
    np.save(new_file(folder, TITLE_MASS), np.where(mass > 0, mass, 1).astype(np.float32))


def _counted(tokens: Tokens, numbers: Mapping[str, int]) -> "csr_array":
    """How often each token stands in each chunk, shape (tokens, chunks)."""
    from scipy.sparse import csr_array

    lengths = [len(of_chunk) for of_chunk in tokens]
    found = np.fromiter(map(numbers.__getitem__, chain.from_iterable(tokens)), np.int64, sum(lengths))
    chunks = np.repeat(np.arange(len(tokens)), lengths)
    return csr_array((np.ones(len(found)), (found, chunks)), shape=(len(numbers), len(tokens)))


def _write_index(folder: Path, found: "csr_array", vocabulary: Sequence[str], parameters: KeywordParameters) -> None:
    """As `bm25s.BM25.index` has it ("lucene": Kamphuis et al. 2020), all chunks at once."""
    import bm25s

    if not found.nnz:
        return
    used, size = np.flatnonzero(np.diff(found.indptr)), found.shape[1]
    held, lengths = np.diff(found.indptr)[used], np.asarray(found.sum(axis=0)).reshape(-1)
    idf = np.repeat(idf_of(held, size).astype(np.float32), held)
    norms = parameters.k1 * ((1 - parameters.b) + parameters.b * lengths / lengths.mean())
    index = bm25s.BM25(k1=parameters.k1, b=parameters.b, method="lucene")
    index.scores = {
        "data": (idf * (found.data / (norms[found.indices] + found.data))).astype(np.float32),
        "indices": found.indices.astype(np.int32),
        "indptr": np.concatenate([[0], np.cumsum(held)]).astype(np.int32),
        "num_docs": size,
    }
    index.vocab_dict = {vocabulary[token]: number for number, token in enumerate(used.tolist())} | {"": len(used)}
    index.nonoccurrence_array = None  # of other kinds of BM25
    index.save(folder, show_progress=False)
