"""all-MiniLM-L6-v2 in NumPy: a turn's few texts are encoded in less time than importing sentence-transformers takes, a
library's many in three quarters of its time (docs/figures.md).

BERT (Devlin et al. 2019, arXiv:1810.04805) with 6 layers of 12 heads, the mean over a text's word pieces (Reimers and
Gurevych 2019, arXiv:1908.10084), unit length. All texts of a pass stand one after the other in one matrix, of a row for
each word piece, without padding; only attention goes text by text.
"""

import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clew.memory.datatypes import Vector, Vectors
from clew.memory.vectors import unit

if TYPE_CHECKING:
    from tokenizers import Tokenizer

DIMENSION = 384
LONGEST = 256  # word pieces of a text, its two special ones among them; what comes after is cut

LAYERS, HEADS = 6, 12
BEGIN, END = 101, 102  # the special word pieces `[CLS]` and `[SEP]`
ROWS = 1024  # word pieces in a pass (docs/figures.md)
FEW_ROWS = 256  # the same where few texts are waited for: each processor has some
BLOCK = 64  # rows whose `gelu` is made at once: what goes from one step to the next stays in the processor's cache

_ALONE = threading.Lock()
"""One text encodes at a time: who limits the threads of BLAS puts back what was there, and two at once would leave the
limit."""


class Dense(NamedTuple):
    """Shapes (in, out) and (out,). The weights are laid out as they are used: a short text takes two thirds of the
    time."""

    weight: Vectors
    bias: Vector

    def __call__(self, rows: Vectors) -> Vectors:
        made: Vectors = rows @ self.weight
        made += self.bias
        return made


class Norm(NamedTuple):
    """Layer normalisation (Ba et al. 2016, arXiv:1607.06450)."""

    weight: Vector
    bias: Vector

    def __call__(self, rows: Vectors) -> Vectors:
        """Changes and returns `rows`."""
        rows -= rows.mean(axis=1, keepdims=True)
        variance = np.einsum("ij,ij->i", rows, rows)[:, None] / rows.shape[1]
        rows /= np.sqrt(variance + np.float32(1e-12))
        rows *= self.weight
        rows += self.bias
        return rows


@dataclass(frozen=True, slots=True)
class EncoderLayer:
    """`inner` makes queries, keys and values, one beside the other."""

    inner: Dense
    outer: Dense
    attended: Norm
    wide: Dense
    narrow: Dense
    ended: Norm

    def __call__(self, rows: Vectors, texts: Sequence[tuple[int, int]]) -> None:
        """Changes `rows`."""
        inner = self.inner(rows)
        rows += self.outer(np.concatenate([attention(inner[start:end]) for start, end in texts]))
        self.attended(rows)
        wide = self.wide(rows)
        for start in range(0, len(rows), BLOCK):
            wide[start : start + BLOCK] = gelu(wide[start : start + BLOCK])
        rows += self.narrow(wide)
        self.ended(rows)


