"""A generation brought onto a cluster: differences alone are sent, nothing is lost, nothing of others goes."""

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from clew.memory.encoding import CachedEncoder
from clew.memory.errors import ClewError, LibraryBusy, LibraryMismatch, NoLibrary
from clew.memory.knowledge.cluster.cluster_store import open_generation
from clew.memory.knowledge.cluster.connection import Cluster
from clew.memory.knowledge.cluster.generations import Generations
from clew.memory.knowledge.cluster.publishing import Published, on_this_machine, publish, worked_on
from clew.memory.knowledge.disk import required_generation
from clew.memory.knowledge.index.generation import Parameters
from clew.memory.knowledge.index.run import index
from clew.memory.knowledge.library import open_library
from clew.tools import registry
from clew.tools.base import encode_query
from tests.cluster import Server, cluster_at, remove_library
from tests.memory.knowledge.index.test_run import run, write


@pytest.fixture
def cluster(server: Server) -> Iterator[Cluster]:
    """With a library of its own name, that is removed again."""
    made = cluster_at(server)
    yield made
    remove_library(made)


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    write(tmp_path / "notes", moon="The Moon orbits the Earth.", tides="Tides rise because the Moon pulls at the sea.")
    return tmp_path / "notes"


def indexed(folder: Path, library: Path, encoder: CachedEncoder) -> Path:
    run([folder], library, encoder, parameters=Parameters(prune=True))
    return required_generation(library)


def sent(cluster: Cluster, generation: Path) -> Published:
    *_, done = publish(cluster, generation)
    assert isinstance(done, Published)
    return done


def test_an_update_sends_what_differs_and_keeps_the_old_generation(
    cluster: Cluster, notes: Path, tmp_path: Path, encoder: CachedEncoder
) -> None:
    first = sent(cluster, indexed(notes, tmp_path / "library", encoder))
    assert first.sent == first.rows and not first.deleted
    again = sent(cluster, required_generation(tmp_path / "library"))
    assert (again.sent, again.deleted, again.hash, again.index != first.index) == (0, 0, first.hash, True)
    before = open_generation(cluster)
    (notes / "tides.txt").unlink()
    (notes / "lang.txt").write_text("Fritz Lang directed Metropolis.", "utf-8")
    changed = sent(cluster, indexed(notes, tmp_path / "library", encoder))
    assert changed.sent > 0 and changed.deleted and changed.hash != first.hash
    now = open_generation(cluster)
    assert {one.id for one in now.catalogue.documents} == {"moon.txt", "lang.txt"}
    assert [len(hits) for hits in now.keyword_search(["tides", "Metropolis"], 5)] == [0, 1]
    assert [len(hits) for hits in before.keyword_search(["tides", "Metropolis"], 5)] == [1, 0]


def test_the_last_generation_stays_and_nothing_of_others_goes(
    cluster: Cluster, notes: Path, tmp_path: Path, encoder: CachedEncoder
) -> None:
    generations = Generations(cluster)
    generation = indexed(notes, tmp_path / "library", encoder)
    foreign = generations.index(7)
    cluster.ask(lambda client: client.indices.create(index=foreign))
    _, second, third = (sent(cluster, generation) for _ in range(3))
    assert generations.ours() == [second.index, third.index]
    remove_library(cluster)
    assert cluster.ask(lambda client: client.indices.exists(index=foreign))
    cluster.ask(lambda client: client.indices.delete(index=foreign))
    with pytest.raises(NoLibrary):
        open_generation(cluster)


