import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.agent.llm.ledger import TokenCounts

PROSE = "The truth about the death of Laika became public only in 2002, forty-five years later. " * 20


def test_an_unknown_model_is_estimated_too_high_rather_than_too_low() -> None:
    # Llama 3 has 4.4 bytes to a token of English prose, 2.5 to one of Russian, 3 to one of Chinese.
    counts = TokenCounts()
    for text, bytes_per_token in ((PROSE, 4.4), ("Собака Лайка умерла. " * 50, 5.0), ("狗死了。" * 100, 3.0)):
        assert counts.estimate(text) >= len(text.encode()) / bytes_per_token


def test_what_the_server_counts_is_learned() -> None:
    counts = TokenCounts()
    counts.learn(1000, 230)
    assert counts.estimate("x" * 1000) == pytest.approx(253, abs=2)
    counts.learn(1000, 280)
    assert counts.estimate("x" * 1000) == pytest.approx(308, abs=2)


def test_a_short_prompt_teaches_nothing() -> None:
    counts = TokenCounts()
    counts.learn(20, 60)
    assert counts.estimate("x" * 3000) == 1001


def test_another_language_is_no_cut() -> None:
    counts = TokenCounts()
    counts.learn(3400, 1000)
    assert not counts.was_cut(9000, 1956, 8192), "English after German"
    assert counts.was_cut(9000, 1200, 8192)


def test_a_window_that_was_none_is_forgotten() -> None:
    counts = TokenCounts()
    assert counts.was_cut(9000, 1200, 8192)
    counts.learn(6000, 1500)
    assert counts.window is None


def test_a_prompt_that_fills_the_window_was_cut() -> None:
    assert TokenCounts().was_cut(12_000, 4096, 4096)


def test_the_first_prompt_of_a_model_is_checked_too() -> None:
    # 18 kB of prose are about 4,000 tokens: a server that cuts at its default of 2,048 is seen.
    assert TokenCounts().was_cut(18_000, 2048, 8192)
    assert not TokenCounts().was_cut(18_000, 4100, 8192)


def test_once_cut_the_window_is_what_was_read() -> None:
    counts = TokenCounts()
    assert counts.window is None
    assert counts.was_cut(18_000, 2048, 8192)
    assert counts.window == 2048
    assert counts.was_cut(9_000, 2048, 8192), "a smaller prompt that fills it again was cut again"


def test_a_server_that_does_not_count_says_nothing() -> None:
    counts = TokenCounts()
    assert not counts.was_cut(50_000, 0, 8192)
    counts.learn(50_000, 0)
    assert counts.estimate("xxx") == 2


@given(st.text(max_size=300))
def test_any_text_has_an_estimate(text: str) -> None:
    assert TokenCounts().estimate(text) >= 1
