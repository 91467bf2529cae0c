"""What answers are worth, by what a data set says of its questions."""

from pathlib import Path

import pytest

from clew.agent.answer.verification import verified
from clew.agent.evaluation.answer_metrics import (
    Label,
    citations,
    contains,
    decided,
    figures,
    read_labels,
    rouge_l,
    swapped,
)
from clew.agent.state import Answer, Claim, Outcome, Turn
from clew.memory.datatypes import Passage
from tests.agent.conftest import write_lines


def passage(name: str, text: str) -> Passage:
    return Passage(f"{name}#0", name, name, text, 0.5, "hybrid")


LANG = passage("Lang", "Fritz Lang was born in Vienna in 1890.")
AGAIN = passage("Again", "It is said that Fritz Lang was born in Vienna in 1890. He liked it.")
MOON = passage("Moon", "The Moon is 384,400 kilometres away.")
BORN = Answer("answered", (Claim("Fritz Lang was born in Vienna in 1890.", (1,)),), (LANG,))


def turn(answer: Answer, *passages: Passage) -> Turn:
    return Turn("t", 1, "q", "q", verified(answer), passages=passages)


def outcome(name: Outcome) -> Turn:
    return turn(Answer(name, (Claim("So."),)))


@pytest.mark.parametrize(
    ("answer", "gold", "held"),
    [
        ("He was born in the City of Vienna.", "city of Vienna", True),
        ("It is called the 'LARP'.", "larp", True),
        ("It is a part of it.", "art", False),
        ("word " * 59 + "Vienna", "Vienna", True),
        ("word " * 60 + "Vienna", "Vienna", False),
    ],
)
def test_an_answer_contains_a_gold_string_word_by_word(answer: str, gold: str, held: bool) -> None:
    assert contains(answer, gold) is held


@pytest.mark.soak  # the library takes 3 s to import
def test_rouge_l_is_the_mean_f_of_the_longest_common_subsequence() -> None:
    golds = {"a": "the cat sat on the mat", "b": "nothing like it"}
    assert rouge_l({"a": "the cat on the mat", "b": "other words"}, golds) == pytest.approx((10 / 11 + 0) / 2)


def test_a_swapped_citation_is_the_best_passage_without_the_sentence() -> None:
    asked = turn(BORN, LANG, AGAIN, MOON)
    assert swapped(asked.answer.claims[0], asked) == MOON
    assert swapped(asked.answer.claims[0], turn(BORN, LANG, AGAIN)) is None
    worth = citations([asked])
    assert worth == {"sentences": 1.0, "supported": 1.0, "swapped": 1.0, "swapped_flagged": 1.0}


def test_a_decision_costs_what_it_takes_from_the_answerable() -> None:
    known = {"a": "ANSWERABLE", "b": "PARTIAL", "c": "UNANSWERABLE", "d": "UNANSWERABLE", "e": "UNDERSPECIFIED"}
    found = decided({"a", "c", "e"}, known, "UNANSWERABLE")
    assert found == {"precision": 1 / 3, "recall": 0.5, "f1": 0.4, "cost": 0.5}
    assert decided(set(), known, "UNANSWERABLE")["f1"] == 0


def test_a_set_gets_the_measures_that_it_has_labels_for(tmp_path: Path) -> None:
    rows = [
        {"_id": "a", "text": "?", "answer": "Vienna", "answerability": "ANSWERABLE"},
        {"_id": "b", "text": "?", "answerability": "UNANSWERABLE"},
        {"_id": "c", "text": "?", "answerability": "UNDERSPECIFIED"},
    ]
    write_lines(tmp_path / "queries.jsonl", rows)
    labels = read_labels(tmp_path)
    assert labels["a"] == Label("Vienna", "ANSWERABLE") and labels["b"].answer == ""
    turns = {"a": turn(BORN, LANG, MOON), "b": outcome("nothing-found"), "c": outcome("unclear")}
    found = figures(turns, labels)
    assert found["answer"]["contains"] == 1 and 0 < found["answer"]["rouge_l"] < 1
    assert found["refusal"]["f1"] == found["asking_back"]["f1"] == 1 and found["refusal"]["cost"] == 0
    assert found["outcomes"] == pytest.approx({"answered": 1 / 3, "nothing-found": 1 / 3, "unclear": 1 / 3})
    assert figures(turns, {}).keys() == {"outcomes", "citations"}
