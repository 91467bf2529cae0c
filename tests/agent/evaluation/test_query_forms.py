import numpy as np
import pytest

from clew.agent.evaluation.dataset import Question
from clew.agent.evaluation.ranking import FORMS, FormName, query_of, simple_text
from clew.memory.datatypes import Utterance
from clew.memory.encoding import CachedEncoder

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


def test_rewrite_has_several_forms_whose_weights_sum_to_one(encoder: CachedEncoder) -> None:
    query = query_of(THIRD, "rewrite", encoder)
    forms = {form.name: form for form in query.forms}
    assert list(forms) == ["question", "standing", "before", "expanded"]
    assert sum(form.weight for form in query.forms) == pytest.approx(1)
    assert forms["standing"].text == "where was Fritz Lang born?"
    assert float(forms["expanded"].vector @ forms["expanded"].vector) == pytest.approx(1)
    alone = encoder.encode([forms["expanded"].text], "query")[0]
    context = encoder.encode([sentence.text for sentence in query.context], "sentence").mean(axis=0)
    assert context @ forms["expanded"].vector > context @ alone


@pytest.mark.parametrize("form", FORMS)
def test_a_first_question_is_itself_in_every_form(encoder: CachedEncoder, form: FormName) -> None:
    query = query_of(FIRST, form, encoder)
    assert [(one.text, one.weight) for one in query.forms] == [(FIRST.text, 1.0)]
    assert query.scope is None


@pytest.mark.parametrize("form", FORMS)
def test_the_scope_is_the_questions_context(encoder: CachedEncoder, form: FormName) -> None:
    assert query_of(THIRD, form, encoder).scope == frozenset({"Fritz Lang"})


def test_last_answer_needs_an_answer() -> None:
    asked = Question("2", "and now?", (Utterance("user", "Who?"),))
    assert simple_text(asked, "last-answer") == "and now?"
