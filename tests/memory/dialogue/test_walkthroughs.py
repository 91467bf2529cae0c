"""What asks to be led through something, heard as a question."""

import pytest

from clew.memory.datatypes import Recalled
from clew.memory.dialogue.rewriting import rewrite
from clew.memory.dialogue.walkthroughs import as_question
from clew.memory.encoding import CachedEncoder
from tests.memory.dialogue.test_referents import said
from tests.memory.dialogue.test_rewriting import NO_WORDS


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Talk me through booking a berth.", "How do I book a berth?"),
        ("Right. Walk us through swimming there, step by step", "How do I swim there?"),
        ("could you please take me through how to moor the boat?", "How do I moor the boat?"),
        ("ok run me through how we split the fee then", "How do we split the fee?"),
        (
            "I lost my pass. Talk me through the renewal of one.",
            "I lost my pass. What are the steps of the renewal of one?",
        ),
        ("walk me through the history of the pier", "Explain the history of the pier."),
        ("Did she walk me through the park?", "Did she walk me through the park?"),
        ("talk me through it", "How do I do it?"),
    ],
)
def test_asks_for_steps(text: str, question: str) -> None:
    assert as_question(text) == question


def test_what_it_leads_through_is_that_of_the_conversation(encoder: CachedEncoder) -> None:
    history = Recalled(extracted=tuple(said(("What does it cost to hire a berth?", "9 euros."))))
    assert rewrite("Walk me through booking one.", history, encoder, NO_WORDS).text == "How do I book a berth?"
