"""The BM25 of each token in each chunk that holds it, as bm25s wrote it, read without that: its import takes long."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from clew.memory.files import mapped, within

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

    def idf(self, token: str) -> float:
        return float(idf_of(len(self.column(token)[0]), self.size))

    def sums(self, tokens: Iterable[str]) -> Shares:
        """Of all chunks, shape (chunks,)."""
        sums = np.zeros(self.size, np.float32)
        for token in tokens:
            holding, data = self.column(token)
            sums[holding] += data
        return sums


def opened(folder: Path, size: int) -> TokenColumns:
    """Raises one of `disk.BROKEN`."""
    vocabulary = json.loads(within(folder, "vocab.index.json").read_text("utf-8"))
    data, indices, indptr = (mapped(within(folder, f"{name}.csc.index.npy")) for name in ("data", "indices", "indptr"))
    return TokenColumns(vocabulary, data, indices, indptr, size)


def idf_of(held: ArrayLike, size: int) -> Any:
    """Lucene's, of tokens that so many of `size` texts hold: log(1 + (N - df + 0.5) / (df + 0.5)); what a token's BM25
    nears as it fills a text."""
    df = np.asarray(held, np.float64)
    return np.log1p((size - df + 0.5) / (df + 0.5))
