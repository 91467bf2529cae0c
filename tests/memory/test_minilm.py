"""The encoder in NumPy beside sentence-transformers, with the real weights."""

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from clew.memory.encoding import MINILM, MINILM_SHA256, SentenceTransformerEncoder, local_encoder
from clew.memory.minilm import DIMENSION, LONGEST
from clew.memory.ports import Role

TEXTS = [
    "Who directed the film?",
    "who directed the film",
    "",
    " \n\t",
    "a",
    "[SEP] what is [MASK]? [CLS][PAD]",
    "Schön ist 東京, n'est-ce pas? ﬁ Ǆ e\u0301 \u200b",
    "😀 \x00 \x07",
    "supercalifragilisticexpialidocious" * 9,
    "x" * 500,
    *("the moon goes round the earth " * n for n in (1, 3, 8, 20)),
    "word " * (LONGEST - 3),
    "word " * (LONGEST - 2),
    "word " * (LONGEST - 1),
    "long " * 3000,
]


@pytest.fixture(scope="module")
def both() -> SentenceTransformerEncoder:
    found = local_encoder(MINILM)
    assert isinstance(found, SentenceTransformerEncoder)
    return found


def test_its_vectors_are_those_of_sentence_transformers(both: SentenceTransformerEncoder) -> None:
    roles: tuple[Role, ...] = ("query", "passage", "sentence")
    light = {role: both.encode(TEXTS, role) for role in roles}
    assert "_model" not in vars(both)
    for role, vectors in light.items():
        assert vectors.dtype == np.float32 and vectors.shape == (len(TEXTS), both.dimension) == (len(TEXTS), DIMENSION)
        assert np.abs(vectors - both._run(TEXTS, role, normalize_embeddings=True)).max() < 2e-6
    assert "_model" in vars(both)
    assert both.window + 2 == both._model.max_seq_length and both.dimension == both._model.get_embedding_dimension()


def test_a_text_has_its_vector_whatever_stands_beside_it(both: SentenceTransformerEncoder) -> None:
    texts = TEXTS[:-3]
    together = both.encode(texts, "query")
    alone = np.concatenate([both.encode([text], "query") for text in texts])
    assert np.abs(together - alone).max() < 1e-6
    assert np.array_equal(together, both.encode(texts, "query"))


def test_only_the_published_model_goes_through_numpy(both: SentenceTransformerEncoder) -> None:
    other = SentenceTransformerEncoder("other", both._folder)
    vars(other)["hash"] = "0" * 64
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(other, "_run", lambda texts, role, **options: np.ones((len(texts), DIMENSION)))
        assert np.array_equal(other.encode(["a"], "query"), np.ones((1, DIMENSION)))
    assert both.hash == MINILM_SHA256


def test_threads_share_it_and_leave_blas_its_threads(both: SentenceTransformerEncoder) -> None:
    from threadpoolctl import threadpool_info  # type: ignore[import-untyped]

    texts = TEXTS[:12]
    expected, before = both.encode(texts, "query"), threadpool_info()
    start = threading.Barrier(4, timeout=60)

    def encode(_: int) -> bool:
        start.wait()
        return bool(np.array_equal(both.encode(texts, "query"), expected))

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(encode, range(4)))
    assert threadpool_info() == before
