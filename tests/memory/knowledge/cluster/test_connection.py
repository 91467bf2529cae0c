"""Addresses of libraries on a cluster, what of them is never said, and which servers are taken."""

from pathlib import Path

import pytest

from clew.memory.errors import BadInput, NotSetUp
from clew.memory.knowledge.cluster.connection import Cluster, ClusterAddress, address, patience, place
from tests.proxy import Proxy


def found(text: str) -> ClusterAddress:
    made = address(text)
    assert made
    return made


def test_an_address_is_closed_in_its_form(monkeypatch: pytest.MonkeyPatch) -> None:
    assert found("es://127.0.0.1:9200/notes").urls == ["http://127.0.0.1:9200"]
    assert found("es://localhost/notes").urls == ["http://localhost:9200"]
    assert found("ess://a.example:9243,b.example/n_1").urls == ["https://a.example:9243", "https://b.example:9200"]
    assert found("es://[::1]:9200,[::1]/notes").urls == ["http://[::1]:9200"]  # each once: the client takes none twice
    assert found(" ES://LOCALHOST:09200/notes\n").urls == ["http://localhost:9200"]
    assert str(found("ess://a.example/n")) == "ess://a.example:9200/n"
    monkeypatch.setenv("ES_URL", "https://one.example:9200, https://two.example:9200/")
    assert found("es:///notes").urls == ["https://one.example:9200", "https://two.example:9200"]
    monkeypatch.setenv("ES_URL", "https://one.example:9200,https://one.example:9200/")
    assert found("es:///notes").urls == ["https://one.example:9200"]
    assert place("some/folder") == Path("some/folder") and place("es:///notes") == found("es:///notes")


@pytest.mark.parametrize(
    "text",
    [
        *("es://", "es://127.0.0.1:9200", "es://127.0.0.1:9200/", "es://127.0.0.1/UPPER", "es://127.0.0.1/a-b"),
        *("es://127.0.0.1/a,b", "es://127.0.0.1/*", "es://127.0.0.1/a/b", "es://h,/n", "es://h:port/n", "es://127.0.0.1/_n"),
        *("es:/127.0.0.1/n", "es:n", "es://127.0.0.1:0/n", "es://127.0.0.1:65536/n", "es://[zz]/n", "es://::1:9200/n"),
        *("http://127.0.0.1:9200/n", "https://a.example:9200/n", "es://127.0.0.1/n/", "es://127.0.0.1/n?a=b"),
    ],
)  # fmt: skip
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="is not the address"):
        address(text)


@pytest.mark.parametrize("key", ["elastic:s3cret@", "elastic:a/s3cret@", "a@s3cret@"])
def test_a_key_in_an_address_is_refused_and_not_said(key: str) -> None:
    for scheme in ("es://", "es:", "https://"):
        with pytest.raises(BadInput) as refused:
            address(f"{scheme}{key}127.0.0.1:9200/notes")
        assert "s3cret" not in str(refused.value)


def test_a_key_that_can_stand_in_no_header_is_refused_and_not_said(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("elasticsearch")
    for key in ("s3cret\nX-Other: 1", "s3cret\u0439", "s3\rcret"):
        monkeypatch.setenv("ES_API_KEY", key)
        with pytest.raises(NotSetUp, match="ES_API_KEY has") as refused:
            _ = Cluster(found("es://127.0.0.1/notes")).client
        assert "cret" not in str(refused.value)
    for key in ("s3cret\n", ""):  # as a file has it
        monkeypatch.setenv("ES_API_KEY", key)
        monkeypatch.setenv("ES_USER", "J\u00fcrgen")
        monkeypatch.setenv("ES_PASSWORD", "\u0439")
        assert Cluster(found("es://127.0.0.1/notes")).client


@pytest.mark.parametrize("given", ["x", "-1", "1e3", "9" * 400])
def test_seconds_are_a_number(given: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ES_TIMEOUT", given)
    with pytest.raises(BadInput, match="ES_TIMEOUT has") as refused:
        patience()
    assert refused.value.hint == "export ES_TIMEOUT=30" and len(str(refused.value)) < 120


def test_another_machine_is_spoken_to_with_tls_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BadInput, match="in clear"):
        _ = found("es://search.example:9200/notes").urls
    monkeypatch.setenv("ES_PLAIN", "yes")
    assert found("es://search.example:9200/notes").urls == ["http://search.example:9200"]
    monkeypatch.delenv("ES_PLAIN")
    monkeypatch.setenv("ES_URL", "http://u:s3cret@search.example:9200")
    with pytest.raises(BadInput) as refused:
        _ = found("es:///notes").urls
    assert "s3cret" not in str(refused.value)


def test_without_a_server_it_says_which_variable_names_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ES_URL", raising=False)
    with pytest.raises(NotSetUp, match="ES_URL"):
        _ = found("es:///notes").urls


@pytest.mark.parametrize(
    ("said", "version"), [("7.17.28", None), ("8.17.9", None), ("8.18.0", (8, 18, 0)), ("9.2.0-SNAPSHOT", (9, 2, 0))]
)
def test_the_oldest_server_that_is_taken(proxy: Proxy, said: str, version: tuple[int, ...] | None) -> None:
    proxy.instead = lambda *_: (200, {"version": {"number": said}})
    asked = Cluster(found(f"es://{proxy.host}/notes"))
    if version:
        assert asked.version == version
        return
    with pytest.raises(NotSetUp, match=rf"is Elasticsearch {said}; Clew needs 8\.18") as refused:
        _ = asked.version
    assert "upgrade" in refused.value.hint
