"""The searches that a language model wants: read from its reply, checked, and refused in words."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.agent.search.tool_calls import (
    MOST,
    Checked,
    SearchKeys,
    ToolCall,
    as_call,
    calls_in,
    check,
    search_keys,
    specs,
    tidied,
)
from clew.agent.state import Call
from clew.memory.datatypes import Wording
from clew.tools import registry
from clew.tools.clues import Clues
from clew.tools.communities import CommunitySearch
from clew.tools.graph import GraphSearch
from clew.tools.hybrid import Hybrid
from clew.tools.local import Local
from clew.tools.walk import Walk

NAMES = registry.NAMES
NOTHING: SearchKeys = frozenset()

WRITTEN = [
    # The form that is asked for, and JSON as it comes: https://github.com/ollama/ollama/issues/13519
    '{"calls": [{"tool": "hybrid", "query": "the Moon"}]}',
    'Sure:\n```json\n{"tool": "functions.Hybrid", "query": "the Moon"}\n```',
    '{"name": "hybrid", "arguments": {"query": "the Moon",},}',
    "<think>{}</think>{'tool': 'hybrid', 'query': 'the Moon'}",
    '[{"tool": "hybrid", "query": "the Moon", "k": 3}]',
]


@pytest.mark.parametrize("text", WRITTEN)
def test_a_call_that_is_written_as_text_is_read(text: str) -> None:
    (one,) = calls_in(text, NAMES)
    assert check([one], NAMES, NOTHING).calls == (ToolCall("hybrid", {"query": "the Moon"}),)


@pytest.mark.parametrize(
    "text",
    [
        '{"calls": []}',
        '{"answer": "Fritz Lang"}',
        '{"name": "Fritz Lang", "born": 1890}',
        "[1, 2]",
        '{"calls": ["hybrid"]}',
        "",
        "I would look that up.",
        "hybrid(query='the Moon')",
    ],
)
def test_prose_code_and_other_json_call_nothing(text: str) -> None:
    try:
        assert calls_in(text, NAMES) == []
    except ValueError as error:
        assert str(error) in ("it is empty", "there is no JSON in it", "it is no valid JSON")


def test_a_reply_that_breaks_off_is_said_to() -> None:
    with pytest.raises(ValueError, match="it breaks off before its end"):
        calls_in('{"name": "graph", "arguments": {"query": ', NAMES)


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
PARTS = st.lists(st.sampled_from([*WRITTEN, *"{}[]()<>'\"\n|`", "hybrid"]), max_size=6)


@given(JSON.map(lambda value: json.dumps(value, ensure_ascii=False)) | PARTS.map("".join), st.text(max_size=10))
def test_whatever_a_model_writes_only_searches_that_can_be_made_come_out(value: str, around: str) -> None:
    try:
        calls = calls_in(around + value, NAMES)
    except ValueError:
        return
    checked = check(calls, NAMES, NOTHING)
    assert len(checked.calls) + len(checked.refused) == len(calls) and len(checked.calls) <= MOST
    for one in checked.calls:
        assert one.name in NAMES and one.arguments["query"].strip()
        json.dumps(one.arguments["query"]).encode()
    assert len(search_keys(map(as_call, checked.calls))) == len(checked.calls)
    assert all(as_call(one).by_model for one in checked.calls)


# What can be used of them ---------------------------------------------------------------------------------------------

CLASSES = (Hybrid, Walk, GraphSearch, Clues, Local, CommunitySearch)
SPECS = specs({tool.name: tool for tool in CLASSES})  # type: ignore[misc]


def call(name: str = "hybrid", query: Any = "Who directed Metropolis?") -> ToolCall:
    return ToolCall(name, {"query": query})


def whys(checked: Checked) -> list[str]:
    return [refused.why for refused in checked.refused]


def test_a_model_is_told_of_all_tools_each_with_when_to_use_it_in_a_few_words() -> None:
    assert [spec.name for spec in SPECS] == ["hybrid", "walk", "graph", "clues", "local", "communities"]
    for spec in SPECS:
        assert "Use it" in spec.description, spec.name
        assert 15 <= len(spec.description.split()) <= 60, spec.name
    assert len({spec.description for spec in SPECS}) == len(SPECS)


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (call("browse_web"), "there is no tool 'browse_web', only hybrid, walk, graph"),
        (ToolCall("hybrid", {"k": "many"}), 'hybrid takes one argument, a text: {"query": '),
        (call(query=["Metropolis"]), "hybrid takes one argument"),
        (call(query=" ?! "), "the query is empty"),
        (call(query="and " * 100), "the query has 400 characters, and may have 300"),
        (call(query="who directed   METROPOLIS"), "this search was made already"),
    ],
)
def test_a_call_that_does_not_fit_is_refused_in_words(wrong: ToolCall, why: str) -> None:
    before = search_keys([Call("hybrid", (Wording("question", "Who directed Metropolis?", 1.0),))])
    checked = check([wrong], NAMES, before)
    assert checked.useless and not checked.calls and len(whys(checked)) == 1
    assert whys(checked)[0].startswith(why)


def test_what_can_be_used_of_a_reply_is_used() -> None:
    asked = [call("browse_web"), call("hybrid", " the\n Moon "), call("hybrid", "The Moon?"), call("graph")]
    checked = check(asked, NAMES, NOTHING)
    assert [(one.name, one.arguments["query"]) for one in checked.calls] == [
        ("hybrid", "the Moon"),
        ("graph", "Who directed Metropolis?"),
    ]
    assert [why.split(",")[0] for why in whys(checked)] == [
        "there is no tool 'browse_web'",
        "this search was made already",
    ]
    assert not checked.useless and not check([], NAMES, NOTHING).useless


def test_no_more_searches_at_once_than_a_plan_may_have() -> None:
    asked = [call(query=f"Moon {n}") for n in range(MOST + 2)]
    checked = check(asked, NAMES, NOTHING)
    assert list(checked.calls) == asked[:MOST] and whys(checked) == [f"more than {MOST} calls at once"] * 2


def test_halves_of_letters_and_what_no_argument_is_do_not_come_in() -> None:
    odd = ToolCall("hy\ud800brid", {"query": "the \ud83d Moon\0", "deep": {"a": [1]}, "k": 3})
    clean = tidied(odd)
    for text in (clean.name, *map(str, clean.arguments.values())):
        text.encode("utf-8")
        assert "\0" not in text
    assert set(clean.arguments) == {"query", "k"}
