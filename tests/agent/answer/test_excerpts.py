"""What is read with a candidate: what answers as it stands."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.agent.answer.candidates import Candidate, candidates_of
from clew.agent.answer.excerpts import excerpt_of
from clew.agent.answer.structure import ranges
from clew.memory.datatypes import Document, Passage


def candidates(text: str, *spans: tuple[int, int]) -> list[Candidate]:
    passages = [
        Passage(f"d#{n}", "d", "", text[start:end], 1.0, "t", start=start, end=end)
        for n, (start, end) in enumerate(spans or [(0, len(text))])
    ]
    return candidates_of(passages, {"d": Document("d", "", text)})


def unit(text: str, begins: str, *, whole_list: bool = False, opens: bool = False) -> list[str]:
    candidate = next(candidate for candidate in candidates(text) if candidate.text.startswith(begins))
    made = excerpt_of(candidate, whole_list=whole_list, opens=opens)
    return [" ".join(part.split()) for part in made.texts]


def test_each_core_is_there_once() -> None:
    text = "The Moon is far. It is old. It is grey."
    found = candidates(text, (0, 27), (17, len(text)))
    assert [(candidate.text, candidate.passage, candidate.position) for candidate in found] == [
        ("The Moon is far.", 0, 0),
        ("It is old.", 0, 17),
        ("It is grey.", 1, 28),
    ]


LIST = "A day has three parts, namely:\n\n- the morning;\n- the noon.\n- Night.\n\nThe rest is sleep."


def test_a_list_comes_with_what_announces_it() -> None:
    whole = ["A day has three parts, namely:", "- the morning;", "- the noon.", "- Night."]
    assert unit(LIST, "A day") == whole
    assert unit(LIST, "- the noon", whole_list=True) == whole
    assert unit(LIST, "- the noon") == ["- the noon."]


CLAUSE = (
    " A day is 24 hours by the clock in the yard." + " It begins when the paper is signed, and ends at the gate." * 2
)


def test_a_clause_is_told_alone_where_nothing_announces_the_list() -> None:
    clauses = "\n".join(f"{n}. Clause {word}.{CLAUSE}" for n, word in enumerate(["one", "two", "three"], 1))
    assert len(unit(clauses, "2. Clause", whole_list=True)) == 1
    assert len(unit(f"All of these are agreed:\n\n{clauses}", "2. Clause", whole_list=True)) == 4


def test_a_row_comes_with_the_heads_of_its_columns() -> None:
    assert unit("month | rain\nMay | 40\nJune | 20", "June") == ["month | rain", "June | 20"]


def test_the_row_that_names_the_columns_is_no_core() -> None:
    assert [candidate.text for candidate in candidates("month | rain\nMay | 40\nJune | 20")] == [
        "May | 40",
        "June | 20",
    ]


def test_what_stands_above_is_told_without_the_number_of_a_section() -> None:
    text = "1.7. How is it said?\n\nWith a short e.\n\n12 May 2020\n\nIt rained all day."
    assert [candidate.above.strip() for candidate in candidates(text)] == ["How is it said?", "12 May 2020"]


def test_code_comes_with_the_sentence_that_announces_it() -> None:
    text = "It is easy. To stop it, call close:\n\nclient.close()\n\nThen it is over."
    assert unit(text, "client.close") == ["To stop it, call close:", "client.close()"]
    assert unit(text, "To stop it") == ["To stop it, call close:", "client.close()"]


def test_a_numbered_list_goes_on_behind_the_paragraphs_of_its_items() -> None:
    text = "There are two ways:\n\n1. Use the shell:\n\n$ stop clock\n\nThis is fast.\n\n2. Pull the plug.\n\nIt rests."
    whole = ["There are two ways:", "1. Use the shell:", "$ stop clock", "2. Pull the plug."]
    assert unit(text, "1. Use", whole_list=True) == unit(text, "2. Pull", whole_list=True) == whole
    long = text.replace("1. Use the shell:", f"1. Use the shell. {'It is a good shell of the coast. ' * 20}")
    assert unit(long, "2. Pull", whole_list=True) == ["There are two ways:", "1. Use the shell.", "2. Pull the plug."]
    apart = text.replace("This is fast.", "Another thing").replace("2. Pull", "2. Pull out")
    assert unit(apart, "2. Pull", whole_list=True)[-1:] == ["2. Pull out the plug."]
    assert len(unit(apart, "2. Pull", whole_list=True)) < 3


def test_code_with_an_empty_line_in_it_is_whole() -> None:
    code = "clock = Clock()\n\nclock.wind()\nclock.start()"
    whole = ["Like this:", "clock = Clock()", "clock.wind() clock.start()"]
    assert unit(f"Like this:\n\n{code}\n\nIt runs.", "Like") == whole


def test_a_question_of_a_document_gives_way_to_its_answer() -> None:
    assert unit("“How long will it stop?”\n\n“Four hours. It takes coal.”", "“How") == ["“Four hours. It takes coal.”"]


def test_what_is_not_held_is_looked_for_behind() -> None:
    assert unit("The fair is moved. Reason: rain.", "The fair", opens=True) == ["The fair is moved.", "Reason: rain."]
    assert unit("The fair is moved. Reason: rain.", "The fair") == ["The fair is moved."]


HEAD = "22 DR. SMITH : WRITINGS AND SPEECHES"


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        (f"They saw that\n{HEAD}\nthat night the Moon was grey.", ["They saw that", "that night the Moon was grey."]),
        ("It is far [1]. It is old [2, 3].", ["It is far", ". It is old", "."]),
        ("It is far. [1] It is old.", ["It is far.", "It is old."]),
        ("sort([5, 2, 3]) is far.", ["sort([5, 2, 3]) is far."]),
        ("The list [5, 2, 3, 1, 4] is sorted.", ["The list [5, 2, 3, 1, 4] is sorted."]),
        (HEAD, [HEAD]),
    ],
)
def test_what_is_no_part_of_a_sentence_is_left_out(text: str, quoted: list[str]) -> None:
    region = candidates(text)[0].region
    assert [text[start:end] for start, end in ranges(region, 0, len(text), code=False)] == quoted


@given(st.text(alphabet="ab .?:\n-|[1]()=", max_size=200))
def test_all_of_a_unit_stands_in_the_document(text: str) -> None:
    for candidate in candidates(text):
        for whole_list in (False, True):
            made = excerpt_of(candidate, whole_list=whole_list, opens=True)
            for start, end in made.parts:
                assert all(text[a:b] for a, b in ranges(candidate.region, start, end, made.is_code((start, end))))
                assert 0 <= start < end <= len(text)


def test_what_answers_a_question_ends_where_the_next_begins() -> None:
    faq = "Q: Can I bring my dog? A: Yes, if nobody objects. Never in the depot. Q: Is there a canteen? A: Not yet."
    assert unit(faq, "Q: Can")[-1] == "Never in the depot."
