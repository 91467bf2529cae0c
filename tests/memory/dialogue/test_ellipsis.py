"""Short turns that leave to the question before what is done, and how many of what."""

import pytest

from clew.memory.dialogue.follow_ups import standing
from tests.memory.dialogue.test_referents import said


@pytest.mark.parametrize(
    ("before", "answer", "question", "rewritten"),
    [
        ("Did Ida pay the bill?", "Tom paid the bill.", "who did?", "Who paid the bill?"),
        ("Who paid the bill?", "Tom paid the bill.", "and who didn't?", "Who didn't pay the bill?"),
        ("Can juniors vote?", "Juniors cannot vote.", "who can?", "Who can vote?"),
        ("Is Ida on the board?", "Ida left the board in May.", "who is?", "Who is on the board?"),
        ("Did Ida pay the bill?", "Ida paid the bill.", "did Tom?", "Did Tom pay the bill?"),
        ("Does the flat have a balcony?", "It has one.", "Does the house?", "Does the house have a balcony?"),
        ("Did Tom like the film?", "Tom hated the film.", "why did he?", "Why did Tom like the film?"),
        ("Will Marta come to the party?", "She will.", "when will she?", "When will Marta come to the party?"),
        ("Has the roof been repaired?", "In August.", "when was it?", "When was the roof repaired?"),
        ("Is the pool heated?", "The pool is heated.", "since when is it?", "Since when is the pool heated?"),
        ("Is the meeting on Monday?", "The meeting is on Tuesday.", "when is it?", "when is the meeting?"),
        ("Is the soup vegan?", "The soup is vegan.", "how is it?", "how is the soup?"),
    ],
)
def test_what_is_done_is_said_in_the_question_before(before: str, answer: str, question: str, rewritten: str) -> None:
    assert standing(question, said((before, answer))).text == rewritten


@pytest.mark.parametrize(
    ("before", "answer", "question", "rewritten"),
    [
        ("Does Deniz review patches?", "Deniz and Paula do.", "who else?", "Who else reviews patches?"),
        ("Can Tom drive the van?", "Tom and Ida may.", "who else?", "Who else can drive the van?"),
        ("Was Ida at the meeting?", "Present: Ida, Tom, Sven.", "who else?", "Who else was at the meeting?"),
        ("Did Ida pay the bill?", "No.", "who then?", "Who paid the bill?"),
        ("Was the roof repaired?", "Yes.", "by whom?", "By whom was the roof repaired?"),
        ("Can Tally export to Excel?", "To CSV.", "which formats then?", "Which formats can Tally export to Excel?"),
        ("Is the shop open on Mondays?", "The shop is closed on Mondays.", "when then?", "When is the shop open?"),
    ],
)
def test_who_else_and_what_then(before: str, answer: str, question: str, rewritten: str) -> None:
    assert standing(question, said((before, answer))).text == rewritten


@pytest.mark.parametrize(
    ("before", "answer", "question", "rewritten"),
    [
        ("Who was present?", "Present: Ida, Tom.", "and Paula?", "Was Paula present?"),
        ("Who passed the exam?", "Ida and Tom passed.", "and Sven?", "Did Sven pass the exam?"),
        ("Who can vote?", "Adult members can vote.", "and juniors?", "Can juniors vote?"),
        ("Which translations are complete?", "German and Polish are complete.", "and French?", "Is French complete?"),
        ("Who is allergic to nuts?", "Ida is.", "and milk?", "Who is allergic to milk?"),
        ("Who met Anna?", "Tom met Anna.", "and Paula?", "Who met Paula?"),
        ("Who is the treasurer?", "Piotr is.", "and the deputy?", "Who is the deputy?"),
    ],
)
def test_the_question_before_is_asked_of_another(before: str, answer: str, question: str, rewritten: str) -> None:
    assert standing(question, said((before, answer))).text == rewritten


@pytest.mark.parametrize(
    ("before", "answer", "question", "rewritten"),
    [
        ("did they buy the folders?", "Yes, they bought 40 folders.", "how many?", "How many folders did they buy?"),
        ("Are there any chairs in the hall?", "There are 80.", "how many?", "How many chairs are there in the hall?"),
        ("Who bought the eggs?", "Tom bought the eggs.", "how many?", "How many eggs did Tom buy?"),
        ("Were the chairs sold?", "Yes.", "how many?", "How many chairs were sold?"),
        ("What should I do?", "Reset the boiler first.", "how?", "How should I do that?"),
        ("What does Ines want to do?", "Catalogue the scores.", "by when?", "By when does Ines want to do that?"),
        ("What did Tom do on Sunday?", "Tom repaired the fence.", "why?", "Why did Tom do that on Sunday?"),
        ("What did Tom write?", "A letter.", "when?", "When did Tom write that?"),
    ],
)
def test_the_gap_is_filled(before: str, answer: str, question: str, rewritten: str) -> None:
    assert standing(question, said((before, answer))).text == rewritten
