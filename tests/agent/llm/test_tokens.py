"""Tokens of a model on a server: estimated, learned, and whether a prompt was cut."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.agent.llm.ledger import TokenCounts

PROSE = "The truth about the death of Laika became public only in 2002, forty-five years later. " * 20


@pytest.mark.parametrize(
    ("text", "bytes_per_token"), [(PROSE, 4.4), ("Собака Лайка умерла. " * 50, 5.0), ("狗死了。" * 100, 3.0)]
)
def test_an_unknown_model_is_estimated_too_high_rather_than_too_low(text: str, bytes_per_token: float) -> None:
    """Llama 3 has so many bytes to a token of English, Russian and Chinese."""
    assert TokenCounts().estimate(text) >= len(text.encode()) / bytes_per_token


def test_what_the_server_counts_is_learned_but_of_a_short_prompt() -> None:
    counts = TokenCounts()
    counts.learn(20, 60)
    assert counts.estimate("x" * 3000) == 1001
    for read, estimated in ((230, 253), (280, 308)):
        counts.learn(1000, read)
        assert counts.estimate("x" * 1000) == pytest.approx(estimated, abs=2)
    counts = TokenCounts()
    assert not counts.was_cut(50_000, 0, 8192)  # a server that does not count says nothing
    counts.learn(50_000, 0)
    assert counts.estimate("xxx") == 2


@pytest.mark.parametrize(
    ("size", "read", "window", "cut"),
    [
        (12_000, 4096, 4096, True),  # it fills the window
        (18_000, 2048, 8192, True),  # about 4,000 tokens of prose: a server that cuts at its default is seen
        (18_000, 4100, 8192, False),
        (9000, 1956, 8192, False),  # English after German
        (9000, 1200, 8192, True),
    ],
)
def test_a_prompt_that_was_cut_is_seen(size: int, read: int, window: int, cut: bool) -> None:
    counts = TokenCounts()
    counts.learn(3400, 1000)
    assert counts.was_cut(size, read, window) == cut


def test_once_cut_the_window_is_what_was_read_until_more_is() -> None:
    counts = TokenCounts()
    assert counts.window is None and counts.was_cut(18_000, 2048, 8192) and counts.window == 2048
    assert counts.was_cut(9_000, 2048, 8192), "a smaller prompt that fills it again was cut again"
    counts.learn(12_000, 3000)
    assert counts.window is None


@given(st.text(max_size=300))
def test_any_text_has_an_estimate(text: str) -> None:
    assert TokenCounts().estimate(text) >= 1
