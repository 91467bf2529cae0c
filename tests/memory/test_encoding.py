"""The encoder and its cache, with the real model."""

import sqlite3
import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from memory.datatypes import Vectors
from memory.encoding import MINILM, MINILM_SHA256, CachedEncoder, load_encoder
from memory.errors import NoModel
from memory.ports import Encoder, Role, Span


class Counting:
    """Passes on to an encoder, and keeps what it was asked to encode."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self.name, self.hash, self.dimension, self.window = "counting", encoder.hash, encoder.dimension, encoder.window
        self.encoded: list[str] = []

    def encode(self, texts: Sequence[str], role: Role) -> Vectors:
        self.encoded += texts
        return self._encoder.encode(texts, role)

    def tokens(self, texts: Sequence[str]) -> list[list[Span]]:
        return self._encoder.tokens(texts)

    def token_vectors(self, texts: Sequence[str], role: Role) -> list[Vectors]:
        return self._encoder.token_vectors(texts, role)


def test_vectors_are_unit_rows_that_mean_something(encoder: CachedEncoder) -> None:
    cat, kitten, tax = encoder.encode(["a cat", "a kitten", "income tax law"], "sentence")
    assert np.allclose(np.linalg.norm([cat, kitten, tax], axis=1), 1, atol=1e-5)
    assert cat @ kitten > cat @ tax + 0.3
    assert encoder.encode([], "query").shape == (0, encoder.dimension) == (0, 384)


def test_the_default_encoder_has_the_published_weights(encoder: CachedEncoder) -> None:
    assert encoder.hash == MINILM_SHA256
    assert encoder.window == 254  # 256 less the two special tokens


def test_tokens_are_character_spans_and_are_not_cut(encoder: CachedEncoder) -> None:
    (spans,) = encoder.tokens(["Schön ist 東京!"])
    assert "".join("Schön ist 東京!"[start:end] for start, end in spans) == "Schönist東京!"
    (long,) = encoder.tokens(["word " * 1000])
    assert len(long) == 1000


def test_token_vectors_are_one_unit_row_a_word_piece(encoder: CachedEncoder) -> None:
    short, long = encoder.token_vectors(["a cat sat", "word " * 1000], "passage")
    assert short.shape == (3, 384)
    assert long.shape == (encoder.window, 384)
    assert np.allclose(np.linalg.norm(long, axis=1), 1, atol=1e-5)


def test_no_text_is_encoded_twice(encoder: CachedEncoder, tmp_path: Path) -> None:
    counting = Counting(encoder)
    cached = CachedEncoder(counting, tmp_path)
    first = cached.encode(["one", "two", "one"], "passage")
    again = CachedEncoder(counting, tmp_path).encode(["two", "three"], "passage")
    assert sorted(counting.encoded) == ["one", "three", "two"]
    assert np.array_equal(first[1], again[0]) and np.array_equal(first[0], first[2])
    cached.encode(["one"], "query")  # another role is another text to some models
    assert len(counting.encoded) == 4


def test_a_damaged_cache_is_made_anew(encoder: CachedEncoder, tmp_path: Path) -> None:
    CachedEncoder(encoder, tmp_path).encode(["one"], "query")
    (file,) = tmp_path.glob("*.sqlite")
    for wal in tmp_path.glob("*.sqlite-*"):
        wal.unlink()
    file.write_bytes(b"this is no database, it is longer than a header, " * 10)
    assert CachedEncoder(encoder, tmp_path).encode(["one"], "query").shape == (1, 384)
    with sqlite3.connect(file) as database:
        assert database.execute("SELECT count(*) FROM vectors").fetchone() == (1,)


def test_several_threads_encode_at_once(encoder: CachedEncoder, tmp_path: Path) -> None:
    cached = CachedEncoder(encoder, tmp_path)
    results: dict[int, Vectors] = {}

    def encode(number: int) -> None:
        results[number] = cached.encode([f"text {i} of {number % 2}" for i in range(20)], "passage")

    threads = [threading.Thread(target=encode, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 6
    assert np.allclose(results[0], results[2], atol=1e-5) and np.allclose(results[1], results[5], atol=1e-5)


def test_a_model_that_is_not_here_says_so(tmp_path: Path) -> None:
    with pytest.raises(NoModel, match="no-such/model"):
        load_encoder("no-such/model", tmp_path)
    with pytest.raises(NoModel, match="no weights"):
        load_encoder(str(tmp_path), tmp_path).hash  # noqa: B018
    assert load_encoder(MINILM, tmp_path).name == MINILM
