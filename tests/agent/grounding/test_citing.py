import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.agent.grounding.citing import Citations


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
        ("It is far [3-5].", "It is far [1] [2] [3].", [3, 4, 5]),
        ("It is far [1–3, 5].", "It is far [1] [2] [3] [4].", [1, 2, 3, 5]),
        ("It is far [passage 2 to passage 4].", "It is far [1] [2] [3].", [2, 3, 4]),
        ("It is far [4-2].", "It is far [1] [2].", [4, 2]),
        ('It is far [passage id="2"].', "It is far [1].", [2]),
        ('It is far [passage id="2" title="The 3 Moons"].', "It is far [1].", [2]),
        ('It is far [id="2"].', "It is far [1].", [2]),
        ("It is far [Passage 1, Passage 2].", "It is far [1] [2].", [1, 2]),
        ("It is far [2, p. 4].", "It is far [1].", [2]),
        ("It is far [2, pp. 4-5; 3, page 1].", "It is far [1] [2].", [2, 3]),
        ("It is far (passage 2).", "It is far [1].", [2]),
        ("It is far (Passages 2, 3, and 4).", "It is far [1] [2] [3].", [2, 3, 4]),
        ("It is far 【2†L1-L5, 3†source】.", "It is far [1] [2].", [2, 3]),
        ("He landed (1969) [1969] there (2).", "He landed (1969) [1969] there (2).", []),
        ("The passage (passage of time) [p. 4]", "The passage (passage of time) [p. 4]", []),
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


def test_a_range_has_no_more_than_there_is() -> None:
    made, citations = shown("It is far [4-999].")
    assert (made, citations.order, citations.dropped) == ("It is far [1] [2].", [4, 5], [999])


def test_nothing_of_a_citation_is_shown_before_it_is_whole() -> None:
    citations = Citations(5)
    assert list(citations.streamed(["It is", " far", " [", "4", "].", " Yes"])) == ["It is", " far", " [1].", " Yes"]
    long = ' [passage id="2" title="A Moon of many names, and what is said of it"]'
    for citation in (" [1-3]", long, " [2, p. 4]", " (passages 1, 2 and 3)", " 【2†source】"):
        assert list(Citations(5).streamed(["Far", *citation[:-1]])) == ["Far", "".join(shown(citation[:-1])[0])]


@given(st.text(alphabet="ab [1]2,9\n", max_size=40), st.integers(1, 7))
def test_where_it_is_cut_makes_no_difference(text: str, pieces: int) -> None:
    assert shown(text, pieces=pieces)[0].split() == shown(text, pieces=100)[0].split()


CITED = [
    "[",
    "]",
    "(",
    ")",
    "passage",
    "s",
    " ",
    '"',
    "id=",
    "1",
    "23",
    "-",
    ", ",
    "p. 4",
    "\n",
    "and",
    "x",
    "†",
    "title=",
]


@given(st.lists(st.sampled_from(CITED), max_size=30).map("".join), st.integers(1, 7))
def test_where_it_is_cut_makes_no_difference_to_any_form(text: str, pieces: int) -> None:
    made, citations = shown(text, pieces=pieces)
    whole, known = shown(text, pieces=1000)
    assert (made.split(), citations.order, citations.dropped) == (whole.split(), known.order, known.dropped)
