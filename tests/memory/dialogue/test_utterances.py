from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.memory.datatypes import Sentence, Utterance
from clew.memory.dialogue.utterances import answer_sentences, extract, is_filler, unique, with_apostrophes, words_of
from tests.memory.dialogue.cases import cases, history, needs_cases

WORDS = st.sampled_from("the Moon orbits Earth. Thanks! Sure, I do not know why? [1] ok\n- far 384,400 km".split(" "))
TEXTS = st.lists(WORDS, max_size=25).map(" ".join)
UTTERANCES = st.lists(st.builds(Utterance, st.sampled_from(["user", "agent"]), TEXTS), max_size=12)


def texts(*utterances: Utterance) -> list[str]:
    return [sentence.text for sentence in extract(utterances)]


@needs_cases
@pytest.mark.parametrize("case", cases("filler_cases"), ids=lambda case: case["sentence"][:30])
def test_the_seeds_filler(case: dict[str, Any]) -> None:
    assert is_filler(case["sentence"]) == case["should_drop"]


FILLER = {
    "I'm sorry, but I don't have enough information to answer that.": True,
    "Is there anything else I can help you with?": True,
    "Thanks to its gravity, the Moon raises tides.": False,
    "I don't know the exact date, but the treaty was signed in 1848.": False,
    "Unfortunately, Laika died in orbit.": False,
}


@pytest.mark.parametrize("sentence", FILLER)
def test_content_behind_an_opener_is_no_filler(sentence: str) -> None:
    assert is_filler(sentence) is FILLER[sentence]


def test_a_users_turn_is_kept_whole() -> None:
    assert texts(Utterance("user", "Thanks!  The Moon. How far\nis it?")) == ["Thanks! The Moon. How far is it?"]


def test_an_answer_is_taken_by_sentence_without_citations_marks_and_short_phrases() -> None:
    answer = "Yes, it is. The Moon is 384,400 km away. [1][2] Very far.\n- It has no air [3].\nI hope this helps!"
    said = extract([Utterance("user", "How far?"), Utterance("agent", answer)])
    assert said == [
        Sentence("How far?", "user", 1),
        Sentence("Yes, it is.", "agent", 1),
        Sentence("The Moon is 384,400 km away.", "agent", 1),
        Sentence("It has no air.", "agent", 1),
    ]


def test_turns_count_the_users_utterances() -> None:
    said = [
        Utterance("agent", "Ask me about the Moon."),
        Utterance("user", "How far is it?"),
        Utterance("agent", "It is 384,400 km away."),
        Utterance("user", "How old is it?"),
        Utterance("agent", "About 4.5 billion years old."),
    ]
    assert [sentence.turn for sentence in extract(said)] == [1, 1, 1, 2, 2]
    assert [sentence.turn for sentence in extract(said[1:3], first_turn=7)] == [7, 7]


def test_the_last_of_equal_sentences_is_kept() -> None:
    said = extract(
        [Utterance("user", "How far?"), Utterance("agent", "It is far away."), Utterance("user", "how  far?")]
    )
    assert said == [Sentence("It is far away.", "agent", 1), Sentence("how far?", "user", 2)]


def test_short_items_of_a_list_are_one_sentence() -> None:
    assert list(answer_sentences("We have two of them:\n- Otto L5 [1]\n- Pix 40 [2]\n")) == [
        "We have two of them:",
        "Otto L5, Pix 40.",
    ]


@needs_cases
@pytest.mark.parametrize("trace", cases("traces"), ids=lambda trace: trace["task_id"])
def test_the_traces_give_what_the_original_took(trace: dict[str, Any]) -> None:
    """All of the user's turns, and by far the most of the original's sentences, whatever each splitter does."""
    said = extract(history(trace))
    users = {" ".join(turn.text.split()) for turn in history(trace) if turn.speaker == "user"}
    assert users <= {sentence.text for sentence in said}
    assert all(len(sentence.text.split()) >= 3 for sentence in said if sentence.speaker == "agent")
    everything = " ".join(sentence.text for sentence in said)
    found = [" ".join(sentence.split()) in everything for sentence in trace["extracted_sentences"]]
    assert sum(found) >= 0.7 * len(found)


@given(UTTERANCES | st.lists(st.builds(Utterance, st.sampled_from(["user", "agent"]), st.text())))
def test_invariants(utterances: list[Utterance]) -> None:
    said = extract(utterances)
    assert unique(said) == said
    assert [sentence.turn for sentence in said] == sorted(sentence.turn for sentence in said)
    for sentence in said:
        assert sentence.turn >= 1
        assert sentence.speaker == "user" or (words_of(sentence.text) >= 3 and not is_filler(sentence.text))


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("whats the most it takes", "what's the most it takes"),
        ("Why doesnt !$ work?", "Why doesn't !$ work?"),
        ("its dents", "its dents"),
        ("what's up", "what's up"),
    ],
)
def test_an_apostrophe_that_was_left_out(typed: str, meant: str) -> None:
    assert with_apostrophes(typed) == meant