@pytest.mark.soak
def test_a_run_that_was_cut_off_is_gone_on_with(
    cluster: Cluster, notes: Path, tmp_path: Path, encoder: CachedEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    generation = indexed(notes, tmp_path / "library", encoder)
    monkeypatch.setattr("clew.memory.knowledge.cluster.publishing.ROWS", 3)
    run = publish(cluster, generation)
    with closing(run):  # type: ignore[type-var]
        next(run)
        next(run)
    with pytest.raises(NoLibrary):
        open_generation(cluster)  # what is not whole is not used
    done = sent(cluster, generation)
    assert done.rows - 6 == done.sent
    assert [len(hits) for hits in open_generation(cluster).keyword_search(["tides"], 5)] == [1]


def _created(client: Any, **what: object) -> Any:
    return client.indices.create(**what)


def test_an_index_of_another_format_or_program_is_not_read(cluster: Cluster, tmp_path: Path) -> None:
    """A rebuild takes the place of what is ours alone."""
    name = Generations(cluster).index(1)
    alias: dict[str, dict[str, str]] = {Generations(cluster).alias: {}}
    ours = {"clew": {"library": cluster.where.name, "format": 99, "generation": 1}}
    for mark, what in (({}, "another program"), (ours, "format 99")):
        cluster.ask(partial(_created, index=name, mappings={"_meta": mark}, aliases=alias))
        with pytest.raises(LibraryMismatch, match=what):
            open_generation(cluster)
        run = worked_on(cluster.where, tmp_path, lambda _: iter(["worked"]), anew=True)
        if mark:
            assert list(run) == ["worked"]
        else:
            with pytest.raises(LibraryMismatch, match=what):
                next(run)
        cluster.ask(lambda client: client.indices.delete(index=name))


def test_what_the_cluster_refuses_is_named_and_the_library_stays(
    cluster: Cluster, notes: Path, tmp_path: Path, encoder: CachedEncoder
) -> None:
    """A document id of more bytes than a keyword may have. Mended, the next run sends it."""
    long = tmp_path / "long.jsonl"
    long.write_text(json.dumps({"_id": "x" * 40_000, "title": "Long", "text": "A long name."}) + "\n", "utf-8")
    sent(cluster, indexed(notes, tmp_path / "library", encoder))
    generation = indexed(long, tmp_path / "library", encoder)
    with pytest.raises(ClewError, match="1 document refused by es://") as refused:
        sent(cluster, generation)
    assert f"({'x' * 80}: " in str(refused.value) and len(str(refused.value)) < 400
    assert {one.id for one in open_generation(cluster).catalogue.documents} == {"moon.txt", "tides.txt"}
    long.write_text(json.dumps({"_id": "short", "title": "Long", "text": "A short name."}) + "\n", "utf-8")
    sent(cluster, indexed(long, tmp_path / "library", encoder))
    assert {one.id for one in open_generation(cluster).catalogue.documents} == {"moon.txt", "tides.txt", "short"}


def test_a_library_without_documents(cluster: Cluster, notes: Path, tmp_path: Path, encoder: CachedEncoder) -> None:
    """Every tool finds nothing in it, and documents come into it."""
    (notes / "moon.txt").unlink()
    indexed(notes, tmp_path / "library", encoder)
    (notes / "tides.txt").unlink()
    sent(cluster, indexed(notes, tmp_path / "library", encoder))
    store = open_generation(cluster)
    query = encode_query("Who directed Metropolis?", [], encoder)
    with open_library(tmp_path / "library", encoder) as here:
        for name in registry.NAMES:
            assert registry.make(name, store).search(query, 5) == registry.make(name, here.store).search(query, 5)
    assert store.titles(5) == [] and store.triples() == [] and store.vocabulary.counts(["Metropolis"]) == [0]
    (notes / "lang.txt").write_text("Fritz Lang directed Metropolis.", "utf-8")
    sent(cluster, indexed(notes, tmp_path / "library", encoder))
    assert registry.make("hybrid", open_generation(cluster)).search(query, 5).passages


# Several who index one library: nobody's documents are lost.

Work = Callable[[Path], Iterator[object]]


def written(folder: Path, *names: str) -> list[Path]:
    for name in names:
        (folder / name).write_text(f"This is about {name}.", "utf-8")
    return [folder / name for name in names]


def documents(cluster: Cluster) -> set[str]:
    return {one.title for one in open_generation(cluster).catalogue.documents}


def test_only_the_machine_that_indexed_it_goes_on(
    cluster: Cluster, tmp_path: Path, encoder: CachedEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another one, or one whose copy is gone, is told to make it anew; what the first has then is old."""
    moon, tides, lang = written(tmp_path, "moon", "tides", "lang")

    def run(machine: str, path: Path, anew: bool = False) -> None:
        work: Work = lambda folder: index([path], folder, encoder)  # noqa: E731
        list(worked_on(cluster.where, tmp_path / machine, work, anew))

    run("first", moon)
    run("first", tides)
    assert documents(cluster) == {"moon", "tides"}
    for ask in (lambda: run("second", lang), lambda: on_this_machine(cluster.where, tmp_path / "second")):
        with pytest.raises(LibraryMismatch, match="not what was sent from this machine") as other:
            ask()
        assert "--rebuild" in other.value.hint
    (sent_note,) = (tmp_path / "first" / "clusters").glob("*/sent.json")
    sent_note.unlink()  # as of a run that was killed just before it noted that it had sent
    run("first", lang)
    assert documents(cluster) == {"moon", "tides", "lang"}
    run("second", lang, anew=True)
    assert documents(cluster) == {"lang"}
    with pytest.raises(LibraryMismatch):
        run("first", moon)
    remove_library(cluster)
    run("first", moon)  # where there is none, it begins with an empty one
    assert documents(cluster) == {"moon"}


@pytest.mark.soak
@pytest.mark.parametrize("there", [True, False])
def test_two_runs_at_once_lose_nothing(cluster: Cluster, tmp_path: Path, encoder: CachedEncoder, there: bool) -> None:
    """The second has begun before the first has sent: it says so and the library stays."""
    moon, tides, lang = written(tmp_path, "moon", "tides", "lang")

    def of(path: Path) -> Work:
        return lambda folder: index([path], folder, encoder)

    def overtaken(folder: Path) -> Iterator[object]:
        yield from index([lang], folder, encoder)
        list(worked_on(cluster.where, tmp_path / "other", of(tides), anew=True))

    if there:
        list(worked_on(cluster.where, tmp_path / "first", of(moon)))
    with pytest.raises(LibraryBusy, match="was indexed meanwhile"):
        list(worked_on(cluster.where, tmp_path / "first", overtaken))
    assert documents(cluster) == {"tides"}
