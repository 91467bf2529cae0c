"""What is shipped is what its trainer makes of the data, where they are there: here what takes a minute at most,
all of it by `python -m tests.training.shipped`."""

from pathlib import Path

import numpy as np
import pytest

from clew.agent.search.query_weights import WeightModel
from tests.training.forms import FormExample, ndcg
from tests.training.shipped import TRAINERS, Behaviour, behaves, first_document


@pytest.mark.parametrize("name", ["roots", pytest.param("talk", marks=pytest.mark.soak)])
def test_it_is_made_again(name: str, data: Path) -> None:
    for made in TRAINERS[name](data, data):
        alike, said = behaves(made.shipped, made.made)
        assert alike and (name != "roots" or made.shipped == made.made), said


def test_what_does_the_same_has_the_same_choices_and_is_worth_the_same() -> None:
    shipped = Behaviour([str(n) for n in range(20)], [1.0] * 10 + [0.0] * 10)
    assert behaves(shipped, shipped) == (True, "1.000 of 20 chosen alike, worth 0.500 shipped, 0.500 made")
    assert behaves(shipped, Behaviour(["other", *shipped.choices[1:]], shipped.worth))[0]
    assert not behaves(shipped, Behaviour(["other", "other", *shipped.choices[2:]], shipped.worth))[0]
    assert behaves(shipped, Behaviour(shipped.choices, [0.8, *shipped.worth[1:]]))[0]
    assert not behaves(shipped, Behaviour(shipped.choices, [0.7, *shipped.worth[1:]]))[0]
    assert not behaves(shipped, Behaviour(shipped.choices, [*shipped.worth[:-1], 0.3]))[0]  # better is another one too


def test_the_first_document_is_that_of_the_weighed_wordings() -> None:
    signals: tuple[dict[str, float], dict[str, float]] = ({}, {})
    best = {"x": np.array([0.9, 0.1]), "y": np.array([0.2, 0.7])}
    example = FormExample.of(("set", "domain"), ["question", "rewrite"], signals, best, {"y"})
    by_question, by_rewrite = (WeightModel({"question": share, "rewrite": 1 - share}) for share in (0.9, 0.1))
    assert (first_document(example, by_question), first_document(example, by_rewrite)) == ("0", "1")
    assert ndcg(example, by_question) < ndcg(example, by_rewrite) == 1
    assert first_document(FormExample.of(("set", "domain"), ["question"], ({},), {}, {"y"}), by_question) == ""
