from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.datatypes import Sentence, Wording
from memory.dialogue.rewriting import RewriteParameters, rewritten, tidy, wordings
from tests.memory.dialogue.cases import cases, needs_cases

FIXED = RewriteParameters(question=0.5, previous=0.3, context=0.2)
LANG = [Sentence("Metropolis was made by Fritz Lang.", "agent", 1)]


def users(*turns: str) -> list[Sentence]:
    return [Sentence(text, "user", turn) for turn, text in enumerate(turns, 1)]


def texts(question: str, *history: str) -> dict[str, str]:
    return {wording.name: wording.text for wording in wordings(question, users(*history), LANG, FIXED)}


@needs_cases
@pytest.mark.parametrize("case", cases("post_process_cases"), ids=lambda case: case["input"])
def test_the_seeds_post_processing(case: dict[str, Any]) -> None:
    assert tidy(case["input"]) == case["should_output"]


@pytest.mark.parametrize(
    ("text", "tidied"),
    [
        ("and where was he born", "And where was he born?"),
        ("in what year did he die", "In what year did he die?"),
        ("who was Dr. Smith", "Who was Dr. Smith?"),
        ("what is the capital of the U.S.", "What is the capital of the U.S.?"),
        ("what is it.", "What is it?"),
        ("MOXIE a tree??", "MOXIE a tree?"),
        ('who said "why?"', 'Who said "why?"'),
        ("howl at the moon", "Howl at the moon."),
        ("iPhone prices", "iPhone prices."),
        ("\u5b83\u662f\u4ec0\u4e48\uff1f", "\u5b83\u662f\u4ec0\u4e48\uff1f"),
        ("what is it,", "What is it?"),
    ],
)
def test_tidy(text: str, tidied: str) -> None:
    assert tidy(text) == tidied


@given(
    st.text()
    | st.lists(st.sampled_from(["who", "is", "it", "it.", "U.S.", "?", '"why?"', "...", "(", ")"])).map(" ".join)
)
def test_tidy_twice_is_tidy_once(text: str) -> None:
    assert tidy(tidy(text)) == tidy(text)


def test_a_question_that_stands_alone_is_left_alone() -> None:
    assert rewritten("how old is the moon", users("Who made Metropolis?"), FIXED) == "How old is the moon?"


def test_a_question_that_leans_stands_behind_what_it_leans_on() -> None:
    assert rewritten("And where was he born?", users("How old is the moon?", "who made Metropolis"), FIXED) == (
        "Who made Metropolis? And where was he born?"
    )


def test_back_to_the_nearest_turn_that_stands_alone_and_past_small_talk() -> None:
    history = ["How old is the moon?", "Who made Metropolis?", "where was he born", "Thanks!", "Good to know."]
    assert rewritten("and when?", users(*history), FIXED) == "Who made Metropolis? Where was he born? And when?"


def test_a_turn_said_again_is_not_repeated() -> None:
    history = ["Who made Metropolis?", "And where was he born?", "and where was he  born?"]
    assert rewritten("And where was he born?", users(*history), FIXED) == "Who made Metropolis? And where was he born?"


def test_no_more_than_three_turns() -> None:
    history = ["Who made Metropolis?", *(f"Did he make it in {year}?" for year in range(1920, 1930))]
    assert rewritten("Why?", users(*history), FIXED) == (
        "Did he make it in 1927? Did he make it in 1928? Did he make it in 1929? Why?"
    )


def test_a_question_that_leans_on_nothing() -> None:
    assert rewritten("and where was he born", users(), FIXED) == "And where was he born?"
    assert rewritten("and where was he born", users("Thanks!"), FIXED) == "And where was he born?"


def test_only_the_end_of_a_pasted_text_is_read() -> None:
    pasted = " ".join(["word"] * 500) + " Who made Metropolis?"
    assert len(texts("Why?", pasted)["previous"].split()) == FIXED.words + 1
    assert texts("Why?", pasted)["previous"].endswith("Who made Metropolis? Why?")


def test_the_three_wordings() -> None:
    assert wordings(" where was  he born?", users("How old is the moon?", "Who made Metropolis?"), LANG, FIXED) == (
        Wording("question", "where was he born?", 0.5),
        Wording("previous", "Who made Metropolis? where was he born?", 0.3),
        Wording("context", "where was he born? Metropolis was made by Fritz Lang.", 0.2),
    )


def test_previous_is_the_turn_before_or_the_chain_that_the_question_leans_on() -> None:
    assert texts("How old is the moon?", "A?", "Who made Metropolis?")["previous"] == (
        "Who made Metropolis? How old is the moon?"
    )
    assert texts("and when?", "Who made Metropolis?", "Where was he born?", "thanks")["previous"] == (
        "Who made Metropolis? Where was he born? and when?"
    )


def test_a_first_turn_has_one_wording() -> None:
    assert wordings("How far?", [], [], FIXED) == (Wording("question", "How far?", 1.0),)


def test_the_weights_of_missing_and_equal_wordings_are_shared_out() -> None:
    (question, previous) = wordings("How far?", users("The moon"), [], FIXED)
    assert (question.weight, previous.weight) == pytest.approx((0.625, 0.375))
    said = [Sentence("how far?", "user", 1)]
    (_, both) = wordings("How far?", users("How far?"), said, FIXED)
    assert both.name == "previous"
    assert both.weight == pytest.approx(0.5)


def test_a_wording_without_weight_is_not_searched() -> None:
    only_context = RewriteParameters(question=0, previous=0, context=1)
    assert [wording.name for wording in wordings("Why?", users("The moon"), LANG, only_context)] == ["context"]
    nothing = RewriteParameters(question=0, previous=0, context=0)
    assert wordings("Why?", users("The moon"), LANG, nothing) == (Wording("question", "Why?", 1.0),)


@given(st.text(min_size=1), st.lists(st.text(), max_size=6), st.lists(st.text(min_size=1), max_size=5))
def test_whatever_is_said_the_weights_sum_to_1(question: str, history: list[str], said: list[str]) -> None:
    made = wordings(question, users(*history), [Sentence(text, "agent", 1) for text in said], RewriteParameters())
    assert sum(wording.weight for wording in made) == pytest.approx(1)
    assert len({wording.text.casefold() for wording in made}) == len(made)
    assert " ".join(question.split()) in made[0].text
    rewritten(question, users(*history), RewriteParameters())


SAID = [
    Sentence("Who wrote the film Metropolis?", "user", 1),
    Sentence("Thea von Harbou wrote Metropolis, first as a novel.", "agent", 1),
    Sentence("who directed it?", "user", 2),
    Sentence("Fritz Lang directed Metropolis.", "agent", 2),
]


def test_a_pronoun_gets_its_name_from_the_conversation() -> None:
    assert rewritten("and where was he born?", SAID, FIXED) == "And where was Fritz Lang born?"
    assert rewritten("who directed it?", SAID[:2], FIXED) == "Who directed Metropolis?"
    named = {wording.name: wording for wording in wordings("where was he born?", SAID, [], RewriteParameters())}
    assert named["named"].text == "where was Fritz Lang born?"
    assert named["question"].text == "where was he born?"
    assert named["named"].weight == named["question"].weight
