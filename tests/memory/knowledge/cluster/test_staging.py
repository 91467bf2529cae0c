"""Several who index one library, each by a copy on a machine of their own: nobody's documents are lost."""

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from clew.memory.datatypes import Progress
from clew.memory.encoding import CachedEncoder
from clew.memory.errors import LibraryBusy, NoLibrary
from clew.memory.knowledge.cluster.cluster_store import open_generation
from clew.memory.knowledge.cluster.connection import Cluster, address
from clew.memory.knowledge.cluster.generations import Generations
from clew.memory.knowledge.cluster.publishing import STAGE, publish
from clew.memory.knowledge.cluster.restoring import worked_on
from clew.memory.knowledge.disk import required_generation
from clew.memory.knowledge.index.run import index
from tests.cluster import Server

Work = Callable[[Path], Iterator[object]]


@pytest.fixture
def cluster(server: Server) -> Iterator[Cluster]:
    where = address(server.library())
    assert where
    yield Cluster(where)
    Generations(Cluster(where)).remove_all()


def written(folder: Path, *names: str) -> list[Path]:
    for name in names:
        (folder / name).write_text(f"This is about {name}.", "utf-8")
    return [folder / name for name in names]


def documents(cluster: Cluster) -> set[str]:
    return {one.title for one in open_generation(cluster).catalogue.documents}


@pytest.mark.soak
@pytest.mark.parametrize("there", [True, False])
def test_two_machines_that_index_at_once_lose_nothing(
    cluster: Cluster, tmp_path: Path, encoder: CachedEncoder, there: bool
) -> None:
    """The second has read the library, or that there is none, before the first has sent: it says so, and run again it
    goes on from what the first made."""
    moon, tides, lang = written(tmp_path, "moon", "tides", "lang")

    def of(path: Path) -> Work:
        return lambda folder: index([path], folder, encoder)

    def overtaken(folder: Path) -> Iterator[object]:
        yield from index([lang], folder, encoder)
        list(worked_on(cluster.where, tmp_path / "first", of(tides)))

    if there:
        list(worked_on(cluster.where, tmp_path / "first", of(moon)))
    with pytest.raises(LibraryBusy, match="was indexed meanwhile") as busy:
        list(worked_on(cluster.where, tmp_path / "second", overtaken))
    assert "again" in busy.value.hint and documents(cluster) == {"tides", *(["moon"] if there else [])}
    list(worked_on(cluster.where, tmp_path / "second", of(lang)))
    assert documents(cluster) == {"tides", "lang", *(["moon"] if there else [])}


def test_what_is_indexed_while_the_copy_is_sent_is_sent_next(
    cluster: Cluster, tmp_path: Path, encoder: CachedEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two runs on one machine have one copy."""
    moon, tides = written(tmp_path, "moon", "tides")
    monkeypatch.setattr("clew.memory.knowledge.cluster.publishing.ROWS", 1)
    with closing(worked_on(cluster.where, tmp_path, lambda folder: index([moon], folder, encoder))) as run:  # type: ignore[type-var]
        while next(run) != Progress(STAGE, 1, 2):
            pass
        (copy,) = (tmp_path / "clusters").iterdir()
        list(index([tides], copy, encoder))
        list(run)
    assert documents(cluster) == {"moon"}
    list(worked_on(cluster.where, tmp_path, lambda folder: index([tides], folder, encoder)))
    assert documents(cluster) == {"moon", "tides"}


def test_who_lost_the_lock_does_not_switch(
    cluster: Cluster, tmp_path: Path, encoder: CachedEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A machine that slept while it was sending, and was taken over."""
    list(index(written(tmp_path, "moon"), tmp_path / "library", encoder))
    monkeypatch.setattr("clew.memory.knowledge.cluster.publishing.ROWS", 1)
    lock = f"{Generations(cluster).alias}-lock"
    run = publish(cluster, required_generation(tmp_path / "library"))
    with closing(run), pytest.raises(LibraryBusy, match="taken over"):  # type: ignore[type-var]
        next(run)
        cluster.ask(lambda client: client.index(index=lock, id="indexer", document={"holder": "other", "beat": 0}))
        list(run)
    with pytest.raises(NoLibrary):
        open_generation(cluster)
    cluster.ask(lambda client: client.delete(index=lock, id="indexer"))
