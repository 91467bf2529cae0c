"""What is read with a candidate: what answers as it stands."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.agent.answer.selection import excerpt_of
from clew.memory.datatypes import Document, Passage
from clew.memory.knowledge.document_parts import Candidate, candidates_of, ranges, region_of, unnumbered


def candidates(text: str, *spans: tuple[int, int]) -> list[Candidate]:
    passages = [
        Passage(f"d#{n}", "d", "", text[start:end], 1.0, "t", start=start, end=end)
        for n, (start, end) in enumerate(spans or [(0, len(text))])
    ]
    return candidates_of(passages, {"d": Document("d", "", text)})


def unit(text: str, begins: str, *, whole_list: bool = False) -> list[str]:
    candidate = next(candidate for candidate in candidates(text) if candidate.text.startswith(begins))
    made = excerpt_of(candidate, whole_list=whole_list)
    return [" ".join(part.split()) for part in made.texts]


LIST = "A day has three parts, namely:\n\n- the morning;\n- the noon.\n- Night.\n\nThe rest is sleep."
PARTS = ["A day has three parts, namely:", "- the morning;", "- the noon.", "- Night."]
CALL, CALLED = "It is easy. To stop it, call close:\n\nclient.close()\n\nThen it is over.", "To stop it, call close:"
CLOCK = "Like this:\n\nclock = Clock()\n\nclock.wind()\nclock.start()\n\nIt runs."


@pytest.mark.parametrize(
    ("text", "begins", "asked", "quoted"),
    [
        (LIST, "A day", {}, PARTS),
        (LIST, "- the noon", {"whole_list": True}, PARTS),
        (LIST, "- the noon", {}, ["- the noon."]),
        ("Rules\n\n- Allowed\n  - cats\n- Forbidden\n  - dogs\n", "- Forbidden", {}, ["- Forbidden", "- dogs"]),
        ("month | rain\nMay | 40\nJune | 20", "June", {}, ["month | rain", "June | 20"]),
        (CALL, "client.close", {}, [CALLED, "client.close()"]),
        (CALL, "To stop it", {}, [CALLED, "client.close()"]),
        (CLOCK, "Like", {}, ["Like this:", "clock = Clock()", "clock.wind() clock.start()"]),
        ("“How long will it stop?”\n\n“Four hours. It takes coal.”", "“How", {}, ["“Four hours. It takes coal.”"]),
        ("The fair is moved. Reason: rain.", "The fair", {}, ["The fair is moved."]),
    ],
)
def test_what_is_read_with_it(text: str, begins: str, asked: dict[str, bool], quoted: list[str]) -> None:
    assert unit(text, begins, **asked) == quoted


def test_a_numbered_line_alone_between_paragraphs_heads_the_next() -> None:
    letter = candidates("1. The leak\n\nA hose broke.\n\n2. What is paid\n\nThe floor is paid.")
    told = [("A hose broke.", "1. The leak"), ("The floor is paid.", "2. What is paid")]
    assert [(one.text, one.head) for one in letter] == told
    steps = candidates("Do this:\n\n1. Open the tap\n\n2. Close the tap\n\nIt drips.")
    assert [one.text for one in steps][1:3] == ["1. Open the tap", "2. Close the tap"]


def test_what_stands_above_is_told_without_the_number_of_a_section() -> None:
    text = "1.7. How is it said?\n\nWith a short e.\n\n12 May 2020\n\nIt rained all day."
    assert [unnumbered(one.head) for one in candidates(text)] == ["How is it said?", "12 May 2020"]


HEAD = "22 DR. SMITH : WRITINGS AND SPEECHES"


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        (f"They saw that\n{HEAD}\nthat night the Moon was grey.", ["They saw that", "that night the Moon was grey."]),
        ("It is far [1]. It is old [2, 3].", ["It is far", ". It is old", "."]),
        ("It is far. [1] It is old.", ["It is far.", "It is old."]),
        ("sort([5, 2, 3]) is far.", ["sort([5, 2, 3]) is far."]),
        (HEAD, [HEAD]),
    ],
)
def test_what_is_no_part_of_a_sentence_is_left_out(text: str, quoted: list[str]) -> None:
    region = region_of(Passage("d#0", "d", "", text, 1.0, "t"), None)
    assert [text[start:end] for start, end in ranges(region, 0, len(text), code=False)] == quoted


@given(st.text(alphabet="ab .?:\n-|[1]()=", max_size=200))
def test_all_of_a_unit_stands_in_the_document(text: str) -> None:
    for candidate in candidates(text):
        for whole_list in (False, True):
            made = excerpt_of(candidate, whole_list=whole_list)
            for start, end in made.parts:
                assert all(text[a:b] for a, b in ranges(candidate.region, start, end, made.is_code((start, end))))
                assert 0 <= start < end <= len(text)


def test_what_answers_a_question_ends_where_the_next_begins() -> None:
    faq = "Q: Can I bring my dog? A: Yes, if nobody objects. Never in the depot. Q: Is there a canteen? A: Not yet."
    assert unit(faq, "Q: Can")[-1] == "Never in the depot."
