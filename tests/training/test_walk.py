"""The scorer: written and read, and refused where it is for other features."""

import json
from pathlib import Path

import numpy as np
import pytest

from clew.memory.knowledge.walking.features import AROUND, DIRECT, MassLayer, NodeScorer, PathLine, load_scorer
from clew.memory.knowledge.walking.paths import PATH
from tests.training.listwise import FitParameters, QuestionNodes, fit
from tests.training.walk import to_json

pytestmark = pytest.mark.soak

ALL = len(DIRECT) + len(AROUND)


def random_layer(features: int, seed: int) -> MassLayer:
    random = np.random.default_rng(seed)
    listed = [QuestionNodes(random.normal(size=(6, features)), np.arange(6) == 0, 1.0) for _ in range(10)]
    return fit(listed, FitParameters(units=4, epochs=2))


@pytest.fixture(scope="module")
def scorer() -> NodeScorer:
    slope = np.random.default_rng(2).normal(size=len(PATH))
    return NodeScorer(random_layer(len(DIRECT), 0), random_layer(ALL, 1), PathLine(1.25, -3.5, slope))


def test_a_scorer_is_read_as_it_was_written(scorer: NodeScorer, tmp_path: Path) -> None:
    (file := tmp_path / "scorer.json").write_text(to_json(scorer), "utf-8")
    again, random = load_scorer(file), np.random.default_rng(2)
    for one, other, count in ((again.alone, scorer.alone, len(DIRECT)), (again.within, scorer.within, ALL)):
        features = random.normal(size=(50, count))
        assert one(features) == pytest.approx(other(features), abs=0.01)
    assert to_json(again) == to_json(scorer)
    features = random.normal(size=(50, len(PATH)))
    assert again.path(features) == pytest.approx(scorer.path(features), abs=0.01)
    assert (again.path.own, again.path.bias) == (1.25, -3.5)


@pytest.mark.parametrize(
    ("part", "names"),
    [("direct", DIRECT[:-1]), ("around", (*AROUND, "more")), ("direct", DIRECT[::-1]), ("path", PATH[::-1])],
)
def test_one_for_other_features_is_refused(
    scorer: NodeScorer, tmp_path: Path, part: str, names: tuple[str, ...]
) -> None:
    said = json.loads(to_json(scorer))
    if part == "path":
        said["path"]["slope"] = dict.fromkeys(names, 0.5)
    else:
        said[part] = names
    (file := tmp_path / "scorer.json").write_text(json.dumps(said))
    with pytest.raises(ValueError, match="is for other features"):
        load_scorer(file)
