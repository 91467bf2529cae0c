"""What a library on a cluster is asked, and which part of it a question reaches."""

from pathlib import Path

import pytest

from clew.memory.knowledge.cluster.cluster_store import RecentlyRead, open_generation
from clew.memory.knowledge.cluster.searches import MOST_HITS
from clew.memory.knowledge.index.run import index
from tests.benchmarks.indexing import RandomEncoder
from tests.cluster import Server, cluster_at, remove_library, sent


@pytest.mark.soak
def test_a_question_of_more_words_than_a_server_takes(server: Server, tmp_path: Path) -> None:
    """As somebody pastes a document: its rarest words are asked for."""
    cluster = cluster_at(server)
    words = [f"{one}{two}{three}" for one in PARTS for two in PARTS for three in PARTS]
    text = ". ".join(" ".join(words[n : n + 40]) for n in range(0, len(words), 40))
    for name in ("one", "other"):
        (tmp_path / f"{name}.txt").write_text(f"{name}. {text}", "utf-8")
    (tmp_path / "moon.txt").write_text("The Moon orbits the Earth.", "utf-8")
    for _ in index([tmp_path], tmp_path / "library", RandomEncoder()):
        pass
    sent(cluster, tmp_path / "library")
    store = open_generation(cluster)
    assert len(store.statistics.tokens) > 15_000
    (hits,) = store.keyword_search([f"{text} Moon"], MOST_HITS)
    assert {one.document for one in store.chunks([hit.chunk for hit in hits])} == {"moon.txt", "one.txt", "other.txt"}
    remove_library(cluster)


def test_what_was_read_is_kept_up_to_one_bound(
    server: Server, examples_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows, what was found, vectors of sentences and slices of capsules together."""
    cluster = cluster_at(server)
    sent(cluster, examples_path)
    monkeypatch.setattr("clew.memory.knowledge.cluster.cluster_store.KEPT_BYTES", bound := 200_000)
    store = open_generation(cluster)
    ids = [one.id for one in store.sample(1000)]
    store.keyword_search(["Metropolis", "the moon"], 50)
    assert store.part().layers.chunk_ids and len(store.sentences_of(ids)) == len(ids)
    kept = [one for one in vars(store).values() if isinstance(one, RecentlyRead)]
    assert bound / 2 < sum(one.size for one in kept) <= bound
    remove_library(cluster)


PARTS = [f"{a}{b}" for a in "bdfgklmnprtvz" for b in "aou"][:26]
