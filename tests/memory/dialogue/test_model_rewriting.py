"""A question that a language model rewrites: what is taken, and what is dropped."""

import threading
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from clew.memory.datatypes import Recalled, Sentence
from clew.memory.dialogue.rewriting import RewriteParameters, fault, rewrite, rewrite_by_model
from clew.memory.dialogue.utterances import tidy
from clew.memory.encoding import CachedEncoder
from clew.memory.errors import Cancelled, ServiceUnreachable
from clew.memory.ports import Message
from tests.memory.scripted_writer import ScriptedWriter

SAID = (
    Sentence("Who directed Metropolis?", "user", 1),
    Sentence("Fritz Lang directed Metropolis in 1927.", "agent", 1),
)
QUESTION = "and where was he born?"
GOOD = "Where was Fritz Lang born?"


class Replying(ScriptedWriter):
    """Says its replies one after the other; keeps what it was told."""

    def __init__(self, replies: list[str]) -> None:
        self.told: list[Sequence[Message]] = []
        self._replies = replies
        super().__init__(self._reply)

    def _reply(self, messages: Sequence[Message], schema: Mapping[str, Any] | None) -> str:
        assert not schema
        self.told.append(messages)
        reply = self._replies.pop(0)
        if reply == "unplugged":
            raise ServiceUnreachable("the model does not answer")
        return reply


@pytest.mark.parametrize(
    "reply", [GOOD, "where was Fritz Lang born", f'"{GOOD}"', f"|user|: {GOOD}", f"  {GOOD}\n", "Question: " + GOOD]
)
def test_a_question_is_taken_as_it_is_meant(reply: str) -> None:
    writer = Replying([reply])
    written = rewrite_by_model(QUESTION, SAID, "learned", writer)
    assert (written.text, written.how) == (GOOD, "model")
    (prompt,) = writer.told[0]
    assert "agent: Fritz Lang directed Metropolis in 1927." in prompt.text and QUESTION in prompt.text


@pytest.mark.parametrize(
    ("reply", "wrong"),
    [
        ("", "it is empty"),
        ("Fritz Lang was born in Vienna.", "it is not a question"),
        ("Sure, here it is: Where was Fritz Lang born?", "it is more than the question"),
        ("```\nWhere was Fritz Lang born?\n```", "it is more than the question"),
        ("Where was Fritz Lang " + "really " * 60 + "born?", "it is too long"),
        ("Where was Alfred Hitchcock born?", "nobody spoke of Alfred, Hitchcock"),
    ],
)
def test_what_cannot_be_used_is_dropped_at_once(reply: str, wrong: str) -> None:
    assert fault(reply, QUESTION, SAID) == wrong
    writer = Replying([reply])
    written = rewrite_by_model(QUESTION, SAID, "without a model", writer)
    assert (written.text, written.how, written.why) == ("without a model", "learned", wrong)
    assert len(writer.told) == 1


def test_a_model_that_calls_a_question_complete_has_no_fault() -> None:
    for without_model, how in ((tidy(QUESTION), "model"), (GOOD, "learned")):
        made = rewrite_by_model(QUESTION, SAID, without_model, Replying([QUESTION]))
        assert (made.text, made.how, made.why) == (without_model, how, "")


def test_names_and_numbers_of_the_question_are_kept() -> None:
    asked = "and what did he do in Berlin in 1933?"
    assert fault("What did Fritz Lang do in Berlin in 1933?", asked, SAID) == ""
    assert fault("What did Fritz Lang do?", asked, SAID) == "it has lost Berlin, 1933"


def test_a_number_of_several_parts_was_spoken_of() -> None:
    said = (Sentence("2025-052 | 2025-06-17 | Gutter cleaning | 120.00 | open", "agent", 1),)
    assert fault("How much was invoice 2025-052?", "how much was it?", said) == ""
    assert fault("How much was invoice 2025-053?", "how much was it?", said) == "nobody spoke of 053"


def test_a_model_that_does_not_answer_is_replaced() -> None:
    written = rewrite_by_model(QUESTION, SAID, "learned", Replying(["unplugged"]))
    assert (written.text, written.how, written.why) == ("learned", "learned", "the model does not answer")


def test_without_context_no_model_is_asked() -> None:
    writer = Replying([])
    assert rewrite_by_model(QUESTION, (), "learned", writer).how == "learned"
    assert not writer.told


def test_it_can_be_cancelled() -> None:
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(Cancelled):
        rewrite_by_model(QUESTION, SAID, "learned", Replying([GOOD]), cancel)


def test_what_the_model_wrote_is_searched_and_shown(encoder: CachedEncoder) -> None:
    recalled = Recalled(extracted=SAID, selected=SAID)
    reply = "In which city was Fritz Lang born?"
    made = rewrite(QUESTION, recalled, encoder, RewriteParameters(), Replying([reply]))
    assert (made.text, made.how) == (reply, "model")
    question, standing, _, expanded = made.wordings
    assert (question.text, standing.text) == (QUESTION, reply)
    assert expanded.text.startswith(reply)
    fallen = rewrite(QUESTION, recalled, encoder, RewriteParameters(), Replying(["No."]))
    assert (fallen.text, fallen.how) == ("Where was Fritz Lang born?", "learned")
