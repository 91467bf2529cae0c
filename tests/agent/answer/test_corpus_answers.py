"""Which questions are about documents, and which about what stands in one place of them."""

from pathlib import Path

import pytest

from clew.agent.answer.corpus_answers import corpus_question
from tests.training.records import lines_of


def asks_for_the_whole(question: str) -> bool:
    found = corpus_question(question)
    return found is not None and found.kind == "overview"


@pytest.mark.parametrize(
    "question",
    [
        "What is this collection about?",
        "what are the main themes?",
        "Summarize all the documents, please",
        "Give me an overview",
        "What do these documents talk about?",
        "So what do you have in here?",
        "what do you have?",
        "what can I read about here",
        "Could you list all my notes, please?",
        "What have I got written down here?",
        "Which topics does the manual cover?",
    ],
)
def test_of_the_whole(question: str) -> None:
    assert asks_for_the_whole(question)


@pytest.mark.parametrize(
    "question",
    [
        "Who directed Metropolis?",
        "What is this about?",
        "Give me an overview of the Apollo programme",
        "Which document mentions Vienna?",
        "",
        "and why?",
        "Who is in here?",
        "Where is the library of Alexandria?",
        "what papers do I have to sign?",
        "How many pages are there in the report?",
    ],
)
def test_of_a_part(question: str) -> None:
    assert not asks_for_the_whole(question)


@pytest.mark.parametrize(
    ("question", "kind", "of"),
    [
        ("summarise the meeting of 3 September", "summary", "the meeting of 3 September"),
        ("Could you please sum up the Lease for me in three sentences?", "summary", "the Lease"),
        ("give me a short summary of the zoo FAQ", "summary", "the zoo FAQ"),
        ("what is this paper about", "summary", "this paper"),
        ("How many documents do you have in total?", "overview", ""),
    ],
)
def test_what_is_asked_of_documents(question: str, kind: str, of: str) -> None:
    found = corpus_question(question)
    assert found is not None and (found.kind, found.of) == (kind, of)


@pytest.mark.parametrize(
    "question",
    [
        "Was gibt es zum Frühstück?",
        "Combien de pages le livre a-t-il ?",
        "¿Cuántas páginas tiene el libro?",
        "Kiom da paĝoj havas la libro?",
        "how many papers did he publish?",
        "Who mentions it first?",
        "Do you have any information about how the old towns dealt with floods?",
    ],
)
def test_what_stands_in_a_document_is_searched(question: str) -> None:
    assert corpus_question(question) is None


def test_a_summary_of_what_is_no_document_is_not_plainly_asked_for() -> None:
    for question in ("what happened in 1977?", "What was the marriage about?", "Tell me about its founding."):
        found = corpus_question(question)
        assert found is not None and not found.plainly


def test_few_questions_of_other_people_are_taken_for_the_whole(data: Path) -> None:
    """Over the questions of reading comprehension, which are about what stands in a text."""
    asked = sorted({record["question"] for record in lines_of(data / "qa" / "spans.jsonl.gz")})[:5000]
    found = [question for question in asked if asks_for_the_whole(question)]
    assert len(asked) == 5000 and len(found) <= 7
    others = [one for one in lines_of(data / "qa" / "spans_multilingual.jsonl.gz") if one["lang"] in ("de", "es", "it")]
    foreign = [*dict.fromkeys(one["question"] for one in others)][::3]
    taken = [q for q in foreign if (one := corpus_question(q)) and one.kind != "summary"]
    assert len(foreign) > 2500 and taken == []
