"""What every tool of the registry keeps, over the library of examples."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import FrozenInstanceError, replace

import pytest

from clew.memory.datatypes import Query, Triple, Wording
from clew.memory.encoding import CachedEncoder
from clew.memory.errors import BadInput, Cancelled, DeadlineExceeded
from clew.memory.knowledge.library import Library
from clew.tools import registry
from clew.tools.base import Tool, as_langchain_tool, as_retriever, encode_query

QUESTION = "Who directed Metropolis?"


TRIPLES = [
    Triple("Fritz Lang", "directed", "Metropolis", "films/metropolis.md#0"),
    Triple("Thea von Harbou", "wrote", "Metropolis", "people/thea-von-harbou.md#0"),
    Triple("Fritz Lang", "was born in", "Vienna", "people/fritz-lang.md#0"),
    Triple("the Moon", "shines on", "Metropolis", "space/moon.md#0"),
]


@pytest.fixture(params=registry.TOOLS)
def tool(request: pytest.FixtureRequest, examples: Library, monkeypatch: pytest.MonkeyPatch) -> Tool:
    """Over the examples, as if they came with triples."""
    monkeypatch.setattr(examples.store, "triples", lambda: TRIPLES)
    return registry.make(request.param, examples.store)


@pytest.fixture
def query(encoder: CachedEncoder) -> Query:
    return encode_query(QUESTION, [], encoder)


def test_it_finds_and_says_where_and_why(tool: Tool, query: Query, examples: Library) -> None:
    passages = tool.search(query, 5).passages
    assert "films/metropolis.md" in [passage.document for passage in passages[:2]]
    assert [p.score for p in passages] == sorted((p.score for p in passages), reverse=True)
    assert len({p.id for p in passages}) == len(passages) <= 5
    for passage in passages:
        (document,) = examples.store.documents([passage.document])
        assert passage.text == document.text[passage.start : passage.end]
        assert passage.why and passage.tool == tool.name and passage.source.endswith(passage.document)


def test_k_is_the_most(tool: Tool, query: Query) -> None:
    assert [len(tool.search(query, k).passages) for k in (0, 1, 3)] == [0, 1, 3]
    alone, first = tool.search(query, 1).passages[0], tool.search(query, 3).passages[0]
    assert alone.id == first.id
    assert alone.score == pytest.approx(first.score)  # products of other shapes round differently


def test_a_tool_that_there_is_not(examples: Library) -> None:
    for ask in (registry.check, lambda name: registry.make(name, examples.store)):
        with pytest.raises(BadInput, match="there is no tool 'oracle'"):
            ask("oracle")


def test_the_scope_holds(tool: Tool, query: Query) -> None:
    scope = frozenset({"space/moon.md", "animals/ham.md"})
    found = {passage.document for passage in tool.search(replace(query, scope=scope), 10).passages}
    assert found and found <= scope
    assert tool.search(replace(query, scope=frozenset({"no such document"})), 10).passages == ()


def test_it_can_be_stopped(tool: Tool, query: Query) -> None:
    stopped = threading.Event()
    stopped.set()
    with pytest.raises(Cancelled):
        tool.search(replace(query, cancel=stopped), 5)
    with pytest.raises(DeadlineExceeded):
        tool.search(replace(query, deadline=time.monotonic() - 1), 5)


def test_words_that_mean_nothing_are_no_error(tool: Tool, encoder: CachedEncoder) -> None:
    for text in ("", "?!", "the of and", "zyzzyva", "x" * 5000, "\N{PILE OF POO} \0", "月はどこ"):
        tool.search(encode_query(text, [], encoder), 5)


def test_several_forms_and_threads(tool: Tool, encoder: CachedEncoder) -> None:
    forms = [Wording("question", "and where was he born?", 0.4), Wording("previous", "Who is Fritz Lang?", 0.6)]
    query = encode_query(forms[0].text, forms, encoder)
    alone = tool.search(query, 5)
    assert alone.passages[0].document == "people/fritz-lang.md"
    with ThreadPoolExecutor(6) as pool:
        assert list(pool.map(lambda _: tool.search(query, 5), range(12))) == [alone] * 12


def test_findings_are_values(tool: Tool, query: Query) -> None:
    with pytest.raises(FrozenInstanceError):
        tool.search(query, 1).passages[0].score = 2.0  # type: ignore[misc]


def test_it_is_a_langchain_tool(tool: Tool, encoder: CachedEncoder) -> None:
    wrapped = as_langchain_tool(tool, encoder)
    schema = wrapped.tool_call_schema.model_json_schema()  # type: ignore[union-attr]
    assert set(schema["properties"]) == {"query", "k"} and schema["required"] == ["query"]
    assert all(part.get("description") for part in schema["properties"].values())
    assert 30 < len(wrapped.description) < 400
    call = {"type": "tool_call", "id": "1", "name": tool.name, "args": {"query": QUESTION, "k": 2}}
    message = wrapped.invoke(call)
    assert "Fritz Lang" in message.content and message.content.startswith("[1] ")
    assert len(message.artifact.passages) == 2


def test_it_is_a_langchain_retriever(tool: Tool, encoder: CachedEncoder) -> None:
    documents = as_retriever(tool, encoder, k=3).invoke(QUESTION)
    assert len(documents) == 3
    assert documents[0].metadata["document"] in ("films/metropolis.md", "people/fritz-lang.md")
    assert documents[0].metadata["score"] >= documents[1].metadata["score"]
