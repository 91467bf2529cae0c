from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.agent.language.thoughts import without_thoughts
from clew.memory.ports import Usage, Void, text_of


def said(*pieces: str) -> str:
    return text_of(without_thoughts(iter(pieces)))


@pytest.mark.parametrize(
    ("pieces", "left"),
    [
        (["The Moon."], "The Moon."),
        (["<think>Which one?</think>The Moon."], "The Moon."),
        (["<thi", "nk>Wh", "ich?</th", "ink>", "\n\nThe", " Moon."], "The Moon."),
        (["<THINK>a</think>b<thinking>c</thinking>d"], "bd"),
        (["The Moon <think>never ends"], "The Moon "),
        (["a < b, and ", "a <", "= b"], "a < b, and a <= b"),
        (["ends with <th"], "ends with <th"),
        (["  \n The Moon."], "The Moon."),
        (["Okay, let me see. The answer is far.</think>", "The Moon."], "The Moon."),
        (["Let me ", "see.</th", "ink>", " The", " Moon."], "The Moon."),
        ([], ""),
    ],
)
def test_thoughts_are_left_out(pieces: list[str], left: str) -> None:
    assert said(*pieces) == left


def test_what_is_no_text_passes() -> None:
    usage = Usage(1, 2)
    assert list(without_thoughts(iter(["<think>a", usage, "</think>b"]))) == [usage, "b"]


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
