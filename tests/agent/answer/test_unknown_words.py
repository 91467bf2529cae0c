"""What a question in Esperanto is about and no document tells of."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from clew.agent.answer.judge import unknown_in_esperanto
from clew.memory.knowledge.tokens import words_of

TEXTS = "La reĝo amis belajn vestojn. Du trompantoj teksis ŝtofon, kaj la ministro vidis nenion. La urbo estis granda."
KNOWN = frozenset(words_of(TEXTS, "eo"))
WORDS = SimpleNamespace(counts=lambda words: [len(KNOWN.intersection(words_of(word, "eo"))) for word in words])
"""A vocabulary of those texts: a word is there in any form of its roots."""


@pytest.mark.parametrize(
    ("question", "unknown"),
    [
        ("Kiu inventis la telefonon?", ("inventis", "telefonon")),
        ("Kiu vidis la akvofalon?", ("akvofalon",)),
        ("Kion amis la reĝo?", ()),
        ("Kies vesto estis bela?", ()),  # other forms of roots that are there
        ("Kiu elpensis la ŝtofon?", ()),  # a verb alone, which may be said by another one
        ("Kion vidis la trompantoj en la urbo per tondiloj?", ()),  # less than half
        ("Who invented the telephone?", ()),
        ("???", ()),
    ],
)
def test_it_is_said_where_as_many_words_are_lacked_as_are_known(question: str, unknown: tuple[str, ...]) -> None:
    assert unknown_in_esperanto(cast(Any, WORDS), question) == unknown
