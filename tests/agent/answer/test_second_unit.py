"""What is told beside the best unit: what is short, about as likely, and not against the rules."""

import pytest

from clew.agent.answer.evidence import Evidence, evidence_of
from clew.agent.answer.quotation import quote
from clew.agent.answer.wanted import Wanted
from clew.agent.answer.weighing import AnswerParameters
from clew.memory.datatypes import Passage
from clew.memory.encoding import CachedEncoder

GATE = "The gate is opened by the porter at nine. The gate to the garden opens at ten{}. The porter is called Bemm."
LONG = ", as the people of the house have asked for again and again at every meeting that was held since he left"
QUESTION = "When does the gate open?"


def _passages(text: str) -> list[Passage]:
    return [Passage("h#0", "h", "House", text, 0.7, "hybrid", start=0, end=len(text))]


def _told(text: str, evidence: Evidence, parameters: AnswerParameters, question: str = QUESTION) -> list[str]:
    return [claim.text for claim in quote(Wanted(question, question), _passages(text), evidence, parameters).claims]


@pytest.mark.parametrize(
    "dear", [AnswerParameters(beside=5.0), AnswerParameters(length=40.0), AnswerParameters(units=1)]
)
def test_a_short_one_is_told_but_where_it_costs_more(dear: AnswerParameters, encoder: CachedEncoder) -> None:
    text = GATE.format("")
    evidence = evidence_of(_passages(text), encoder)
    first, second, _ = text.split(". ")
    assert _told(text, evidence, AnswerParameters()) == [f"{first}.", f"{second}."]
    assert _told(text, evidence, dear) == [f"{first}."]


def test_a_long_one_is_not(encoder: CachedEncoder) -> None:
    text = GATE.format(LONG)
    assert len(_told(text, evidence_of(_passages(text), encoder), AnswerParameters())) == 1
