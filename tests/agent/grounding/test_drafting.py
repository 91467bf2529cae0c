import pytest

from clew.agent.grounding.drafting import attributed, claims_of, numbered, whole_sentences
from clew.agent.state import Claim
from clew.memory.datatypes import Passage

PASSAGES = [
    Passage(id="1", document="moon", title="Moon", text="The Moon is 384,400 km away.", score=1.0, tool="hybrid"),
    Passage(id="2", document="laika", title="Laika", text="Laika was a dog from Moscow.", score=0.9, tool="hybrid"),
]


def test_a_citation_belongs_to_its_sentence_before_or_behind_the_stop() -> None:
    assert claims_of("The Moon is far [1]. Laika was a dog. [2] She flew [2] [1].") == (
        Claim("The Moon is far.", (1,)),
        Claim("Laika was a dog.", (2,)),
        Claim("She flew.", (2, 1)),
    )


def test_a_line_that_is_only_a_citation_belongs_to_the_line_before() -> None:
    made = claims_of("The Moon is far.\n[1]\nLaika was a dog.\n\n- [2] [1]\nShe flew.")
    assert made == (Claim("The Moon is far.", (1,)), Claim("Laika was a dog.", (2, 1)), Claim("She flew."))


def test_lists_and_markup() -> None:
    made = claims_of("**Two things** are known:\n- The Moon is far [1].\n2. Laika was a dog [2].\n\n## Heading\n")
    assert made == (
        Claim("Two things are known:"),
        Claim("The Moon is far.", (1,), new_line=True),
        Claim("Laika was a dog.", (2,), new_line=True),
        Claim("Heading"),
    )


def test_a_stop_in_a_number_or_a_name_ends_nothing() -> None:
    assert claims_of("Dr. Smith paid 3.5 dollars [1].") == (Claim("Dr. Smith paid 3.5 dollars.", (1,)),)


@pytest.mark.parametrize("text", ["It is far.\n[1]", "It is far\n  [1].", "It is far.\n[1].", "It is far. [1]."])
def test_a_line_of_citations_belongs_to_the_line_before_it(text: str) -> None:
    assert claims_of(text + "\nIt is cold [2].") == (Claim("It is far.", (1,)), Claim("It is cold.", (2,)))


def test_nothing_but_signs_is_no_claim() -> None:
    assert claims_of("...\n- \n [1]\n") == ()


def test_a_claim_without_a_citation_gets_that_of_the_passage_that_says_it() -> None:
    claims = [Claim("Laika was a dog from Moscow."), Claim("The Moon is 384,400 km away.", (2,)), Claim("I hope so.")]
    assert [claim.cites for claim in attributed(claims, PASSAGES)] == [(2,), (1,), ()]


def test_a_wrong_citation_that_nothing_supports_stays_to_be_marked() -> None:
    claims = [Claim("Nero paid 7,777 ducats.", (1,))]
    assert attributed(claims, PASSAGES) == (claims[0],)


def test_sources_count_in_the_order_of_first_mention() -> None:
    claims, sources = numbered([Claim("b", (2,)), Claim("a", (1, 2)), Claim("c")], PASSAGES)
    assert [claim.cites for claim in claims] == [(1,), (2, 1), ()]
    assert [source.id for source in sources] == ["2", "1"]


def test_what_broke_off_keeps_its_whole_sentences() -> None:
    assert whole_sentences("The Moon is far [1]. Laika was a d") == "The Moon is far [1]."
    assert whole_sentences("Laika was a d") == ""
