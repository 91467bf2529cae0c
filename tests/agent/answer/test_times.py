"""Times of the evidence: of several that tell the same thing the newest in force, with what was before; and sentences
of the time that is asked about."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.agent.answer.citations import verified
from clew.agent.answer.evidence import Request, evidence_of
from clew.agent.answer.quoted import quote
from clew.agent.answer.selection import AnswerParameters
from clew.agent.answer.times import in_force, time_scores, timed_sentence
from clew.agent.state import Answer
from clew.memory.datatypes import Document, Passage
from clew.memory.encoding import CachedEncoder
from tests.agent.conftest import Opened

TODAY = "2026-11-22"
LEAVE = {
    "2023": Document("2023", "Leave policy", "Staff have 20 days of paid leave a year.", date="2023-05-01"),
    "2024": Document("2024", "Leave policy", "Staff have 25 days of paid leave a year.", date="2024-09-03"),
    "2027": Document("2027", "Leave policy", "Staff have 28 days of paid leave a year.", date="2027-01-01"),
    "draft": Document(
        "draft", "Leave policy", "Staff have 40 days of paid leave a year.", date="2026-10-01", status="draft"
    ),
}  # fmt: skip
DIARY = Document(
    "diary",
    "Diary",
    "2026-10-03: Bought a bicycle for 180 pounds.\n2026-10-17: Bought a chain for 22 pounds.\n"
    "2026-11-09: Bought a lamp for 9 pounds.",
    date="2026-10-03",
)


def say(question: str, encoder: CachedEncoder, *documents: Document, today: str = TODAY) -> Answer:
    passages = [
        Passage(one.id, one.id, one.title, one.text, 0.6, "hybrid", end=len(one.text), date=one.date)
        for one in documents
    ]
    evidence = evidence_of(passages, encoder, documents, today)
    return verified(quote(Request(question, question), passages, evidence, AnswerParameters()))


QUESTION = "How many days of paid leave do staff have?"


@pytest.mark.parametrize("order", list(permutations(("2023", "2024", "2027", "draft")))[::5])
def test_the_newest_that_is_in_force_answers_with_the_one_before(
    order: tuple[str, ...], encoder: CachedEncoder
) -> None:
    said = say(QUESTION, encoder, *(LEAVE[name] for name in order))
    quoted, aside = said.claims
    assert quoted.text == "Staff have 25 days of paid leave a year."
    before = "\u201cStaff have 20 days of paid leave a year.\u201d"
    assert (aside.text, aside.quotes) == (f"(3 September 2024; on 1 May 2023: {before})", ())
    assert [said.sources[n - 1].document for n in aside.cites] == ["2024", "2023"]
    assert quoted.verdict == aside.verdict == "supported"


@pytest.mark.parametrize(
    ("today", "expected"),
    [("2023-06-01", "20 days"), ("2024-09-03", "25 days"), ("2027-01-01", "28 days"), ("2030-01-01", "28 days")],
)
def test_what_is_in_force_depends_on_the_day(today: str, expected: str, encoder: CachedEncoder) -> None:
    assert expected in say(QUESTION, encoder, *LEAVE.values(), today=today).claims[0].text.split("(")[0]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many days of paid leave will staff have in January 2027?", "28 days"),
        ("How many days of paid leave do staff have on 22 November 2026?", "25 days"),
    ],
)
def test_a_time_that_is_asked_about(question: str, expected: str, encoder: CachedEncoder) -> None:
    assert expected in say(question, encoder, *LEAVE.values()).claims[0].text.split("(")[0]


PULSES = Document(
    "pulses",
    "Pulse",
    "2024-06-02: The pulse was 80 at home.\n2025-06-14: The pulse was 71 at home.\n"
    "2025-09-03: The pulse was 66 at home.",
)


def test_a_month_of_no_year_is_the_last_that_there_is(encoder: CachedEncoder) -> None:
    passage = Passage("pulses", "pulses", "Pulse", PULSES.text, 0.6, "hybrid", end=len(PULSES.text))
    evidence = evidence_of([passage], encoder, [PULSES], TODAY)
    wanted = Request("What was the pulse in June?", "What was the pulse in June 2026?")
    said = quote(wanted, [passage], evidence, AnswerParameters()).claims[0].text
    assert "71" in said and "66" not in said


def test_what_says_the_same_counts_however_well_it_answers() -> None:
    documents = [LEAVE[name] for name in ("2023", "2024", "2027")]
    sentences = [timed_sentence(one.text, 0, one, one.title) for one in documents]
    found = in_force(QUESTION, sentences, np.array([1.0, 0.3, 0.2]), np.ones((3, 1), np.float32), TODAY)
    assert list(found) == [1] and found[1].others == (0, 2)


def test_the_entry_of_the_day(encoder: CachedEncoder) -> None:
    said = say("What did I buy on 17 October 2026?", encoder, DIARY)
    assert [claim.text for claim in said.claims] == ["2026-10-17: Bought a chain for 22 pounds."]


def test_an_entry_says_when(encoder: CachedEncoder) -> None:
    document = Document("d", "Diary", "# 3 May 2024\nRan far.\n# 4 May 2024\nMended the old gate.", date="2024-05-03")
    assert say("When did I mend the old gate?", encoder, document).plain == "Mended the old gate. (4 May 2024)"


def test_a_sentence_is_of_its_entry_and_its_own_dates() -> None:
    found = timed_sentence("Bought a chain for 22 pounds.", DIARY.text.index("2026-10-17"), DIARY, "Diary")
    assert (found.date.iso, found.entry) == ("2026-10-17", True)
    assert timed_sentence("Seen on 3 May 2020.", 0, None, "").own[0].date.iso == "2020-05-03"


@given(st.lists(st.sampled_from(["2023", "2024", "2027", "draft"]), unique=True))
def test_scores_change_only_where_a_time_is_asked_about(names: list[str]) -> None:
    sentences = [timed_sentence(LEAVE[name].text, 0, LEAVE[name], "Leave policy") for name in names]
    assert not time_scores("How many days of leave are there?", sentences).any()
    asked = time_scores("How many days of leave were there in May 2023?", sentences)
    assert [score > 0 for score in asked] == [name == "2023" for name in names]
    one = np.ones((len(names), 1), np.float32)
    chosen = in_force("How many days of leave?", sentences, np.ones(len(names)), one, TODAY)
    assert len(chosen) == (len(names) > 1)
    assert all(set(found.others) | {place} == set(range(len(names))) for place, found in chosen.items())


def bid(name: str, text: str, date: str) -> Document:
    return Document(f"{name} {date}", name, text, date=date)


BIDS = (
    bid("Bid of Oakley Roofing", "We replace the gutter for 1,200 euros.", "2024-06-01"),
    bid("Bid of Elmer & Daughters", "We replace the gutter for 980 euros.", "2024-06-09"),
)


def test_the_bids_of_two_are_no_versions_of_each_other(encoder: CachedEncoder) -> None:
    said = say("What does it cost to replace the gutter?", encoder, *BIDS)
    assert {claim.text for claim in said.claims if claim.quotes} == {one.text for one in BIDS}


def test_what_stands_under_the_same_heading_of_later_minutes_replaces_what_was_said(opened: Opened) -> None:
    told = {
        "02-03": "planned for 15 June 2025.\n\n## Budget\nThe budget of the regatta is 8,000 euros.",
        "04-07": "moved to 6 July 2025.",
        "05-12": "held on 20 September 2025, which is final.",
    }
    files: dict[str, str | bytes] = {
        f"minutes-2025-{day}.md": f"# Regatta committee, 2025-{day}\n\n## Date\nThe regatta is {text}\n"
        for day, text in told.items()
    }
    now, before, *_ = opened(files)("When is the regatta?").claims
    assert "20 September" in now.text and "moved to 6 July" in before.text and not before.quotes
