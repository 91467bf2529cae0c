"""What a question asks for, by its words."""

import time

import pytest

from clew.memory.language.answer_type import answer_type


@pytest.mark.parametrize(
    ("question", "form", "expected"),
    [
        ("How long does the warranty last?", "fact", ("duration",)),
        ("What does a ticket cost?", "fact", ("money",)),
        ("how many ladders do we own", "fact", ("number",)),
        ("When is the fair?", "fact", ("time",)),
        ("and who mows the lawn?", "fact", ("person",)),
        ("Where do I send the form?", "fact", ("place",)),
        ("why was it moved?", "fact", ("reason",)),
        ("Which kinds of wood are there?", "list", ()),
        ("How do I reset the meter?", "steps", ()),
        ("May I keep a dog?", "yes-no", ()),
        ("What is the difference between oak and ash?", "comparison", ()),
        ("Was kostet Brot?", "fact", ()),
        ("Was the bread cheap?", "yes-no", ()),
        ("What is the cause of the fault?", "fact", ("reason",)),
    ],
)
def test_the_form_and_what_is_expected(question: str, form: str, expected: tuple[str, ...]) -> None:
    found = answer_type(question)
    assert (found.form, found.expected) == (form, expected)


@pytest.mark.parametrize(
    ("question", "held", "not_held"),
    [
        ("How long does it take?", "It takes seventeen months.", "It takes patience."),
        ("Who wrote Emma?", "It was written by Jane Austen.", "Emma was written in 1815."),
        ("When did it open?", "It opened on 15 May.", "It opened late."),
        ("When did it open?", "It opened in may.", "It may have opened."),
        ("Why is it shut?", "It is shut because of the rain.", "It is shut on all sides"),
    ],
)
def test_what_holds_it(question: str, held: str, not_held: str) -> None:
    assert answer_type(question).holds([held, not_held]) == [True, False]


def test_what_is_to_be_defined() -> None:
    assert answer_type("What is SQLite?").defined == "SQLite"
    assert answer_type("Who was Laika?").defined == "Laika" and answer_type("Who was Laika?").expected == ()
    assert answer_type("Who was Ada Kern's sister?").defined == "" and answer_type(
        "Who was Ada Kern's sister?"
    ).expected == ("person",)
    assert answer_type("Who is Ada Kern's teacher now?").expected == ("person",)
    assert answer_type("Who is the secretary?").expected == ("person",) and answer_type("Who is Mozart?").expected == ()
    assert answer_type("What is the sticky bit used for?").defined == "sticky bit"
    assert answer_type("Who is the author of Emma?").expected == ("person",)


@pytest.mark.parametrize(
    ("question", "measured", "not_measured"),
    [
        ("How many eggs are in the box?", "There are six eggs.", "Six boxes of ham."),
        ("How old is he?", "He is nine years old.", "He has nine brothers."),
        ("How tall is the tower?", "The tower has 40 m.", "The tower has 40 windows."),
        ("How long is the warranty?", "Pumps: two years.", "Pumps: see the leaflet."),
        ("Who wrote the ballad?", "The ballad: words by Olga Winter.", "It runs on Linux and Solaris."),
    ],
)
def test_what_measures_it(question: str, measured: str, not_measured: str) -> None:
    assert answer_type(question).measures(measured) and not answer_type(question).measures(not_measured)


def test_what_is_counted_may_have_another_name_in_documents_that_lack_its_word() -> None:
    found = answer_type("How many pictures did she make?")
    assert not found.among({"pictur"}).measures("She made 412 watercolours.")
    assert found.among({"watercolour"}).measures("She made 412 watercolours.")


@pytest.mark.parametrize("question", ["How many eggs did she lay?", "how many people came", "how old was he?"])
@pytest.mark.parametrize("line", ["-" * 400, "patterns " + "- " * 200, "don't-" * 100, "3" + " '" * 200, "a-'" * 200])
def test_a_line_of_marks_is_read_at_once(question: str, line: str) -> None:
    """A heading underlined with forty dashes held a turn up for minutes."""
    begun = time.perf_counter()
    answer_type(question).measures(f"Beware of + and * {line} !")
    assert time.perf_counter() - begun < 1
