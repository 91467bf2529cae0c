"""Tool calls of a language model: the prompt, and what of its calls can be used."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.agent.search import tool_calls
from clew.agent.search.model_search import BEGINNING, PastSearch, fitted, past_searches, strategy
from clew.agent.search.tool_calls import MOST, Checked, as_call, calls_in, check, search_keys, specs, tidied
from clew.agent.state import Call
from clew.memory.datatypes import Passage, Wording
from clew.memory.ports import Abilities, ToolCall
from clew.tools import registry
from clew.tools.clues import Clues
from clew.tools.communities import CommunitySearch
from clew.tools.graph import GraphSearch
from clew.tools.hybrid import Hybrid
from clew.tools.local import Local
from clew.tools.walk import Walk

NAMES = registry.NAMES
CLASSES = (Hybrid, Walk, GraphSearch, Clues, Local, CommunitySearch)
SPECS = specs({tool.name: tool for tool in CLASSES})  # type: ignore[misc]
NOTHING: tool_calls.SearchKeys = frozenset()


def call(name: str = "hybrid", query: Any = "Who directed Metropolis?", id_: str = "1") -> ToolCall:
    return ToolCall(id_, name, {"query": query})


def whys(checked: Checked) -> list[str]:
    return [refused.why for refused in checked.refused]


def test_a_model_is_told_of_all_tools_each_with_when_to_use_it_in_a_few_words() -> None:
    assert [spec.name for spec in SPECS] == ["hybrid", "walk", "graph", "clues", "local", "communities"]
    for spec in SPECS:
        assert "Use it" in spec.description, spec.name
        assert 15 <= len(spec.description.split()) <= 60, spec.name
    assert len({spec.description for spec in SPECS}) == len(SPECS)


@pytest.mark.parametrize(
    "text",
    [
        '{"calls": [{"tool": "graph", "query": "the Moon"}]}',
        'Sure:\n```json\n{"tool": "graph", "query": "the Moon"}\n```',
        '{"name": "graph", "arguments": {"query": "the Moon"}}',
        '{"name": "graph", "parameters": {"query": "the Moon",},}',
        '[{"name": "graph", "arguments": "{\\"query\\": \\"the Moon\\"}"}]',
        '{"tool_calls": [{"type": "function", "function": {"name": "graph", "arguments": {"query": "the Moon"}}}]}',
        '<tool_call>\n{"name": "graph", "arguments": {"query": "the Moon"}}\n</tool_call>',
        "<think>{}</think>{'tool': 'graph', 'query': 'the Moon'}",
    ],
)
def test_a_call_that_is_written_as_text_is_read(text: str) -> None:
    (one,) = calls_in(text)
    assert one.name == "graph"
    assert check([one], NAMES, NOTHING, NOTHING).calls == (ToolCall(one.id, "graph", {"query": "the Moon"}),)


def test_several_calls_that_are_written_as_text_have_ids_of_their_own() -> None:
    both = calls_in('{"calls": [{"tool": "graph", "query": "a"}, {"tool": "local", "query": "b"}]}')
    tagged = calls_in('<tool_call>{"name": "graph", "query": "a"}</tool_call>\n<tool_call>{"name": "local"}')
    for calls in (both, tagged):
        assert [one.name for one in calls] == ["graph", "local"] and len({one.id for one in calls}) == 2


@pytest.mark.parametrize("text", ['{"calls": []}', '{"answer": "Fritz Lang"}', "[1, 2]", '{"calls": ["graph"]}'])
def test_other_json_calls_nothing(text: str) -> None:
    assert calls_in(text) == []


@pytest.mark.parametrize("text", ["", "I would look that up.", '{"name": "graph", "arguments": {"query": '])
def test_what_cannot_be_read_is_an_error_in_words(text: str) -> None:
    with pytest.raises(ValueError, match=r"empty|no JSON|breaks off"):
        calls_in(text)


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (call("browse_web"), "there is no tool 'browse_web', only hybrid, walk, graph"),
        (ToolCall("1", "hybrid", {"k": "many"}), 'hybrid takes one argument, a text: {"query": '),
        (call(query=["Metropolis"]), "hybrid takes one argument"),
        (call(query=" ?! "), "the query is empty"),
        (call(query="and " * 100), "the query has 400 characters, and may have 300"),
        (call(query="who directed   METROPOLIS"), "this search was made already"),
    ],
)
def test_a_call_that_does_not_fit_is_refused_in_words(wrong: ToolCall, why: str) -> None:
    before = search_keys([Call("hybrid", (Wording("question", "Who directed Metropolis?", 1.0),))])
    checked = check([wrong], NAMES, before, NOTHING)
    assert checked.useless and not checked.calls and len(whys(checked)) == 1
    assert whys(checked)[0].startswith(why)


def test_what_can_be_used_of_a_reply_is_used() -> None:
    asked = [call("browse_web"), call("functions.Hybrid", " the\n Moon "), call("hybrid", "The Moon?"), call("graph")]
    checked = check(asked, NAMES, NOTHING, NOTHING)
    assert [(one.name, one.arguments["query"]) for one in checked.calls] == [
        ("hybrid", "the Moon"),
        ("graph", "Who directed Metropolis?"),
    ]
    assert [why.split(",")[0] for why in whys(checked)] == [
        "there is no tool 'browse_web'",
        "this search was made already",
    ]
    assert not checked.useless and not check([], NAMES, NOTHING, NOTHING).useless


def test_no_more_than_four_searches_at_once_those_of_the_policy_not_counted() -> None:
    planned = search_keys(
        [Call("hybrid", (Wording("question", "and where?", 0.5), Wording("standing", "Where is it?", 0.5)))]
    )
    asked = [call(query=f"Moon {n}") for n in range(MOST + 2)] + [call(query="where is it")]
    checked = check(asked, NAMES, NOTHING, planned)
    assert list(checked.calls) == asked[:MOST] and [one.arguments["query"] for one in checked.covered] == [
        "where is it"
    ]
    assert whys(checked) == ["more than 4 calls at once"] * 2
    assert not check(asked[-1:], NAMES, NOTHING, planned).useless


def test_halves_of_letters_and_what_no_argument_is_do_not_come_in() -> None:
    odd = ToolCall("\ud800", "hy\ud800brid", {"query": "the \ud83d Moon\0", "deep": {"a": [1]}, "k": 3})
    clean = tidied(odd)
    for text in (clean.id, clean.name, *map(str, clean.arguments.values())):
        text.encode("utf-8")
        assert "\0" not in text
    assert set(clean.arguments) == {"query", "k"}


JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["calls", "tool", "name", "function", "arguments", "query", "tool_calls", "k"]), inner
        )
    ),
    max_leaves=12,
)


@given(JSON, st.text(max_size=10))
def test_whatever_a_model_writes_only_searches_that_can_be_made_come_out(value: Any, around: str) -> None:
    try:
        calls = calls_in(around + json.dumps(value, ensure_ascii=False))
    except ValueError:
        return
    checked = check(calls, NAMES, NOTHING, NOTHING)
    assert len(checked.calls) + len(checked.refused) == len(calls) and len(checked.calls) <= MOST
    for one in checked.calls:
        assert one.name in NAMES and one.arguments["query"].strip()
        json.dumps(one.arguments["query"]).encode()
    assert len(search_keys(map(as_call, checked.calls))) == len(checked.calls)
    assert all(as_call(one).by_model for one in checked.calls)


def test_tools_are_called_where_the_model_can_else_json_written_else_nothing() -> None:
    assert strategy(Abilities(tools=True, schema=True)) == "tools"
    assert strategy(Abilities(schema=True)) == "schema"
    assert strategy(Abilities(thinks=True)) is None


def passage(name: str, text: str = "") -> Passage:
    return Passage(name, name, name.title(), text or name * 100, 0.5, "hybrid")


def test_what_was_searched_is_told_from_the_state_of_the_turn() -> None:
    wordings = (Wording("question", "and where?", 0.5), Wording("standing", "Where was Lang born?", 0.5))
    calls = [Call("hybrid", wordings), Call("graph", (Wording("model", "Vienna", 1.0),))]
    told = past_searches(
        calls, [["lang", "moon"], []], [passage("moon"), passage("lang", "a b " * 200)], "Where was Lang born?"
    )
    assert [(one.tool, one.query) for one in told] == [("hybrid", "Where was Lang born?"), ("graph", "Vienna")]
    lang, moon = told[0].text.splitlines()
    assert lang.startswith("- Lang: a b a b") and lang.endswith(" ...") and len(lang) <= BEGINNING + 12
    assert moon.startswith("- Moon: ") and told[1].text == "Nothing new was found."


@given(st.lists(st.integers(0, 3), max_size=5), st.integers(0, 400))
def test_the_oldest_results_are_shortened_first_and_no_more_than_needed(sizes: list[int], room: int) -> None:
    whole = [PastSearch("hybrid", f"{n}", (("T" * 5, "x" * 40),) * size) for n, size in enumerate(sizes)]

    def size(told: Any) -> int:
        return sum(len(one.text) for one in told)

    tried: list[int] = []

    def fits(told: Any) -> bool:
        tried.append(size(told))
        return size(told) <= room

    kept = fitted(whole, fits)
    degrees = [("whole", "summarised", "left out").index(one.kept) for one in kept]
    assert degrees == sorted(degrees, reverse=True) and (not degrees or degrees[0] - degrees[-1] <= 1)
    assert not any(one <= room for one in tried[:-1])
    assert size(kept) <= room or all(one.kept == "left out" for one in kept)
