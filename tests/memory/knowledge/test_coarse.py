"""The nearest among very many vectors, by their main directions first."""

from pathlib import Path

import numpy as np
import pytest

from clew.memory.encoding import CachedEncoder
from clew.memory.errors import ClewError
from clew.memory.knowledge import embedding as coarse
from clew.memory.knowledge.disk import current_generation
from clew.memory.knowledge.embedding import Coarse, write_coarse
from clew.memory.knowledge.library import open_library
from clew.memory.vectors import highest, unit
from tests.conftest import EXAMPLES
from tests.memory.knowledge.index.test_run import run

QUESTIONS = ["Who directed Metropolis?", "How far away is the moon?", "When was Ada Lovelace born?"]


@pytest.fixture
def many(monkeypatch: pytest.MonkeyPatch) -> None:
    """A library of the size of the examples counts as large."""
    monkeypatch.setattr(coarse, "LEAST", 20)
    monkeypatch.setattr(coarse, "SAMPLE", 20)
    monkeypatch.setattr(coarse, "KEPT", 20)
    monkeypatch.setattr(coarse, "DIRECTIONS", 16)


def test_the_nearest_are_those_of_an_exact_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coarse, "LEAST", 1_000)
    monkeypatch.setattr(coarse, "KEPT", 500)
    random = np.random.default_rng(0)
    scales = np.exp(-np.arange(64) / 12)
    monkeypatch.setattr(coarse, "DIRECTIONS", 32)
    turned, _ = np.linalg.qr(random.normal(size=(64, 64)))
    vectors = unit(np.asarray((random.normal(size=(20_000, 64)) * scales) @ turned, np.float32))
    questions = unit(np.asarray((random.normal(size=(20, 64)) * scales) @ turned, np.float32))
    write_coarse(tmp_path, vectors)
    found = Coarse(tmp_path, *vectors.shape).likely(questions)
    for question, rows in zip(questions, found, strict=True):
        assert 300 < len(rows) < 700
        exact = highest(vectors @ question, 50)
        assert rows[highest(vectors[rows] @ question, 50)].tolist() == exact


def test_a_large_library_is_searched_so(tmp_path: Path, encoder: CachedEncoder, many: None) -> None:
    run([EXAMPLES / "documents"], tmp_path, encoder)
    asked = encoder.encode(QUESTIONS, "query")
    with open_library(tmp_path, encoder) as library:
        ids = [chunk.id for chunk in library.store.sample(1_000)]
        vectors = library.store.vectors(ids)
        assert len(ids) > coarse.KEPT
        for question, hits in zip(asked, library.store.vector_search(asked, 3), strict=True):
            assert [hit.chunk for hit in hits] == [ids[place] for place in highest(vectors @ question, 3)]
            assert hits[0].score == pytest.approx(float((vectors @ question).max()), abs=1e-6)


def test_of_another_number_of_vectors_it_is_damage(tmp_path: Path, encoder: CachedEncoder, many: None) -> None:
    run([EXAMPLES / "documents"], tmp_path, encoder)
    generation = current_generation(tmp_path)
    assert generation
    whole = np.load(generation / coarse.COARSE)
    np.save(generation / coarse.COARSE, whole[:-1])
    with pytest.raises(ClewError, match="damaged"):
        open_library(tmp_path, encoder)
