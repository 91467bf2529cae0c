"""What is shown in bold: of the kind that is asked for, near to the question's words, else nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.agent.answer.answer_type import answer_type
from clew.agent.answer.bold_spans import FEATURES, bolded, candidates, features, span_kind
from clew.agent.evaluation.answer_metrics import span_f1
from clew.agent.state import Claim


def bold(question: str, *texts: str, around: str = "") -> list[str]:
    shown = bolded([Claim(text) for text in texts], question, answer_type(question), around)
    return [claim.bold for claim in shown if claim.span]


@pytest.mark.parametrize(
    ("question", "text", "part"),
    [
        ("Who directed Metropolis?", "Metropolis was directed by Fritz Lang in Berlin.", "Fritz Lang"),
        ("When was the harbour built?", "The harbour was built in 1911.", "1911"),
        ("How many berths has the harbour?", "The harbour has 12 berths and a crane.", "12"),
        ("How long is the warranty?", "The warranty is 24 months.", "24 months"),
        ("Where was Fritz Lang born?", "Fritz Lang was born in Vienna.", "Vienna"),
        ("Which company runs the ferry?", "The ferry is run by Aurora Lines of Oslo.", "Aurora Lines"),
        ("Which command lists the tables?", "The command `.tables` lists the tables.", ".tables"),
    ],
)
def test_the_part_is_of_the_kind_that_is_asked_for(question: str, text: str, part: str) -> None:
    assert bold(question, text) == [part]


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Why was it moved?", "It was moved because of the rain in May."),
        ("Did Fritz Lang direct Metropolis?", "Fritz Lang directed Metropolis in 1927."),
        ("Which things do I bring?", "Bring a rope, a knife and 3 buckets."),
        ("Who was Laika?", "Laika was a dog from Moscow."),
        ("Who directed Metropolis?", "Metropolis was shown in 1927."),
        ("Who produced the record of the singer?", "Dawn Penn lives in Kingston."),
        ("Who is the chair of the club?", "The Moon is far."),
        ("Who met Fritz Lang?", "Fritz Lang directed films."),
    ],
)
def test_none_is_better_than_a_wrong_one(question: str, text: str) -> None:
    assert bold(question, text) == []


def test_one_of_several_claims_has_it() -> None:
    texts = ("The club has rules.", "Anna Berg chairs the meetings of the club.")
    assert bold("Who chairs the meetings?", *texts) == ["Anna Berg"]


@given(
    st.sampled_from(["Who directed it?", "When?", "How many films are there?", "Where is it?"]), st.text(max_size=80)
)
def test_a_part_is_a_part_of_any_text(question: str, text: str) -> None:
    kind = span_kind(question, answer_type(question))
    assert kind
    for start, end in candidates(kind, question, text):
        assert 0 <= start < end <= len(text)
        assert len(features(kind, question, answer_type(question), text, (start, end), text)) == len(FEATURES)


def test_f1_of_words() -> None:
    assert span_f1("the Fritz Lang", "Fritz  lang.") == 1.0
    assert span_f1("Lang", "Fritz Lang") == pytest.approx(2 / 3)
    assert span_f1("Berlin", "Vienna") == 0.0
