"""What of a passage may be quoted, and what is read beside it."""

import pytest

from clew.agent.answer.evidence import Candidate, candidates
from clew.memory.datatypes import Passage


def of(*texts: str) -> list[Candidate]:
    passages = [
        Passage(
            id=f"d#{n}", document="d", title="", text=text, score=1.0, tool="t", start=100 * n, end=100 * n + len(text)
        )
        for n, text in enumerate(texts)
    ]
    return candidates(passages, 30)


def test_sentences_are_each_there_once_with_their_neighbours() -> None:
    first, second, third = of("The Moon is far [1]. It is old.", "It is old and grey. The Moon is far.")
    assert (first.text, first.passage, first.position, first.behind) == ("The Moon is far.", 0, 0, "It is old.")
    assert (second.text, second.before, second.position) == ("It is old.", "The Moon is far.", 21)
    assert (third.text, third.passage, third.position) == ("It is old and grey.", 1, 100)


LIST = "A day has three parts, namely :\n (i) the morning;\n (ii) the noon.\n (iii) Night.\n\nThe rest is sleep."


def test_a_colon_brings_the_items_that_it_announces() -> None:
    announcing = of(LIST)[0]
    assert announcing.text == "A day has three parts, namely :"
    assert announcing.items == ("(i) the morning;", "(ii) the noon.", "(iii) Night.")
    assert of("He said only this:\n\nWe go home.\n\nThey went.")[0].items == ("We go home.",)
    assert of("We go home. They went there.")[0].items == ()


def test_the_chunk_that_goes_on_to_the_items_is_cited() -> None:
    cut = of(LIST.partition("\n")[0], LIST)[0]
    assert (cut.passage, cut.position, len(cut.items)) == (1, 100, 3)


def test_the_lines_of_a_title_page_are_one_phrase() -> None:
    page = "Paper read before\nthe Seminar\nof\nDr. A. Smith\nat\nThe University, New York\non\n9th May 1916"
    whole = "Paper read before the Seminar of Dr. A. Smith at The University, New York on 9th May 1916"
    assert [one.text for one in of(page)] == [whole]
    assert [one.text for one in of("All about the\n\nThe Moon is grey.")] == ["All about the", "The Moon is grey."]


HEAD = "22 DR. SMITH : WRITINGS AND SPEECHES"


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        (f"They saw it.\n{HEAD}\nthat night the Moon was grey.", ["They saw it.", "that night the Moon was grey."]),
        ("CASTES IN INDIA 17\nis what the paper is called.", ["is what the paper is called."]),
        ("12 000 000 25 %\nis what it grew by in all.", ["12 000 000 25 % is what it grew by in all."]),
        (HEAD, [HEAD]),
    ],
)
def test_a_running_head_within_a_sentence_is_not_quoted(text: str, quoted: list[str]) -> None:
    assert [one.text for one in of(text)] == quoted
