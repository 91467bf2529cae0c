"""Times of the evidence: of several that tell the same thing the newest in force, with what was before; and sentences
of the time that is asked about."""

from itertools import permutations

import pytest

from clew.agent.answer.evidence import Evidence, Request
from clew.agent.answer.quoted import quote
from clew.agent.answer.selection import AnswerParameters
from clew.agent.answer.verification import verified
from clew.agent.state import Answer
from clew.memory.datatypes import Document, Mark, Passage
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
    evidence = Evidence(tuple(passages), encoder, {one.id: one for one in documents}, today)
    return verified(quote(Request(question, question), passages, evidence, AnswerParameters()))


@pytest.mark.parametrize("order", list(permutations(("2023", "2024", "2027", "draft")))[::5])
def test_the_newest_in_force_answers_with_the_one_before(order: tuple[str, ...], encoder: CachedEncoder) -> None:
    said = say("How many days of paid leave do staff have?", encoder, *(LEAVE[name] for name in order))
    quoted, aside = said.claims
    assert quoted.text == "Staff have 25 days of paid leave a year."
    before = "\u201cStaff have 20 days of paid leave a year.\u201d"
    assert (aside.text, aside.quotes) == (f"(3 September 2024; on 1 May 2023: {before})", ())
    assert [said.sources[n - 1].document for n in aside.cites] == ["2024", "2023"]
    assert quoted.verdict == aside.verdict == "supported"


NOW = "How many days of paid leave do staff have?"
THEN = "How many days of paid leave will staff have in January 2027?"


@pytest.mark.parametrize(
    ("question", "today", "expected"),
    [
        *((NOW, day, "25 days") for day in ("2024-09-03", TODAY)),
        *((NOW, day, "28 days") for day in ("2027-01-01", "2030-01-01")),
        (NOW, "2023-06-01", "20 days"),
        (THEN, TODAY, "28 days"),
        ("How many days of paid leave do staff have on 22 November 2026?", TODAY, "25 days"),
    ],
)
def test_what_is_in_force_depends_on_the_day_and_on_the_time_that_is_asked_about(
    question: str, today: str, expected: str, encoder: CachedEncoder
) -> None:
    assert expected in say(question, encoder, *LEAVE.values(), today=today).claims[0].text.split("(")[0]


PULSES = Document(
    "pulses",
    "Pulse",
    "2024-06-02: The pulse was 80 at home.\n2025-06-14: The pulse was 71 at home.\n"
    "2025-09-03: The pulse was 66 at home.",
)


def test_a_month_of_no_year_is_the_last_that_there_is(encoder: CachedEncoder) -> None:
    passage = Passage("pulses", "pulses", "Pulse", PULSES.text, 0.6, "hybrid", end=len(PULSES.text))
    evidence = Evidence((passage,), encoder, {PULSES.id: PULSES}, TODAY)
    wanted = Request("What was the pulse in June?", "What was the pulse in June 2026?")
    said = quote(wanted, [passage], evidence, AnswerParameters()).claims[0].text
    assert "71" in said and "66" not in said


def test_the_entry_of_the_day(encoder: CachedEncoder) -> None:
    said = say("What did I buy on 17 October 2026?", encoder, DIARY)
    assert [claim.text for claim in said.claims] == ["2026-10-17: Bought a chain for 22 pounds."]


def test_an_entry_says_when(encoder: CachedEncoder) -> None:
    document = Document("d", "Diary", "# 3 May 2024\nRan far.\n# 4 May 2024\nMended the old gate.", date="2024-05-03")
    assert say("When did I mend the old gate?", encoder, document).plain == "Mended the old gate. (4 May 2024)"


MINUTES = (
    "Minutes of the harbour club\n\nMeeting of 6 February 2025\n- The regatta was fixed for Saturday 14 June 2025.\n"
    "- The fee is 40 euros.\n\nMeeting of 13 March 2025\n- The regatta was moved to Saturday 21 June 2025.\n"
    "- The regatta begins at noon.\n"
)


def test_of_the_meetings_in_one_file_the_last_tells_how_it_is_now(encoder: CachedEncoder) -> None:
    headings = tuple(Mark(MINUTES.index(text), text) for text in MINUTES.splitlines() if text.startswith("Meeting"))
    said = say("When is the regatta?", encoder, Document("minutes", "Minutes", MINUTES, headings=headings)).plain
    assert "21 June 2025. (13 March 2025; on 6 February 2025: \u201cThe regatta was fixed" in said
    assert "- The regatta was fixed" not in said


def test_of_two_documents_that_tell_what_it_costs_the_newer_comes_first(encoder: CachedEncoder) -> None:
    lease = Document("lease", "Lease", "The rent is 780 pounds a month, payable in advance.", date="2024-02-14")
    letter = Document("letter", "Letter about the boiler", "The rent will be 835 pounds a month.", date="2025-01-20")
    for documents in permutations((lease, letter)):
        said = say("How much is the rent a month?", encoder, *documents).plain
        assert said.index("835") < said.index("780")


def bid(name: str, text: str, date: str) -> Document:
    return Document(f"{name} {date}", name, text, date=date)


BIDS = (
    bid("Bid of Oakley Roofing", "We replace the gutter for 1,200 euros.", "2024-06-01"),
    bid("Bid of Elmer & Daughters", "We replace the gutter for 980 euros.", "2024-06-09"),
)


def test_the_bids_of_two_are_no_versions_of_each_other(encoder: CachedEncoder) -> None:
    said = say("What does it cost to replace the gutter?", encoder, *BIDS)
    assert all(claim.quotes for claim in said.claims), "none is mentioned as the one before"


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
    for day, text in {"01-14": "will be on Saturday 3 May.", "03-11": "was moved to Saturday 17 May."}.items():
        files[f"2026-{day}-staff.md"] = f"---\ndate: 2026-{day}\n---\n# Staff meeting\n\nThe open day {text}\n"
    asked = opened(files)
    first, *_ = asked("When is the open day?").claims
    assert "17 May" in first.text
    now, before, *_ = asked("When is the regatta?").claims
    assert "20 September" in now.text and "moved to 6 July" in before.text and not before.quotes
