"""Forms of a question, rankings of documents for it, and their measures."""

import math

import numpy as np
import pytest

from clew.agent.evaluation.dataset import Question
from clew.agent.evaluation.ranking import (
    FORMS,
    FormName,
    distinct,
    measure,
    query_of,
    share_with_all,
    trec_run,
)
from clew.memory.datatypes import Passage, Utterance
from clew.memory.encoding import CachedEncoder
from clew.memory.errors import BadInput

FIRST = Question("1", "Who directed Metropolis?")
THIRD = Question(
    "3",
    "and where was he born?",
    (
        Utterance("user", "How far away is the Moon?"),
        Utterance("agent", "Thank you! It is 384,400 kilometres away on average."),
        Utterance("user", "Who directed Metropolis?"),
        Utterance("agent", "Fritz Lang directed the film Metropolis in 1927."),
    ),
    frozenset({"Fritz Lang"}),
)


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("last-turn", "and where was he born?"),
        ("last-two", "Who directed Metropolis? and where was he born?"),
        ("user-turns", "How far away is the Moon? Who directed Metropolis? and where was he born?"),
        ("last-answer", "Fritz Lang directed the film Metropolis in 1927. and where was he born?"),
    ],
)
def test_simple_forms_are_one_text(encoder: CachedEncoder, form: FormName, text: str) -> None:
    query = query_of(THIRD, form, encoder)
    assert [(one.name, one.text, one.weight) for one in query.forms] == [(form, text, 1.0)]
    assert query.text == THIRD.text
    np.testing.assert_allclose(query.forms[0].vector, encoder.encode([text], "query")[0])


def test_mmr_is_one_text_of_the_question_and_what_was_selected(encoder: CachedEncoder) -> None:
    query = query_of(THIRD, "mmr", encoder)
    [form] = query.forms
    assert form.text.startswith(THIRD.text)
    assert "Fritz Lang directed the film" in form.text and "Thank you" not in form.text
    assert {sentence.text for sentence in query.context} >= {"Fritz Lang directed the film Metropolis in 1927."}


def test_a_first_question_is_itself_in_every_form_and_the_scope_is_the_context(encoder: CachedEncoder) -> None:
    for form in FORMS:
        query = query_of(FIRST, form, encoder)
        assert [(one.text, one.weight) for one in query.forms] == [(FIRST.text, 1.0)] and query.scope is None
        assert query_of(THIRD, form, encoder).scope == frozenset({"Fritz Lang"})


# Rankings


def passages(*documents: str) -> list[Passage]:
    return [Passage(f"{name}#{n}", name, name, "text", 1 - n / 100, "tool") for n, name in enumerate(documents)]


def test_a_document_counts_once_by_its_best_passage() -> None:
    found = passages("a", "b", "a", "a", "c")
    assert distinct(lambda k: found[:k], 2, 6) == [("a", 1.0), ("b", 0.99)]


# Measures


def ranked(*documents: str) -> list[tuple[str, float]]:
    return [(document, 0.5) for document in documents]


def test_measures_of_a_ranking_worked_out_by_hand() -> None:
    golds = {"q 1": {"Alû": 1, "Lilu (mythology)": 1}, "q2": {"d": 1}}
    rankings = {"q 1": ranked("x", "Alû", "y", "z", "w", "v", "u", "Lilu (mythology)"), "q2": ranked("d")}
    found = measure(golds, rankings)
    ideal = 1 + 1 / math.log2(3)
    assert found == pytest.approx(
        {
            "recall@1": (0 + 1) / 2,
            "recall@2": (0.5 + 1) / 2,
            "recall@5": (0.5 + 1) / 2,
            "recall@10": 1.0,
            "ndcg@5": (1 / math.log2(3) / ideal + 1) / 2,
            "ndcg@10": ((1 / math.log2(3) + 1 / math.log2(9)) / ideal + 1) / 2,
            "mrr@10": (1 / 2 + 1) / 2,
            "all@4": 0.5,
            "all@5": 0.5,
            "all@8": 1.0,
        }
    )
    assert list(found)[:4] == ["recall@1", "recall@2", "recall@5", "recall@10"]


def test_order_is_the_rankings_and_what_found_nothing_counts_as_nothing() -> None:
    """Evaluators break ties of scores by id: the ranks must not come to that."""
    for first, found in (("bac", 1), ("abc", 0)):
        assert measure({"q": {"b": 1}}, {"q": ranked(*first)})["recall@1"] == found
    golds = {"q": {"b": 1}, "r": {"b": 1}}
    assert measure(golds, {"q": ranked("b"), "r": []})["recall@10"] == 0.5
    assert measure(golds, {"q": [], "r": []})["mrr@10"] == 0
    assert share_with_all(golds, {"q": ranked("b")}, 4) == 0.5


def test_run_lines_hold_ids_as_they_are_but_for_line_breaks() -> None:
    run = trec_run({"q 1": ranked("Alû (a b)", "c", "d")}, 2, "hybrid.last-turn")
    assert run == "q 1 Q0 Alû (a b) 1 1.000000 hybrid.last-turn\nq 1 Q0 c 2 0.500000 hybrid.last-turn\n"
    with pytest.raises(BadInput, match="line break"):
        trec_run({"q": ranked("a\nb")}, 10, "t")
