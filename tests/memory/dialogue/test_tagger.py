"""Questions made to stand alone by the shipped tagger, by kind; NumPy beside torch; what its edits make."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.torch import save_file

from clew.memory.datatypes import Sentence
from clew.memory.dialogue.tagger import (
    ASKED,
    LAST,
    LAYERS,
    PIECES,
    PREVIOUS,
    THIS,
    Edits,
    Insert,
    Inventory,
    Tagger,
    TaggerInput,
    applied,
    read,
    stand_alone,
)
from clew.memory.encoding import packaged_minilm
from clew.memory.minilm import tokenizer_of
from tests.training.tagger import Body, Heads, scored, shipped_tensors

TURNS = [("How much does the Breeze 30 cost?", "The Breeze 30 costs 240 euros."), ("who makes it", "Arden Fans.")]


def said(*turns: tuple[str, str]) -> list[Sentence]:
    made = [
        [Sentence(question, "user", turn), Sentence(answer, "agent", turn)]
        for turn, (question, answer) in enumerate(turns, 1)
    ]
    return [one for turn in made for one in turn if one.text]


def test_its_numbers_are_those_that_were_fitted(tmp_path_factory: pytest.TempPathFactory) -> None:
    """To the rounding of layers to 16 bits."""
    torch.manual_seed(3)
    folder = packaged_minilm()
    body, heads = Body(folder).eval(), Heads(4, 2).eval()
    with torch.no_grad():
        for parameter in (*body.layers[-4:].parameters(), *heads.parameters()):
            parameter.add_(0.1 * parameter.std(correction=0) * torch.randn_like(parameter))
    path = tmp_path_factory.mktemp("tagger") / "tagger.safetensors"
    save_file(shipped_tensors(body, heads), path)
    tagger = Tagger(folder, path, Inventory(("", "of", "in", "for"), ("", "'s")))
    reading = read("and is it loud?", TURNS, tagger.tokenizer)
    (leave, fitted), (found, modes) = scored(body, heads, [reading])[0], tagger.scores(reading)
    assert abs(leave - found) < 0.02 and fitted.keys() == modes.keys() == {THIS, PREVIOUS}
    for mode in fitted:
        for wanted, made in zip(map(np.asarray, fitted[mode]), map(np.asarray, modes[mode]), strict=True):
            assert wanted.shape == made.shape and np.abs(wanted - made)[made > -50].max() < 0.1


def test_what_ships_is_small() -> None:
    assert LAYERS.stat().st_size < 15e6


def test_a_first_question_stays() -> None:
    assert stand_alone("and when?", []).text == "and when?"


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
