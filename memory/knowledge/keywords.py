"""Keyword search over the chunks: BM25 (bm25s) over title and text together, and over each field alone.

Scores are shares of the most that a query could reach, the sum of the idf of its words that the library (for a field:
the field) has, so that they compare between queries and with cosines. In the fields together the title stands
`title_weight` times. Dates are written in one way (`search_text`), a query's too.

A word of Esperanto has many forms and derived words, so a text in it has the roots of its words as tokens too
(`marŝ-` of `marŝadis`), and so has a query that may be in it. A text in another language that has a stemmer has its
stems beside (`vertrag-de-` of `Verträge`); any text also the words with accents without them.
"""

import json
import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain, compress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from clew.memory.datatypes import FieldHit, Hit, Ints, WordShares
from clew.memory.dates import DateOrder, FoundDate, found_dates, replaced
from clew.memory.errors import BadInput
from clew.memory.files import new_file, within
from clew.memory.knowledge.arrays import looked_up, mapped, read_array
from clew.memory.language.esperanto_words import roots_in
from clew.memory.language.telling import language_of
from clew.memory.parameters import Few, Share, Weight
from clew.memory.text import LISTS, STEMMERS, common_words, stemmed, unaccented
from clew.memory.vectors import highest

if TYPE_CHECKING:
    from scipy.sparse import csr_array

# Tokens ---------------------------------------------------------------------------------------------------------------

ENGLISH_STOP_WORDS = frozenset(LISTS["stop words"])  # of other languages bm25s's lists

WORD = re.compile(r"\w\w+")
"""As bm25s's own pattern of a token."""

Tokenize = Callable[[Sequence[str]], list[str]]
"""The token of each word of `words_of`; empty for a stop word."""

Tokens = Sequence[Sequence[str]]
"""Of each chunk."""

ROOT = "-"
"""The end of a token that is a root or a stem of another language than English: in no word."""

TOLD_BY = 600
"""Characters that show a text's language."""


Stemming = Literal[
    "", "arabic", "armenian", "basque", "catalan", "czech", "danish", "dutch", "dutch_porter", "english", "esperanto",
    "estonian", "finnish", "french", "german", "greek", "hindi", "hungarian", "indonesian", "irish", "italian",
    "lithuanian", "nepali", "norwegian", "persian", "polish", "porter", "portuguese", "romanian", "russian", "serbian",
    "sesotho", "spanish", "swedish", "tamil", "turkish", "yiddish",
]  # fmt: skip
"""Snowball's, as PyStemmer names them; empty: none."""

StopWords = Literal[
    "", "chinese", "danish", "dutch", "english", "english_plus", "french", "german", "italian", "korean", "norwegian",
    "portuguese", "russian", "spanish", "swedish", "turkish",
]  # fmt: skip
"""The lists that bm25s has, Clew's own in the place of its English one; empty: none."""


@dataclass(frozen=True, slots=True)
class KeywordParameters:
    """Values: chosen on five data sets, docs/figures.md."""

    stemmer: Stemming = "english"  # the language by whose rules words are reduced to their stems
    stop_words: StopWords = "english"  # the language whose commonest words are not searched
    title_weight: Few = 2  # how often a word of the title counts
    k1: Weight = 0.9  # BM25: how much it counts that a word comes again
    b: Share = 0.75  # BM25: how much a passage's length is allowed for


class KeywordAnalyser:
    """What words become in an index. Safe from several threads. `dates`: how queries write them."""

    def __init__(self, parameters: KeywordParameters, dates: DateOrder = "") -> None:
        self._dates = dates
        self._tokenize = tokenizer(parameters)

    def __call__(self, query: str, roots: bool = False) -> dict[str, str]:
        """The words of a query in lower case, and the token that each becomes; a day is a word as it is written. The
        commonest words of another language than English are left out. With `roots`, those of its words too, in its
        language, or in any where that is not told."""
        days, language = day_words(query, self._dates), language_of(query)
        languages = [one for one in (*STEMMERS, "eo") if roots and language in ("", one)]
        words = list(dict.fromkeys(words_of(search_text(query, self._dates), *languages, of=language)))
        return {days.get(word, word): token for word, token in tokens_of(words, self._tokenize).items()}

    def fields(self, titles: Sequence[str], texts: Sequence[str], about: Sequence[str] = ()) -> list[Tokens]:
        """Of chunks the tokens of title, text and what is known of their documents beside. Dates in them are written in
        one way; the text says the language of both. Each token comes as often as it stands there."""
        languages = list(map(rooted_in, texts))
        words = [[words_of(text, one) for text, one in zip(its, languages, strict=True)] for its in (titles, texts)]
        words.append([words_of(text) for text in about or [""] * len(texts)])
        known = tokens_of(dict.fromkeys(chain.from_iterable(chain.from_iterable(words))), self._tokenize)
        return [[[known[word] for word in its if word in known] for its in of_chunks] for of_chunks in words]

    def written(self, tokens: Collection[str], text: str) -> dict[str, str]:
        """The words of a text that become one of these tokens, in lower case, with it: those that begin as it does."""
        begins = "|".join(re.escape(start) for start in sorted({token[:2] for token in tokens}))
        alike = dict.fromkeys(re.findall(rf"\b(?:{begins})\w*", text.lower())) if tokens else ()
        return {word: token for word, token in self(" ".join(alike)).items() if token in tokens}


