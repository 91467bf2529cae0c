"""The reader: what it looks at, and which candidate it takes for the answer."""

import numpy as np
import pytest

from clew.agent.answer.evidence import Request, encoded_request, evidence_of
from clew.agent.answer.reader import FEATURES, features, shipped_reader
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
    evidence = evidence_of([passage], encoder, [Document("d", "Notes", notes)])
    [found] = pick(Request(question, question, said=said), evidence, AnswerParameters(units=1))
    return " ".join(" ".join(found.excerpt.texts).split())


def test_there_is_a_column_for_each_feature_and_a_row_for_each_core(encoder: CachedEncoder) -> None:
    assert shipped_reader().layers[0][0].shape[1] == len(FEATURES)
    passage = Passage("d#0", "d", "Notes", NOTES, 0.5, "hybrid", start=0, end=len(NOTES))
    evidence = evidence_of([passage], encoder)
    found = features(encoded_request(Request("When is the fair?", "When is the fair?"), evidence), evidence)
    assert found.shape == (len(evidence.candidates), len(FEATURES)) and np.isfinite(found).all()
    assert (
        features(encoded_request(Request("x", "x"), evidence_of([], encoder)), evidence_of([], encoder)).shape[0] == 0
    )


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


@pytest.mark.parametrize(
    ("defined", "sentence", "defines"),
    [
        ("SQLite", "SQLite is an embedded SQL database engine.", 1.5),
        ("SQLite", "SQLite is tested with care.", 1.0),
        ("Laika", "Laika, a dog from Moscow, was the first animal in orbit.", 1.5),
        ("Orde", "That night Orde, one of the keepers, lit the lamp.", 1.25),
        ("relay", "There are two types of relay.", 0.0),
        ("zoo package", "zoo is an R package for ordered observations.", 1.5),
    ],
)
def test_what_is_defined_is_the_subject(defined: str, sentence: str, defines: float, encoder: CachedEncoder) -> None:
    passage = Passage("d#0", "d", "Notes", sentence, 0.5, "hybrid", start=0, end=len(sentence))
    evidence = evidence_of([passage], encoder)
    question = f"What is {defined}?"
    [row] = features(encoded_request(Request(question, question), evidence), evidence)
    assert row[FEATURES.index("defines")] == defines
