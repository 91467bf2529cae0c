import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.grounding.citing import Citations


def shown(text: str, count: int = 5, pieces: int = 3) -> tuple[str, Citations]:
    citations = Citations(count)
    parts = [text[n : n + pieces] for n in range(0, len(text), pieces)]
    return "".join(citations.streamed(parts)), citations


@pytest.mark.parametrize(
    ("text", "expected", "order"),
    [
        ("It is far [3].", "It is far [1].", [3]),
        ("It is far [3]. Grey [1]. Far [3].", "It is far [1]. Grey [2]. Far [1].", [3, 1]),
        ("It is far [3, 1].", "It is far [1] [2].", [3, 1]),
        ("It is far [3][1] .", "It is far [1] [2] .", [3, 1]),
        ("It is far [passage 2].", "It is far [1].", [2]),
        ("It is far [Source: 2].", "It is far [1].", [2]),
        ("It is far 【2†source】.", "It is far [1].", [2]),
        ("It is far [2 and 4].", "It is far [1] [2].", [2, 4]),
        ("It is far [id=2].", "It is far [1].", [2]),
        ("It is [sic] far.", "It is [sic] far.", []),
        ("Unending [", "Unending [", []),
    ],
)
def test_numbers_are_those_of_first_mention(text: str, expected: str, order: list[int]) -> None:
    for pieces in (1, 2, 3, 100):
        made, citations = shown(text, pieces=pieces)
        assert (made, citations.order) == (expected, order)


def test_unknown_numbers_are_dropped() -> None:
    made, citations = shown("It is far [99]. Grey [0] [2].")
    assert made == "It is far. Grey [1]."
    assert (citations.dropped, citations.order) == ([99, 0], [2])


def test_nothing_of_a_citation_is_shown_before_it_is_whole() -> None:
    citations = Citations(5)
    assert list(citations.streamed(["It is", " far", " [", "4", "].", " Yes"])) == ["It is", " far", " [1].", " Yes"]


@given(st.text(alphabet="ab [1]2,9\n", max_size=40), st.integers(1, 7))
def test_where_it_is_cut_makes_no_difference(text: str, pieces: int) -> None:
    assert shown(text, pieces=pieces)[0].split() == shown(text, pieces=100)[0].split()
