"""Citations: of words while they stream, and of the sentences of a whole answer."""

import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.agent.answer.citations import AHEAD, Citations, claims_of, numbered
from clew.agent.state import Claim
from clew.memory.datatypes import Passage

TABLE = Path(__file__).with_name("citations_as_text.toml")


def shown(text: str, count: int = 5, pieces: int = 3) -> tuple[str, Citations]:
    citations = Citations(count)
    parts = [text[n : n + pieces] for n in range(0, len(text), pieces)]
    return "".join(citations.streamed(parts)), citations


@pytest.mark.parametrize(("text", "expected", "order"), tomllib.loads(TABLE.read_text("utf-8"))["cases"])
def test_numbers_are_those_of_first_mention(text: str, expected: str, order: list[int]) -> None:
    for pieces in (1, 2, 3, 100):
        made, citations = shown(text, pieces=pieces)
        assert (made, citations.order) == (expected.replace("{ahead}", AHEAD), order)


def test_numbers_that_there_are_not_are_dropped() -> None:
    made, citations = shown("It is far [99]. Grey [0] [2]. Red [4-999].")
    assert (made, citations.order) == ("It is far. Grey [1]. Red [2] [3].", [2, 4, 5])


def test_nothing_of_a_citation_is_shown_before_it_is_whole() -> None:
    citations = Citations(5)
    assert list(citations.streamed(["It is", " far", " [", "4", "].", " Yes"])) == ["It is", " far", " [1].", " Yes"]
    long = ' [passage id="2" title="A Moon of many names, and what is said of it"]'
    for citation in (" [1-3]", long, " [2, p. 4]", " (passages 1, 2 and 3)", " 【2†source】"):
        assert list(Citations(5).streamed(["Far", *citation[:-1]])) == ["Far", "".join(shown(citation[:-1])[0])]


CITED = st.sampled_from(
    [
        *'[]()"1-x†\n .²³<>/',
        "<sup>",
        "passage",
        "s",
        "id=",
        "23",
        ", ",
        "p. 4",
        "and",
        "title=",
        "In passage 2, ",
        "cite",
        "(2)",
        "\\",
        "](#",
    ]
)


@given(st.lists(CITED, max_size=30).map("".join), st.integers(1, 7))
def test_where_it_is_cut_makes_no_difference_to_any_form(text: str, pieces: int) -> None:
    made, citations = shown(text, pieces=pieces)
    whole, known = shown(text, pieces=1000)
    assert (made, citations.order) == (whole, known.order)


PASSAGES = [
    Passage(id="1", document="moon", title="Moon", text="The Moon is 384,400 km away.", score=1.0, tool="hybrid"),
    Passage(id="2", document="laika", title="Laika", text="Laika was a dog from Moscow.", score=0.9, tool="hybrid"),
]


FAR, COLD = Claim("It is far.", (1,)), Claim("It is cold.", (2,))
BOTH = Claim("- X", (1, 2), new_line=True)


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("It is far [1]. It is cold. [2] She flew [2] [1].", (FAR, COLD, Claim("She flew.", (2, 1)))),
        (
            "It is far.\n[1]\nIt is cold.\n\n- [2] [1]\nShe flew.",
            (FAR, Claim("It is cold.", (2, 1)), Claim("She flew.")),
        ),
        *((f"It is far{cited}\nIt is cold [2].", (FAR, COLD)) for cited in (".\n[1]", "\n  [1].", ".\n[1].", ". [1].")),
        (
            "**Two things** are known:\n- It is far [1].\n2. It is cold [2].\n\n## Heading\n",
            (
                Claim("Two things are known:", markup="**Two things** are known:"),
                replace(FAR, text="- It is far.", new_line=True),
                replace(COLD, text="2. It is cold.", new_line=True),
                Claim("Heading"),
            ),
        ),
        (
            "## Costs\n\nIt is far [1].\n\n"
            "| what | **cost** |\n|---|--:|\n| air | 3 EUR [2] |\n| sea | `2` EUR |\nIt is cold [2].",
            (
                replace(FAR, markup="### Costs\n\nIt is far."),
                Claim(
                    "what: air, cost: 3 EUR",
                    (2,),
                    new_line=True,
                    markup="| what | **cost** |\n|---|--:|\n| air | 3 EUR |",
                ),
                Claim("what: sea, cost: 2 EUR", new_line=True, markup="| sea | `2` EUR |"),
                replace(COLD, new_line=True),
            ),
        ),
        (
            "Do this:\n\n```sh\n# one\nls | wc\n```\n1. It is far [1].\n   - It is **cold** [2].",
            (
                Claim("Do this:"),
                Claim("# one\nls | wc", new_line=True, markup="```sh\n# one\nls | wc\n```"),
                replace(FAR, text="1. It is far.", new_line=True),
                replace(COLD, text="- It is cold.", new_line=True, markup="   - It is **cold**."),
            ),
        ),
        ("Dr. Smith paid 3.5 dollars [1].", (Claim("Dr. Smith paid 3.5 dollars.", (1,)),)),
        (
            "| | Air | Sea |\n|---|---|---|\n| cost | 3 EUR | |\n\n"
            "## Costs [1]\n\n- It is far.\n- X [2]\n\nIt is cold [2]. X",
            (
                Claim("cost, Air: 3 EUR", markup="| | Air | Sea |\n|---|---|---|\n| cost | 3 EUR | |"),
                Claim("- It is far.", (1,), new_line=True, markup="### Costs\n\n- It is far."),
                Claim("- X", (2,), new_line=True),
                replace(COLD, new_line=True),
                Claim("X"),
            ),
        ),
        (f"{AHEAD}[1] It is far. {AHEAD}[2] It is cold.\n- {AHEAD}[1] {AHEAD}[2] X", (FAR, COLD, BOTH)),
        ("`a[2]` is far [1].", (Claim("a[2] is far.", (1,), markup="`a[2]` is far."),)),
        ("...\n- \n [1]\n", ()),
    ],
)
def test_a_citation_belongs_to_its_sentence_wherever_it_stands_there(text: str, claims: tuple[Claim, ...]) -> None:
    assert claims_of(text) == claims


def test_sources_count_in_the_order_of_first_mention() -> None:
    claims, sources = numbered([Claim("b", (2,)), Claim("a", (1, 2)), Claim("c")], PASSAGES)
    assert [claim.cites for claim in claims] == [(1,), (2, 1), ()]
    assert [source.id for source in sources] == ["2", "1"]
