"""Paths and what speaks for them against what a reader would work out from the texts, one by one."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from clew.memory.datatypes import Query
from clew.memory.encoding import CachedEncoder
from clew.memory.knowledge.library import Library
from clew.memory.knowledge.question import LibraryQuestion
from clew.memory.knowledge.walking.features import HopIndex, HopQuestion, hop_index, paths_from
from clew.tools.base import encode_query
from clew.tools.graph import log_masses
from tests.memory.knowledge.walking.made import library_of

TEXTS = {
    "Metropolis (1927 film)": "Metropolis was directed by Fritz Lang. Its script was written by Thea von Harbou.",
    "Fritz Lang": "Fritz Lang was born in Vienna. He married Thea von Harbou in 1922.",
    "Thea von Harbou": "Thea von Harbou was a German screenwriter. She was born in Tauperlitz in 1888.",
    "Vienna": "Vienna is the capital of Austria. It lies on the Danube.",
    "Bread": "Bread needs flour. Bakers in Vienna bake it at night.",
}
QUESTION = "Where was the director of Metropolis born?"


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory, encoder: CachedEncoder) -> Iterator[Library]:
    with library_of(tmp_path_factory.mktemp("films"), TEXTS, encoder) as opened:
        yield opened


@pytest.fixture(scope="module")
def index(library: Library) -> HopIndex:
    return hop_index(library.store.part().layers)


def hops_of(library: Library, index: HopIndex, query: Query) -> HopQuestion:
    return HopQuestion(index, LibraryQuestion(library.store.part(), query))


def chunk(index: HopIndex, title: str) -> int:
    return index.layers.chunk_numbers[f"{title}#0"]


def test_paths_lead_over_shared_entities(library: Library, index: HopIndex, encoder: CachedEncoder) -> None:
    query = encode_query(QUESTION, [], encoder)
    hops, film = hops_of(library, index, query), chunk(index, "Metropolis (1927 film)")
    paths = paths_from(hops, np.array([film]), np.array([-0.5]))
    over = {
        (index.layers.entities[e].name, index.layers.chunk_ids[c])
        for e, c in zip(paths.entities, paths.chunks, strict=True)
    }
    assert over == {
        ("Fritz Lang", "Fritz Lang#0"),
        ("Thea von Harbou", "Fritz Lang#0"),
        ("Thea von Harbou", "Thea von Harbou#0"),
    }


def test_the_scope_bounds_paths_and_titles(library: Library, index: HopIndex, encoder: CachedEncoder) -> None:
    query = replace(encode_query(QUESTION, [], encoder), scope=frozenset({"Fritz Lang", "Vienna"}))
    inside = np.array([d in ("Fritz Lang", "Vienna") for d in index.layers.document_ids])[index.layers.chunk_documents]
    hops = hops_of(library, index, query)
    assert hops.question.allowed is not None and hops.question.allowed.tolist() == inside.tolist()
    paths = paths_from(hops, np.array([chunk(index, "Fritz Lang")]), np.zeros(1))
    assert {index.layers.chunk_ids[c] for c in paths.chunks} == {"Vienna#0"}


# Masses of chunks with paths to them against their formula; the rounds from what matches to what it leads to.


def test_masses_add_up() -> None:
    rng = np.random.default_rng(0)
    direct, paths, ends = rng.normal(size=6), rng.normal(size=20), rng.integers(0, 5, 20)
    wanted = [np.log(np.exp(direct[c]) + np.exp(paths[ends == c]).sum()) for c in range(6)]
    assert log_masses(direct, paths, ends) == pytest.approx(wanted)
    assert log_masses(direct + 800, paths + 800, ends) == pytest.approx(np.array(wanted) + 800)
    assert log_masses(direct, np.zeros(0), np.zeros(0, np.int64)) == pytest.approx(direct)
