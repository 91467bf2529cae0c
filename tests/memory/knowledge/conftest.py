"""The stores that have to conform: each of them opened over the same small graph folder."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.memory.encoding import CachedEncoder
from clew.memory.knowledge.cluster.connection import Place
from clew.memory.knowledge.library import LibraryStore, open_library
from tests.cluster import cluster_at, sent
from tests.memory.knowledge.index.test_run import run, write

NODES = [
    {"id": "moon", "title": "The Moon", "text": "The Moon orbits the Earth at a distance of 384,400 kilometres."},
    {
        "id": "tides",
        "title": "Tides",
        "text": "Tides rise and fall because the Moon pulls at the oceans.",
        "triples": [["the Moon", "pulls at", "Oceans"], ["Tides", "rise"], ["Sun", "pulls at", "Oceans"]],
    },
    {
        "id": "lang 1",
        "title": "Fritz Lang",
        "text": "Fritz Lang directed Metropolis, a film about a city.",
        "author": "Luise Rainer",
        "tags": ["cinema", "silent films"],
    },
    {
        "id": "long",
        "title": "Long walk",
        "text": " ".join(f"Step {n} went over hill number {n}." for n in range(120)),
        "triples": [["Step 119", "WENT OVER", "hill number 119"], ["the walk", "is", "long"]],
    },
]
EDGES = [
    {"source": "tides", "target": "moon", "relation": "caused by"},
    {"source": "moon", "target": "tides", "relation": "causes"},
    {"source": "moon", "target": "moon", "relation": "itself"},
]


@pytest.fixture(scope="session")
def graph_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("graph")
    for name, rows in (("nodes", NODES), ("edges", EDGES)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return folder


@pytest.fixture(scope="session")
def embedded_path(graph_folder: Path, encoder: CachedEncoder, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("embedded")
    report = run([graph_folder], path, encoder)
    assert (report.new, report.failed) == (4, ())
    return path


@pytest.fixture(scope="session", params=["embedded", "cluster"])
def store(request: pytest.FixtureRequest, embedded_path: Path, encoder: CachedEncoder) -> Iterator[LibraryStore]:
    place: Place = embedded_path
    if request.param == "cluster":
        cluster = cluster_at(request.getfixturevalue("server"))
        done = sent(cluster, embedded_path)
        assert done.sent == done.rows
        place = cluster.where
    with open_library(place, encoder) as library:
        yield library.store


@pytest.fixture
def made(tmp_path: Path, encoder: CachedEncoder) -> Path:
    """A library of two notes, to be changed."""
    write(tmp_path / "notes", moon="The Moon is far away.", sun="The Sun is hot.")
    run([tmp_path / "notes"], tmp_path / "library", encoder)
    return tmp_path / "library"