def search_text(text: str, order: DateOrder = "") -> str:
    """The text with all dates written in one way, each followed by a word for the day of the year, however it is
    written: `3 September 2024 d0903`."""
    dates = found_dates(text, order)
    return replaced(text, ((one.span, " ".join([one.text, *_days_of(one)])) for one in dates))


def day_words(text: str, order: DateOrder = "") -> dict[str, str]:
    """The words that `search_text` adds, with the dates as written."""
    return {word: text[one.start : one.end] for one in found_dates(text, order) for word in _days_of(one)}


def _days_of(found: FoundDate) -> list[str]:
    return [f"d{day.month:02}{day.day:02}" for day in found.days if day.day]


def rooted_in(text: str) -> str:
    """The language of a text, as its beginning shows, where its words have roots or stems; else empty."""
    language = language_of(text[:TOLD_BY])
    return language if language == "eo" or language in STEMMERS else ""


def words_of(text: str, *languages: str, of: str = "") -> list[str]:
    """Those of a text, in lower case and in full-width letters as in others, then as they are without accents; after
    them their roots in these languages, each with its mark. Without the commonest of the language `of`, unless it has
    no others."""
    words = WORD.findall((text if text.isascii() else unicodedata.normalize("NFKC", text)).lower())
    if of in STEMMERS:
        words = [word for word in words if of not in common_words().get(unaccented(word), ())] or words
    plain = [bare for word in words if not word.isascii() and (bare := unaccented(word)).isascii()]
    return [*words, *plain, *(root for one in languages if one for word in words for root in marked_roots(word, one))]


@lru_cache(maxsize=100_000)
def marked_roots(word: str, language: str) -> tuple[str, ...]:
    """Return the roots of a word, marked as roots of this language so that no word of a text equals one."""
    if language == "eo":
        return tuple(root + ROOT for root in roots_in(word))
    return (f"{unaccented(stemmed([word], language)[0])}-{language}{ROOT}",)


def tokens_of(words: Collection[str], tokenize: Tokenize) -> dict[str, str]:
    """What the different words of `words_of` become; a root stays, and stop words are left out."""
    roots = {word: word for word in words if word.endswith(ROOT)}
    plain = [word for word in words if word not in roots]
    return {word: token for word, token in zip(plain, tokenize(plain), strict=True) if token} | roots


def tokenizer(parameters: KeywordParameters) -> Tokenize:
    """As bm25s's `tokenize` of single words: no stop words, stemmed. Raises `BadInput` where one of both is unknown.

    bm25s itself, which takes a quarter of a second to import, is asked only for another language's stop words.
    """
    import Stemmer

    stop_words = ENGLISH_STOP_WORDS if parameters.stop_words == "english" else frozenset[str]()
    try:
        if parameters.stop_words not in ("", "english"):
            from bm25s.tokenization import _infer_stopwords

            stop_words = frozenset(_infer_stopwords(parameters.stop_words))
        stem = Stemmer.Stemmer(parameters.stemmer).stemWords if parameters.stemmer else list
    except (KeyError, ValueError) as error:
        raise BadInput(
            f"there is no stemmer '{parameters.stemmer}' or no list of stop words '{parameters.stop_words}'",
            f"stemmers are {', '.join(Stemmer.algorithms())}; an empty name means none",
        ) from error

    def tokenize(words: Sequence[str]) -> list[str]:
        return ["" if word in stop_words else token for word, token in zip(words, stem(words), strict=True)]

    return tokenize


# What bm25s wrote ----------------------------------------------------------------------------------------------------

Shares = NDArray[np.float32]
ChunkRows = NDArray[np.int32]


