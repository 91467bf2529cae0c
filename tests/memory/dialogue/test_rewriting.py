"""The rewritten question and its wordings."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.memory.datatypes import Recalled, Sentence, Wording
from clew.memory.dialogue import rewriting
from clew.memory.dialogue.rewriting import RewriteParameters, Rewritten, rewrite
from clew.memory.dialogue.signals import Linear, RewriteModel
from clew.memory.dialogue.tagger import THIS, WHY, StandingQuestion
from clew.memory.dialogue.utterances import tidy
from clew.memory.encoding import CachedEncoder
from clew.memory.text import content_words
from tests.memory.dialogue.cases import cases, needs_cases


def users(*turns: str) -> list[Sentence]:
    return [Sentence(text, "user", turn) for turn, text in enumerate(turns, 1)]


@needs_cases
@pytest.mark.parametrize("case", cases("post_process_cases"), ids=lambda case: case["input"])
def test_the_seeds_post_processing(case: dict[str, Any]) -> None:
    assert tidy(case["input"]) == case["should_output"]


@pytest.mark.parametrize(
    ("text", "tidied"),
    [
        ("and where was he born", "And where was he born?"),
        ("who was Dr. Smith", "Who was Dr. Smith?"),
        ("what is the capital of the U.S.", "What is the capital of the U.S.?"),
        ("what is it.", "What is it?"),
        ('who said "why?"', 'Who said "why?"'),
        ("\u5b83\u662f\u4ec0\u4e48\uff1f", "\u5b83\u662f\u4ec0\u4e48\uff1f"),
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


NO_WORDS = RewriteParameters(probable=1.1)
SAID = [
    Sentence("Who wrote the film Metropolis?", "user", 1),
    Sentence("Thea von Harbou wrote Metropolis, first as a novel.", "agent", 1),
    Sentence("who directed it?", "user", 2),
    Sentence("Fritz Lang directed Metropolis.", "agent", 2),
]


def made(
    question: str,
    said: list[Sentence],
    encoder: CachedEncoder,
    parameters: RewriteParameters = NO_WORDS,
    selected: tuple[Sentence, ...] = (),
) -> Rewritten:
    return rewrite(question, Recalled(extracted=tuple(said), selected=selected), encoder, parameters)


@pytest.mark.parametrize(
    ("question", "said", "alone"),
    [
        ("how old is the moon", ["Who made Metropolis?"], "How old is the moon?"),
        ("And how old is it?", ["Where is the moon?"], "How old is the moon?"),
        ("And in winter?", ["How cold is the moon in summer?"], "How cold is the moon in winter?"),
        ("When did he die?", ["Who is Fritz Lang?", "where was he born", "Thanks!"], "When did Fritz Lang die?"),
        ("and where was he born", [], "And where was he born?"),
        ("When did he die?", ["word " * 500 + ". Who is Fritz Lang?"], "When did Fritz Lang die?"),
    ],
    ids=["alone", "pronoun", "ellipsis", "past small talk", "nothing said", "a pasted text"],
)
def test_a_question_is_made_to_stand_alone(question: str, said: list[str], alone: str, encoder: CachedEncoder) -> None:
    assert made(question, users(*said), encoder).text == alone


@pytest.mark.parametrize("detail", ["the one in Boston", "I meant the one in Boston.", "Boston, please"])
def test_an_answer_to_the_assistants_question_stands_with_the_earlier_one(detail: str, encoder: CachedEncoder) -> None:
    said = [
        Sentence("When is the museum open?", "user", 1),
        Sentence("There are two of them, which one do you mean?", "agent", 1),
    ]
    standing = next(wording for wording in made(detail, said, encoder).wordings if wording.name == "standing")
    assert "museum" in standing.text and "Boston" in standing.text


@pytest.mark.parametrize("long", ["word " * 10_000, "Anna Berg and " * 5_000, "a." * 20_000])
def test_a_turn_of_any_length(long: str, encoder: CachedEncoder) -> None:
    said = [*users(long), Sentence("Fritz Lang directed Metropolis.", "agent", 1)]
    assert sum(wording.weight for wording in made(long, said, encoder).wordings) == pytest.approx(1)
    later = made("and where was he born?", said, encoder)
    assert sum(wording.weight for wording in later.wordings) == pytest.approx(1)


def test_the_wordings_and_their_shares_are_the_models(encoder: CachedEncoder) -> None:
    fixed = RewriteModel(Linear(9.0, {}), {"question": 0.4, "standing": 0.2, "before": 0.1, "expanded": 0.3})
    parameters = RewriteParameters(learned=fixed, most=3)
    found = made("and where was he born?", SAID, encoder, parameters, (SAID[3],))
    question, standing, before, expanded = found.wordings
    assert [one.text for one in (question, standing)] == ["and where was he born?", "where was Fritz Lang born?"]
    assert expanded.text.startswith(f"{standing.text} ")
    assert len(content_words(expanded.text)) <= len(content_words(standing.text)) + 3
    assert before.text == "who directed it? and where was he born?"
    assert (question.weight, standing.weight, before.weight, expanded.weight) == (0.4, 0.2, 0.1, 0.3)
    assert (standing.context, before.context, expanded.context) == (0.0, 0.0, RewriteParameters().context)


def test_a_question_that_leans_on_nothing_is_searched_without_the_one_before(encoder: CachedEncoder) -> None:
    fixed = RewriteModel(Linear(9.0, {}), {"question": 0.4, "standing": 0.2, "before": 0.1, "expanded": 0.3})
    found = made("How far is the Moon from Earth?", SAID, encoder, RewriteParameters(learned=fixed)).wordings
    assert [(one.name, one.weight) for one in found] == [("question", pytest.approx(0.7)), ("expanded", 0.3)]


def test_a_wording_says_why(encoder: CachedEncoder) -> None:
    found = made("who directed it?", SAID[:2], encoder)
    named = WHY[THIS]
    assert [one.why for one in found.wordings] == ["", named, "behind the question before", named]


def test_a_question_of_which_no_word_would_be_left_stays(
    encoder: CachedEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rewriting, "stand_alone", lambda *_: StandingQuestion("What?", WHY[THIS]))
    assert made("what about it?", SAID[:2], encoder, NO_WORDS).text == "What about it?"


@pytest.mark.parametrize("said", ["Thanks!", "ok, thank you so much", "???"])
def test_thanks_are_no_question(said: str, encoder: CachedEncoder) -> None:
    found = made(said, SAID, encoder, RewriteParameters(), (SAID[3],))
    assert found.wordings == (Wording("question", said, 1.0),)


def test_the_selected_context_is_read_however_old_it_is(encoder: CachedEncoder) -> None:
    old = Sentence("Zweigelt is a grape of Austria.", "agent", 2)
    said = [*users(*(f"How old is the moon number {turn}?" for turn in range(1, 30))), old]
    found = made("What is red?", said, encoder, RewriteParameters(probable=0.0, most=99), (old,))
    assert "Zweigelt" in found.wordings[-1].text


@given(
    question=st.text(min_size=1),
    history=st.lists(st.text(), max_size=6),
    answers=st.lists(st.text(min_size=1), max_size=5),
)
@settings(deadline=None, max_examples=40)
def test_whatever_is_said_the_weights_sum_to_1(
    question: str, history: list[str], answers: list[str], encoder: CachedEncoder
) -> None:
    said = [*users(*history), *(Sentence(answer, "agent", max(1, len(history))) for answer in answers)]
    found = made(question, said, encoder, RewriteParameters(), tuple(said[-2:]))
    assert sum(wording.weight for wording in found.wordings) == pytest.approx(1)
    assert found.wordings[0].text == " ".join(question.split())
