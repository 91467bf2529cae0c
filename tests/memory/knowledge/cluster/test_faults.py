"""What can go wrong with a cluster, each on a real server: a clear error with what to do, and nothing lost."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from clew.agent.assistant import Assistant
from clew.agent.settings import Settings
from clew.agent.state import Step, Turn
from clew.memory.errors import ClewError, NoLibrary, NotSetUp, ServiceUnreachable
from clew.memory.knowledge.cluster.cluster_store import ClusterStore, open_generation
from clew.memory.knowledge.cluster.connection import Cluster, address
from clew.memory.knowledge.cluster.generations import Generations
from clew.memory.knowledge.cluster.publishing import Published, Sending, publish
from clew.memory.knowledge.disk import required_generation
from clew.memory.knowledge.index.run import index
from tests.benchmarks.ingest import RandomEncoder
from tests.cluster import Server, own_server, started, stopped
from tests.proxy import Proxy, proxy_before

QUESTION = "Who directed Metropolis?"


def cluster_at(server: Server, name: str = "") -> Cluster:
    where = address(server.library(name))
    assert where
    return Cluster(where)


def sent(cluster: Cluster, library: Path) -> Published:
    *_, done = publish(cluster, required_generation(library))
    assert isinstance(done, Published)
    return done


def searched(store: ClusterStore) -> list[str]:
    return [hit.chunk for hit in store.keyword_search(["Metropolis"], 3)[0]]


@pytest.fixture
def proxy(server: Server) -> Iterator[Proxy]:
    if server.url.startswith("https"):
        pytest.skip("the proxy speaks no TLS")
    with proxy_before(server.url) as made:
        yield made


@pytest.fixture
def behind(proxy: Proxy, server: Server, examples_path: Path) -> Iterator[Cluster]:
    """A library that is reached through the proxy."""
    cluster = cluster_at(Server(f"http://{proxy.host}", {}))
    sent(cluster, examples_path)
    yield cluster
    proxy.away, proxy.wait = False, 0
    Generations(cluster).remove_all()


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


def test_gone_within_a_turn_it_is_told_from_what_is_there(behind: Cluster, proxy: Proxy, tmp_path: Path) -> None:
    """After the first search is answered: the rest is left out, and the turn says so."""
    with asking(behind, tmp_path, "hybrid+graph+clues") as assistant:
        events = assistant.ask("thread", QUESTION)
        found = []
        for event in events:
            found.append(event)
            if isinstance(event, Step) and event.node == "think":
                proxy.away = True
            if isinstance(event, Step) and event.node == "observe":
                proxy.away = False
        turn = found[-1]
        assert isinstance(turn, Turn) and turn.passages
        assert {one.part for one in turn.degraded} == {"search"} and "cannot be reached" in turn.degraded[0].why


@pytest.mark.soak
def test_a_slow_cluster_ends_by_time_outs_and_the_turns_deadline(
    behind: Cluster, proxy: Proxy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ES_TIMEOUT", "20")
    with asking(behind, tmp_path, "hybrid") as assistant:
        proxy.wait, proxy.slow = 25, "_msearch"
        with pytest.raises(ServiceUnreachable, match="did not answer in time") as slow:
            told(assistant, QUESTION)
        assert slow.value.hint
        proxy.wait = 0
        assert told(assistant, QUESTION)[1].passages


def test_a_generation_that_is_gone_is_left_between_two_turns(
    server: Server, examples_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster = cluster_at(server)
    sent(cluster, examples_path)
    with asking(cluster, tmp_path) as assistant:
        assert told(assistant, QUESTION)[0] == []
        monkeypatch.setenv("ES_KEEP", "0")
        assert sent(cluster, examples_path).removed
        said, turn = told(assistant, "Which animals flew to space?")
        assert "indexed since" in said[0] and turn.passages
    Generations(cluster).remove_all()


class _Other(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"hi")

    do_POST = do_GET  # noqa: N815

    def log_message(self, *_: object) -> None:
        """Nothing on the standard error."""


def test_another_server_on_that_port() -> None:
    pytest.importorskip("elasticsearch")
    with HTTPServer(("127.0.0.1", 0), _Other) as other:
        Thread(target=other.serve_forever, daemon=True).start()
        with pytest.raises(NotSetUp, match="is no Elasticsearch") as refused:
            open_generation(cluster_at(Server(f"http://127.0.0.1:{other.server_address[1]}", {}), "notes"))
        other.shutdown()
    assert refused.value.hint


# On servers of their own: minutes -----------------------------------------------------------------------------------


@pytest.mark.soak
def test_keys_and_authorities(examples_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with own_server("--secure") as (server, _):
        about = server.about
        monkeypatch.setenv("ES_CA", about["ca"])
        monkeypatch.setenv("ES_API_KEY", about["api_key"])
        cluster = cluster_at(server, "notes")
        sent(cluster, examples_path)
        for key, what in (("bm90OmFrZXk=", "does not take the key"), ("", "wants a key")):
            monkeypatch.setenv("ES_API_KEY", key)
            with pytest.raises(NotSetUp, match=what) as refused:
                open_generation(cluster_at(server, "notes"))
            assert "ES_API_KEY" in refused.value.hint and (not key or key not in str(refused.value))
        monkeypatch.delenv("ES_API_KEY")
        monkeypatch.setenv("ES_USER", about["user"])
        monkeypatch.setenv("ES_PASSWORD", about["password"])
        owner = cluster_at(server, "notes")
        reading = _key(owner, ["clew-notes", "clew-notes-*"], ["read", "view_index_metadata"])
        elsewhere = _key(owner, ["other"], ["read"])
        monkeypatch.setenv("ES_API_KEY", reading)
        reader = cluster_at(server, "notes")
        assert searched(open_generation(reader))
        with pytest.raises(NotSetUp, match="may not do this") as no_writes:
            sent(reader, examples_path)
        assert "docs/elasticsearch.md" in no_writes.value.hint
        monkeypatch.setenv("ES_API_KEY", elsewhere)
        with pytest.raises(NotSetUp, match=r"not allowed to see|may not do this"):
            open_generation(cluster_at(server, "notes"))
        monkeypatch.setenv("ES_API_KEY", reading)
        monkeypatch.delenv("ES_CA")
        with pytest.raises(NotSetUp, match="certificate") as untrusted:
            open_generation(cluster_at(server, "notes"))
        assert "ES_CA" in untrusted.value.hint


def _key(owner: Cluster, names: list[str], privileges: list[str]) -> str:
    rights = {"clew": {"cluster": ["monitor"], "indices": [{"names": names, "privileges": privileges}]}}
    made = owner.ask(lambda client: client.security.create_api_key(name="clew", role_descriptors=rights))
    return str(made["encoded"])


@contextmanager
def two_nodes(replicas: int, library: Path) -> Iterator[tuple[list[Server], list[Path], Cluster]]:
    """Node a, the only master, and b, with a library of two shards on both."""
    seeds = "discovery.seed_hosts=127.0.0.1:{0},127.0.0.1:{1}"
    ports = 9391 + 2 * (os.getpid() % 200), 9392 + 2 * (os.getpid() % 200)
    several = ("discovery.type=multi-node", "cluster.initial_master_nodes=a", seeds.format(*ports))
    options = {
        "a": ("node.name=a", f"transport.port={ports[0]}", *several),
        "b": ("node.name=b", f"transport.port={ports[1]}", "node.roles=data,ingest", *several),
    }
    with ExitStack() as opened:
        given = {name: [part for one in its for part in ("-E", one)] for name, its in options.items()}
        nodes = [opened.enter_context(own_server(*given[name])) for name in ("a", "b")]
        servers = [server for server, _ in nodes]
        first = cluster_at(servers[0], "notes")
        first.ask(lambda client: client.cluster.health(wait_for_nodes="2", timeout="60s"), 90)
        where = address(f"es://{servers[0].host},{servers[1].host}/notes")
        assert where
        cluster = Cluster(where)
        for _ in publish(cluster, required_generation(library), Sending(shards=2, replicas=replicas)):
            pass
        first.ask(lambda client: client.cluster.health(wait_for_status="green", timeout="60s"), 90)
        yield servers, [folder for _, folder in nodes], cluster


@pytest.mark.soak
@pytest.mark.parametrize("replicas", [0, 1])
def test_one_of_two_nodes_is_lost(replicas: int, examples_path: Path) -> None:
    with two_nodes(replicas, examples_path) as (_, folders, cluster):
        store = open_generation(cluster)
        before = searched(store)
        stopped(folders[1], "--kill")
        cluster.ask(lambda client: client.cluster.health(wait_for_nodes="1", timeout="60s"), 90)
        if replicas:
            assert searched(open_generation(cluster)) == before
        else:
            with pytest.raises(ServiceUnreachable, match="shards") as partial_only:
                searched(_fresh(store))
            assert "replica" in partial_only.value.hint


@pytest.mark.soak
def test_the_only_master_is_lost(examples_path: Path) -> None:
    with two_nodes(1, examples_path) as (_, folders, cluster):
        store = open_generation(cluster)
        before = searched(store)
        stopped(folders[0], "--kill")
        assert _until(lambda: searched(_fresh(store))) == before
        with pytest.raises(ServiceUnreachable, match=r"no master|cannot answer now"):
            sent(cluster, examples_path)


def _fresh(store: ClusterStore) -> ClusterStore:
    """With nothing held."""
    return ClusterStore(store.cluster, store.index, store.manifest, store._said)


def _until(ask: Any, seconds: float = 120) -> Any:
    end = time.monotonic() + seconds
    while True:
        try:
            return ask()
        except ServiceUnreachable:
            if time.monotonic() > end:
                raise
            time.sleep(1)


@pytest.mark.soak
def test_a_full_disk_is_told_at_once_and_mended(examples_path: Path) -> None:
    with own_server() as (server, _):
        cluster = cluster_at(server, "notes")
        sent(cluster, examples_path)
        marks = dict.fromkeys(("low", "high", "flood_stage"), "1%")
        _disk(cluster, {f"watermark.{name}": value for name, value in marks.items()})
        index = Generations(cluster).current()
        _until_blocked(cluster, index, True)
        assert searched(open_generation(cluster))  # it is read
        with pytest.raises(ClewError, match=r"its disk is full|takes no writes") as full:
            sent(cluster, examples_path)
        assert "room" in full.value.hint
        _disk(cluster, {f"watermark.{name}": None for name in marks})
        _until_blocked(cluster, index, False)
        assert sent(cluster, examples_path).hash


def _disk(cluster: Cluster, given: dict[str, Any]) -> None:
    own = {"threshold_enabled": True, **given}
    named = {f"cluster.routing.allocation.disk.{name}": value for name, value in own.items()}
    every = {**named, "cluster.info.update.interval": "10s"}
    cluster.ask(lambda client: client.cluster.put_settings(persistent=every))


def _until_blocked(cluster: Cluster, index: str, wanted: bool) -> None:
    for _ in range(120):
        said = cluster.ask(lambda client: client.indices.get_settings(index=index))[index]["settings"]["index"]
        if ("read_only_allow_delete" in said.get("blocks", {})) is wanted:
            return
        time.sleep(1)
    raise AssertionError("the disk's mark was not seen")


INDEXING = """
import sys
from pathlib import Path
from clew.memory.knowledge.cluster.connection import Cluster, address
from clew.memory.knowledge.cluster.publishing import publish
from clew.memory.knowledge.disk import required_generation
from clew.memory.knowledge.index.run import index
from tests.benchmarks.ingest import RandomEncoder
for event in publish(Cluster(address(sys.argv[1])), required_generation(Path(sys.argv[2]))):
    print(event, flush=True)
