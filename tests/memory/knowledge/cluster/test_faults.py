"""What can go wrong with a cluster, each on a real server: a clear error with what to do, and nothing lost."""

import hashlib
import json
import logging
import ssl
import time
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from http.server import HTTPServer, SimpleHTTPRequestHandler
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from clew.agent.assistant import Assistant
from clew.agent.doctor import rows as proven
from clew.agent.settings import Settings
from clew.agent.state import Step, Turn
from clew.memory.datatypes import Progress
from clew.memory.errors import NoLibrary, NotSetUp, ServiceUnreachable
from clew.memory.knowledge.cluster.cluster_store import ClusterStore, open_generation
from clew.memory.knowledge.cluster.connection import Cluster, address
from clew.memory.knowledge.cluster.generations import WRITE_RIGHTS
from clew.memory.knowledge.cluster.publishing import STAGE, Published, worked_on
from clew.memory.knowledge.cluster.rows import proof_of, rows_of
from clew.memory.knowledge.disk import read_manifest, required_generation
from clew.memory.knowledge.index.generation import Parameters
from clew.memory.knowledge.index.run import index
from tests.benchmarks.indexing import RandomEncoder
from tests.cluster import Server, cluster_at, key_with, own_server, remove_library, sent, started, stopped
from tests.proxy import Proxy
from tests.ui.browsing import free_port

pytestmark = pytest.mark.soak

QUESTION = "Who directed Metropolis?"

BUSY = 1800
"""Seconds for a test with servers of its own, on a machine with others at work."""


def searched(store: ClusterStore) -> list[str]:
    return [hit.chunk for hit in store.keyword_search(["Metropolis"], 3)[0]]


@pytest.fixture
def behind(proxy: Proxy, server: Server, examples_path: Path) -> Iterator[Cluster]:
    """A library that is reached through the proxy."""
    cluster = cluster_at(Server(f"http://{proxy.host}", {}))
    sent(cluster, examples_path)
    yield cluster
    proxy.away, proxy.wait = False, 0
    remove_library(cluster)


@contextmanager
def asking(cluster: Cluster, home: Path, tool: str = "auto") -> Iterator[Assistant]:
    with Assistant.open(Settings(library=cluster.where, home=home, cache=home / "cache", tool=tool)) as made:
        yield made


def told(assistant: Assistant, question: str) -> tuple[list[str], Turn]:
    events = list(assistant.ask("thread", question))
    turn = events[-1]
    assert isinstance(turn, Turn)
    return [event.summary for event in events if isinstance(event, Step) and event.node == "library"], turn


def test_gone_in_mid_conversation_and_back(behind: Cluster, proxy: Proxy, tmp_path: Path) -> None:
    with asking(behind, tmp_path) as assistant:
        assert told(assistant, QUESTION)[1].passages
        proxy.away = True
        with pytest.raises(ServiceUnreachable, match="cannot be reached") as away:
            told(assistant, "Which animals flew to space?")
        assert away.value.hint
        assert [turn.question for turn in assistant.turns("thread")] == [QUESTION]
        proxy.away = False
        assert told(assistant, "Which animals flew to space?")[1].passages  # without a restart
        assert len(assistant.turns("thread")) == 2


