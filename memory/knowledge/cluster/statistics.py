"""How often each word stands in a library, and from that BM25's scores of chunks.

Elasticsearch only finds the best chunks. Their scores are computed here, so that they equal those of the embedded
store: shares of the highest score that a query could reach, with the same words left out.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, Self

import numpy as np

from clew.memory.datatypes import FieldHit, Floats, Hit, Ints
from clew.memory.dates import DateOrder
from clew.memory.knowledge.keywords import (
    FIELDS,
    INDEXES,
    RECENT,
    ROOT,
    TOGETHER,
    KeywordAnalyser,
    KeywordParameters,
    idf_of,
)


@dataclass(frozen=True, slots=True)
class ChunkWords:
    """How often each token stands in a chunk's title, in its text and in its document's metadata; `lengths` counts the
    tokens of each field."""

    title: Counter[str]
    text: Counter[str]
    metadata: Counter[str]
    lengths: Mapping[str, int]

    @classmethod
    def of(cls, title: Sequence[str], text: Sequence[str], metadata: Sequence[str]) -> Self:
        """Count the tokens of the three fields."""
        lengths = dict(zip(FIELDS, map(len, (title, text, metadata)), strict=True))
        return cls(Counter(title), Counter(text), Counter(metadata), lengths)


class WordStatistics:
    """What BM25 needs to know of a library: `known_tokens` in alphabetical order; `held[f, t]`, how many chunks have
    token t in field f of `INDEXES`; `lengths[f]`, the mean length of the field in tokens, over all `size` chunks.
    `tokens` are those of titles and texts; `words` maps the words of a query to tokens. Safe from several threads."""

    def __init__(
        self,
        known_tokens: tuple[str, ...],
        held: Ints,
        lengths: tuple[float, ...],
        size: int,
        parameters: KeywordParameters,
        dates: DateOrder = "",
    ) -> None:
        self.known_tokens, self.held, self.lengths, self.size = known_tokens, held, lengths, size
        self.parameters, self.analyse = parameters, KeywordAnalyser(parameters, dates)
        self._numbers = {token: number for number, token in enumerate(known_tokens)}
        together = np.flatnonzero(held[INDEXES.index(TOGETHER)]).tolist()
        self.tokens: Set[str] = dict.fromkeys(known_tokens[number] for number in together).keys()
        rooted = any(token.endswith(ROOT) for token in self.tokens)
        self._idf: Floats = idf_of(held, size)
        self.words = lru_cache(RECENT)(lambda query: self.analyse(query, rooted))
        self._asked = lru_cache(RECENT)(self._weighed)

    def count(self, token: str, field: str = TOGETHER) -> int:
        """Return how many chunks have this token in the field."""
        number = self._numbers.get(token)
        return 0 if number is None else int(self.held[INDEXES.index(field), number])

    def idf(self, token: str, field: str = TOGETHER) -> float:
        """Return BM25's inverse document frequency of this token in the field."""
        number = self._numbers.get(token)
        return float(idf_of(0, self.size) if number is None else self._idf[INDEXES.index(field), number])

    def known(self, query: str, field: str = TOGETHER) -> dict[str, str]:
        """Return the tokens of a query that the library has in this field, each with the first word that it stands
        for."""
        words = {token: word for word, token in reversed(self.words(query).items())}
        return {token: word for token, word in reversed(words.items()) if self.count(token, field)}

    def shares(self, chunk: ChunkWords, only: Collection[str] | None = None) -> dict[str, float]:
        """Return the tokens of `only` that the chunk has (None: all that it has), each with the share of its greatest
        BM25 that the chunk reaches in title and text together, 0 to 1."""
        weight, together = self.parameters.title_weight, INDEXES.index(TOGETHER)
        length = weight * chunk.lengths["title"] + chunk.lengths["text"]
        wanted = {**chunk.text, **chunk.title} if only is None else only
        title, text = chunk.title.get, chunk.text.get  # as counters they call Python for a token that is not there
        counts = ((token, weight * title(token, 0) + text(token, 0)) for token in wanted)
        return {token: self._share(count, length, together) for token, count in counts if count}

    def _share(self, count: int, length: int, field: int) -> float:
        p = self.parameters
        norm = p.k1 * ((1 - p.b) + p.b * length / max(self.lengths[field], 1e-9))
        return count / (norm + count)

    def hit(self, id_: str, query: str, chunk: ChunkWords, fields: Mapping[str, float] | None = None) -> Hit | None:
        """Score a chunk for a query; None if it has no word of it. With `fields`, weights by field, its score is the
        weighted sum of the fields' scores."""
        asked = self._asked(query)
        parts = {name: self._field(asked, name, chunk) for name in fields or FIELDS[:2]}
        if fields is None:
            shares = self.shares(chunk, asked.known)
            total = sum(share * asked.known[token] for token, share in shares.items())
            total /= sum(asked.known.values()) if shares else 1
        else:
            total = sum(weight * parts[name].score for name, weight in fields.items())
        if not total:
            return None
        mass = sum(map(self.idf, chunk.title))
        covered = sum(idf for token, idf in asked.known.items() if token in chunk.title)
        return Hit(id_, total, parts, covered / mass if mass else 0.0)

    def _field(self, asked: "_AskedWords", name: str, chunk: ChunkWords) -> FieldHit:
        weights, most = asked.fields[name]
        counts: Counter[str] = getattr(chunk, name)
        if not (held := [token for token in weights if token in counts]):
            return _NO_FIELD
        length, number = chunk.lengths[name], INDEXES.index(name)
        score = sum(weights[token] * self._share(counts[token], length, number) for token in held)
        found = tuple(word for word, token in asked.words.items() if token in counts)
        return FieldHit(score / most if most else 0.0, found)

    def _weighed(self, query: str) -> "_AskedWords":
        words, fields = self.words(query), {}
        for name in FIELDS:
            weights = {token: self.idf(token, name) for token in words.values()}
            fields[name] = weights, sum(idf for token, idf in weights.items() if self.count(token, name))
        return _AskedWords(words, {token: self.idf(token) for token in self.known(query)}, fields)


_NO_FIELD = FieldHit(0.0, ())


class _AskedWords(NamedTuple):
    """The words of a query with their tokens, and by field the idf of the known ones, its sum over all words, and its
    sum over the known ones."""

    words: Mapping[str, str]
    known: Mapping[str, float]
    fields: Mapping[str, tuple[Mapping[str, float], float]]


def statistics_of(
    tokens: Iterable[Sequence[Sequence[str]]], parameters: KeywordParameters, dates: DateOrder
) -> WordStatistics:
    """Count the words of a library from the tokens of each chunk, which are given by `FIELDS`."""
    held = tuple(Counter[str]() for _ in INDEXES)
    sums, size = [0] * len(INDEXES), 0
    for title, text, metadata in tokens:
        size += 1
        for place, of_field in enumerate((set(title), set(text), set(metadata), {*title, *text})):
            held[place].update(of_field)
        lengths = len(title), len(text), len(metadata), parameters.title_weight * len(title) + len(text)
        sums = [whole + one for whole, one in zip(sums, lengths, strict=True)]
    known = tuple(sorted(set().union(*held)))
    counts = np.array([[of_field[token] for token in known] for of_field in held], np.int64).reshape(len(INDEXES), -1)
    return WordStatistics(known, counts, tuple(one / max(1, size) for one in sums), size, parameters, dates)
