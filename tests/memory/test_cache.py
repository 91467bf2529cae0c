"""Token tensors, kept by content: encoded once, in half the bits, each encoder's apart; a damaged file is made anew."""

from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from clew.memory.encoding import MINILM, CachedEncoder, load_encoder
from tests.memory.test_encoding import Counting

TEXTS = ["a cat sat", "the moon is far from here", "a cat sat"]


@pytest.fixture
def counting(encoder: CachedEncoder) -> Counting:
    return Counting(encoder)


def test_they_are_the_encoders_own_in_half_the_bits(encoder: CachedEncoder, tmp_path: Path) -> None:
    with closing(CachedEncoder(encoder, tmp_path)) as kept:
        found = kept.passage_tokens(TEXTS)
    wanted = encoder.token_vectors(TEXTS, "passage")
    assert [tokens.shape for tokens in found] == [(3, 384), (6, 384), (3, 384)]
    for tokens, vectors in zip(found, wanted, strict=True):
        assert tokens.dtype == np.float16 and np.abs(tokens - vectors).max() < 1e-3


def test_no_passage_is_encoded_twice_and_a_changed_one_is(counting: Counting, tmp_path: Path) -> None:
    with closing(CachedEncoder(counting, tmp_path)) as kept:
        first = kept.passage_tokens(TEXTS)
    with closing(CachedEncoder(counting, tmp_path)) as kept:
        again = kept.passage_tokens(TEXTS)
        assert sorted(counting.tokenised) == sorted(set(TEXTS))
        assert all(np.array_equal(one, other) for one, other in zip(first, again, strict=True))
        kept.passage_tokens(["a cat sat", "a cat sat down"])
        assert kept.passage_tokens([]) == []
    assert counting.tokenised[2:] == ["a cat sat down"]


def test_another_encoder_does_not_share_them(counting: Counting, tmp_path: Path) -> None:
    with closing(CachedEncoder(counting, tmp_path)) as kept:
        kept.passage_tokens(["one"])
    counting.hash = "f" * 64
    with closing(CachedEncoder(counting, tmp_path)) as kept:
        kept.passage_tokens(["one"])
    assert counting.tokenised == ["one", "one"]
    assert len(list(tmp_path.glob("*-tokens.sqlite"))) == 2


def test_an_encoder_makes_the_file_only_where_it_is_asked_for(tmp_path: Path) -> None:
    with closing(load_encoder(MINILM, tmp_path)) as encoder:
        encoder.encode(["one"], "query")
        assert not list(tmp_path.rglob("*-tokens.sqlite"))
        encoder.passage_tokens(["one"])
        assert list(tmp_path.rglob("*-tokens.sqlite"))
