"""Keyword search over the chunks: BM25 (bm25s) over title and text together, and over each field alone.

Scores are shares of the most that a query could reach, the sum of the idf of those of its words that the library (for
a field: the field) has, so that they compare between queries and with cosines. The fields together are one text in
which the title stands `title_weight` times. `write` is given dates in one way (`dates.search_text`), and a query's are
written so too.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clew.memory.datatypes import FieldHit, WordShares
from clew.memory.dates import DateOrder, day_words, search_text
from clew.memory.errors import BadInput

if TYPE_CHECKING:
    from bm25s import BM25

Shares = NDArray[np.float32]
ChunkRows = NDArray[np.int32]
Analyser = Callable[[Sequence[str]], list[list[str]]]

FIELDS = ("title", "text")
TOGETHER = "together"
INDEXES = (*FIELDS, TOGETHER)
FOLDER = "keywords"
TITLE_MASS = "title_mass.npy"
RECENT = 64
"""Queries whose tokens are kept: one search looks at its words many times."""

QUESTION_WORDS = ("what", "which", "who", "whom", "whose", "when", "where", "why", "how")
"""Beside bm25s's English stop words: they carry no content, and would count as rare. Pronouns stay: a list that has
them too finds less."""

WORD = re.compile(r"(?u)\b\w\w+\b")
"""bm25s's own pattern of a token, here to know which word of a question a token came from."""


@dataclass(frozen=True, slots=True)
class KeywordParameters:
    """`stemmer` is a Snowball language and `stop_words` one that bm25s has a list for (empty: none). Values: chosen on
    five data sets, docs/figures.md."""

    stemmer: str = "english"
    stop_words: str = "english"
    title_weight: int = 2
    k1: float = 0.9
    b: float = 0.75


@dataclass(frozen=True, slots=True, eq=False)
class KeywordScores:
    """Of one query, arrays of shape (n chunks,): the shares `total` and by field, and the titles' coverage.

    `postings` has for each field and each word of the query the chunks that hold it, rising.
    """

    total: Shares
    fields: Mapping[str, Shares]
    title_coverage: Shares
    postings: Mapping[str, Mapping[str, ChunkRows]]

    def field_hits(self, chunks: Sequence[int]) -> list[dict[str, FieldHit]]:
        """For each of the chunks, by field its share and the words that it holds."""
        words = {
            field: [(word, _held(rows, chunks)) for word, rows in postings.items()]
            for field, postings in self.postings.items()
        }
        return [
            {
                field: FieldHit(float(self.fields[field][chunk]), tuple(word for word, held in found if held[place]))
                for field, found in words.items()
            }
            for place, chunk in enumerate(chunks)
        ]


class _Words(NamedTuple):
    """Of a query: as in `WordShares`, and of each word the chunks that hold it, rising, with how much of its BM25."""

    words: tuple[str, ...]
    weights: NDArray[np.float64]
    columns: tuple[tuple[ChunkRows, NDArray[np.floating]], ...]


class KeywordIndex:
    """Reads what `write` wrote. Only reads, so it is safe from several threads. `dates`: how queries write them."""

    def __init__(self, folder: Path, parameters: KeywordParameters, size: int, dates: DateOrder = "") -> None:
        import bm25s

        self.size = size
        self._dates = dates
        self._analyse = _analyser(parameters)
        self._tokens = lru_cache(RECENT)(self._analysed)
        self._words = lru_cache(RECENT)(self._looked_up)
        self._indexes: dict[str, BM25] = {
            name: bm25s.BM25.load(folder / name, mmap=True, show_progress=False)
            for name in INDEXES
            if (folder / name).is_dir()
        }
        for index in self._indexes.values():  # plain views: slices of a memmap are slow to make
            index.scores |= {name: np.asarray(index.scores[name]) for name in ("data", "indices", "indptr")}
        self._title_mass: Shares = np.load(folder / TITLE_MASS)

    def scores(self, query: str) -> KeywordScores:
        tokens = self._tokens(query)
        fields = [field for field in FIELDS if field in self._indexes]
        return KeywordScores(
            self._share(TOGETHER, tokens.values()),
            {field: self._share(field, tokens.values()) for field in fields},
            self._title_coverage(set(tokens.values())),
            {field: self._postings(field, tokens) for field in fields},
        )

    @property
    def tokens(self) -> Collection[str]:
        """All that words become in the index."""
        index = self._indexes.get(TOGETHER)
        return index.vocab_dict.keys() if index else ()

    def token(self, word: str) -> str:
        """What a word becomes; empty for a stop word and for one letter."""
        return self._tokens(word).get(word.lower(), "")

    def rows(self, token: str) -> ChunkRows:
        """The chunks that hold it in title or text, rising."""
        index = self._indexes.get(TOGETHER)
        return _column(index, token)[0] if index and token in index.vocab_dict else np.zeros(0, np.int32)

    def holding(self, word: str) -> ChunkRows | None:
        """The chunks that hold a word, whatever its ending; None for one that is not looked for."""
        token = self.token(word)
        return self.rows(token) if token else None

    def written(self, token: str, text: str) -> list[str]:
        """The words of a text that become this token, in lower case: those that begin as it does."""
        alike = re.findall(rf"\b{re.escape(token[:2])}\w*", text.lower())
        return [word for word, found in self._analysed(" ".join(alike)).items() if found == token]

    def word_shares(self, query: str, chunks: NDArray[np.int64]) -> WordShares:
        """For the chunks with these rows; of words with one stem the first."""
        looked = self._words(query)
        rows = chunks.astype(np.int32)
        shares = np.zeros((len(chunks), len(looked.words)))
        for column, (holding, values) in enumerate(looked.columns):
            places = np.minimum(np.searchsorted(holding, rows), len(holding) - 1)
            shares[:, column] = np.where(holding[places] == rows, values[places], 0)
        return WordShares(looked.words, looked.weights, shares)

    def _looked_up(self, query: str) -> "_Words":
        index = self._indexes.get(TOGETHER)
        words = {token: word for word, token in reversed(self._tokens(query).items())}
        known = {token: word for token, word in reversed(words.items()) if index and token in index.vocab_dict}
        if not index or not known:
            return _Words((), np.zeros(0), ())
        idf = np.array([_idf(index, token) for token in known])
        found = (_column(index, token) for token in known)
        columns = tuple((rows, scores / part) for (rows, scores), part in zip(found, idf, strict=True))
        return _Words(tuple(known.values()), idf / idf.sum(), columns)

    def _analysed(self, query: str) -> dict[str, str]:
        """The words of a query in lower case, and the token that each becomes; a day is a word as it is written."""
        days = day_words(query, self._dates)
        words = list(dict.fromkeys(word.lower() for word in WORD.findall(search_text(query, self._dates))))
        found = zip(words, self._analyse(words), strict=True)
        return {days.get(word, word): tokens[0] for word, tokens in found if tokens}

    def _share(self, name: str, tokens: Iterable[str]) -> Shares:
        index = self._indexes.get(name)
        known = [token for token in dict.fromkeys(tokens) if index and token in index.vocab_dict]
        if not index or not known:
            return np.zeros(self.size, np.float32)
        scores: Shares = index.get_scores(known)
        return scores / sum(_idf(index, token) for token in known)

    def _title_coverage(self, tokens: set[str]) -> Shares:
        covered = np.zeros(self.size, np.float32)
        titles = self._indexes.get("title")
        for token in tokens:
            if titles and token in titles.vocab_dict:
                covered[_column(titles, token)[0]] += _idf(self._indexes[TOGETHER], token)
        return covered / self._title_mass

    def _postings(self, field: str, tokens: Mapping[str, str]) -> dict[str, ChunkRows]:
        index = self._indexes[field]
        return {word: _column(index, token)[0] for word, token in tokens.items() if token in index.vocab_dict}


