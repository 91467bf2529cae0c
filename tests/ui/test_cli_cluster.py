"""A library on a cluster by the command line: indexed, asked and proven, by keys of few rights,
which are told nowhere."""

import json
import logging
from base64 import b64encode
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from clew.memory.knowledge.cluster.cluster_store import ClusterStore, open_cluster
from clew.memory.knowledge.cluster.connection import Cluster, address
from clew.memory.knowledge.cluster.generations import READ_RIGHTS, WRITE_RIGHTS
from tests.cluster import Server, cluster_at, first_of, key_with, own_server, remove_library
from tests.ui.conftest import Run


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "moon.txt").write_text("The Moon orbits the Earth at a distance of 384,400 kilometres.", "utf-8")
    return folder


def test_from_documents_to_an_answer_and_away_again(
    server: Server, notes: Path, clew: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    where = server.library()
    done = clew("index", notes, "--library", where, "--json")
    assert done.exit_code == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["new"] == 1 and report["seconds"]["sending to the cluster"] > 0
    again = clew("index", notes, "--library", where)
    assert again.stdout == "0 new, 0 changed, 0 removed, 1 unchanged, 0 failed\n"
    answered = clew("ask", "What does the Moon orbit?", "--library", where)
    assert "Earth" in answered.stdout and answered.exit_code == 0
    assert "1 partitions of 1 nodes" in clew("partition", "--library", where).stdout
    exported = clew("export", "--library", where, "--format", "graph", "--out", tmp_path / "graph")
    assert "wrote 1 node" in exported.stderr and (tmp_path / "graph" / "nodes.jsonl").exists()
    looked = clew("doctor", "--library", where, "--json")
    checks = {one["name"]: one for one in map(json.loads, looked.stdout.splitlines())}
    assert [checks[name]["state"] for name in ("library", "library rows")] == ["ok"] * 2
    remove_library(cluster_at(server, where.rpartition("/")[2]))
    gone = clew("ask", "What does the Moon orbit?", "--library", where)
    assert gone.exit_code == 3 and "there is no library" in gone.stderr


def altered(where: str, id_: str, change: Callable[[dict[str, Any]], object] | None) -> ClusterStore:
    """A row of the library as somebody else's program has written it, or without a change removed."""
    opened = address(where)
    assert opened
    store = open_cluster(opened)
    ask, index = store.cluster.ask, store.index
    ask(lambda client: client.indices.put_settings(index=index, settings={"index.blocks.write": None}))
    row = store.cluster.found(index, [id_])[id_]
    if change:
        change(row)
        ask(lambda client: client.index(index=index, id=id_, document=row, refresh=True))
    else:
        ask(lambda client: client.delete(index=index, id=id_, refresh=True))
    return store


@pytest.mark.parametrize("what", first_of(["rows", "format", "manifest", "copy"]))
def test_what_cannot_be_read_is_made_anew(
    server: Server, notes: Path, clew: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, what: str
) -> None:
    """A library of another version, or a damaged one, on a machine with a copy or without."""
    monkeypatch.setenv("CLEW_LIBRARY", where := server.library())
    monkeypatch.setenv("CLEW_CACHE", str(tmp_path / "cache"))
    assert clew("index", notes, "-q").exit_code == 0
    if what in ("format", "copy"):
        store = altered(where, "manifest", lambda row: row["rest"].update(format=99))
        mark = {"clew": {"library": store.cluster.where.name, "format": 99, "generation": 1}}
        store.cluster.ask(lambda client: client.indices.put_mapping(index=store.index, meta=mark))
    elif what == "manifest":
        altered(where, "manifest", None)
    else:
        altered(where, "capsule:0", None)
    if what != "copy":
        monkeypatch.setenv("CLEW_CACHE", str(tmp_path / "elsewhere"))
    refused = clew("index", notes)
    assert refused.exit_code == 3 and "--rebuild" in refused.stderr
    done = clew("index", notes, "--rebuild")
    assert done.exit_code == 0, done.stderr
    assert "moon" in clew("search", "What does the Moon orbit?").stdout
    assert clew("doctor").exit_code == 0


def test_a_row_that_is_gone_is_seen_and_all_is_sent_again(
    server: Server, notes: Path, clew: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLEW_LIBRARY", where := server.library())
    assert clew("index", notes, "-q").exit_code == 0
    assert "are as they were sent" in clew("doctor").stdout
    altered(where, "capsule:0", None)
    damaged = clew("doctor")
    assert damaged.exit_code == 1 and "not as they were sent" in damaged.stdout
    mended = clew("doctor", "--repair")
    assert mended.exit_code == 0 and "rows sent" in mended.stderr, mended.stdout
    assert "Earth" in clew("ask", "What does the Moon orbit?").stdout


def test_what_looks_at_all_says_above_which_size_it_does_not(
    server: Server, notes: Path, clew: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a passage answers is answered in a library of any size."""
    monkeypatch.setenv("CLEW_LIBRARY", server.library())
    assert clew("index", notes, "-q").exit_code == 0
    monkeypatch.setattr("clew.memory.knowledge.cluster.cluster_store.WHOLE", 0)
    refused = clew("ask", "What is this collection about?")
    assert refused.exit_code == 1 and "this looks at all, and takes 0 at most" in refused.stderr, refused.stdout
    assert "Earth" in clew("ask", "What does the Moon orbit?").stdout


NAMES = ("clew-notes", "clew-notes-*")


@pytest.fixture
def secure(server: Server) -> Iterator[Server]:
    """Before `home`, which takes away what names the program."""
    with own_server("--secure", like=server) as (own, _):
        yield own


@pytest.mark.soak
@pytest.mark.timeout(600)
def test_a_key_for_one_library_indexes_it_and_stands_nowhere(
    secure: Server,
    notes: Path,
    clew: Run,
    home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("CLEW_CACHE", str(tmp_path / "cache"))
    said: list[str] = []

    def done(*arguments: object, code: int = 0, told: str = "") -> str:
        result = clew(*arguments)
        said.extend((result.stdout, result.stderr))
        assert result.exit_code == code, result.stderr
        assert told in result.stdout + result.stderr
        return result.stdout

    about = secure.about
    monkeypatch.setenv("ES_CA", about["ca"])
    monkeypatch.setenv("ES_USER", about["user"])
    monkeypatch.setenv("ES_PASSWORD", about["password"])
    monkeypatch.setenv("CLEW_LIBRARY", where := f"ess://{secure.host}/notes")
    at = address(where)
    assert at
    owner = Cluster(at)
    indexing, reading = (key_with(owner, NAMES, rights) for rights in (WRITE_RIGHTS, READ_RIGHTS))
    foreign = key_with(owner, ["other"], ["all"])
    done("settings")  # with a password
    monkeypatch.delenv("ES_USER")
    monkeypatch.delenv("ES_PASSWORD")

    monkeypatch.setenv("ES_API_KEY", reading)
    done("index", notes, code=3, told="may not index: write, manage missing")  # nothing is there yet
    monkeypatch.setenv("ES_API_KEY", foreign)
    done("index", notes, code=3, told="not allowed to see")
    monkeypatch.setenv("ES_API_KEY", "bm90OmFrZXk=")
    done("index", notes, code=3, told="does not take the key")
    assert not (tmp_path / "cache" / "clusters").exists()  # nothing was made of it here
    monkeypatch.setenv("ES_API_KEY", indexing)
    done("index", notes, told="1 new")
    (notes / "mars.txt").write_text("Mars has two moons, Phobos and Deimos.", "utf-8")
    done("index", notes, told="1 new")
    done("index", notes, "--rebuild", told="2 new")
    done("partition", told="partitions of")
    store = open_cluster(at)
    (row,) = store.cluster.scanned(store.index, {"term": {"chunk": "moon.txt#0"}})
    ask, index = owner.ask, store.index
    ask(lambda client: client.indices.put_settings(index=index, settings={"index.blocks.write": None}))
    ask(lambda client: client.delete(index=index, id=row["_id"], refresh=True))
    done("doctor", code=1, told="not as they were sent")
    done("doctor", "--repair", told="repaired")
    done("doctor")
    remove_library(Cluster(at))
    done("index", notes, told="2 new")
    monkeypatch.setenv("CLEW_LIBRARY", f"ess://{secure.host}/another")
    done("index", notes, code=3)
    monkeypatch.setenv("CLEW_LIBRARY", where)

    monkeypatch.setenv("ES_API_KEY", reading)
    done("ask", "What does the Moon orbit?", told="Earth")
    done("--verbose", "search", "moons of Mars", "--json", told="Phobos")
    done("settings")
    done("settings", "--json")
    thread = json.loads(done("threads", "--all", "--json").splitlines()[0])["id"]
    for name in ("thread.json", "thread.md"):
        done("export", thread, "--out", tmp_path / name)
    for form in ("graph", "text"):
        done("export", "--format", form, "--out", tmp_path / form)
    done("doctor", "--json")
    done("index", notes, "--rebuild", code=3, told="may not")
    monkeypatch.setenv("ES_API_KEY", foreign)
    done("ask", "What does the Moon orbit?", code=3)
    monkeypatch.setenv("ES_API_KEY", "bm90OmFrZXk=")
    done("ask", "What does the Moon orbit?", code=3, told="does not take the key")

    of_password = b64encode(f"{about['user']}:{about['password']}".encode()).decode()
    secrets = (indexing, reading, foreign, about["password"], of_password, "bm90OmFrZXk=")
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert home in {parent for path in written for parent in path.parents} and len(written) > 20
    everything = "\n".join((*said, caplog.text)).encode() + b"\n".join(path.read_bytes() for path in written)
    assert [secret for secret in secrets if secret.encode() in everything] == []


# Without a cluster


def test_a_cluster_that_does_not_answer_or_is_none(clew: Run, notes: Path, tmp_path: Path) -> None:
    assert clew("index", notes, "--library", tmp_path / "here").exit_code == 0
    for command in ("ask", "search"):
        done = clew(command, "What does the Moon orbit?", "--library", tmp_path / "here", "--tool", "elastic")
        assert done.exit_code == 3 and "--library es://" in done.stderr
    pytest.importorskip("elasticsearch")
    for asked in (("ask", "Why?"), ("search", "Why?", "--tool", "elastic")):
        done = clew(*asked, "--library", "es://127.0.0.1:9/notes")
        assert done.exit_code == 4 and "cannot be reached" in done.stderr
    Path("clew.toml").write_text('library = "es://127.0.0.1:9/notes"\n', "utf-8")
    done = clew("ask", "Why?")  # a working folder names no host that gets a key
    assert done.exit_code == 3 and "127.0.0.1:9" not in done.stdout
