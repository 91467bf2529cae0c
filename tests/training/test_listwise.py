"""Listwise fitting: it learns what can be told apart, and of what disagrees what weighs most."""

import numpy as np
import pytest

from clew.memory.knowledge.walking.features import MassLayer
from tests.training.listwise import FitParameters, QuestionNodes, fit

pytestmark = pytest.mark.soak

FEW = FitParameters(units=8, epochs=90, batch=16, dropout=0.1)


def questions(count: int, seed: int, *, noise: float = 0.0) -> list[QuestionNodes]:
    """Lists of unlike lengths; relevant is the node of the greatest first minus second feature, the third is a scale
    that means nothing."""
    random, made = np.random.default_rng(seed), list[QuestionNodes]()
    for _ in range(count):
        features = random.normal(size=(int(random.integers(3, 12)), 3)) * [1.0, 1.0, 1000.0]
        telling = features[:, 0] - features[:, 1] + noise * random.normal(size=len(features))
        made.append(QuestionNodes(features, telling == telling.max(), 1.0))
    return made


def hits(layer: MassLayer, asked: list[QuestionNodes]) -> float:
    return float(np.mean([one.relevant[np.argmax(layer(one.features))] for one in asked]))


def test_it_learns_what_can_be_told_apart() -> None:
    layer = fit(questions(120, 0), FEW)
    assert hits(layer, questions(200, 1)) > 0.9
    assert layer.hidden.shape == (8, 3) and layer.slope.shape == (3,)


@pytest.mark.parametrize(("heavy", "rises"), [(1.0, False), (8.0, True)])
def test_heavy_questions_decide_where_they_disagree(heavy: float, rises: bool) -> None:
    random = np.random.default_rng(4)
    features = [random.normal(size=(4, 1)) for _ in range(60)]
    up = [QuestionNodes(x, x[:, 0] == x.max(), heavy) for x in features[:30]]
    down = [QuestionNodes(x, x[:, 0] == x.min(), 9.0 - heavy) for x in features[30:]]
    low, high = fit([*up, *down], FEW)(np.array([[-1.0], [1.0]]))
    assert (high > low) == rises


def test_a_layer_is_its_formula() -> None:
    layer = MassLayer(
        np.array([1.0, 0.0]),
        np.array([2.0, 1.0]),
        np.array([1.0, -1.0]),
        np.array([[1.0, 1.0]]),
        np.array([-0.5]),
        np.array([3.0]),
    )
    assert layer(np.array([[3.0, 1.0], [1.0, 0.0]])) == pytest.approx([0 + 3 * 1.5, 0])
