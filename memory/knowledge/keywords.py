"""Keyword search over the chunks: BM25 (bm25s) over title and text together, and over each field alone.

Scores are shares of the most that a query could reach, the sum of the idf of its words that the library (for a field:
the field) has, so that they compare between queries and with cosines. In the fields together the title stands
`title_weight` times. Dates are written in one way (`dates.search_text`), a query's too.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import chain, compress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clew.memory.datatypes import FieldHit, Ints, WordShares
from clew.memory.dates import DateOrder
from clew.memory.files import new_file, read_array, within
from clew.memory.knowledge.tokens import (
    ROOT,
    ChunkRows,
    KeywordAnalyser,
    KeywordParameters,
    Shares,
    idf_of,
    known_token,
    opened,
    rooted_in,
    tokenizer,
    tokens_of,
    words_of,
)
from clew.memory.vectors import highest, looked_up, places

if TYPE_CHECKING:
    from scipy.sparse import csr_array

FIELDS = ("title", "text", "metadata")
"""The last is what is known of a document beside its words: date, status, and its id, with file name and folder."""
TOGETHER = "together"
INDEXES = (*FIELDS, TOGETHER)
FOLDER = "keywords"
TITLE_MASS = "title_mass.npy"

RECENT = 64  # queries whose tokens are kept: one search looks at its words many times


class KeywordHit(NamedTuple):
    """Of a chunk: its row and share, by field its share and the words that it holds, and its title's coverage."""

    row: int
    score: float
    fields: dict[str, FieldHit]
    title_coverage: float


class _Words(NamedTuple):
    """Of a query: as in `WordShares`, and of each word the chunks that hold it, rising, with how much of its BM25."""

    words: tuple[str, ...]
    weights: NDArray[np.float64]
    columns: tuple[tuple[ChunkRows, NDArray[np.floating]], ...]


class KeywordIndex:
    """Reads what `write` wrote. Only reads, so it is safe from several threads. `dates`: how queries write them."""

    def __init__(self, folder: Path, parameters: KeywordParameters, size: int, dates: DateOrder = "") -> None:
        self.size = size
        self._analyse = KeywordAnalyser(parameters, dates)
        self._tokens = lru_cache(RECENT)(lambda query: self._analyse(query, self._rooted))
        self._words = lru_cache(RECENT)(self._looked_up)
        self._indexes = {name: opened(folder / name, size) for name in INDEXES}
        self._title_mass: Shares = read_array(within(folder, TITLE_MASS))

    def hits(
        self, query: str, k: int, allowed: Ints | None = None, weights: Mapping[str, float] | None = None
    ) -> list[KeywordHit]:
        """The best k of the rows that are `allowed` (rising; None: all), best first, of equal ones the first. `weights`
        are those of the fields whose shares are added; None: title and text are one text."""
        tokens = self._tokens(query)
        known = tuple(dict.fromkeys(tokens.values()))
        total, most = self._scored(TOGETHER, known) if weights is None else (self._weighted(known, weights), 1.0)
        hit = np.flatnonzero(total) if allowed is None else allowed[total[allowed] > 0]
        rows = np.array(highest(total, k, hit), np.int32)
        held = [field for field in weights or FIELDS[:2] if self._indexes[field].vocabulary]
        fields = {field: self._field_hits(field, tokens, rows) for field in held}
        coverage = self._title_coverage(known, rows)
        return [
            KeywordHit(row, score, {field: hits[place] for field, hits in fields.items()}, covered)
            for place, (row, score, covered) in enumerate(
                zip(rows.tolist(), (total[rows] / most).tolist(), coverage.tolist(), strict=True)
            )
        ]

    def _scored(self, name: str, tokens: Sequence[str]) -> tuple[Shares, float]:
        """Of all chunks the BM25 in one index, and the most that the tokens could reach."""
        index = self._indexes[name]
        known = [token for token in tokens if token in index.vocabulary]
        return index.sums(known), sum(index.idf(token) for token in known) or 1.0

    @cached_property
    def _rooted(self) -> bool:
        return any(token.endswith(ROOT) for token in self.tokens)

    @property
    def tokens(self) -> Collection[str]:
        """All that words become in the index."""
        return self._indexes[TOGETHER].vocabulary.keys()

    def token(self, word: str) -> str:
        """What a word becomes; empty for a stop word and for one letter. Of a word that the index lacks its root, where
        it has that."""
        return known_token(word, self._tokens(word), self.tokens)

    def count(self, token: str) -> int:
        """How many chunks hold it in title or text."""
        return len(self.rows(token))

    def rows(self, token: str) -> ChunkRows:
        """The chunks that hold it in title or text, rising."""
        index = self._indexes[TOGETHER]
        return index.column(token)[0] if token in index.vocabulary else np.zeros(0, np.int32)

    def written(self, tokens: Collection[str], text: str) -> dict[str, str]:
        """As `KeywordAnalyser.written`."""
        return self._analyse.written(tokens, text)

    def word_shares(self, query: str, chunks: NDArray[np.int64]) -> WordShares:
        """For the chunks with these rows; of words with one stem the first."""
        looked = self._words(query)
        rows = chunks.astype(np.int32)
        shares = np.zeros((len(chunks), len(looked.words)))
        for column, (holding, values) in enumerate(looked.columns):
            shares[:, column] = looked_up(holding, rows, values, 0)
        return WordShares(looked.words, looked.weights, shares)

    def _looked_up(self, query: str) -> "_Words":
        index = self._indexes[TOGETHER]
        words = {token: word for word, token in reversed(self._tokens(query).items())}
        known = {token: word for token, word in reversed(words.items()) if token in index.vocabulary}
        idf = np.array([index.idf(token) for token in known])
        found = (index.column(token) for token in known)
        columns = tuple((rows, scores / part) for (rows, scores), part in zip(found, idf, strict=True))
        return _Words(tuple(known.values()), idf / idf.sum(), columns)

    def _weighted(self, tokens: Sequence[str], weights: Mapping[str, float]) -> Shares:
        total = np.zeros(self.size, np.float32)
        for field, weight in weights.items():
            scores, most = self._scored(field, tokens)
            total += np.float32(weight) * (scores / np.float32(most))
        return total

    def _title_coverage(self, tokens: Iterable[str], rows: ChunkRows) -> Shares:
        covered = np.zeros(len(rows), np.float32)
        titles = self._indexes["title"]
        for token in tokens:
            if token in titles.vocabulary:
                covered[places(titles.column(token)[0], rows)[1]] += self._indexes[TOGETHER].idf(token)
        return covered / self._title_mass[rows]

    def _field_hits(self, field: str, tokens: Mapping[str, str], rows: ChunkRows) -> list[FieldHit]:
        """Of the chunks with these rows, their shares in one index and the words that they hold."""
        index = self._indexes[field]
        words = [word for word, token in tokens.items() if token in index.vocabulary]
        known = list(dict.fromkeys(tokens[word] for word in words))
        sums, held = np.zeros(len(rows), np.float32), np.zeros((len(known), len(rows)), bool)
        for number, token in enumerate(known):
            holding, scores = index.column(token)
            at, there = places(holding, rows)
            sums[there] += scores[at]
            held[number, there] = True
        shares = sums / np.float32(sum(index.idf(token) for token in known) or 1)
        said = held[[known.index(tokens[word]) for word in words]].T.tolist() if words else [[]] * len(rows)
        return [FieldHit(share, tuple(compress(words, own))) for share, own in zip(shares.tolist(), said, strict=True)]


