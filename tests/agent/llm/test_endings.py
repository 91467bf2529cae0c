"""Where a model's text ends: marks of its template, a turn that it invents, a sentence again. Thoughts are left out."""

from collections.abc import Iterator
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.agent.llm.endings import until_its_end, without_thoughts
from clew.memory.ports import Void, text_of

MOON, GREY = "The Moon is very far [2].", "It is grey and cold [1]."

TEXTS = [
    (MOON, MOON),
    (f"{MOON}<|im_end|>\n<|im_start|>user\nWhy?", MOON),  # ChatML
    (f"{MOON}<|eot_id|><|start_header_id|>user", MOON),  # https://github.com/tenstorrent/tt-studio/issues/753
    (f"{MOON}</s> And", MOON),  # https://github.com/technion-cs-nlp/LLMsKnow/issues/8
    (f"{MOON}\nUser: What is 3 + 3?\nAssistant: 6", MOON),  # https://github.com/replicate/cog-llama-template/pull/1
    (f"{MOON}\n### Human:\nWhy?", MOON),  # https://github.com/oobabooga/textgen/issues/1478
    (f"{MOON}\n\nQuestion: Why?", MOON),
    (f"{MOON}\nagent: It is grey.", MOON),  # as the prompt tells what was said
    (f"user: How far is the Moon?\nagent: {MOON}\nuser: Why?", MOON),
    (f"agent: {MOON}", MOON),
    (f"Question: How far is the Moon?\nAnswer: {MOON}\n**Question:** Why?", MOON),
    ("Question: none\nof these", "Question: none\nof these"),
    ("User accounts are free.", "User accounts are free."),
    ("user: none\nof these", "user: none\nof these"),
    (f"Answer: {MOON}", MOON),
    (f"<|im_start|>assistant\n\nAssistant: **Answer:** {MOON}", MOON),
    ("<|im_end|>", ""),
    ("", ""),
    ("It ends with <|im_en", "It ends with <|im_en"),
    (f"{MOON} {GREY} {MOON} {GREY}", f"{MOON} {GREY}"),
    (f"{MOON} {MOON}", MOON),
    ("The Moon is very far [2]. The Moon is very far [1]. The Moon is very far [passage 3].", MOON),
    ("The Moon is very far [2]. The Moon is very far from Mars [1].",) * 2,
    (f"<|start|>assistant<|channel|>final<|message|>{MOON}<|return|>", MOON),
    ("Yes. Yes. Yes. Yes.", "Yes."),
    (
        "It is far. It is grey. It is cold. It is far. It is grey. It is cold. It is",
        "It is far. It is grey. It is cold.",
    ),
    ("Yes. It is far. It is grey. Yes. It is far. Cold.",) * 2,
    ("Air\n- open: yes\n- paid: no\nSea\n- open: yes\n- paid: no",) * 2,
    ("月は遠い。月は遠い。月は", "月は遠い。"),
    ("He saw Mr. Lang in Rome. He saw Mr. Kern in Rome.", "He saw Mr. Lang in Rome. He saw Mr. Kern in Rome."),
    ("| a | b |\n|---|---|\n| 1 | 2 |\n|---|---|\n", "| a | b |\n|---|---|\n| 1 | 2 |\n|---|---|"),
]


def ended(*pieces: str) -> str:
    return "".join(until_its_end(iter(pieces)))


@pytest.mark.parametrize(("text", "left"), TEXTS)
def test_a_text_ends_where_it_should_wherever_it_is_cut(text: str, left: str) -> None:
    assert ended(text) == ended(*text) == left
    for cut in range(len(text)):
        assert ended(text[:cut], text[cut:]) == left


PARTS = st.lists(st.sampled_from([*(text for text, _ in TEXTS), *"<|>\n .:", "user", "Answer", "im_end"]), max_size=6)


@given(PARTS.map("".join), st.integers(1, 7))
def test_where_it_is_cut_makes_no_difference(text: str, size: int) -> None:
    assert ended(*(text[n : n + size] for n in range(0, len(text), size))) == ended(text)


def test_a_loop_is_not_read_on() -> None:
    read = count()

    def loops() -> Iterator[str]:
        while next(read) < 1_000:
            yield from ("It is far ", "and grey. ")

    assert ended(*until_its_end(loops())) == "It is far and grey."
    assert next(read) < 5


def test_text_comes_before_it_is_whole() -> None:
    pieces = ["It is", " far", ". It is", " grey"]
    assert list(until_its_end(iter(pieces))) == ["It is", " far", ".", " It is grey"]


def said(*pieces: str) -> str:
    return text_of(without_thoughts(iter(pieces)))


@pytest.mark.parametrize(
    ("pieces", "left"),
    [
        (["The Moon."], "The Moon."),
        (["<think>Which one?</think>The Moon."], "The Moon."),
        (["<thi", "nk>Wh", "ich?</th", "ink>", "\n\nThe", " Moon."], "The Moon."),
        (["The Moon <think>never ends"], "The Moon "),
        (["a < b, and ", "a <", "= b"], "a < b, and a <= b"),
        (["ends with <th"], "ends with <th"),
        (["Okay, let me see. The answer is far.</think>", "The Moon."], "The Moon."),
        # gpt-oss as its server leaves it: https://github.com/kekzl/imp/pull/768, without its signs:
        # https://github.com/Augustas11/macprovider/issues/743
        (["<|channel|>analysis<|message|>Far?<|end|><|start|>assistant"], "<|start|>assistant"),
        (["analysisWhich one?assistantfinal", "The Moon."], "The Moon."),
        # Ministral, Command R7B, Seed and Gemma 4, by their templates
        (["[THINK]Which one?[/THINK]The Moon."], "The Moon."),
        (["<|START_THINKING|>Which one?<|END_THINKING|>The Moon."], "The Moon."),
        (["<seed:think>Which one?</seed:think>The Moon."], "The Moon."),
        (["<|channel>thought\nWhich one?<channel|>The Moon."], "The Moon."),
        (["The Moon.<|end|>"], "The Moon.<|end|>"),
        ([], ""),
    ],
)
def test_thoughts_are_left_out(pieces: list[str], left: str) -> None:
    assert said(*pieces) == left


def test_the_text_comes_before_it_is_whole() -> None:
    def pieces() -> Iterator[str]:
        yield "The Moon "
        raise AssertionError("the first words were waited for")

    assert next(without_thoughts(pieces())) == "The Moon "


@given(st.lists(st.sampled_from(["<think>", "</think>", "<th", "ink>", "a", " ", "<", "b c"]), max_size=12), st.data())
def test_where_a_thought_is_cut_makes_no_difference(parts: list[str], data: st.DataObject) -> None:
    text = "".join(parts)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    pieces = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    assert said(*pieces) == said(text)


def test_an_end_without_a_beginning_voids_what_was_said() -> None:
    assert list(without_thoughts(iter(["Let me see.", "</think>The Moon."]))) == ["Let me see.", Void(), "The Moon."]
