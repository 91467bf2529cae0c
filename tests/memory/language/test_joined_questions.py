"""Where questions that are joined in one text are split."""

import pytest

from clew.memory.language.joined_questions import joined_questions


@pytest.mark.parametrize(
    "typed, questions",
    [
        ("What is the rent and who pays the heating?", ("What is the rent?", "Who pays the heating?")),
        ("Who was Laika, and how did she die?", ("Who was Laika?", "How did she die?")),
        ("Who paid for it? Why?", ("Who paid for it?", "Why?")),
        (
            "who comes to it and what do they eat and where is it?",
            ("who comes to it?", "What do they eat?", "Where is it?"),
        ),
        ("Wann öffnet das Museum und was kostet es?", ("Wann öffnet das Museum?", "Was kostet es?")),
        ("¿Dónde nació ella y cuándo murió?", ("¿Dónde nació ella?", "Cuándo murió?")),
    ],
)
def test_questions_that_stand_on_their_own_are_split(typed: str, questions: tuple[str, ...]) -> None:
    assert joined_questions(typed) == questions


@pytest.mark.parametrize(
    "typed",
    [
        "What is the rent?",
        "I have a dog. Is it allowed?",
        "Do you know what it is and how it works?",
        "Wisst ihr, was die Miete ist und wer die Heizung zahlt?",
        'What does "who am I? and what is this?" mean?',
        "Who? What? When? Where? Why?",
        "",
    ],
)
def test_one_question_stays_one(typed: str) -> None:
    assert joined_questions(typed) == (typed,)