class MiniLM:
    """Its arrays are only read: safe from several threads. Tensors that the file `instead` has are taken from there:
    layers that were fitted for something else, and the weights of `pair_scores`."""

    def __init__(self, weights: Path, instead: Path | None = None) -> None:
        from safetensors import safe_open

        opened: Any = safe_open  # is not typed
        files = [opened(path, framework="np") for path in (weights, instead) if path]
        self._files = {name: file for file in files for name in file.keys()}  # noqa: SIM118 it is no mapping
        first, second = self._tensor("embeddings.token_type_embeddings.weight")
        self._places: Vectors = self._tensor("embeddings.position_embeddings.weight")[:LONGEST] + first
        self._second: Vector = second - first
        self._embedded = self._norm("embeddings")
        self._layers = [self._layer(f"encoder.layer.{number}") for number in range(LAYERS)]
        self._pair = [self._tensor(name) for name in ("pair.weight", "pair.bias") if name in self._files]
        self._files.clear()  # what was read of them is memory of this process as long as they are mapped
        self._words = opened(weights, framework="np").get_slice("embeddings.word_embeddings.weight")

    def encode(self, texts: Sequence[Sequence[int]]) -> Vectors:
        """Unit vectors of texts, each the numbers of its word pieces without special ones. Shape (texts, DIMENSION)."""
        whole = [[BEGIN, *text[: LONGEST - 2], END] for text in texts]
        return unit(self._means(whole, [len(text) for text in whole]))

    def pair_scores(self, question: Sequence[int], texts: Sequence[Sequence[int]]) -> Vector:
        """A number for each text, read together with the question; both without special word pieces, and of at most
        `LONGEST` together, less those."""
        before = [BEGIN, *question, END]
        whole = [[*before, *text, END] for text in texts]
        means = self._means(whole, [len(before)] * len(whole), FEW_ROWS)
        weight, bias = self._pair
        return np.asarray(means @ weight[0] + bias)

    def pair_states(self, question: Sequence[int], text: Sequence[int]) -> Vectors:
        """For each word piece of a text, read together with a question, the outputs of the last two layers. Shape
        (pieces, 2 * DIMENSION)."""
        whole, first = [BEGIN, *question, END, *text, END], len(question) + 2
        with _ALONE, self._blas.limit(limits=1):
            made = [rows[first:-1].copy() for rows in self._layered([whole], [first])]
        return np.concatenate(made[-2:], axis=1)

    def states(self, text: Sequence[int], more: Vectors, before: int) -> Vectors:
        """Of each word piece of one text, special ones among them, what stands for it in its place. Shape (pieces,
        DIMENSION), as `more`, which is added before the layer of that number."""
        with _ALONE, self._blas.limit(limits=1):
            for number, rows in enumerate(self._layered([text], [len(text)])):
                if number == before:
                    rows += more
            return rows

    def _means(self, whole: Sequence[Sequence[int]], second: Sequence[int], most: int = ROWS) -> Vectors:
        """The mean over each text's word pieces; from its place `second` on they are those of a second text."""
        # Each pass has one thread of BLAS: its own threads wait for each other between matrices as small as these.
        with _ALONE:
            parts = list(passes([len(text) for text in whole], ROWS if self._threads == 1 else most))
            with self._blas.limit(limits=1), ThreadPoolExecutor(self._threads) as pool:
                each = pool.map(self._pass, [whole[part] for part in parts], [second[part] for part in parts])
                return np.concatenate(list(each))

    @cached_property
    def _blas(self):  # type: ignore[no-untyped-def]
        from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

        return ThreadpoolController().select(user_api="blas")

    @cached_property
    def _threads(self) -> int:
        """The number of threads that BLAS uses if nothing limits it."""
        return max((library.num_threads for library in self._blas.lib_controllers), default=1)

    def _pass(self, texts: Sequence[Sequence[int]], second: Sequence[int]) -> Vectors:
        *_, rows = self._layered(texts, second)
        return np.stack([rows[start:end].mean(axis=0) for start, end in bounds_of(texts)])

    def _layered(self, texts: Sequence[Sequence[int]], second: Sequence[int]) -> Iterator[Vectors]:
        """The same array before each layer and behind the last."""
        rows, bounds = self._embeddings(texts, second), bounds_of(texts)
        yield rows
        for layer in self._layers:
            layer(rows, bounds)
            yield rows

    def _embeddings(self, texts: Sequence[Sequence[int]], second: Sequence[int]) -> Vectors:
        # Only these rows of the table are read: all of it is half of the file.
        words, at = np.unique(np.concatenate([np.array(text) for text in texts]), return_inverse=True)
        rows = np.concatenate([self._words[word : word + 1] for word in words.tolist()])[at]
        for (start, end), other in zip(bounds_of(texts), second, strict=True):
            rows[start:end] += self._places[: end - start]
            rows[start + other : end] += self._second
        return self._embedded(np.asarray(rows))

    def _layer(self, name: str) -> EncoderLayer:
        inner = [self._linear(f"{name}.attention.self.{part}") for part in ("query", "key", "value")]
        joined = Dense(*(np.concatenate(parts, axis=-1) for parts in zip(*inner, strict=True)))
        after, wide, last = (f"{name}.{part}" for part in ("attention.output", "intermediate", "output"))
        outer, wider, narrow = (self._linear(f"{part}.dense") for part in (after, wide, last))
        return EncoderLayer(joined, outer, self._norm(after), wider, narrow, self._norm(last))

    def _linear(self, name: str) -> Dense:
        return Dense(np.ascontiguousarray(self._tensor(f"{name}.weight").T), self._tensor(f"{name}.bias"))

    def _norm(self, name: str) -> Norm:
        return Norm(self._tensor(f"{name}.LayerNorm.weight"), self._tensor(f"{name}.LayerNorm.bias"))

    def _tensor(self, name: str) -> Any:
        return self._files[name].get_tensor(name).astype(np.float32, copy=False)


def bounds_of(texts: Sequence[Sequence[int]]) -> list[tuple[int, int]]:
    """Where each text begins, if all stand one after the other."""
    return list(pairwise(accumulate((len(text) for text in texts), initial=0)))


def tokenizer_of(folder: Path) -> "Tokenizer":
    """The tokenizer in a model's folder; texts are neither cut nor padded."""
    from tokenizers import Tokenizer

    made: Tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    made.no_truncation()
    made.no_padding()
    return made


def passes(lengths: Sequence[int], most: int = ROWS) -> Iterator[slice]:
    """Texts one after the other, of at most so many word pieces together."""
    start = rows = 0
    for place, length in enumerate(lengths):
        if rows and rows + length > most:
            yield slice(start, place)
            start, rows = place, 0
        rows += length
    yield slice(start, len(lengths))


def attention(inner: Vectors) -> Vectors:
    """The output of attention for one text: from queries, keys and values of all heads, shape (n, 3 * d), to shape (n,
    d)."""
    queries, keys, values = inner.reshape(len(inner), 3, HEADS, -1).transpose(1, 2, 0, 3)
    scores = queries @ keys.transpose(0, 2, 1) * np.float32(1 / np.sqrt(queries.shape[-1]))
    scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
    mixed: Vectors = (scores @ values) / scores.sum(axis=-1, keepdims=True)
    return mixed.transpose(1, 0, 2).reshape(len(inner), -1)


def gelu(x: Vectors) -> Vectors:
    """Each number times the share of the normal distribution below it (Hendrycks and Gimpel 2016, arXiv:1606.08415), to
    1e-6: the error function by Abramowitz and Stegun 7.1.26."""
    a = np.abs(x)
    t: Vectors = np.reciprocal(np.float32(1) + np.float32(0.3275911 / np.sqrt(2)) * a, dtype=np.float32)
    share = np.full_like(x, 1.061405429)
    for c in (-1.453152027, 1.421413741, -0.284496736, 0.254829592):
        share = np.asarray(share * t + np.float32(c), np.float32)
    above = np.float32(0.5) * a * share * t * np.exp(np.float32(-0.5) * a * a)
    return np.asarray(np.maximum(x, 0) - above, np.float32)


# Two texts read together ----------------------------------------------------------------------------------------------
