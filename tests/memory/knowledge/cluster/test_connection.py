"""Addresses of libraries on a cluster, and what of them is never said; no server is needed."""

from pathlib import Path

import pytest

from clew.memory.errors import BadInput, NotSetUp
from clew.memory.knowledge.cluster.connection import ClusterAddress, address, place


def found(text: str) -> ClusterAddress:
    made = address(text)
    assert made
    return made


def test_an_address_is_closed_in_its_form(monkeypatch: pytest.MonkeyPatch) -> None:
    assert found("es://127.0.0.1:9200/notes").urls == ["http://127.0.0.1:9200"]
    assert found("es://localhost/notes").urls == ["http://localhost:9200"]
    assert found("ess://a.example:9243,b.example/n_1").urls == ["https://a.example:9243", "https://b.example:9200"]
    assert str(found("ess://a.example/n")) == "ess://a.example:9200/n"
    monkeypatch.setenv("ES_URL", "https://one.example:9200, https://two.example:9200/")
    assert found("es:///notes").urls == ["https://one.example:9200", "https://two.example:9200"]
    assert place("some/folder") == Path("some/folder") and place("es:///notes") == found("es:///notes")


@pytest.mark.parametrize(
    "text",
    [
        *("es://", "es://127.0.0.1:9200", "es://127.0.0.1:9200/", "es://127.0.0.1/UPPER", "es://127.0.0.1/a-b"),
        *("es://127.0.0.1/a,b", "es://127.0.0.1/*", "es://127.0.0.1/a/b", "es://h,/n", "es://h:port/n", "es://127.0.0.1/_n"),
    ],
)  # fmt: skip
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="is no address"):
        address(text)


def test_a_key_in_an_address_is_refused_and_not_said() -> None:
    with pytest.raises(BadInput) as refused:
        address("es://elastic:s3cret@127.0.0.1:9200/notes")
    assert "s3cret" not in str(refused.value)


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
