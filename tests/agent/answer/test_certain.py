"""What is certain to answer is told, though a word of the question is nowhere, or an amount is of another kind."""

import pytest

from clew.agent.answer.evidence import evidence_of
from clew.agent.answer.quotation import quote
from clew.agent.answer.wanted import Wanted
from clew.agent.answer.weighing import AnswerParameters
from clew.memory.datatypes import Passage
from clew.memory.encoding import CachedEncoder


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("How far can I bend my knee?", "Physio, second visit. The knee bends to 105 degrees."),
        ("How many people were asked in the survey?", "For the survey 4406 individuals aged 66 and over were asked."),
    ],
)
def test_what_is_certain_to_answer_is_told(question: str, text: str, encoder: CachedEncoder) -> None:
    log = [Passage("l#0", "l", "Log", text, 0.7, "hybrid", start=0, end=len(text))]
    wanted, evidence = Wanted(question, question), evidence_of(log, encoder)
    assert not quote(wanted, log, evidence, AnswerParameters()).refused
    if "far" in question:
        assert quote(wanted, log, evidence, AnswerParameters(certain=99.0)).refused