def write(
    folder: Path,
    titles: Sequence[str],
    texts: Sequence[str],
    parameters: KeywordParameters,
    metadata: Sequence[str] = (),
) -> Iterator[str]:
    """Index a title, a text and (where given) metadata for each chunk; yields the name of each of `INDEXES` when it is
    done. A field without a single word gets no index. Tokens are numbered by alphabet, so that the same texts give the
    same files. Raises `BadInput` for a language that there is no stemmer or no list of stop words for.
    """
    languages = list(map(rooted_in, texts))
    found = [[words_of(text, one) for text, one in zip(values, languages, strict=True)] for values in (titles, texts)]
    found.append([words_of(text) for text in metadata or [""] * len(texts)])
    words = dict.fromkeys(chain.from_iterable(chain.from_iterable(found)))
    tokens = tokens_of(words, tokenizer(parameters))
    vocabulary = sorted({*tokens.values()})
    numbers = {token: number for number, token in enumerate(vocabulary)}
    of_words = {word: numbers[tokens[word]] if word in tokens else -1 for word in words}
    fields = []
    for name, of_chunks in zip(FIELDS, found, strict=True):
        fields.append(_counted(of_chunks, of_words, (len(vocabulary), len(texts))))
        _write_index(folder / name, fields[-1], vocabulary, parameters)
        yield name
    title, text, _ = fields
    both = parameters.title_weight * title + text
    _write_index(folder / TOGETHER, both, vocabulary, parameters)
    idf = np.repeat(idf_of(np.diff(both.indptr), len(titles)), np.diff(title.indptr))
    mass = np.bincount(title.indices, idf, len(titles))
    np.save(new_file(folder, TITLE_MASS), np.where(mass > 0, mass, 1).astype(np.float32))
    yield TOGETHER


def _counted(words: Sequence[Sequence[str]], token_numbers: Mapping[str, int], shape: tuple[int, int]) -> "csr_array":
    """How often each token stands among the words of each chunk, shape (tokens, chunks)."""
    from scipy.sparse import csr_array

    lengths = [len(of_chunk) for of_chunk in words]
    found = np.fromiter(map(token_numbers.__getitem__, chain.from_iterable(words)), np.int64, sum(lengths))
    kept, chunks = found >= 0, np.repeat(np.arange(len(words)), lengths)
    return csr_array((np.ones(kept.sum()), (found[kept], chunks[kept])), shape=shape)


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
