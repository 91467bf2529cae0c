"""What a pronoun stands for, where the conversation names it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.memory.datatypes import Sentence
from clew.memory.dialogue.follow_ups import standing

MELIES = ("Who made the 1902 film?", "A Trip to the Moon was directed by Georges Méliès.")
GRAVE = ("where is he buried?", "Georges Méliès is buried in the cemetery of Père Lachaise in Paris.")
GAGARIN = ("Who was the first human in space?", "Yuri Gagarin was the first human in space.")
FLIGHT = ("how long did his flight take?", "Gagarin's flight took 108 minutes.")


def said(*turns: tuple[str, str]) -> list[Sentence]:
    return [
        sentence
        for number, (question, answer) in enumerate(turns, 1)
        for sentence in (Sentence(question, "user", number), Sentence(answer, "agent", number))
    ]


@pytest.mark.parametrize(
    ("turns", "question", "expected"),
    [
        ([MELIES], "where is he buried?", "where is Georges Méliès buried?"),
        ([MELIES], "what are his other films?", "what are Georges Méliès's other films?"),
        ([MELIES, GRAVE], "who else is buried there?", "who else is buried in Père Lachaise?"),
        ([GAGARIN], "how long did his flight take?", "how long did Yuri Gagarin's flight take?"),
        ([GAGARIN, FLIGHT], "where was he launched from?", "where was Yuri Gagarin launched from?"),
        (
            [("Which two?", "Able and Baker were two monkeys.")],
            "How far did they fly?",
            "How far did Able and Baker fly?",
        ),
        ([("Who wrote Metropolis?", "Thea von Harbou did.")], "Who directed it?", "Who directed Metropolis?"),
        ([("What are the phases of the Moon?", "Eight.")], "how far away is it?", "how far away is the Moon?"),
        (
            [("Who was he?", "Neil Armstrong walked on the Moon in 1969.")],
            "who else walked there?",
            "who else walked on the Moon?",
        ),
        ([("Who was Marie Curie?", "A chemist.")], "Who taught her?", "Who taught Marie Curie?"),
        ([("Who was Marie Curie?", "A chemist.")], "When did she marry him?", "When did Marie Curie marry him?"),
        ([("Who was Marie Curie?", "A chemist.")], "What were her prizes?", "What were Marie Curie's prizes?"),
        (
            [("Who was Laika?", "Vladimir Yazdovsky took Laika to his house.")],
            "when was she launched?",
            "when was Laika launched?",
        ),
        ([("Who is Fritz Lang?", "A director.")], "When did HE die?", "When did Fritz Lang die?"),
        ([("What is inflation?", "The Federal Reserve fights it.")], "Why is it bad?", "Why is inflation bad?"),
        (
            [("My laptop is slow. Maybe the disk is full.", "Delete files.")],
            "How do I empty it?",
            "How do I empty the disk?",
        ),
        (
            [("Which planets have gas?", "Saturn, Jupiter, Uranus and Neptune do.")],
            "What are they made of?",
            "What are the planets that have gas made of?",
        ),
        (
            [("what is an eclipse?", "it happens when one body hides another.")],
            "is it safe to watch?",
            "As for the eclipse, is it safe to watch?",
        ),
        ([MELIES], "is it true that he was a magician?", "is it true that Georges Méliès was a magician?"),
        ([("Who was Laika?", "Laika was a dog. Khrushchev was told.")], "who sent her up?", "who sent Laika up?"),
        ([("Who was Laika?", "Laika lived in Moscow.")], "how long was she up there?", "how long was Laika up there?"),
        (
            [("Who was Laika?", "A dog."), ("What about Belka?", "Less famous than Ham the chimp, Ham Winter.")],
            "did she survive?",
            "did Belka survive?",
        ),
        (
            [("Who was Radu's wife?", "Radu and Olga Winter married in May.")],
            "what did she do?",
            "what did Olga Winter do?",
        ),
        ([("What is the far side?", "The far side of the Moon is bright.")], "who saw it?", "who saw the far side?"),
        (
            [("How far away is the Moon?", "Far.")],
            "has that always been so?",
            "has the distance of the Moon always been so?",
        ),
        (
            [("Where did the first man in space land?", "Which of these do you mean: Ada Kern; or First Man?")],
            "did he fly again?",
            "did the first man in space fly again?",
        ),
        ([("What are the symptoms of dengue fever?", "Fever.")], "is it deadly?", "is dengue fever deadly?"),
        ([("In which towns do you charge tax?", "In Basel.")], "is beer taxed there?", "is beer taxed in those towns?"),
        (
            [("How do I set a timeout?", "Pass it."), ("How do I catch the timeout?", "With try.")],
            "can I turn them off?",
            "can I turn timeouts off?",
        ),
    ],
)
def test_a_name_for_the_pronoun(turns: list[tuple[str, str]], question: str, expected: str) -> None:
    assert standing(question, said(*turns)).text == expected


@pytest.mark.parametrize(
    ("turns", "question"),
    [
        ([], "where is he buried?"),
        ([MELIES], "how old is the Moon?"),
        ([MELIES, GRAVE], "how many graves are there?"),
        ([("What happens if I'm late with my taxes?", "A fine.")], "Is it deductible?"),
        ([MELIES, GRAVE], "are there any other cemeteries of that age?"),
        ([("Where is Baikonur?", "In Kazakhstan.")], "who was he?"),
        ([MELIES], "Was Georges Méliès buried where he lived?"),
        ([MELIES, *[("and then?", "nothing more is known.")] * 3], "where is he buried?"),
    ],
)
def test_no_name_leaves_the_question_as_it_is(turns: list[tuple[str, str]], question: str) -> None:
    assert standing(question, said(*turns)).text == question


@given(st.text(), st.lists(st.tuples(st.text(), st.text()), max_size=4))
def test_whatever_is_said(question: str, turns: list[tuple[str, str]]) -> None:
    assert isinstance(standing(question, said(*turns)).text, str)


@pytest.mark.parametrize(
    ("turns", "question", "expected"),
    [
        ([], "does it work in Jupyter?", "does Rich work in Jupyter?"),
        ([], "who maintains this?", "who maintains Rich?"),
        ([], "and on Windows?", "and on Windows?"),
        ([], "who was he?", "who was he?"),
        ([("does it work in Jupyter?", "Yes, in the notebook.")], "who made it?", "who made Rich?"),
        ([("what can I print?", "The terminal shows the tables.")], "is it free?", "is Rich free?"),
        ([("how do I create the console?", "So.")], "is it slow?", "is the console slow?"),
        ([("does it run on Linux?", "Yes.")], "and on Windows?", "does Rich run on Windows?"),
    ],
)
def test_it_is_what_all_documents_are_about_where_nothing_else_was_spoken_of(
    turns: list[tuple[str, str]], question: str, expected: str
) -> None:
    assert standing(question, said(*turns), subject="Rich").text == expected


@pytest.mark.parametrize("question", ["of Act of The", "What is said of the Bank of The?", "and what of Bank of a"])
def test_a_name_that_breaks_off_is_read_as_far_as_it_goes(question: str) -> None:
    assert standing(question, said(MELIES)).text


@pytest.mark.parametrize("question", ["Summarise needs A new roof", "Summarise shows A note"])
def test_a_title_with_a_verb_behind_what_is_asked_for_is_read(question: str) -> None:
    """Of a statement whose subject was taken for what is done: nothing is raised, and nothing put in its place."""
    assert standing(question, said(("Who is Ann Brook?", "Ann Brook is a vet."))).text == question
