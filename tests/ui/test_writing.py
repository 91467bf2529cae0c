"""Words that are put on a screen as they come, and whether an answer is what was written."""

import io
from itertools import pairwise
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from clew.agent.answer.citations import claims_of
from clew.agent.models import Writers
from clew.agent.state import Answer, Claim, Fallback, Prompted
from clew.ui.models_told import badge, ledger_lines, model_of
from clew.ui.writing import Writing, became
from tests.ui.fakes import make_turn


def shown(pieces: list[str], width: int = 20) -> str:
    out = io.StringIO()
    writing = Writing(Console(file=out, width=width, highlight=False))
    for piece in pieces:
        writing.add(piece)
    writing.end()
    assert writing.text == "".join(pieces)
    return out.getvalue()


@pytest.mark.parametrize(
    "pieces, screen",
    [
        (["The Moon", " is far", " away [1].\n"], "The Moon is far away\n[1].\n"),
        (["One", ".\n\n\n\nTwo", ".\n", "Three."], "One.\n\nTwo.\nThree.\n"),
        (["  ", "begins apart"], "begins apart\n"),
        (["unbroken" * 4], "unbroken" * 4 + "\n"),
        (["月は地球から約三十八万キロメートル離れている。"], "月は地球から約三十八\n万キロメートル離れて\nいる。\n"),
        (["a \x1b[3", "1mred\x1b[0m one\x07"], "a red one\n"),
        ([""], ""),
    ],
)
def test_words_are_wrapped_and_steer_nothing(pieces: list[str], screen: str) -> None:
    assert shown(pieces) == screen


@given(st.text(alphabet="abc 月\n.[1]", max_size=80), st.lists(st.integers(0, 80), max_size=6))
def test_nothing_depends_on_where_the_pieces_were_cut(text: str, cuts: list[int]) -> None:
    places = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    pieces = [text[a:b] for a, b in pairwise(places)]
    assert shown(pieces) == shown([text])
    assert shown([text]).split() == text.split() or "月" in text or max(map(len, text.split())) > 20


def answer(*claims: Claim, **changed: Any) -> Answer:
    return Answer(**{"outcome": "answered", "claims": claims, **changed})


MOON, ROUND = Claim("The Moon is far.", (1,)), Claim("It is round.", (2, 3), new_line=True)


@pytest.mark.parametrize(
    "written, same",
    [
        ("The Moon is far [1].\n- It is round [2][3].", True),
        ("The Moon is far. [1] It is round [2, 3].", True),
        ("The Moon is far [1]. It is round [2].", True),
        ("1. The Moon is far [1].\n2. It is round [2].", True),
        ("**The Moon** is far.\n[1]\n\n  2) It __is__ round [2].", True),
        ("The Moon is far [1].\n2 It is round [2].", False),
        ("The Moon is far [1]. It is round [2, 4].", False),
        ("The Moon is far [1]. It is round [2], [2].", False),
        ("The Moon is far [1].", False),
        ("The Moon is far [1]. It is round [2][3]. Nero paid.", False),
    ],
)
def test_an_answer_is_what_was_written_wherever_its_citations_stand(written: str, same: bool) -> None:
    assert became(written, answer(MOON, ROUND)) == same


@pytest.mark.parametrize(
    "text", ["1. One thing [1].\n2. Two [2].", "## Things\n- **One**\n  [1]\n* `Two`", "One.\n[1]."]
)
def test_what_its_claims_are_made_of_is_what_was_written(text: str) -> None:
    assert became(text, answer(*claims_of(text)))


def test_what_was_stopped_may_lack_its_last_words() -> None:
    stopped = answer(MOON, outcome="stopped")
    assert became("The Moon is far [1]. It is rou", stopped) and not became("The Sun is", stopped)


def test_the_badge_and_the_ledger_in_words() -> None:
    turn = make_turn("t", 1, "Why?")
    assert badge(turn) == ""
    told = Fallback("think", "it called no tool")
    assert badge(cast(Any, SimpleNamespace(degraded=(told, told)))) == (
        "without the model: choosing tools (it called no tool)"
    )
    assert badge(cast(Any, SimpleNamespace(degraded=(Fallback("answer", ""),)))) == "without the model: answering"
    assert ledger_lines([Prompted("rewrite", "m:1b", 4096, 321)]) == ["rewrite, m:1b: about 321 of 4,096 tokens read"]


def test_the_model_that_answers_is_named_before_others() -> None:
    small, large = (cast(Any, SimpleNamespace(name=name)) for name in ("small", "large"))
    assert model_of(Writers(think=small, answer=large)) == "large"
    assert model_of(Writers(rewrite=small)) == "small" and model_of(Writers()) == ""
