"""What every tool of the registry keeps, over the library of examples."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from clew.memory.datatypes import Form, Query, Triple, Wording
from clew.memory.encoding import CachedEncoder
from clew.memory.errors import BadInput, Cancelled, DeadlineExceeded
from clew.memory.knowledge.index.generation import Parameters
from clew.memory.knowledge.library import Library
from clew.tools import registry
from clew.tools.base import FormScores, Tool, as_retriever, encode_query, fuse
from clew.tools.clues import NO_UNITS
from tests.memory.knowledge.communities.made import FILMS
from tests.tools.conftest import made

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


def test_it_is_a_langchain_retriever(tool: Tool, encoder: CachedEncoder) -> None:
    documents = as_retriever(tool, encoder, k=3).invoke(QUESTION)
    assert len(documents) == 3
    assert documents[0].metadata["document"] in ("films/metropolis.md", "people/fritz-lang.md")
    assert documents[0].metadata["score"] >= documents[1].metadata["score"]


# The fusion of a question's forms.

VECTOR = np.zeros(2, np.float32)


def form(weight: float, name: str = "") -> Form:
    return Form(name, "", weight, VECTOR)


def test_scores_are_added_with_the_forms_weights() -> None:
    found = FormScores(["a", "b"], np.array([[1.0, 0.5], [0.0, 1.0]]))
    assert fuse([form(0.7), form(0.3)], found) == pytest.approx({"a": 0.7, "b": 0.65})


def test_where_a_form_did_not_look_it_counts_as_its_lowest() -> None:
    found = FormScores(["a", "b", "c"], np.array([[0.9, 0.4, np.nan], [np.nan, 0.8, 0.6]]))
    assert fuse([form(0.5), form(0.5)], found) == pytest.approx({"a": 0.75, "b": 0.6, "c": 0.5})
    nothing = FormScores(["a"], np.array([[np.nan], [0.5]]))
    assert fuse([form(0.5), form(0.5)], nothing) == {"a": 0.25}


# What a library lacks

UNINDEXED = "no entities in this library: make them with `clew index YOUR-FOLDER --triples extract`"
UNNAMED = "no entities: nothing was found to be named in the documents that are searched"


@pytest.mark.parametrize(
    ("name", "unindexed", "unnamed", "out_of_scope"),
    [
        ("local", UNINDEXED, UNNAMED, UNNAMED),
        ("communities", UNINDEXED, UNNAMED, UNNAMED),
        ("graph", UNINDEXED, UNNAMED, ""),
        ("clues", NO_UNITS, "", ""),
    ],
)
def test_a_tool_that_goes_by_names_says_where_there_are_none(
    name: str, unindexed: str, unnamed: str, out_of_scope: str, tmp_path: Path, encoder: CachedEncoder
) -> None:
    """And what mends it; `graph` finds what matches all the same."""
    query, finds = encode_query(QUESTION, [], encoder), name == "graph"
    with made(tmp_path / "unindexed", encoder, FILMS, parameters=Parameters(triples="none")) as library:
        found = registry.make(name, library.store).search(query, 3)
        assert found.notes == (unindexed,) and found.walk is None
        assert [p.document for p in found.passages[:1]] == ["Metropolis"] * finds
    if unnamed:
        with made(tmp_path / "unnamed", encoder, {"0": "hi"}) as library:
            found = registry.make(name, library.store).search(query, 3)
            assert found.notes == (unnamed,) and len(found.passages) == finds
    if out_of_scope:
        with made(tmp_path / "scoped", encoder, {**FILMS, "0": "hi"}) as library:
            tool = registry.make(name, library.store)
            found = tool.search(replace(query, scope=frozenset({"0"})), 3)
            assert found.notes == (out_of_scope,) and len(found.passages) == finds
            nowhere = tool.search(replace(query, scope=frozenset()), 3)
            assert (nowhere.passages, nowhere.notes) == ((), (out_of_scope,))
