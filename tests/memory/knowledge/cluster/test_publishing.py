"""A generation brought onto a cluster and back: differences alone are sent, nothing is lost, nothing of others goes."""

import json
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from clew.memory.datatypes import Progress
from clew.memory.encoding import CachedEncoder
from clew.memory.errors import ClewError, LibraryBusy, LibraryMismatch, NoLibrary, ServiceUnreachable
from clew.memory.knowledge.cluster.cluster_store import open_generation
from clew.memory.knowledge.cluster.connection import Cluster
from clew.memory.knowledge.cluster.generations import Generations, libraries
from clew.memory.knowledge.cluster.publishing import STAGE, Published, Sending, publish
from clew.memory.knowledge.cluster.restoring import SPOOL, on_this_machine, restore, worked_on
from clew.memory.knowledge.disk import current_generation, held, read_manifest, required_generation
from clew.memory.knowledge.index.generation import Parameters
from clew.memory.knowledge.index.run import index
from clew.memory.knowledge.library import open_library
from clew.memory.knowledge.proof import proven
from clew.tools import registry
from clew.tools.base import encode_query
from tests.cluster import Server, cluster_at, first_of
from tests.memory.knowledge.index.test_run import run, write


@pytest.fixture
def cluster(server: Server) -> Iterator[Cluster]:
    """With a library of its own name, that is removed again."""
    made = cluster_at(server)
    yield made
    Generations(made).remove_all()


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


def restored(cluster: Cluster, folder: Path) -> Path:
    for _ in restore(open_generation(cluster), folder):
        pass
    return required_generation(folder)


def test_an_update_sends_what_differs_and_keeps_the_old_generation(
    cluster: Cluster, notes: Path, tmp_path: Path, encoder: CachedEncoder
) -> None:
    first = sent(cluster, indexed(notes, tmp_path / "library", encoder))
    assert first.sent == first.rows and not first.deleted
    before = open_generation(cluster)
    again = sent(cluster, required_generation(tmp_path / "library"))
    assert (again.sent, again.deleted, again.hash, again.index != first.index) == (0, 0, first.hash, True)
    (notes / "tides.txt").unlink()
    (notes / "lang.txt").write_text("Fritz Lang directed Metropolis.", "utf-8")
    changed = sent(cluster, indexed(notes, tmp_path / "library", encoder))
    assert changed.sent > 0 and changed.deleted and changed.hash != first.hash
    now = open_generation(cluster)
    assert {one.id for one in now.catalogue.documents} == {"moon.txt", "lang.txt"}
    assert [len(hits) for hits in now.keyword_search(["tides", "Metropolis"], 5)] == [0, 1]
    assert [len(hits) for hits in before.keyword_search(["tides", "Metropolis"], 5)] == [1, 0]  # an hour long


