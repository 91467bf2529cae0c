"""Calls that language models write as text: an example of each form, and what only looks like one."""

import json
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.agent.search.tool_calls import (
    MOST,
    WORDING,
    Refused,
    SearchKeys,
    ToolCall,
    calls_in,
    check,
    search_keys,
)
from clew.agent.state import Call
from clew.memory.datatypes import Wording
from clew.tools import registry

NAMES = registry.NAMES
NOTHING: SearchKeys = frozenset()

TABLE = Path(__file__).with_name("calls_as_text.toml")
WRITTEN = [text for family in tomllib.loads(TABLE.read_text("utf-8"))["family"] for text in family["calls"]]


@pytest.mark.parametrize("text", WRITTEN)
def test_a_call_that_is_written_as_text_is_read(text: str) -> None:
    (one,) = calls_in(text, NAMES)
    assert check([one], NAMES, NOTHING) == ([searched("hybrid", "the Moon")], [])


@pytest.mark.parametrize(
    "text",
    [
        '{"calls": [{"tool": "hybrid", "query": "a"}, {"tool": "graph", "query": "b (c) {d}"}]}',
        '<tool_call>{"name": "hybrid", "query": "a"}</tool_call>\n<tool_call>{"name": "graph", "q": "b (c) {d}"}',
        '[hybrid(query="a"), graph(query="b (c) {d}")]',
        'hybrid("a")\n- graph("b (c) {d}")',
        '>>>hybrid\n{"query": "a"}>>>graph\n{"query": "b (c) {d}"}',
        "<function=hybrid><parameter=query>a</function>\n<function=graph><parameter=query>b (c) {d}</function>",
        'Action: hybrid\nAction Input: a\n\nAction: graph\nAction Input: "b (c) {d}"',
    ],
)
def test_several_calls_have_ids_of_their_own(text: str) -> None:
    calls = calls_in(text, NAMES)
    assert [(one.name, one.arguments["query"]) for one in calls] == [("hybrid", "a"), ("graph", "b (c) {d}")]


@pytest.mark.parametrize(
    ("written", "query"),
    [
        ("hybrid('Lang\\'s \"M\"')", 'Lang\'s "M"'),
        ("<function=hybrid>{'query': 'Who said \"M\"?', 'k': None}</function>", 'Who said "M"?'),
        ("""<tool_call>{"name": "hybrid", "arguments": {"query": "print(graph('x'))"}}""", "print(graph('x'))"),
        ('{"name": "hybrid", "arguments": {"query": "print(graph(\\"x\\"))"}}', 'print(graph("x"))'),
    ],
)
def test_quotes_within_a_query(written: str, query: str) -> None:
    (one,) = calls_in(written, NAMES)
    assert (one.name, one.arguments["query"]) == ("hybrid", query)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        *((text, "") for text in ('{"calls": []}', '{"hybrid": "good", "score": 3}', '{"calls": ["hybrid"]}')),
        ('{"answer": "Fritz Lang"}', ""),
        ("", "it is empty"),
        ("You could call hybrid(query) here, or hybrid('the Moon') there.", "there is no JSON in it"),
        ("hybrid(query)", "there is no JSON in it"),
        ('Action: browse_web\nAction Input: "the Moon"', "there is no JSON in it"),
        ('>>>all\n{"query": "the Moon"}', ""),
        ('{"name": "graph", "arguments": {"query": ', "it breaks off before its end"),
        ('<tool_call>{"name": "graph", "arguments": {"query": ', "it breaks off before its end"),
        ('<function=graph>{"query": ', "it breaks off before its end"),
        ('<function=browse_web>{"query": "the Moon"}</function>', ""),
        ('{"name": "browse_web", "arguments": {"query": "the Moon"}}', "there is no tool 'browse_web'"),
    ],
)
def test_prose_code_and_what_cannot_be_made_call_nothing(text: str, why: str) -> None:
    try:
        calls, refused = check(calls_in(text, NAMES), NAMES, NOTHING)
    except ValueError as error:
        assert str(error) == why
    else:
        assert not calls and [one.why[: len(why)] for one in refused] == [why] * bool(why)


JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["calls", "tool", "name", "function", "arguments", "query", "tool_calls", "k", "graph"]),
            inner,
        )
    ),
    max_leaves=12,
)
PARTS = st.lists(st.sampled_from([*WRITTEN, *"{}[]()<>'\"\n|`", "hybrid", "query=", "Action: "]), max_size=6)


