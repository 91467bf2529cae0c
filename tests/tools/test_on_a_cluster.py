"""Every tool finds the same on a cluster as in the folder that it was sent from."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.memory.encoding import CachedEncoder
from clew.memory.knowledge.cluster.connection import Cluster, address
from clew.memory.knowledge.cluster.publishing import publish
from clew.memory.knowledge.disk import required_generation
from clew.memory.knowledge.library import Library, open_library
from clew.tools import registry
from clew.tools.base import encode_query
from tests.cluster import Server

QUESTIONS = (
    "Who directed Metropolis?",
    "Where was the director of Metropolis born?",
    "Which animals flew to space before people did?",
    "What makes the different shapes of the moon?",
)


@pytest.fixture(scope="module")
def on_cluster(server: Server, examples_path: Path, encoder: CachedEncoder) -> Iterator[Library]:
    where = address(server.library())
    assert where
    for _ in publish(Cluster(where), required_generation(examples_path)):
        pass
    with open_library(where, encoder) as library:
        yield library


@pytest.mark.parametrize("name", registry.NAMES)
def test_it_finds_the_same(name: str, on_cluster: Library, examples: Library, encoder: CachedEncoder) -> None:
    there, here = registry.make(name, on_cluster.store), registry.make(name, examples.store)
    scopes = (None, frozenset({"films/metropolis.md", "people/fritz-lang.md", "space/moon.md"}))
    for question in QUESTIONS:
        for scope in scopes:
            query = encode_query(question, [], encoder, scope)
            found, expected = there.search(query, 5), here.search(query, 5)
            assert [p.id for p in found.passages] == [p.id for p in expected.passages], question
            scores = [p.score for p in expected.passages]
            assert [p.score for p in found.passages] == pytest.approx(scores, abs=5e-3)
            assert [(p.text, p.source, p.keywords) for p in found.passages] == [
                (p.text, p.source, p.keywords) for p in expected.passages
            ]


def test_what_it_calls_things(on_cluster: Library, examples: Library) -> None:
    there, here = on_cluster.store.vocabulary, examples.store.vocabulary
    words = ["moon", "Metropolis", "the", "zyzzyva", "directed"]
    assert there.counts(words) == here.counts(words)
    phrases = ["Fritz Lang", "Metropolis", "behind the", "Vienna", "Why Phases?", "The Moon", "", "Fritz Lang"]
    assert there.kinds(phrases) == here.kinds(phrases) and there.kinds([]) == []
    near = zip(there.near(["metroplis", "chimpanze"]), here.near(["metroplis", "chimpanze"]), strict=True)
    assert all(one[0] == other[0] for one, other in near)  # further ones are of the chunks that were read for them
    assert there.holding(["moon", "earth"]) == here.holding(["moon", "earth"])
    assert on_cluster.store.catalogue.documents == examples.store.catalogue.documents
    assert on_cluster.store.triples() == examples.store.triples()
    assert on_cluster.store.titles(5) == examples.store.titles(5)
