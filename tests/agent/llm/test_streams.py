"""Streams of a model's server: watched, and without thoughts."""

import time
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.agent.llm.streams import Patience, Wire, watched, without_thoughts
from clew.memory.errors import BadInput, ModelFailed
from clew.memory.ports import Void, text_of

HASTY = Patience(first=0.3, gap=0.2)


def test_items_come_in_order_and_what_reading_raises_is_raised_here() -> None:
    def items() -> Iterator[int]:
        yield 1
        yield 2
        raise BadInput("x")

    seen = []
    with pytest.raises(BadInput):
        for item in watched(items, Wire(), Patience(), None):
            seen.append(item)  # noqa: PERF402 the items that came before the error
    assert seen == [1, 2]


@pytest.mark.parametrize(("silent", "came"), [(5.0, []), (0.25, [1])])
def test_a_silent_stream_is_given_up_and_its_first_item_may_take_longer(silent: float, came: list[int]) -> None:
    def items() -> Iterator[int]:
        time.sleep(silent)
        yield 1
        time.sleep(0.5)
        yield 2

    seen, started = list[int](), time.monotonic()
    with pytest.raises(ModelFailed, match="said nothing for"):
        for item in watched(items, Wire(), HASTY, None):
            seen.append(item)
    assert seen == came and time.monotonic() - started < 3


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
def test_where_it_is_cut_makes_no_difference(parts: list[str], data: st.DataObject) -> None:
    text = "".join(parts)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    pieces = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    assert said(*pieces) == said(text)


def test_an_end_without_a_beginning_voids_what_was_said() -> None:
    assert list(without_thoughts(iter(["Let me see.", "</think>The Moon."]))) == ["Let me see.", Void(), "The Moon."]
