"""Which passage a sentence of a written answer cites, and what it is worth then."""

from dataclasses import replace

import pytest

from clew.agent.answer.verification import attributed, verified
from clew.agent.state import Answer, Claim
from clew.memory.datatypes import Passage
from tests.agent.answer.test_citations import PASSAGES
from tests.agent.answer.test_verification import COSTS, LEASE, SOUP


def test_a_claim_without_a_citation_gets_that_of_the_passage_that_says_it() -> None:
    wrong = Claim("Nero paid 7,777 ducats.", (1,))  # nothing supports it: it stays, to be marked
    said = [Claim("Laika was a dog from Moscow."), Claim("The Moon is 384,400 km away.", (2,)), Claim("I hope so.")]
    *found, kept = attributed([*said, wrong], PASSAGES)
    assert [claim.cites for claim in found] == [(2,), (1,), ()] and kept == replace(wrong, verdict="unsupported")


def test_a_citation_stays_unless_another_passage_has_more_of_the_sentence_and_the_number_that_it_lacks() -> None:
    other = Passage("p", "p", "Plots", "A half plot costs 24 pounds a year. The fee is 100 euros.", 0.6, "")
    kept, moved, weak = attributed(
        [
            Claim("The tenant pays for small repairs up to 24 euros.", (1,)),
            Claim("A half plot costs 24 pounds.", (1,)),
            Claim("The landlord pays for small repairs.", (1,)),
        ],
        [LEASE, other],
    )
    assert (kept.cites, kept.verdict) == ((1,), "unsupported")
    assert (moved.cites, moved.verdict) == ((2,), "supported")
    assert weak.cites == (1,)


def test_code_belongs_to_the_sentence_before_it_and_is_not_checked() -> None:
    manual = replace(SOUP, text="Upgrade with `tidemark migrate`, once.")
    code = Claim("tidemark migrate --fast", markup="```\ntidemark migrate --fast\n```")
    for said, cites in ((Claim("Upgrade with this:", (1,)), ()), (Claim("Upgrade with this:"), (2,))):
        *_, kept = attributed([said, code], [LEASE, manual])
        assert (kept.cites, kept.verdict) == (cites, "uncited")


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("Nero paid 7,777 ducats for it.", "unsupported"),  # an invention
        ("Laika was born in Berlin.", "unsupported"),  # another place
        ("What is known of the dog Laika from Moscow in Russia:", "uncited"),  # announces
        ("Do you mean the distance of the Moon from the Earth?", "uncited"),  # asks
    ],
)
def test_a_sentence_without_a_citation_is_checked_against_all_passages(said: str, found: str) -> None:
    [claim] = attributed([Claim(said)], PASSAGES)
    assert (claim.cites, claim.verdict) == ((), found)
    [kept] = verified(Answer("answered", (claim,))).claims
    assert kept == claim


ASKED = "What do a lathe and two saws cost with 10 percent off, for 40 days?"


@pytest.mark.parametrize(
    ("said", "found"),
    [
        (["The lathe and two saws cost 3,100 euros.", "2 × 950 = 1,900", "1,200 + 1,900 = 3,100 euros"], "supported"),
        (["The lathe and two saws cost 3,200 euros.", "2 × 950 = 1,900", "1,200 + 1,900 = 3,100 euros"], "unsupported"),
        (["Two saws cost 2,000 euros.", "2 × 1,000 = 2,000 euros"], "unsupported"),  # its own number
        (["It costs 30 euros a day for 40 days.", "1,200 / 40 = 30 euros"], "supported"),  # the question's
        (["Keller pays 1,900 euros for the insurance.", "2 × 950 = 1,900"], "unsupported"),  # a result, of nothing
        (["It costs 855 euros.", "With 10 percent off 950 × 0.9 = 855 euros"], "supported"),
        (["It costs 902.50 euros.", "With 5 percent off 950 × 0.95 = 902.50 euros"], "unsupported"),
    ],
)
def test_what_was_worked_out_counts_for_all_sentences(said: list[str], found: str) -> None:
    shop = replace(COSTS, text=f"{COSTS.text} There are 10 percent off in May.")
    for cites in ((1,), ()):
        first, *_ = attributed([Claim(one, cites) for one in said], [shop, LEASE], ASKED)
        assert first.verdict == found


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("Laika was paid well by Nero all her life.", "weak"),  # at most, as it names nothing new
        ("Nothing is said of what Laika was paid by Nero.", "uncited"),  # of what is lacking there is no source
        ("Nothing is said of what Laika was paid by Seneca.", "unsupported"),
        ("The Moon is not 384,400 km away.", "weak"),  # a passage has its words, so it is checked
    ],
)
def test_a_sentence_without_a_source_is_weak_unless_it_says_what_is_lacking(said: str, found: str) -> None:
    [claim] = attributed([Claim(said)], PASSAGES, "What did Nero pay?")
    assert (claim.cites, claim.verdict) == ((), found)


def test_a_result_cites_what_its_sum_cites_and_a_sum_what_has_its_operands() -> None:
    fares = Passage("f", "f", "Fares", "A car with its driver pays 24.00 euros one way.", 0.6, "")
    minutes = Passage("m", "m", "Minutes", "2. Boats: the trip there and back by car costs the club 60 euros.", 0.6, "")
    for cites in ((2,), ()):
        said = [Claim("The trip costs 48.00 euros."), Claim("So it is 2 × 24.00 = 48.00 euros.", cites)]
        found = attributed(said, [minutes, fares], "What does the trip cost?")
        assert found[1].cites == (2,) and (not cites or found[0].cites == (2,))