def test_a_slow_cluster_ends_by_time_outs(
    behind: Cluster, proxy: Proxy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ES_TIMEOUT", "8")
    with asking(behind, tmp_path, "hybrid") as assistant:
        proxy.wait, proxy.slow = 10, "_msearch"
        with pytest.raises(ServiceUnreachable, match="did not answer in time") as slow:
            told(assistant, QUESTION)
        assert "ES_TIMEOUT" in slow.value.hint
        assert assistant.turns("thread") == []
        proxy.wait = 0
        assert told(assistant, QUESTION)[1].passages


def test_a_generation_that_is_gone_is_left_between_two_turns(
    server: Server, examples_path: Path, tmp_path: Path
) -> None:
    cluster = cluster_at(server)
    sent(cluster, examples_path)
    with asking(cluster, tmp_path) as assistant:
        assert told(assistant, QUESTION)[0] == []
        sent(cluster, examples_path)
        sent(cluster, examples_path)
        said, turn = told(assistant, "Which animals flew to space?")
        assert "indexed since" in said[0] and turn.passages
    remove_library(cluster)


def test_another_server_on_that_port(tmp_path: Path) -> None:
    pytest.importorskip("elasticsearch")
    with HTTPServer(("127.0.0.1", 0), partial(SimpleHTTPRequestHandler, directory=str(tmp_path))) as other:
        Thread(target=other.serve_forever, daemon=True).start()
        with pytest.raises(NotSetUp, match="is no Elasticsearch") as refused:
            open_generation(cluster_at(Server(f"http://127.0.0.1:{other.server_address[1]}", {}), "notes"))
        other.shutdown()
    assert refused.value.hint


# On servers of their own: minutes -----------------------------------------------------------------------------------


@pytest.mark.timeout(BUSY)
def test_keys_and_authorities(
    server: Server,
    examples_path: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    with own_server("--secure", like=server) as (own, _):
        about = own.about
        monkeypatch.setenv("ES_CA", about["ca"])
        monkeypatch.setenv("ES_API_KEY", about["api_key"])
        cluster = cluster_at(own, "notes")
        sent(cluster, examples_path)
        for key, what in (("bm90OmFrZXk=", "does not take the key"), ("", "wants a key")):
            monkeypatch.setenv("ES_API_KEY", key)
            with pytest.raises(NotSetUp, match=what) as refused:
                open_generation(cluster_at(own, "notes"))
            assert "ES_API_KEY" in refused.value.hint and (not key or key not in str(refused.value))
        monkeypatch.delenv("ES_API_KEY")
        monkeypatch.setenv("ES_USER", about["user"])
        monkeypatch.setenv("ES_PASSWORD", about["password"])
        owner = cluster_at(own, "notes")
        der = ssl.PEM_cert_to_DER_cert(Path(about["ca"]).read_text("ascii"))
        monkeypatch.setenv("ES_CA", hashlib.sha256(der).hexdigest())
        assert searched(open_generation(cluster_at(own, "notes")))
        monkeypatch.setenv("ES_CA", about["ca"])
        reading = key_with(owner, ["clew-notes", "clew-notes-*"], ["read", "view_index_metadata"])
        elsewhere = key_with(owner, ["other"], ["read"])
        monkeypatch.setenv("ES_API_KEY", reading)
        reader = cluster_at(own, "notes")
        assert searched(open_generation(reader))
        with asking(reader, tmp_path) as assistant:
            assert told(assistant, QUESTION)[1].passages
            exported = str(assistant.turns("thread"))
        assert proven(reader.where).state == "ok"
        with pytest.raises(NotSetUp, match="may not do this") as no_writes:
            sent(reader, examples_path)
        assert "docs/elasticsearch.md" in no_writes.value.hint
        monkeypatch.setenv("ES_API_KEY", key_with(owner, ["clew-notes", "clew-notes-*"], list(WRITE_RIGHTS)))
        assert not sent(cluster_at(own, "notes"), examples_path).sent  # what indexing needs
        monkeypatch.setenv("ES_API_KEY", elsewhere)
        with pytest.raises(NotSetUp, match=r"not allowed to see|may not do this"):
            open_generation(cluster_at(own, "notes"))
        monkeypatch.setenv("ES_API_KEY", reading)
        said = caplog.text, exported
        for secret in (about["api_key"], about["password"], reading, elsewhere):
            whole = b64encode(f"{about['user']}:{secret}".encode()).decode()
            assert not any(one in text for one in (secret, whole) for text in said)
        monkeypatch.delenv("ES_CA")
        with pytest.raises(NotSetUp, match="certificate") as untrusted:
            open_generation(cluster_at(own, "notes"))
        assert "ES_CA" in untrusted.value.hint


@contextmanager
def two_nodes(like: Server) -> Iterator[tuple[dict[str, Server], dict[str, Path], tuple[str, ...]]]:
    """Node a, the only master, and b: their servers and folders by name, and what b is started with."""
    ports = [free_port() for _ in range(2)]
    seeds = f"discovery.seed_hosts=127.0.0.1:{ports[0]},127.0.0.1:{ports[1]}"
    several = ("discovery.type=multi-node", "cluster.initial_master_nodes=a", seeds)
    own = {
        "a": ("node.name=a", f"transport.port={ports[0]}", *several),
        "b": ("node.name=b", f"transport.port={ports[1]}", "node.roles=data,ingest", *several),
    }
    options = {name: tuple(part for one in its for part in ("-E", one)) for name, its in own.items()}
    with ExitStack() as opened:
        nodes = {name: opened.enter_context(own_server(*its, like=like)) for name, its in options.items()}
        servers, folders = ({name: its[n] for name, its in nodes.items()} for n in (0, 1))
        yield servers, folders, options["b"]  # type: ignore[misc]


def waited(cluster: Cluster, **state: Any) -> None:
    until(lambda: cluster.ask(lambda client: client.cluster.health(timeout="60s", **state), 90))


@pytest.mark.timeout(BUSY)
def test_one_of_two_nodes_is_lost_and_then_the_only_master(server: Server, examples_path: Path) -> None:
    with two_nodes(server) as (servers, folders, of_b):
        first = cluster_at(servers["a"], "whole")
        waited(first, wait_for_nodes="2")
        stores = {}
        for name in ("whole", "alone"):
            both = address(f"es://{servers['a'].host},{servers['b'].host}/{name}")
            assert both
            sent(Cluster(both), examples_path)
            stores[name] = [open_generation(Cluster(both)) for _ in range(3)]
        alone, own = stores["alone"][0].index, {"number_of_replicas": 0, "routing.allocation.require._name": "b"}
        no_copy = {"index": {"auto_expand_replicas": "false", **own}}
        first.ask(lambda client: client.indices.put_settings(index=alone, settings=no_copy))
        waited(first, wait_for_no_relocating_shards=True)
        waited(first, wait_for_status="green")
        before = searched(stores["whole"][0])
        assert before and searched(stores["alone"][0]) == before
        stopped(folders["b"], "--kill")
        waited(first, wait_for_nodes="1")
        assert searched(stores["whole"][1]) == before == searched(open_generation(stores["whole"][1].cluster))
        with pytest.raises(ServiceUnreachable, match="shards") as partial_only:
            searched(stores["alone"][1])
        assert "replica" in partial_only.value.hint
        again = cluster_at(started(folders["b"], *of_b), "whole")
        waited(first, wait_for_nodes="2", wait_for_status="green")
        assert searched(stores["alone"][2]) == before  # its shard is back with the node
        stopped(folders["a"], "--kill")
        assert until(lambda: searched(open_generation(again))) == before
        with pytest.raises(ServiceUnreachable, match="no master") as no_writes:
            sent(again, examples_path)
        assert "bring the node back" in no_writes.value.hint


def until(ask: Callable[[], Any], seconds: float = 180) -> Any:
    """What it gives once the servers answer."""
    end = time.monotonic() + seconds
    while True:
        try:
            return ask()
        except ServiceUnreachable:
            if time.monotonic() > end:
                raise
            time.sleep(1)


@pytest.mark.timeout(BUSY)
def test_killed_in_a_bulk_of_20_000_chunks_the_next_run_ends_it(server: Server, tmp_path: Path) -> None:
    """The server ends as by a power cut; started again on its data, the next run sends what is missing."""
    people = [f"{one}{two}" for one in "Al Ber Cor Dag El Fin Gor Hal Ir Jor".split()
              for two in "bert da dan fried gar mund na rik ton win".split()]  # fmt: skip
    notes = (
        {"_id": f"n{n}", "title": f"Letter of {people[n % 100]}",
         "text": f"{people[n % 100]} wrote to {people[n // 100 % 100]} on page {n}."} for n in range(20_000)
    )  # fmt: skip
    (tmp_path / "notes.jsonl").write_text("".join(json.dumps(row) + "\n" for row in notes), "utf-8")
    port = ("--port", str(free_port()))  # it comes back where it was
    with own_server(*port, like=server) as (own, folder):
        killing = Thread(target=stopped, args=(folder, "--kill"))
        with pytest.raises(ServiceUnreachable):
            for event in indexed(own, tmp_path):
                if isinstance(event, Progress) and event.stage == STAGE and event.done > 8_000 and not killing.ident:
                    killing.start()
        killing.join()
        cluster = cluster_at(started(folder, *port), "notes")
        waited(cluster, wait_for_status="yellow")
        with pytest.raises(NoLibrary):
            open_generation(cluster)
        done = next(event for event in indexed(own, tmp_path) if isinstance(event, Published))
        (copy,) = (tmp_path / "clusters").iterdir()
        made = rows_of(generation := required_generation(copy), read_manifest(generation))
        undisturbed = {row.id: row.hash for row in made}
        assert 0 < done.sent < done.rows == len(undisturbed)
        found = proven(cluster.where)
        assert found.state == "ok" and proof_of(undisturbed)[:12] in found.message


def indexed(server: Server, folder: Path) -> Iterator[object]:
    """As `clew index` does, with a made encoder."""
    where = cluster_at(server, "notes").where
    notes, few = [folder / "notes.jsonl"], Parameters(triples="none")  # names take most of the time
    return worked_on(where, folder, lambda library: index(notes, library, RandomEncoder(), parameters=few))