class TokenColumns(NamedTuple):
    """What bm25s wrote, read without it: its import takes a quarter of a second. The BM25 of each token in each chunk
    that holds it, by columns of a sparse matrix of shape (`size`, tokens)."""

    vocabulary: Mapping[str, int]
    data: Shares
    indices: ChunkRows
    indptr: NDArray[np.int32]
    size: int

    def column(self, token: str) -> tuple[ChunkRows, Shares]:
        """The chunks that hold a token, rising, and its BM25 in each."""
        number = self.vocabulary[token]
        start, end = self.indptr[number : number + 2]
        return self.indices[start:end], self.data[start:end]

    def known(self, tokens: Iterable[str]) -> list[str]:
        """The tokens that some chunk holds, each once."""
        return [token for token in dict.fromkeys(tokens) if token in self.vocabulary]

    def idf(self, known: Sequence[str]) -> NDArray[np.float64]:
        """The inverse document frequency of tokens that are known, shape (tokens,)."""
        return np.asarray(idf_of([len(self.column(token)[0]) for token in known], self.size))

    def most(self, known: Sequence[str]) -> np.float32:
        """What a text of nothing but these tokens would nearly reach."""
        return np.float32(self.idf(known).sum() or 1)

    def sums(self, known: Iterable[str]) -> Shares:
        """The sums over these tokens for all chunks, shape (chunks,)."""
        sums = np.zeros(self.size, np.float32)
        for token in known:
            holding, data = self.column(token)
            sums[holding] += data
        return sums

    def scores(self, known: Sequence[str], rows: ChunkRows) -> Shares:
        """The BM25 of each of these tokens in each of these chunks, shape (tokens, rows)."""
        found = np.zeros((len(known), len(rows)), np.float32)
        for number, token in enumerate(known):
            holding, data = self.column(token)
            found[number] = looked_up(holding, rows, data, 0)
        return found


def opened(folder: Path, size: int) -> TokenColumns:
    """Without a token where there is no folder, as of a field without a word. Raises one of `disk.BROKEN`."""
    if not folder.is_dir():
        return TokenColumns({}, np.zeros(0, np.float32), np.zeros(0, np.int32), np.zeros(1, np.int32), size)
    vocabulary = json.loads(within(folder, "vocab.index.json").read_text("utf-8"))
    data, indices, indptr = (mapped(within(folder, f"{name}.csc.index.npy")) for name in ("data", "indices", "indptr"))
    return TokenColumns(vocabulary, data, indices, indptr, size)


def idf_of(held: ArrayLike, size: int) -> Any:
    """Lucene's, of tokens that so many of `size` texts hold: log(1 + (N - df + 0.5) / (df + 0.5)); what a token's BM25
    nears as it fills a text."""
    df = np.asarray(held, np.float64)
    return np.log1p((size - df + 0.5) / (df + 0.5))


# The index ------------------------------------------------------------------------------------------------------------

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
        of_fields = {field: self._of_rows(field, tokens, rows) for field in {"title", *held}}
        fields = zip(*(self._field_hits(field, tokens, *of_fields[field]) for field in held), strict=True)
        coverage = self._title_coverage(*of_fields["title"], rows).tolist()
        found = zip(ids(rows.tolist()), total[rows].tolist(), fields, coverage, strict=True)
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

    def _of_rows(self, field: str, tokens: Mapping[str, str], rows: ChunkRows) -> tuple[list[str], Shares]:
        """The tokens that one index has, and their BM25 in the chunks with these rows, shape (tokens, rows)."""
        index = self._indexes[field]
        known = index.known(tokens.values())
        return known, index.scores(known, rows)

    def _title_coverage(self, known: Sequence[str], scores: Shares, rows: ChunkRows) -> NDArray[np.float64]:
        covered = self._indexes[TOGETHER].idf(known) @ (scores > 0)
        return np.asarray(covered / self._title_mass[rows])

    def _field_hits(
        self, field: str, tokens: Mapping[str, str], known: Sequence[str], scores: Shares
    ) -> list[FieldHit]:
        """Of these chunks, their shares in one index and the words that they hold."""
        index = self._indexes[field]
        words = {word: token for word, token in tokens.items() if token in index.vocabulary}
        shares = (scores.sum(axis=0) / index.most(known)).tolist()
        held = (scores > 0)[[known.index(token) for token in words.values()]].T.tolist()
        return [FieldHit(share, tuple(compress(words, own))) for share, own in zip(shares, held, strict=True)]


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
