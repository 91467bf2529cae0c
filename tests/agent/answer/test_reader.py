"""The reader: what it looks at, and which candidate it takes for the answer."""

import pytest

from clew.agent.answer.evidence import Evidence, Request
from clew.agent.answer.selection import AnswerParameters, pick
from clew.memory.datatypes import Document, Passage
from clew.memory.encoding import CachedEncoder

NOTES = """Fair

The fair is on the school field. Moved to Sunday 13 July. Reason: the school has its sports day on the 6th.

Bring:

- a tent
- two tables

Prices

What does a jar cost?

A jar costs 8.50 euros, and 50 cents for the glass."""


def first(question: str, encoder: CachedEncoder, *said: str, notes: str = NOTES) -> str:
    passage = Passage("d#0", "d", "Notes", notes, 0.5, "hybrid", start=0, end=len(notes))
    evidence = Evidence((passage,), encoder, {"d": Document("d", "Notes", notes)})
    [found] = pick(Request(question, question, said=said), evidence, AnswerParameters(units=1))
    return " ".join(" ".join(found.excerpt.texts).split())


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("When is the fair?", "13 July"),
        ("Why was the fair moved?", "Reason: the school has its sports day"),
        ("What do I have to bring?", "two tables"),
        ("How much is a jar?", "8.50 euros"),
    ],
)
def test_the_unit_that_answers_is_first(question: str, answer: str, encoder: CachedEncoder) -> None:
    assert answer in first(question, encoder)
