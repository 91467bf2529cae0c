"""A question and a text read together: NumPy beside torch, with layers that were changed."""

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from clew.agent.answer.reader import LONGEST_QUESTION, LONGEST_TEXT, PAIRS, PairScorer, shipped_pairs
from clew.memory.encoding import packaged_minilm
from tests.training.pairs import Layers

TEXTS = ("Fritz Lang directed it.", "", "A jelly \u2014 for dogs?", "moon " * 200, "x")
QUESTION = "Who directed Metropolis?"


@pytest.fixture(scope="module")
def changed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Layers, PairScorer]:
    torch.manual_seed(3)
    folder = packaged_minilm()
    layers = Layers(folder).eval()
    with torch.no_grad():
        for parameter in (*layers.upper.parameters(), *layers.pair.parameters()):
            parameter += 0.1 * parameter.std(correction=0) * torch.randn_like(parameter)
    path = tmp_path_factory.mktemp("pairs") / "pairs.safetensors"
    save_file(layers.shipped(), path)
    return layers, PairScorer(folder, path, LONGEST_QUESTION, LONGEST_TEXT)


@pytest.mark.parametrize("question", [QUESTION, "moon " * 90])
def test_its_scores_are_those_that_were_fitted(changed: tuple[Layers, PairScorer], question: str) -> None:
    """To the rounding of layers to 16 bits and of torch's products to 8."""
    layers, scorer = changed
    with torch.no_grad():
        fitted = layers(layers.pairs(question, TEXTS)).numpy()
    scores = scorer.scores(question, TEXTS)
    assert scores.shape == (len(TEXTS),) and np.ptp(fitted) > 0.01
    assert np.abs(scores - fitted).max() < 0.1 * np.ptp(fitted)


def test_the_shipped_one_tells_an_answer_from_what_is_near() -> None:
    scorer = shipped_pairs()
    assert PAIRS.stat().st_size < 15e6
    asked = {
        "When was the bridge opened?": (
            "The bridge was opened to traffic in May 1932.",
            "The bridge is made of steel and granite.",
            "Its opening had been put off several times.",
        ),
        "How many members does the choir have?": (
            "About forty people sing in the choir.",
            "The choir meets on Tuesdays in the old school.",
            "Members pay nothing in their first year.",
        ),
    }
    for question, texts in asked.items():
        assert int(np.argmax(scorer.scores(question, texts))) == 0, question
