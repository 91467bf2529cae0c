"""Keyword search: one BM25 index (bm25s) for each field of the chunks, in a folder, memory-mapped."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memory.errors import BadInput

FIELDS = ("title", "text")
WORD = re.compile(r"(?u)\b\w\w+\b")
"""bm25s's own token pattern, here to know which word of a question a token came from."""


@dataclass(frozen=True, slots=True)
class KeywordParameters:
    """`stemmer` is a Snowball language, `stop_words` a language that bm25s has a list for; empty: none."""

    stemmer: str = "english"
    stop_words: str = "english"
    k1: float = 1.5
    b: float = 0.75


@dataclass(frozen=True, slots=True)
class KeywordScores:
    """Of one query: BM25 by field, each of shape (n chunks,), and for each word that some chunk holds its chunks."""

    fields: Mapping[str, NDArray[np.float32]]
    postings: Mapping[str, Sequence[NDArray[np.int32]]]

    def words_in(self, row: int) -> tuple[str, ...]:
        """The words of the query that chunk `row` holds, in the query's order."""
        return tuple(word for word, postings in self.postings.items() if any(_holds(rows, row) for rows in postings))


class KeywordIndex:
    """Reads what `write` wrote. Only reads, so it is safe from several threads."""

    def __init__(self, folder: Path, parameters: KeywordParameters, size: int) -> None:
        import bm25s

        self._size = size
        self._analyse = _analyser(parameters)
        self._fields = {
            field: bm25s.BM25.load(folder / field, mmap=True, show_progress=False)
            for field in FIELDS
            if (folder / field).is_dir()
        }

    def scores(self, query: str) -> KeywordScores:
        words = list(dict.fromkeys(word.lower() for word in WORD.findall(query)))
        tokens = {word: found[0] for word, found in zip(words, self._analyse(words), strict=True) if found}
        distinct = list(dict.fromkeys(tokens.values()))
        return KeywordScores(
            {field: self._score(index, distinct) for field, index in self._fields.items()},
            {
                word: [_postings(index, token) for index in self._fields.values() if token in index.vocab_dict]
                for word, token in tokens.items()
            },
        )

    def _score(self, index: Any, tokens: list[str]) -> NDArray[np.float32]:
        if not any(token in index.vocab_dict for token in tokens):
            return np.zeros(self._size, np.float32)
        scores: NDArray[np.float32] = index.get_scores(tokens)
        return scores


def write(folder: Path, fields: Mapping[str, Sequence[str]], parameters: KeywordParameters) -> None:
    """Index each field's texts, a text for each chunk. A field without a single word gets no index.

    Raises `BadInput` for a language that there is no stemmer or no list of stop words for.
    """
    import bm25s

    analyse = _analyser(parameters)
    for field, texts in fields.items():
        tokens = analyse(texts)
        if any(tokens):
            index = bm25s.BM25(k1=parameters.k1, b=parameters.b)
            index.index(tokens, show_progress=False)
            index.save(folder / field, show_progress=False)


def _analyser(parameters: KeywordParameters) -> Any:
    """texts -> for each its list of tokens: lower case, words of two letters or more, no stop words, stemmed."""
    import bm25s
    import Stemmer

    try:
        stemmer = Stemmer.Stemmer(parameters.stemmer) if parameters.stemmer else None
        bm25s.tokenize([""], stopwords=parameters.stop_words or None, show_progress=False)
    except (KeyError, ValueError) as error:
        raise BadInput(
            f"there is no stemmer '{parameters.stemmer}' or no list of stop words '{parameters.stop_words}'",
            f"stemmers are {', '.join(Stemmer.algorithms())}; an empty name means none",
        ) from error

    def analyse(texts: Sequence[str]) -> list[list[str]]:
        tokens: list[list[str]] = bm25s.tokenize(
            list(texts),
            stopwords=parameters.stop_words or None,
            stemmer=stemmer,
            return_ids=False,
            show_progress=False,
        )
        return tokens

    return analyse


def _postings(index: Any, token: str) -> NDArray[np.int32]:
    """The chunks that hold a token: a column of the sparse matrix, in rising order."""
    column = index.vocab_dict[token]
    start, end = index.scores["indptr"][column : column + 2]
    rows: NDArray[np.int32] = index.scores["indices"][start:end]
    return rows


def _holds(rows: NDArray[np.int32], row: int) -> bool:
    at = int(np.searchsorted(rows, row))
    return at < len(rows) and int(rows[at]) == row
