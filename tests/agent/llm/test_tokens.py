"""Tokens of a model on a server: estimated and learned."""

import pytest

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
    counts.learn("x" * 20, 60)
    assert counts.estimate("x" * 3000) == 1001
    for read, estimated in ((230, 253), (280, 308)):
        counts.learn("x" * 1000, read)
        assert counts.estimate("x" * 1000) == pytest.approx(estimated, abs=2)
    counts = TokenCounts()  # a server that does not count says nothing
    counts.learn("x" * 50_000, 0)
    assert counts.estimate("xxx") == 2
