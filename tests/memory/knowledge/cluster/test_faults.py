"""What can go wrong with a cluster, each on a real server: a clear error with what to do, and nothing lost."""

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

from clew.agent.assistant import Assistant
from clew.agent.doctor.cluster import UNSEEN
from clew.agent.doctor.cluster import cluster as looked_at
from clew.agent.settings import Settings
from clew.agent.state import Step, Turn
from clew.memory.errors import NotSetUp, ServiceUnreachable
from clew.memory.knowledge.cluster.cluster_store import ClusterStore, open_generation
from clew.memory.knowledge.cluster.connection import Cluster, address
from clew.memory.knowledge.cluster.generations import WRITE_RIGHTS, Generations
from clew.memory.knowledge.cluster.publishing import Published, publish
from clew.memory.knowledge.disk import required_generation
from tests.cluster import Server, own_server
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
def test_keys_and_authorities(examples_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
        with asking(reader, tmp_path) as assistant:
            assert told(assistant, QUESTION)[1].passages
        looked = {one.name: one for one in looked_at(reader.where)}
        assert {one.state for one in looked.values()} == {"ok"}, looked
        assert "may ask, and not index" in looked["rights"].message
        assert UNSEEN in (looked["licence"].message, looked["health"].message)
        with pytest.raises(NotSetUp, match="may not do this") as no_writes:
            sent(reader, examples_path)
        assert "docs/elasticsearch.md" in no_writes.value.hint
        monkeypatch.setenv("ES_API_KEY", _key(owner, ["clew-notes", "clew-notes-*"], list(WRITE_RIGHTS)))
        assert not sent(cluster_at(server, "notes"), examples_path).sent  # what indexing needs
        monkeypatch.setenv("ES_API_KEY", elsewhere)
        with pytest.raises(NotSetUp, match=r"not allowed to see|may not do this"):
            open_generation(cluster_at(server, "notes"))
        monkeypatch.setenv("ES_API_KEY", reading)
        monkeypatch.delenv("ES_CA")
        with pytest.raises(NotSetUp, match="certificate") as untrusted:
            open_generation(cluster_at(server, "notes"))
        assert "ES_CA" in untrusted.value.hint


def _key(owner: Cluster, names: list[str], privileges: list[str]) -> str:
    rights = {"clew": {"cluster": [], "indices": [{"names": names, "privileges": privileges}]}}
    made = owner.ask(lambda client: client.security.create_api_key(name="clew", role_descriptors=rights))
    return str(made["encoded"])
