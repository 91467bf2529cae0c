"""The token tensors of passages by the content of their texts, in one SQLite file an encoder: late interaction compares
with all tokens of a text, and to encode these takes far longer than to compare (seed 004)."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from clew.memory.content_cache import ContentCache, batches, content_key
from clew.memory.ports import Encoder

Tokens = NDArray[np.float16]
"""Shape (word pieces of a text, d), rows of unit length but for the rounding to 16 bits."""

COMMIT = 64
"""Texts encoded between two commits of the cache: a hundred kilobytes each, more or less."""


class CachedTokens:
    """`Encoder.token_vectors` of passages, kept in half the bits, shared by all libraries of a user. Safe from several
    threads and processes."""

    def __init__(self, encoder: Encoder, folder: Path) -> None:
        self._encoder = encoder
        self._kept = ContentCache(lambda: folder / f"{encoder.hash[:16]}-tokens.sqlite", "tokens")

    def of_passages(self, texts: Sequence[str]) -> list[Tokens]:
        """In the order of the texts. Only those that were never seen are encoded."""
        keys = [content_key("passage", text) for text in texts]
        known = self._kept.read(set(keys))
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        for batch in batches(sorted(missing, key=lambda key: len(missing[key])), COMMIT):
            vectors = self._encoder.token_vectors([missing[key] for key in batch], "passage")
            fresh = {key: rows.astype(np.float16).tobytes() for key, rows in zip(batch, vectors, strict=True)}
            self._kept.write(fresh)
            known.update(fresh)
        return [np.frombuffer(known[key], np.float16).reshape(-1, self._encoder.dimension) for key in keys]

    def of_questions(self, texts: Sequence[str]) -> list[NDArray[np.float32]]:
        """As the encoder gives them: a question is seldom asked twice."""
        return self._encoder.token_vectors(texts, "query")

    def close(self) -> None:
        """May be called twice; the next use opens the file again."""
        self._kept.close()
