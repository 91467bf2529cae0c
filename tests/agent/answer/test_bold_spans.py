"""What is shown in bold: of the kind that is asked for, likely to be the answer, else nothing."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.agent.answer.reader import part, with_bold
from clew.agent.state import Answer, Claim
from clew.memory.datatypes import Passage


def bold(question: str, *texts: str) -> list[str]:
    source = Passage("d#0", "d", "", " ".join(texts), 1.0, "hybrid")
    answer = Answer("answered", tuple(Claim(text, (1,)) for text in texts), (source,))
    return [claim.bold for claim in with_bold(answer, question).claims if claim.span]


@pytest.mark.parametrize(
    ("question", "text", "shown"),
    [
        ("Who directed Metropolis?", "Metropolis was directed by Fritz Lang in Berlin.", "Fritz Lang"),
        ("When was the harbour built?", "The harbour was built in 1911.", "1911"),
        ("How many berths has the harbour?", "The harbour has 12 berths and a crane.", "12"),
        ("How long is the warranty?", "The warranty is 24 months.", "24 months"),
        ("Where was Fritz Lang born?", "Fritz Lang was born in Vienna.", "Vienna"),
    ],
)
def test_the_part_is_of_the_kind_that_is_asked_for(question: str, text: str, shown: str) -> None:
    assert bold(question, text) == [shown]


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Why was it moved?", "Bring a rope, a knife and 3 buckets."),
        ("Did Fritz Lang direct Metropolis?", "Fritz Lang directed Metropolis in 1927."),
        ("Who was Laika?", "Laika was a dog from Moscow."),
        ("Who directed Metropolis?", "Metropolis was shown in 1927."),
        ("Who is the chair of the club?", "The Moon is far."),
    ],
)
def test_none_is_better_than_a_wrong_one(question: str, text: str) -> None:
    assert bold(question, text) == []


def test_one_of_several_sentences_has_it() -> None:
    assert bold("Who chairs the meetings?", "The club has rules.", "Anna Berg chairs the meetings.") == ["Anna Berg"]


def test_a_sentence_without_a_source_has_none() -> None:
    answer = Answer("answered", (Claim("Metropolis was directed by Fritz Lang."),))
    assert with_bold(answer, "Who directed Metropolis?") == answer


@given(st.text(alphabet="ab1. -", min_size=1, max_size=30), st.data())
def test_a_part_is_of_whole_words(text: str, data: st.DataObject) -> None:
    pieces = [(place, place + 1) for place, letter in enumerate(text) if letter != " "]
    if pieces:
        odds = data.draw(st.lists(st.floats(-9, 9), min_size=len(pieces), max_size=len(pieces)))
        _, (start, end) = part(odds, pieces, text)
        assert start < end and not (start and text[start - 1 : start + 1].isalnum())
        assert not (end < len(text) and text[end - 1 : end + 1].isalnum())
        marks = [match.end() for match in re.finditer(r"\d(?=\.\d)", text)]
        assert {start, end}.isdisjoint({*marks, *(place + 1 for place in marks)})
