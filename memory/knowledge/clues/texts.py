"""The words of many texts as a sparse matrix: TF-IDF cosines, shared words and Jaccard with a question, all at once."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from clew.memory.datatypes import Floats

DIGITS = 9
"""To which scores are rounded, so that equal ones are equal whatever the order in which they were summed."""


@dataclass(frozen=True, slots=True, eq=False)
class Texts:
    """`weights` are rows of unit length and `present` has 1 where a text has a word: sparse, of shape (texts, words).
    `sizes` counts the different words of each text, `counts` the texts that have each word.

    A text is given and asked as its words. Texts without words are like nothing.
    """

    vectorizer: Any
    weights: Any
    present: Any
    sizes: Floats
    counts: Floats

    @staticmethod
    def of(texts: Sequence[Sequence[str]]) -> "Texts":
        from sklearn.feature_extraction.text import TfidfVectorizer

        # The empty word, which no text has, keeps scikit-learn from refusing texts that have no words at all.
        vocabulary = ["", *sorted({word for text in texts for word in text})]
        vectorizer = TfidfVectorizer(analyzer=_as_it_is, vocabulary=vocabulary)
        weights = vectorizer.fit_transform(texts or [[]])[: len(texts)]
        present = weights.astype(bool).astype(np.float64)
        sizes, counts = np.diff(weights.indptr), np.bincount(weights.indices, minlength=len(vocabulary))
        return Texts(vectorizer, weights, present, sizes.astype(np.float64), counts.astype(np.float64))

    def count(self, word: str) -> int:
        """How many texts have the word."""
        number = self.vectorizer.vocabulary_.get(word)
        return 0 if number is None else int(self.counts[number])

    def cosines(self, words: Sequence[str]) -> Floats:
        """Shape (texts,)."""
        return np.asarray(self.weights @ self.vectorizer.transform([words]).toarray()[0], np.float64)

    def shared(self, words: Sequence[str]) -> Floats:
        """How many different words each text has in common with `words`; shape (texts,)."""
        numbers = [number for word in words if (number := self.vectorizer.vocabulary_.get(word)) is not None]
        asked = np.zeros(self.present.shape[1])
        asked[numbers] = 1
        return np.asarray(self.present @ asked, np.float64)

    def jaccards(self, words: Sequence[str]) -> Floats:
        """Shared words as a share of all different words of both; shape (texts,)."""
        shared = self.shared(words)
        return np.asarray(shared / np.maximum(self.sizes + len(set(words)) - shared, 1), np.float64)


def _as_it_is(words: Sequence[str]) -> Sequence[str]:
    return words
