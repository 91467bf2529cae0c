"""Questions made to stand alone by the shipped tagger, by kind; NumPy beside torch."""

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from clew.memory.datatypes import Sentence
from clew.memory.dialogue.tagger import LAYERS, PREVIOUS, THIS, Inventory, Tagger, read, stand_alone
from clew.memory.encoding import packaged_minilm
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
