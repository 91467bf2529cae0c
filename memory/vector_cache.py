"""Vectors by the content of their texts, in one SQLite file an encoder."""

from collections.abc import Callable, Collection, Sequence
from pathlib import Path

import numpy as np

from clew.memory.content_cache import ContentCache
from clew.memory.datatypes import Vectors


class VectorCache:
    """A `ContentCache` of float32 vectors, shape (d,) each."""

    def __init__(self, path: Callable[[], Path]) -> None:
        """`path` is asked at the first use: it hangs on the hash of a model."""
        self._kept = ContentCache(path, "vectors")

    def read(self, keys: Collection[bytes]) -> dict[bytes, Vectors]:
        """Those that are known."""
        return {key: np.frombuffer(vector, np.float32) for key, vector in self._kept.read(keys).items()}

    def write(self, keys: Sequence[bytes], vectors: Vectors) -> None:
        self._kept.write({key: vector.tobytes() for key, vector in zip(keys, vectors, strict=True)})

    def close(self) -> None:
        """May be called twice; the next use opens the file again."""
        self._kept.close()
