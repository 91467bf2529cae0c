"""Whether a turn is answered, refused or asked back: by hand-made models, by the shipped one, and in whole turns."""

from collections.abc import Mapping

import numpy as np
import pytest

from clew.agent.answer.evidence import Evidence
from clew.agent.answer.judge import DOUBT, SHIPPED, Decision, Judge, judge, may_be_unclear, shipped_judge, signals
from clew.agent.assistant import Assistant
from clew.agent.state import Turn
from clew.memory.datatypes import Passage, Recalled, Sentence, Wording
from clew.memory.dialogue.signals import Linear
from clew.memory.encoding import CachedEncoder
from tests.agent.conftest import turn_of
from tests.training.judge import JudgeExample, threshold
from tests.training.trainer import as_json

MOON = Passage(
    id="moon#0",
    document="moon",
    title="The Moon",
    text="The Moon is 384,400 kilometres away from the Earth. It is grey and has no air.",
    score=0.7,
    tool="hybrid",
)
CLEAR = dict.fromkeys(
    "history leans points own_names asked_back unnamed_ever pointed_unnamed words_lacked name_lacked said_out".split(),
    0.0,
) | {"content": 1.0}


def by(name: str) -> Decision:
    """Taken where that signal is 1."""
    return Decision(Linear(0.0, {name: 1.0}), 1.0)


JUDGE = Judge(refuse=by("refuse"), foreign=by("foreign"), ask_back=by("unclear"))


def judged(**given: float) -> str:
    return judge({**CLEAR, "refuse": 0.0, "foreign": 0.0, "unclear": 0.0, **given}, JUDGE)


LEANS = {"unclear": 1.0, "history": 1.0, "leans": 1.0, "refuse": 1.0}
UNNAMED = {"unclear": 1.0, "history": 1.0, "unnamed_ever": 1.0, "refuse": 1.0}
ANSWERABLE = {"unclear": 1.0, "leans": 1.0, "refuse": 0.9 - DOUBT, "foreign": 0.9 - DOUBT}


@pytest.mark.parametrize(
    ("given", "verdict"),
    [
        ({}, "answer"),
        ({"refuse": 1.0}, "refuse"),
        ({"foreign": 1.0}, "refuse"),
        (UNNAMED, "ask back"),
        (LEANS, "ask back"),
        (LEANS | {"said_out": 1.0}, "refuse"),  # the conversation said it
        (LEANS | {"name_lacked": 1.0}, "refuse"),  # the library does not know it: nobody is asked which one
        (UNNAMED | {"refuse": 0.0, "asked_back": 1.0}, "answer"),  # never twice running
        (UNNAMED | {"refuse": 0.0, "content": 3.0}, "answer"),
        (ANSWERABLE, "answer"),
        (ANSWERABLE | {"refuse": 1.1 - DOUBT}, "ask back"),
        (ANSWERABLE | {"pointed_unnamed": 1.0, "history": 1.0}, "answer"),
    ],
)
def test_what_is_unclear_is_asked_back_before_it_is_refused(given: Mapping[str, float], verdict: str) -> None:
    assert judged(**given) == verdict


@pytest.mark.parametrize(
    ("given", "unclear"),
    [({}, False), ({"points": 1.0}, True), ({"leans": 1.0}, True), ({"leans": 1.0, "content": 3.0}, False)],
)
def test_a_first_question_is_unclear_only_by_its_words(given: Mapping[str, float], unclear: bool) -> None:
    assert may_be_unclear({**CLEAR, **given}) == unclear


def test_the_shipped_judge_reads_back_as_it_was_written() -> None:
    assert SHIPPED.read_text("utf-8") == as_json(shipped_judge())


def signals_of(
    encoder: CachedEncoder, question: str, *passages: Passage, before: tuple[Sentence, ...] = ()
) -> dict[str, float]:
    recalled = Recalled(extracted=before, selected=before)
    wordings = (Wording("question", question, 1.0),)
    turn = Turn("t", 1, question, question, recalled=recalled, wordings=wordings, passages=passages)
    return signals(turn, Evidence(tuple(passages), encoder))


def test_the_signals_of_a_turn(encoder: CachedEncoder) -> None:
    found = signals_of(encoder, "How far away is the Moon?", MOON)
    assert set(found) >= set(shipped_judge().refuse.model.weights) | set(shipped_judge().ask_back.model.weights)
    assert found["cosine"] > 0.5 and found["held_together"] > 0.5 and found["names_unheld"] == 0
    assert (found["history"], found["points"], found["amount"]) == (0, 0, 1)
    assert all(np.isfinite(value) for value in found.values())
    assert signals_of(encoder, "How far away is Neptune?", MOON)["names_unheld"] == 1
    assert signals_of(encoder, "How far away is the Moon?")["cosine"] == 0
    said = (Sentence("Who was Laika?", "user", 1), Sentence("Laika was a dog.", "agent", 1))
    later = signals_of(encoder, "What did the animal eat?", MOON, before=said)
    assert (later["history"], later["unnamed"]) == (1, 1)


def test_a_threshold_is_the_best_at_its_cost() -> None:
    labels = ["UNANSWERABLE", "UNANSWERABLE", "ANSWERABLE", "UNANSWERABLE", "ANSWERABLE", "ANSWERABLE", "ANSWERABLE"]
    examples = [JudgeExample("s", "d", str(n), label, {}) for n, label in enumerate(labels)]
    odds = np.array([3.0, 2.5, 2.0, 1.5, 1.0, 0.5, 0.0])
    assert threshold(examples, odds, "UNANSWERABLE", "f1", 0.0) == 2.5
    assert threshold(examples, odds, "UNANSWERABLE", "f1", 0.25) == 1.5
    assert threshold(examples, -odds, "UNANSWERABLE", "f1", 0.0) == np.inf


def test_a_reply_to_a_question_back_is_understood(assistant: Assistant) -> None:
    first = turn_of(assistant, "t", "When did this animal die?")
    assert first.answer.outcome == "unclear" and not first.answer.refused
    assert first.answer.plain.startswith("Which animal do you mean")
    laika = next((n for n, title in enumerate(first.answer.nearest, 1) if "Laika" in title), None)
    second = turn_of(assistant, "t", f"number {laika}" if laika else "Laika")
    assert "Laika" in second.wordings[0].text or "Laika" in second.rewritten
    assert second.answer.outcome in ("answered", "partial")
    assert any("Laika" in source.title for source in second.answer.sources)


@pytest.mark.parametrize(
    "question", ["How far away is the Moon?", "What happened in the story of the film Metropolis?", "Who was Laika?"]
)
def test_a_clear_question_is_not_asked_back(assistant: Assistant, question: str) -> None:
    assert turn_of(assistant, "t", question).answer.outcome != "unclear"
