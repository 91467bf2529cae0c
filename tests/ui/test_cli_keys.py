"""A library on a cluster with keys of few rights, and that no key is told anywhere, by the command line."""

import json
import logging
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.memory.knowledge.cluster.cluster_store import open_cluster
from clew.memory.knowledge.cluster.connection import Cluster, address
from clew.memory.knowledge.cluster.generations import READ_RIGHTS, WRITE_RIGHTS
from tests.cluster import Server, key_with, own_server
from tests.ui.conftest import Run

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
    clew: Run,
    home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("CLEW_CACHE", str(tmp_path / "cache"))
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "moon.txt").write_text("The Moon orbits the Earth at a distance of 384,400 kilometres.", "utf-8")
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
    done("copy", where, f"ess://{secure.host}/another", code=3)
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
    done("index", notes, "--replicas", 0)
    done("partition", told="partitions of")
    store = open_cluster(at)
    (row,) = store.cluster.scanned(store.index, {"term": {"chunk": "moon.txt#0"}})
    ask, index = owner.ask, store.index
    ask(lambda client: client.indices.put_settings(index=index, settings={"index.blocks.write": None}))
    ask(lambda client: client.update(index=index, id=row["_id"], doc={"text": "The Moon orbits Mars."}, refresh=True))
    done("doctor", code=1, told="changed")
    done("doctor", "--repair", told="repaired")
    done("doctor")
    done("copy", where, tmp_path / "back", told="2 documents")
    done("libraries", where, "--remove", "notes", "--yes")
    done("copy", tmp_path / "back", where, told="2 documents")
    done("copy", where, f"ess://{secure.host}/another", code=3, told="may not")

    monkeypatch.setenv("ES_API_KEY", reading)
    done("ask", "What does the Moon orbit?", told="Earth")
    done("--verbose", "--log-level", "debug", "search", "moons of Mars", "--json", told="Phobos")
    done("settings")
    done("settings", "--json")
    thread = json.loads(done("threads", "--json").splitlines()[0])["id"]
    for name in ("thread.json", "thread.md"):
        done("export", thread, "--out", tmp_path / name)
    for form in ("graph", "text"):
        done("export", "--format", form, "--out", tmp_path / form)
    done("doctor", "--json")
    done("libraries", f"ess://{secure.host}")
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