@given(JSON.map(lambda value: json.dumps(value, ensure_ascii=False)) | PARTS.map("".join), st.text(max_size=10))
def test_whatever_a_model_writes_only_searches_that_can_be_made_come_out(value: str, around: str) -> None:
    try:
        written = calls_in(around + value, NAMES)
    except ValueError:
        return
    calls, refused = check(written, NAMES, NOTHING)
    assert len(calls) + len(refused) == len(written) and len(calls) <= MOST
    for one in calls:
        assert one.tool in NAMES and one.wordings[0].text.strip() and one.by_model
        json.dumps(one.wordings[0].text).encode()
    assert len(search_keys(calls)) == len(calls)


# What can be used of them ---------------------------------------------------------------------------------------------


def call(name: str = "hybrid", query: Any = "Who directed Metropolis?") -> ToolCall:
    return ToolCall(name, {"query": query})


def searched(tool: str, words: str, **given: str) -> Call:
    return Call(tool, (Wording(WORDING, words, 1.0),), by_model=True, given=given)


def whys(refused: Sequence[Refused]) -> list[str]:
    return [one.why for one in refused]


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (call("browse_web"), "there is no tool 'browse_web', only hybrid, walk, graph"),
        (ToolCall("hybrid", {"k": "many"}), 'hybrid takes one argument, a text: {"query": '),
        (call(query=["Metropolis"]), "hybrid takes one argument"),
        (call(query=" ?! "), "hybrid takes one argument"),
        (call(query="and " * 100), "the query has 399 characters, and may have 300"),
        (call(query="who directed   METROPOLIS"), "this search was made already"),
    ],
)
def test_a_call_that_does_not_fit_is_refused_in_words(wrong: ToolCall, why: str) -> None:
    before = search_keys([Call("hybrid", (Wording("question", "Who directed Metropolis?", 1.0),))])
    calls, refused = check([wrong], NAMES, before)
    assert not calls and len(refused) == 1
    assert refused[0].why.startswith(why)


def test_what_can_be_used_of_a_reply_is_used() -> None:
    asked = [call("browse_web"), call("functions.Hybrid", " the\n Moon "), call("hybrid", "The Moon?"), call("graph")]
    calls, refused = check(asked, NAMES, NOTHING)
    assert calls == [searched("hybrid", "the Moon"), searched("graph", "Who directed Metropolis?")]
    assert [why.split(",")[0] for why in whys(refused)] == [
        "there is no tool 'browse_web'",
        "this search was made already",
    ]


@pytest.mark.parametrize(
    ("written", "call"),
    [
        (
            '{"tool": "search", "query": "rent", "within": "Lease", "from_date": "2024-01", "to_date": null, "k": 3}',
            searched("search", "rent", within="Lease", from_date="2024-01"),
        ),
        ('read_document(title="Lease", page=2)', searched("read_document", "Lease", page="2")),
        ('{"calls": [{"tool": "list_documents"}]}', searched("list_documents", "")),
        ('{"name": "calculate", "arguments": {"expression": "3 - 2"}}', searched("calculate", "3 - 2")),
    ],
)
def test_arguments_beside_the_first(written: str, call: Call) -> None:
    names = ["search", "read_document", "list_documents", "calculate"]
    assert check(calls_in(written, names), names, NOTHING, strays=lambda query: query in ("", "3 - 2")) == ([call], [])


def test_what_differs_in_a_limit_or_in_a_sign_is_another_call() -> None:
    asked = [ToolCall("search", {"query": "rent", "within": one}) for one in ("a", "b", "a")]
    assert len(check(asked, ["search"], NOTHING)[0]) == 2
    sums = [ToolCall("calculate", {"query": f"3 {sign} 2"}) for sign in "+-"]
    assert len(check(sums, ["calculate"], NOTHING)[0]) == 2


def test_no_more_searches_at_once_than_a_plan_may_have() -> None:
    asked = [call(query=f"Moon {n}") for n in range(MOST + 2)]
    calls, refused = check(asked, NAMES, NOTHING)
    assert calls == [searched("hybrid", f"Moon {n}") for n in range(MOST)]
    assert whys(refused) == [f"more than {MOST} calls at once"] * 2


def test_halves_of_letters_and_zeros_are_not_stored() -> None:
    odd = ToolCall("hybrid", {"query": "the \ud83d Moon\0", "columns": ["a\ud800"], "k": 3})
    calls, refused = check([odd, ToolCall("hy\ud800brid", {"query": "\ud800"})], NAMES, NOTHING)
    texts = [calls[0].wordings[0].text, *calls[0].given.values(), *refused[0]]
    assert calls[0].given.keys() == {"columns"}
    for text in texts:
        text.encode("utf-8")
        assert "\0" not in text
