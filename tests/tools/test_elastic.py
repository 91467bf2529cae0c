"""The tool `elastic`: ELSER's tokens by an inference endpoint (a double of that route alone), BM25 and vectors."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.memory.encoding import CachedEncoder
from clew.memory.errors import NotSetUp
from clew.memory.knowledge.cluster.cluster_store import ClusterStore, open_generation
from clew.memory.knowledge.cluster.connection import Cluster
from clew.memory.knowledge.cluster.publishing import Published, worked_on
from clew.memory.knowledge.cluster.searches import ENDPOINT
from clew.memory.knowledge.index.run import index
from clew.memory.knowledge.library import Library, open_library
from clew.tools import registry
from clew.tools.base import encode_query
from clew.tools.elastic import UNINDEXED, WITHOUT, Elastic, ElasticParameters
from tests.cluster import Server, cluster_at, remove_library
from tests.cluster import sent as send
from tests.proxy import Proxy


@pytest.fixture
def cluster(proxy: Proxy) -> Iterator[Cluster]:
    made = cluster_at(Server(f"http://{proxy.host}", {}))
    yield made
    remove_library(made)


def sent(cluster: Cluster, library: Path) -> tuple[Published, ClusterStore]:
    return send(cluster, library), open_generation(cluster)


QUESTION = "Which cinema was about a city?"


def test_without_an_endpoint_it_searches_by_keywords_and_vectors_and_says_so(
    cluster: Cluster, examples_path: Path, encoder: CachedEncoder, monkeypatch: pytest.MonkeyPatch, proxy: Proxy
) -> None:
    monkeypatch.delenv(ENDPOINT, raising=False)
    _, store = sent(cluster, examples_path)
    query = encode_query("Who directed Metropolis?", [], encoder)
    found = Elastic(store).search(query, 3)
    assert found.notes == (WITHOUT,) and found.passages[0].title == "Metropolis" and not proxy.inferred
    assert set(found.passages[0].scores) == {"keyword", "cosine"} and found.passages[0].source
    monkeypatch.setenv(ENDPOINT, "my-elser")
    assert Elastic(store).search(query, 3).notes == (UNINDEXED,)


def test_with_an_endpoint_tokens_are_made_matched_and_fused(
    cluster: Cluster, examples_path: Path, encoder: CachedEncoder, monkeypatch: pytest.MonkeyPatch, proxy: Proxy
) -> None:
    first, _ = sent(cluster, examples_path)
    monkeypatch.setenv(ENDPOINT, "my-elser")
    done, store = sent(cluster, examples_path)
    assert proxy.endpoints == {"my-elser"}  # made, as the key may
    assert len(proxy.inferred) == done.sent == store.manifest.chunks and done.hash == first.hash
    again, store = sent(cluster, examples_path)
    assert again.sent == 0 and len(proxy.inferred) == store.manifest.chunks  # none a second time
    assert store.tokens_by == "my-elser"
    query = encode_query(QUESTION, [], encoder)
    alone = Elastic(store, ElasticParameters(alone=True)).search(query, 3)
    assert not alone.notes and any("film" in one.text.casefold() for one in alone.passages)
    assert [one.score for one in alone.passages] == [one.scores["elser"] for one in alone.passages]
    assert alone.passages[0].score == 1
    fused = Elastic(store).search(query, 3)
    p = ElasticParameters()
    for one in fused.passages:
        total = p.elser * one.scores["elser"] + p.keyword * one.scores["keyword"] + p.cosine * one.scores["cosine"]
        assert one.score == pytest.approx(total / (p.elser + p.keyword + p.cosine), abs=1e-6)
    scoped = encode_query(QUESTION, [], encoder, frozenset({"space/moon.md"}))
    assert {one.document for one in Elastic(store).search(scoped, 3).passages} == {"space/moon.md"}


@pytest.mark.soak
def test_indexed_without_an_endpoint_chunks_keep_the_tokens_that_they_have(
    cluster: Cluster, tmp_path: Path, encoder: CachedEncoder, monkeypatch: pytest.MonkeyPatch, proxy: Proxy
) -> None:
    place, notes = cluster.where, tmp_path / "notes"
    notes.mkdir()
    (notes / "moon.txt").write_text("The Moon orbits the Earth.", "utf-8")

    def indexed() -> tuple[Published | None, ClusterStore]:
        events = list(worked_on(place, tmp_path / "cache", lambda folder: index([notes], folder, encoder)))
        return next((one for one in events if isinstance(one, Published)), None), open_generation(cluster)

    monkeypatch.setenv(ENDPOINT, "my-elser")
    done, store = indexed()
    before = store.manifest.chunks
    assert done and done.tokens_by == "my-elser" and len(proxy.inferred) == before

    monkeypatch.delenv(ENDPOINT)
    (notes / "mars.txt").write_text("Mars has two moons, Phobos and Deimos.", "utf-8")
    done, store = indexed()
    assert done and not store.tokens_by and store.manifest.chunks == before + 1
    assert len(proxy.inferred) == before  # nothing was lost, and nothing asked for

    monkeypatch.setenv(ENDPOINT, "my-elser")
    query = encode_query("Which moons has Mars?", [], encoder)
    alone = Elastic(store, ElasticParameters(alone=True)).search(query, 3)
    assert alone.passages[0].document == "mars.txt" and alone.notes == (UNINDEXED,)

    proxy.inferred.clear()
    done, store = indexed()
    assert done and done.tokens_by == "my-elser" == store.tokens_by
    assert len(proxy.inferred) == 1  # the new chunk alone
    assert indexed()[0] is None  # and then nothing is new


@pytest.mark.soak
@pytest.mark.parametrize("missing", ["licence", "rights", "route"])
def test_what_gives_no_tokens_is_told(
    missing: str, cluster: Cluster, examples_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch, proxy: Proxy
) -> None:
    proxy.licensed, proxy.may_create = missing != "licence", missing != "rights"
    monkeypatch.setenv(ENDPOINT, "my-elser")
    real = cluster_at(server, cluster.where.name)  # that has no inference
    with pytest.raises(NotSetUp, match=r"the endpoint 'my-elser' of .* gives no tokens") as refused:
        sent(real if missing == "route" else cluster, examples_path)
    assert ENDPOINT in refused.value.hint


def test_a_library_in_a_folder_says_how_to_get_one(examples: Library) -> None:
    with pytest.raises(NotSetUp, match="Elasticsearch") as refused:
        registry.make("elastic", examples.store)
    assert "--library es://" in refused.value.hint


# Every tool finds the same on a cluster as in the folder that it was sent from.

QUESTIONS = (
    "Who directed Metropolis?",
    "Where was the director of Metropolis born?",
    "Which animals flew to space before people did?",
    "What makes the different shapes of the moon?",
)


@pytest.fixture(scope="module")
def on_cluster(server: Server, examples_path: Path, encoder: CachedEncoder) -> Iterator[Library]:
    cluster = cluster_at(server)
    send(cluster, examples_path)
    with open_library(cluster.where, encoder) as library:
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
    assert on_cluster.store.catalogue.documents == examples.store.catalogue.documents
    assert on_cluster.store.triples() == examples.store.triples()
    assert on_cluster.store.titles(5) == examples.store.titles(5)
