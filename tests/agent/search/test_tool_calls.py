"""Calls that language models write as text: an example of each form, and what only looks like one."""

import json
from collections.abc import Sequence
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
LLAMA = '<|python_tag|>{"name": "hybrid", "parameters": {"query": "the Moon"}}'

WRITTEN = [
    # The form that is asked for, and JSON as it comes: https://github.com/ollama/ollama/issues/13519
    '{"calls": [{"tool": "hybrid", "query": "the Moon"}]}',
    'Sure:\n```json\n{"tool": "hybrid", "query": "the Moon"}\n```',
    '{"name": "hybrid", "parameters": {"query": "the Moon",},}',
    "{'tool': 'hybrid', 'query': 'the Moon'}",
    '{"type": "function", "function": {"name": "hybrid", "arguments": {"query": "the Moon"}}}',
    '{"tool_calls": [{"type": "function", "function": {"name": "hybrid", "arguments": {"query": "the Moon"}}}]}',
    # https://github.com/langgenius/dify-official-plugins/pull/3703
    '{"tool_call": {"action": "hybrid", "action_input": {"input": "the Moon"}}}',
    '{"action": "hybrid", "action_input": "the Moon"}',
    # Arguments as text, within others, under other names, or alone: https://github.com/BerriAI/litellm/pull/24095
    '[{"name": "hybrid", "arguments": "{\\"query\\": \\"the Moon\\"}"}]',
    '{"function": {"name": "hybrid", "arguments": {"arguments": {"query": "the Moon"}}}}',
    '{"name": "hybrid", "arguments": {"search_query": "the Moon", "k": 3}}',
    '{"hybrid": {"query": "the Moon"}}',
    '{"hybrid": "the Moon"}',
    # https://github.com/langchain-ai/langchain/pull/28225
    '{"name": "hybrid", "arguments": {"query": "{\\"query\\": \\"the Moon\\"}"}}',
    '{"name": "hybrid", "arguments": {"query": {"type": "string", "value": "the Moon"}}}',
    '{"name": "hybrid", "arguments": {"query": ["the Moon"]}}',
    '{"tool_uses": [{"recipient_name": "functions.hybrid", "parameters": {"query": "the Moon"}}]}',
    # Hermes, Qwen: https://github.com/QwenLM/Qwen3/issues/805
    '<tool_call>\n{"name": "hybrid", "arguments": {"query": "the Moon"}}\n</tool_call>',
    '<tool_call>{"name": "hybrid", "arguments": {"query": "the Moon"}}',
    # Qwen3-Coder: https://github.com/lablup/mlxcel/issues/204, without its frame: https://github.com/ollama/ollama/pull/17742
    "<tool_call><function=hybrid><parameter=query>the Moon</parameter></function></tool_call>",
    "<function=hybrid>\n<parameter=query>\nthe Moon\n</parameter>\n</function>\n</tool_call>",
    # Llama 3: https://github.com/meta-llama/llama-models/blob/main/models/llama3_2/text_prompt_format.md
    '<function=hybrid>{"query": "the Moon"}</function>',
    LLAMA,
    '<|python_tag|>hybrid.call(query="the Moon")<|eom_id|>',
    '[hybrid(query="the Moon")]',
    # Python: https://ai.google.dev/gemma/docs/capabilities/function-calling, https://github.com/vllm-project/vllm/pull/17149
    'hybrid.call(query="the Moon")',
    'I will search.\n\nhybrid("the Moon")',
    '```tool_code\nprint(hybrid(query="the Moon"))\n```',
    '```tool_code print(default_api.hybrid(query="the Moon", k=3))```',
    'hybrid({"query": "the Moon"})',
    '```tool_code\nhybrid(\n    query="the Moon",\n    k=3,\n)\n```',  # https://github.com/waybarrios/vllm-mlx/pull/622
    # Gemma 4: https://github.com/ml-explore/mlx-lm/pull/1105
    '<|tool_call>call:hybrid{query:<|"|>the Moon<|"|>}<tool_call|>',
    "<start_function_call>call:hybrid{query:<escape>the Moon<escape>}<end_function_call>",
    # Mistral: https://docs.vllm.ai/en/stable/features/tool_calling, https://github.com/antoinezambelli/forge/pull/56
    '[TOOL_CALLS][{"name": "hybrid", "arguments": {"query": "the Moon"}}]',
    '[TOOL_CALLS]hybrid[ARGS]{"query": "the Moon"}</s>',
    '[TOOL_CALLS]hybrid[CALL_ID]a1B2c3D4e[ARGS]{"query": "the Moon"}',
    # gpt-oss: https://github.com/odysseus-dev/odysseus/issues/4522, https://github.com/raullenchai/Rapid-MLX/issues/480
    '<|channel|>commentary to=functions.hybrid <|constrain|>json<|message|>{"query": "the Moon"}<|call|>',
    'commentary to=functions.hybrid json{"query": "the Moon"}',
    # The recipient before the channel: https://github.com/openai/harmony/issues/40
    '<|start|>assistant to=functions.hybrid<|channel|>commentary json<|message|>{"query": "the Moon"}<|call|>',
    # Command-R's template (tool_use), and Command R7B's
    'Action: ```json\n[\n    {"tool_name": "hybrid", "parameters": {"query": "the Moon"}}\n]```',
    '<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "hybrid", "parameters": {"query": "the Moon"}}]<|END_ACTION|>',
    # ReAct: https://github.com/langchain-ai/langchain/issues/20704, https://github.com/run-llama/llama_index/issues/12455
    'Thought: I must look.\nAction: hybrid\nAction Input: {"query": "the Moon"}\nObservation: It is grey.',
    "Action: hybrid\nAction Input: the Moon",
    'Action: hybrid ({"input": "the Moon"})',
    # In bold: https://github.com/crewAIInc/crewAI/issues/103, numbered: https://github.com/langchain-ai/langchain/issues/3438
    "**Action:** hybrid\n**Action Input:** the Moon",
    "Action 1: hybrid\nAction Input 1: the Moon",
    "Action 1: hybrid[the Moon]",
    # Functionary: https://github.com/ggml-org/llama.cpp/blob/master/docs/function-calling.md,
    # GLM-4: https://github.com/ml-explore/mlx-swift-lm/pull/623
    '>>>hybrid\n{"query": "the Moon"}',
    '>>>all\nI will look.>>>hybrid\n{"query": "the Moon"}',
    'hybrid\n{"query": "the Moon"}',
    # DeepSeek V3, R1 and V3.1, by their templates
    "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>hybrid\n"
    '```json\n{"query": "the Moon"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    '<｜tool▁call▁begin｜>hybrid<｜tool▁sep｜>{"query": "the Moon"}<｜tool▁call▁end｜>',
    # Granite and Phi-4-mini by their templates, and vLLM's for Phi
    '<|tool_call|>[{"name": "hybrid", "arguments": {"query": "the Moon"}}]',
    '<|tool_call|>[{"name": "hybrid", "arguments": {"query": "the Moon"}}]<|/tool_call|>',
    'functools[{"name": "hybrid", "arguments": {"query": "the Moon"}}]',
    # Nemotron: https://github.com/ollama/ollama/pull/6849
    '<TOOLCALL>[{"name": "hybrid", "arguments": {"query": "the Moon"}}]</TOOLCALL>',
    # GLM: https://github.com/waybarrios/vllm-mlx/pull/797
    "<tool_call>hybrid\n<arg_key>query</arg_key>\n<arg_value>the Moon</arg_value>\n</tool_call>",
    # Kimi K2: https://huggingface.co/moonshotai/Kimi-K2-Instruct/blob/main/docs/tool_call_guidance.md
    "<|tool_calls_section_begin|><|tool_call_begin|>functions.hybrid:0<|tool_call_argument_begin|>"
    '{"query": "the Moon"}<|tool_call_end|><|tool_calls_section_end|>',
    # Qwen-Agent, with and without the mark of its arguments: https://github.com/QwenLM/Qwen-Agent/issues/133
    '✿FUNCTION✿: hybrid\n✿ARGS✿: {"query": "the Moon"}\n✿RESULT✿',
    "✿FUNCTION✿ hybrid, {'query': 'the Moon'}",
    # Text of text: https://github.com/quarkiverse/quarkus-langchain4j/pull/2642
    '{"name": "hybrid", "arguments": "\\"{\\\\\\"query\\\\\\": \\\\\\"the Moon\\\\\\"}\\""}',
    '{"name": "hybrid", "arguments": {"query": "\\"{\\\\\\"query\\\\\\": \\\\\\"the Moon\\\\\\"}\\""}}',
    # Tags with attributes, and tags within tags (no public report was found)
    '<function=hybrid>query="the Moon"</function>',
    '<tool name="hybrid" query="the Moon"/>',
    '<tool name="hybrid">{"query": "the Moon"}</tool>',
    '<tool name="hybrid">\n<query>the Moon</query>\n</tool>',
    # MiniMax M2: https://github.com/ggml-org/llama.cpp/pull/16932
    '<minimax:tool_call>\n<invoke name="hybrid">\n<parameter name="query">the Moon</parameter>\n</invoke>',
]


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
