"""What is shipped is what its trainer makes of the data, where they are there: here what takes a minute at most,
all of it by `python -m tests.training.shipped`."""

import json
from pathlib import Path

import numpy as np
import pytest

from clew.agent.search.query_weights import WeightModel
from tests.training.behaviour import Behaviour, Made, first_document
from tests.training.forms import FormExample, ndcg
from tests.training.roots import made as roots
from tests.training.shipped import WANTED, Value, behaves, compared, judged, read, values_of
from tests.training.talk import made as talk

MADE = {"roots": roots, "talk": talk}


@pytest.mark.parametrize("name", ["roots", pytest.param("talk", marks=pytest.mark.soak)])
def test_it_is_made_again(name: str, data: Path) -> None:
    for path, text in MADE[name](data, data).items():
        share, furthest = compared(read(path, path.read_text("utf-8")), read(path, text))
        assert share >= (1.0 if name == "roots" else WANTED), furthest


def test_values_have_their_places() -> None:
    found = dict(values_of({"a": {"x": 1, "y": [0.5, "b"]}, "c": None}))
    assert found == {"a.x": 1.0, "a.y[0]": 0.5, "a.y[1]": "b", "c": "None"}


def test_a_number_is_alike_within_a_twentieth_of_its_size() -> None:
    shipped: dict[str, Value] = {"a": 2.0, "b": -1.0, "c": 0.01, "d": "graph"}
    assert compared(shipped, dict(shipped)) == (1.0, "no difference")
    assert compared(shipped, shipped | {"a": 1.91, "c": 0.014}) == (1.0, "a: 2.0 shipped, 1.91 made")
    assert compared(shipped, shipped | {"a": 1.89}) == (0.75, "a: 2.0 shipped, 1.89 made")
    assert compared(shipped, shipped | {"b": 1.0, "c": 0.02})[0] == 0.5  # the other sign; a tenth of SMALL
    assert compared(shipped, shipped | {"d": "walk", "e": 0.0}) == (0.6, "d: graph shipped, walk made")


def test_what_does_the_same_has_the_same_choices_and_is_worth_the_same() -> None:
    shipped = Behaviour([str(n) for n in range(20)], [1.0] * 10 + [0.0] * 10)
    assert behaves(shipped, shipped) == (True, "1.000 of 20 chosen alike, worth 0.500 shipped, 0.500 made")
    assert behaves(shipped, Behaviour(["other", *shipped.choices[1:]], shipped.worth))[0]
    assert not behaves(shipped, Behaviour(["other", "other", *shipped.choices[2:]], shipped.worth))[0]
    assert behaves(shipped, Behaviour(shipped.choices, [0.8, *shipped.worth[1:]]))[0]
    assert not behaves(shipped, Behaviour(shipped.choices, [0.7, *shipped.worth[1:]]))[0]
    assert not behaves(shipped, Behaviour(shipped.choices, [*shipped.worth[:-1], 0.3]))[0]  # better is another one too


def test_a_file_is_what_is_made_by_its_numbers_or_by_what_it_does(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    path.write_text(json.dumps({"weight": 1.0}), "utf-8")
    same, other = Behaviour(["a"], [1.0]), Behaviour(["b"], [1.0])
    assert judged(Made(path, json.dumps({"weight": 1.01})))[0]
    assert not judged(Made(path, json.dumps({"weight": 2.0})))[0]
    assert judged(Made(path, json.dumps({"weight": 2.0}), same, same))[0]
    assert not judged(Made(path, json.dumps({"weight": 2.0}), same, other))[0]


def test_the_first_document_is_that_of_the_weighed_wordings() -> None:
    signals: tuple[dict[str, float], dict[str, float]] = ({}, {})
    best = {"x": np.array([0.9, 0.1]), "y": np.array([0.2, 0.7])}
    example = FormExample.of(("set", "domain"), ["question", "rewrite"], signals, best, {"y"})
    by_question, by_rewrite = (WeightModel({"question": share, "rewrite": 1 - share}) for share in (0.9, 0.1))
    assert (first_document(example, by_question), first_document(example, by_rewrite)) == ("0", "1")
    assert ndcg(example, by_question) < ndcg(example, by_rewrite) == 1
    assert first_document(FormExample.of(("set", "domain"), ["question"], ({},), {}, {"y"}), by_question) == ""