def test_superseded_generations_go_and_nothing_of_others(
    cluster: Cluster, notes: Path, tmp_path: Path, encoder: CachedEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    generations = Generations(cluster)
    generation = indexed(notes, tmp_path / "library", encoder)
    first = sent(cluster, generation)
    foreign = f"{generations.alias}-0000000007"
    cluster.ask(lambda client: client.indices.create(index=foreign))
    monkeypatch.setenv("ES_KEEP", "0")
    second = sent(cluster, generation)
    assert second.removed == (first.index,) and set(generations.ours()) == {second.index}
    generations.remove(foreign)
    assert cluster.ask(lambda client: client.indices.exists(index=foreign))
    cluster.ask(lambda client: client.indices.delete(index=foreign))
    assert cluster.where.name in libraries(cluster)
    assert generations.remove_all() == 1
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


def test_back_from_the_cluster_it_is_the_same_library(cluster: Cluster, examples_path: Path, tmp_path: Path) -> None:
    generation = required_generation(examples_path)
    done = sent(cluster, generation)
    back = restored(cluster, tmp_path / "back")
    assert read_manifest(back) == read_manifest(generation)  # its id too: threads go on
    assert (found := proven(back)) and not found.wrong
    assert sent(cluster, back).hash == done.hash


@pytest.mark.soak
def test_an_indexer_without_a_sign_of_life_is_taken_over(cluster: Cluster) -> None:
    lock = f"{Generations(cluster).alias}-lock"
    with Generations(cluster).held():
        pass
    cluster.ask(lambda client: client.create(index=lock, id="indexer", document={"holder": "gone", "beat": 7}))
    with Generations(cluster).held(still=0.5):
        pass


def test_what_is_removed_is_ours_and_not_at_work(
    cluster: Cluster, notes: Path, tmp_path: Path, encoder: CachedEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A library that somebody indexes stays; one that was never whole goes; another program's lock does not."""
    monkeypatch.setattr("clew.memory.knowledge.cluster.publishing.ROWS", 3)
    generations = Generations(cluster)
    run = publish(cluster, indexed(notes, tmp_path / "library", encoder))
    with closing(run):  # type: ignore[type-var]
        next(run)
        with pytest.raises(LibraryBusy, match="is running"):
            generations.remove_all()
        assert generations.ours()
    assert generations.remove_all() == 1 and not generations.ours()
    lock = f"{generations.alias}-lock"
    cluster.ask(partial(_created, index=lock))
    assert generations.remove_all() == 0
    assert cluster.ask(lambda client: client.indices.exists(index=lock))
    cluster.ask(lambda client: client.indices.delete(index=lock))


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
        run = worked_on(cluster.where, tmp_path, lambda _: iter(["worked"]), Sending(rebuild=True))
        if mark:
            assert list(run) == ["worked"]
        else:
            with pytest.raises(LibraryMismatch, match=what):
                next(run)
        cluster.ask(lambda client: client.indices.delete(index=name))


def test_what_the_cluster_refuses_is_named_and_the_library_stays(
    cluster: Cluster, notes: Path, tmp_path: Path, encoder: CachedEncoder
) -> None:
    """A document id of more bytes than a keyword may have: by its file. Mended there, the next run sends it."""
    long = tmp_path / "long.jsonl"
    long.write_text(json.dumps({"_id": "x" * 40_000, "title": "Long", "text": "A long name."}) + "\n", "utf-8")
    sent(cluster, indexed(notes, tmp_path / "library", encoder))
    generation = indexed(long, tmp_path / "library", encoder)
    with pytest.raises(ClewError, match="1 document was refused by es://") as refused:
        sent(cluster, generation)
    assert f"{'x' * 80}... of {long}: " in str(refused.value) and str(refused.value).count("xxx...") == 1
    assert {one.id for one in open_generation(cluster).catalogue.documents} == {"moon.txt", "tides.txt"}
    long.write_text(json.dumps({"_id": "short", "title": "Long", "text": "A short name."}) + "\n", "utf-8")
    sent(cluster, indexed(long, tmp_path / "library", encoder))
    assert {one.id for one in open_generation(cluster).catalogue.documents} == {"moon.txt", "tides.txt", "short"}


def _away(*_: object) -> None:
    raise ServiceUnreachable("it cannot be reached", "")


@pytest.mark.soak
def test_reading_that_was_cut_off_is_gone_on_with(
    cluster: Cluster, examples_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here by a person, there by a cluster that goes away; what was read is not asked for again."""
    done = sent(cluster, required_generation(examples_path))
    monkeypatch.setattr("clew.memory.knowledge.cluster.restoring.PAGE", 7)
    run = restore(open_generation(cluster), tmp_path / "back")
    with closing(run):  # type: ignore[type-var]
        assert next(run).done == 7 and next(run).done == 14
    assert current_generation(tmp_path / "back") is None  # what is not whole is not used
    run = restore(open_generation(cluster), tmp_path / "back")
    assert next(run).done == 21
    with monkeypatch.context() as away:
        away.setattr(Cluster, "ask", _away)
        with pytest.raises(ServiceUnreachable):
            next(run)
    *_, last = restore(open_generation(cluster), tmp_path / "back")
    assert last.done == last.total == done.rows and not (tmp_path / "back" / SPOOL).exists()
    assert sent(cluster, required_generation(tmp_path / "back")).hash == done.hash


def test_a_copy_that_is_read_stays_where_the_cluster_has_another(
    cluster: Cluster, notes: Path, tmp_path: Path, encoder: CachedEncoder
) -> None:
    sent(cluster, indexed(notes, tmp_path / "library", encoder))
    where, cache = cluster.where, tmp_path / "cache"
    with open_library(on_this_machine(where, cache), encoder) as opened:
        (notes / "sun.txt").write_text("The Sun is hot.", "utf-8")
        sent(cluster, indexed(notes, tmp_path / "library", encoder))
        on_this_machine(where, cache)
        assert opened.store.titles(9) == ["moon", "tides"] and opened.store.part().partitioning.count
    folder = on_this_machine(where, cache)
    with held(folder):
        (notes / "mars.txt").write_text("Mars is red.", "utf-8")
        sent(cluster, indexed(notes, tmp_path / "library", encoder))
        with pytest.raises(LibraryBusy):
            on_this_machine(where, cache)
    assert read_manifest(required_generation(on_this_machine(where, cache))).documents == 4


ALTERED: dict[str, dict[str, Any]] = {
    "file:0:sources.json": {"blob": b64encode(b"{}").decode()},
    "file:0:../../diary": {"kind": "file", "name": "../../diary", "number": 0, "blob": "AAAA", "hash": "x"},
    "file:0:library.sqlite": {"kind": "file", "name": "library.sqlite", "number": 0, "blob": "AAAA", "hash": "x"},
    "file:0:capsules/current": {"blob": b64encode(b"../../../diary").decode()},
    "capsule:0": {"blob": "AAAA"},
    "community:0": {"half": "AAAA"},
}


@pytest.mark.parametrize("id_", first_of(ALTERED))
def test_what_a_cluster_says_of_somebody_else_is_checked(
    cluster: Cluster, examples_path: Path, tmp_path: Path, id_: str
) -> None:
    sent(cluster, required_generation(examples_path))
    index = open_generation(cluster).index
    row = {**cluster.found(index, [id_]).get(id_, {}), **ALTERED[id_]}
    cluster.ask(lambda client: client.indices.put_settings(index=index, settings={"index.blocks.write": False}))
    cluster.ask(lambda client: client.index(index=index, id=id_, document=row, refresh=True))
    with pytest.raises(ClewError, match="is not as it was sent"):
        restored(cluster, tmp_path / "folder" / "back")
    assert current_generation(tmp_path / "folder" / "back") is None
    assert [path.name for path in tmp_path.rglob("*")] == ["folder", "back", "lock"]


def test_what_was_read_of_another_library_or_is_damaged_is_not_used(
    cluster: Cluster, notes: Path, tmp_path: Path, encoder: CachedEncoder
) -> None:
    done = sent(cluster, indexed(notes, tmp_path / "library", encoder))
    back = tmp_path / "back"
    for spoilt in (b"no database", b""):
        back.mkdir(exist_ok=True)
        (back / SPOOL).write_bytes(spoilt)
        assert sent(cluster, restored(cluster, back)).hash == done.hash


def test_a_library_without_documents(cluster: Cluster, notes: Path, tmp_path: Path, encoder: CachedEncoder) -> None:
    """Every tool finds nothing in it, it is copied back, and documents come into it."""
    (notes / "moon.txt").unlink()
    indexed(notes, tmp_path / "library", encoder)
    (notes / "tides.txt").unlink()
    done = sent(cluster, indexed(notes, tmp_path / "library", encoder))
    store = open_generation(cluster)
    query = encode_query("Who directed Metropolis?", [], encoder)
    with open_library(tmp_path / "library", encoder) as here:
        for name in registry.NAMES:
            assert registry.make(name, store).search(query, 5) == registry.make(name, here.store).search(query, 5)
    assert store.titles(5) == [] and store.triples() == [] and store.vocabulary.counts(["Metropolis"]) == [0]
    assert sent(cluster, restored(cluster, tmp_path / "back")).hash == done.hash
    (notes / "lang.txt").write_text("Fritz Lang directed Metropolis.", "utf-8")
    sent(cluster, indexed(notes, tmp_path / "library", encoder))
    assert registry.make("hybrid", open_generation(cluster)).search(query, 5).passages


# Several who index one library, each by a copy on a machine of their own: nobody's documents are lost.

Work = Callable[[Path], Iterator[object]]


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
    with closing(worked_on(cluster.where, tmp_path, lambda folder: index([moon], folder, encoder))) as run:
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
