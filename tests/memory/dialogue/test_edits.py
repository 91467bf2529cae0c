"""Edits of a question by spans of the conversation: what is read, and what they make of it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.memory.dialogue.tagger import ASKED, LAST, PIECES, PREVIOUS, THIS, Edits, Insert, TaggerInput, applied, read
from clew.memory.encoding import packaged_minilm
from clew.memory.minilm import tokenizer_of

FOLDER = packaged_minilm()
TOKENIZER = tokenizer_of(FOLDER)
BEFORE = [("What does the dishwasher cost?", "The dishwasher is 480 euros.")]


def word(reading: TaggerInput, text: str, segment: int) -> int:
    return next(n for n in reading.of(segment) if reading.text(n, n) == text)


@pytest.mark.parametrize(
    ("question", "mode", "deleted", "gap", "prefix", "span", "suffix", "made"),
    [
        ("is it loud?", THIS, [1], 1, "", ("the", "dishwasher"), "", "is the dishwasher loud"),
        ("what is its depth", THIS, [2], 2, "", ("the", "dishwasher"), "'s", "what is the dishwasher's depth"),
        ("how deep?", THIS, [], 2, "is", ("the", "dishwasher"), "", "how deep is the dishwasher"),
        ("anything else?", THIS, [], 0, "besides", ("480", "euros"), ",", "besides 480 euros, anything else"),
        ("and the oven?", PREVIOUS, [3], 3, "", ("oven", "oven"), "", "What does the oven cost"),
    ],
)
def test_an_edit_is_made(
    question: str, mode: int, deleted: list[int], gap: int, prefix: str, span: tuple[str, str], suffix: str, made: str
) -> None:
    reading = read(question, BEFORE, TOKENIZER)
    of = 0 if mode == PREVIOUS else reading.kinds.index(LAST) + (span[0] == "480")
    first, last = (word(reading, text, of) for text in span)
    assert applied(reading, Edits(mode, frozenset(deleted), (Insert(gap, prefix, first, last, suffix),))) == made


@given(st.text(max_size=600), st.lists(st.tuples(st.text(max_size=900), st.text(max_size=900)), max_size=9))
@settings(deadline=None, max_examples=60)
def test_what_is_read_fits(question: str, before: list[tuple[str, str]]) -> None:
    reading = read(question, before, TOKENIZER)
    assert len(reading.ids) == len(reading.roles) <= PIECES
    for one in reading.words:
        start, end = one.span
        assert 0 < one.first <= one.last < len(reading.ids)
        assert reading.texts[one.segment][start:end].strip()
    assert reading.roles[0] == ASKED and reading.texts[0] == reading.texts[0].strip()


def test_the_last_turn_is_read_before_the_others() -> None:
    before = [(f"what about the moon number {n}", "It is a moon like any other. " * 30) for n in range(8)]
    reading = read("is it old", before, TOKENIZER)
    assert "number 7" in reading.texts[1] and len(reading.texts) >= 4