def write(folder: Path, titles: Sequence[str], texts: Sequence[str], parameters: KeywordParameters) -> Iterator[str]:
    """Index a title and a text for each chunk; yields the name of each of `INDEXES` when it is done. A field without
    a single word gets no index.

    Raises `BadInput` for a language that there is no stemmer or no list of stop words for.
    """
    analyse = _analyser(parameters)
    fields = []
    for name, values in zip(FIELDS, (titles, texts), strict=True):
        fields.append(analyse(values))
        _write_index(folder / name, fields[-1], parameters)
        yield name
    title_tokens, text_tokens = fields
    both = [title * parameters.title_weight + text for title, text in zip(title_tokens, text_tokens, strict=True)]
    together = _write_index(folder / TOGETHER, both, parameters)
    named = {token for tokens in title_tokens for token in tokens}
    idf = {token: _idf(together, token) for token in named} if together else {}
    mass = [sum(idf[token] for token in set(tokens)) or 1.0 for tokens in title_tokens]
    np.save(folder / TITLE_MASS, np.array(mass, np.float32))
    yield TOGETHER


def _write_index(folder: Path, tokens: list[list[str]], parameters: KeywordParameters) -> "BM25 | None":
    import bm25s

    if not any(tokens):
        return None
    index = bm25s.BM25(k1=parameters.k1, b=parameters.b, method="lucene")
    index.index(tokens, show_progress=False)
    index.save(folder, show_progress=False)
    return index


def _analyser(parameters: KeywordParameters) -> Analyser:
    """texts -> for each its list of tokens: lower case, words of two letters or more, no stop words, stemmed."""
    import bm25s
    import Stemmer
    from bm25s.stopwords import STOPWORDS_EN

    language = parameters.stop_words
    stop_words = [*STOPWORDS_EN, *QUESTION_WORDS] if language == "english" else language or None
    try:
        stemmer = Stemmer.Stemmer(parameters.stemmer) if parameters.stemmer else None
        bm25s.tokenize([""], stopwords=stop_words, show_progress=False)
    except (KeyError, ValueError) as error:
        raise BadInput(
            f"there is no stemmer '{parameters.stemmer}' or no list of stop words '{parameters.stop_words}'",
            f"stemmers are {', '.join(Stemmer.algorithms())}; an empty name means none",
        ) from error

    def analyse(texts: Sequence[str]) -> list[list[str]]:
        tokens: list[list[str]] = bm25s.tokenize(
            list(texts), stopwords=stop_words, stemmer=stemmer, return_ids=False, show_progress=False
        )
        return tokens

    return analyse


def _column(index: "BM25", token: str) -> tuple[ChunkRows, Shares]:
    """The chunks that hold a token, rising, and its BM25 in each: a column of the sparse matrix."""
    column = index.vocab_dict[token]
    start, end = index.scores["indptr"][column : column + 2]
    return index.scores["indices"][start:end], index.scores["data"][start:end]


def _idf(index: "BM25", token: str) -> float:
    """Lucene's: log(1 + (N - df + 0.5) / (df + 0.5)); what a token's BM25 nears as it fills a text."""
    found = len(_column(index, token)[0])
    return float(np.log1p((index.scores["num_docs"] - found + 0.5) / (found + 0.5)))


def _held(rows: ChunkRows, chunks: Sequence[int]) -> NDArray[np.bool_]:
    """Which of the chunks are among the rows, that rise. Of the rows' own type: else NumPy copies all of them."""
    wanted = np.asarray(chunks, rows.dtype)
    places = np.searchsorted(rows, wanted)
    held: NDArray[np.bool_] = rows[np.minimum(places, len(rows) - 1)] == wanted
    return held
