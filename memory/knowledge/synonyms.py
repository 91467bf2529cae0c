"""Words of a library that stand in chunks of like meaning."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property

import numpy as np

from clew.memory.datatypes import Vectors
from clew.memory.knowledge.keywords import KeywordIndex
from clew.memory.vectors import unit

SOME, MOST_SHARE = 3, 0.1
"""Chunks, and their share, that a word stands in whose meaning can be told from them."""

ALIKE = 0.6
"""The cosine from which two words are alike."""


class LikeWords:
    """`texts` has some chunks of each token with their titles, `vectors` are those of all chunks."""

    def __init__(
        self, keywords: KeywordIndex, texts: Callable[[Iterable[str]], list[str]], vectors: Callable[[], Vectors]
    ) -> None:
        self._keywords, self._texts, self._vectors = keywords, texts, vectors

    def alike(self, words: Sequence[str], most: int) -> list[tuple[str, ...]]:
        """What it needs is made at the first call, in seconds for a hundred thousand chunks."""
        return [self._alike(self._keywords.token(word), most) for word in words]

    def _alike(self, token: str, most: int) -> tuple[str, ...]:
        tokens, meanings = self._meanings
        place = bisect_left(tokens, token)
        if place == len(tokens) or tokens[place] != token:
            return ()
        cosines = meanings @ meanings[place]
        best = [one for one in np.argsort(-cosines, kind="stable")[: most + 1].tolist() if one != place]
        return tuple(self._written(tokens[one]) for one in best[:most] if cosines[one] >= ALIKE)

    def _written(self, token: str) -> str:
        return next(iter(self._keywords.written({token}, "\n".join(self._texts([token])))), token)

    @cached_property
    def _meanings(self) -> tuple[list[str], Vectors]:
        """The tokens of some chunks, by alphabet, and of each the mean of their vectors, by its BM25 in them, as it
        differs from the mean of all."""
        tokens, columns = self._keywords.columns()
        held = np.diff(columns.indptr)
        few = np.flatnonzero((held >= SOME) & (held <= max(SOME, MOST_SHARE * self._keywords.size)))
        kept = np.array(sorted((one for one in few.tolist() if tokens[one].isalpha()), key=tokens.__getitem__), int)
        part, vectors = columns[kept], np.asarray(self._vectors(), np.float32)
        means = part @ vectors / np.maximum(part.sum(axis=1), 1e-9)[:, None]
        return [tokens[one] for one in kept.tolist()], unit((means - vectors.mean(axis=0)).astype(np.float32))
