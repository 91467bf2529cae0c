"""Citations: of words while they stream, and of the sentences of a whole answer."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.agent.answer.citations import AHEAD, Citations, claims_of, numbered
from clew.agent.state import Claim
from clew.memory.datatypes import Passage


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
        ("It is far [3-5].", "It is far [1] [2] [3].", [3, 4, 5]),
        ("It is far [1–3, 5].", "It is far [1] [2] [3] [4].", [1, 2, 3, 5]),
        ('It is far [passage id="2"].', "It is far [1].", [2]),
        ('It is far [passage id="2" title="The 3 Moons"].', "It is far [1].", [2]),
        ("It is far [2, p. 4].", "It is far [1].", [2]),
        ("It is far [2, pp. 4-5; 3, page 1].", "It is far [1] [2].", [2, 3]),
        ("It is far (Passages 2, 3, and 4).", "It is far [1] [2] [3].", [2, 3, 4]),
        ("It is far 【2†L1-L5, 3†source】.", "It is far [1] [2].", [2, 3]),
        ("It is far [^2]. Grey[^3][^1].", "It is far [1]. Grey [2] [3].", [2, 3, 1]),
        (
            "It is far [[2]]. Grey [[3, 1]]. A [[link]] and [[2",
            "It is far [1]. Grey [2] [3]. A [[link]] and [[2",
            [2, 3, 1],
        ),
        (r"It is far \[2\]. Grey\[3, 1\].", "It is far [1]. Grey [2] [3].", [2, 3, 1]),
        ("It is far [2: The Moon, how far]. Grey [3: A, 1: B].", "It is far [1]. Grey [2] [3].", [2, 3, 1]),
        ("It is far [2: Flat 3, 27 Wharf; 4: Bread].", "It is far [1] [2].", [2, 4]),
        ("It is far [2](#2). Grey [3](#passage-3) [1] (#1).", "It is far [1]. Grey [2] [3] (#1).", [2, 3, 1]),
        ("It is far [passage_2]. Grey <cite>[3]</cite> [doc 1].", "It is far [1]. Grey [2] [3].", [2, 3, 1]),
        ("It is far [citation:2][citation:4].", "It is far [1] [2].", [2, 4]),
        ("It is far (2). Grey (1, 2).", "It is far [1]. Grey [2] [1].", [2, 1]),
        (
            "It is far. (2) It is grey. (1 and 3)\nCold (4)\nDry (5)",
            "It is far. [1] It is grey. [2] [3]\nCold [4]\nDry [5]",
            [2, 1, 3, 4, 5],
        ),
        ("It is far (2)(1). Cold (3) (1). Dry.(2)(4)", "It is far [1] [2]. Cold [3] [2]. Dry. [1] [4]", [2, 1, 3, 4]),
        ("It is far<sup>2</sup>. Grey.<sup>[3, 1]</sup> X", "It is far [1]. Grey. [2] [3] X", [2, 3, 1]),
        (
            "By the Tenancy Agreement (2). See Chapter (2). Part (3).",
            "By the Tenancy Agreement [1]. See Chapter (2). Part (3).",
            [2],
        ),
        ('It is far <cite>2</cite>. Grey<cite id="3"/>.', "It is far [1]. Grey [2].", [2, 3]),
        ('It is far <passage id="2"></passage>. Grey </passage>.', "It is far [1]. Grey .", [2]),
        ('<passage id="2" title="Moon">It is far.</passage> It is grey.', f"{AHEAD}[1] It is far. It is grey.", [2]),
        ("It is far.² It is very grey³. Cold.²,¹", "It is far. [1] It is very grey [2]. Cold. [1] [3]", [2, 3, 1]),
        ("It is far.³¹", "It is far. [1] [2]", [3, 1]),
        ("According to passage 2, the Moon is far. It is grey.", f"{AHEAD}[1] The Moon is far. It is grey.", [2]),
        (
            "- In the source [2], it is far [2].\n- In passage 1, x",
            f"- {AHEAD}[1] It is far [1].\n- {AHEAD}[2] X",
            [2, 1],
        ),
        (
            "Passage 2 says so. It is far, as passages 3 and 1 say.",
            "Passage [1] says so. It is far, as passages [2] [3] say.",
            [2, 3, 1],
        ),
        ("It is far (see passage 2). The 2nd passage", "It is far (see passage [1]). The 2nd passage", [2]),
        ("In passage 2, it is far. [2] Grey [1].", f"{AHEAD}[1] It is far. [1] Grey [2].", [2, 1]),
        *(
            (text, text, [])
            for text in (
                "He landed (1969) [1969] there (20). In (2) he did not (0).",
                "(1) It is far.\n(2) It is grey.\n2. Cold",
                "Two things: (1) it is far. (2) It is grey, (3) and cold.",
                "It covers 38 million km² or 5 m<sup>2</sup>, and x² is f(2) or f(1)(2).",
                "It is very far⁹. In passage 9, it is far. In passage 12 of the book.",
                "According to the law, a < b and <b>c</b>. In 1927, he did. And <em",
                "It is `a[2]`, and `b [3] (2)`.",
                "So:\n```py\nx[2] = f(1)  # [3]\n```",
            )
        ),
        ("The passage (passage of time) [p. 4]", "The passage (passage of time) [p. 4]", []),
        ("It is [sic] far.", "It is [sic] far.", []),
        ("Unending [", "Unending [", []),
    ],
)
def test_numbers_are_those_of_first_mention(text: str, expected: str, order: list[int]) -> None:
    for pieces in (1, 2, 3, 100):
        made, citations = shown(text, pieces=pieces)
        assert (made, citations.order) == (expected, order)


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