"""


@pytest.mark.soak
def test_killed_in_a_bulk_of_20_000_chunks_the_next_run_ends_it(tmp_path: Path) -> None:
    """The server ends as by a power cut; started again on its data, the next run sends what is missing."""
    rows = (
        {"_id": f"n{n}", "title": f"Note {n}", "text": f"Note {n} is about thing {n % 977}."} for n in range(20_000)
    )
    (tmp_path / "notes.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    for _ in index([tmp_path / "notes.jsonl"], tmp_path / "library", RandomEncoder()):
        pass
    with own_server() as (server, folder):
        whole = sent(cluster_at(server, "undisturbed"), tmp_path / "library")
        where = server.library("notes")
        command = [sys.executable, "-c", INDEXING, where, str(tmp_path / "library")]
        run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert run.stdout
        for line in run.stdout:
            if "done=" in line and int(line.partition("done=")[2].partition(",")[0]) > 8_000:
                break
        stopped(folder, "--kill")
        run.communicate()
        assert run.returncode != 0
        again = started(folder)
        cluster = cluster_at(again, "notes")
        _until(lambda: cluster.ask(lambda client: client.cluster.health(wait_for_status="yellow", timeout="30s"), 60))
        with pytest.raises(NoLibrary):
            open_generation(cluster)
        done = sent(cluster, tmp_path / "library")
        assert 0 < done.sent < done.rows and (done.rows, done.hash) == (whole.rows, whole.hash)
