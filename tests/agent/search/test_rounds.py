"""Whether what is read leads from one document to another."""

import pytest

from clew.agent.search.rounds import ObserveParameters, of_one
from clew.memory.datatypes import Passage

READ = [
    Passage("a#0", "a", "Metropolis", "Fritz Lang directed it in 1927.", 1.0, "hybrid"),
    Passage("b#0", "b", "Fritz Lang", "He was born in Vienna.", 0.9, "hybrid"),
    Passage("b#1", "b", "Fritz Lang", "He left Germany in 1933.", 0.8, "hybrid"),
]


@pytest.mark.parametrize(
    ("question", "one"),
    [
        ("Who directed Metropolis?", True),
        ("When was Fritz Lang born, and when did he leave Germany?", True),
        ("Where was the man born who directed Metropolis?", False),
        ("Who painted the ceiling?", True),
    ],
)
def test_a_question_whose_words_one_document_has_does_not_lead_further(question: str, one: bool) -> None:
    assert of_one(question, READ, ObserveParameters()) is one
