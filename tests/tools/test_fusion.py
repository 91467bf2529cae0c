"""The fusion of a question's forms."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.memory.datatypes import Form
from clew.tools.base import FormScores, fuse, ranks_by_form

VECTOR = np.zeros(2, np.float32)


def form(weight: float, name: str = "") -> Form:
    return Form(name, "", weight, VECTOR)


def test_scores_are_added_with_the_forms_weights() -> None:
    found = FormScores(["a", "b"], np.array([[1.0, 0.5], [0.0, 1.0]]))
    assert fuse([form(0.7), form(0.3)], found) == pytest.approx({"a": 0.7, "b": 0.65})


def test_where_a_form_did_not_look_it_counts_as_its_lowest() -> None:
    found = FormScores(["a", "b", "c"], np.array([[0.9, 0.4, np.nan], [np.nan, 0.8, 0.6]]))
    assert fuse([form(0.5), form(0.5)], found) == pytest.approx({"a": 0.75, "b": 0.6, "c": 0.5})
    nothing = FormScores(["a"], np.array([[np.nan], [0.5]]))
    assert fuse([form(0.5), form(0.5)], nothing) == {"a": 0.25}


def test_ties_keep_their_order_and_nothing_is_nothing() -> None:
    assert list(fuse([form(1)], FormScores(["z", "a", "m"], np.zeros((1, 3))))) == ["z", "a", "m"]
    assert fuse([form(1)], FormScores([], np.zeros((1, 0)))) == {}


def test_the_places_by_each_form_alone() -> None:
    forms = [form(0.5, "question"), form(0.5, "expanded")]
    found = FormScores(["a", "b", "c"], np.array([[0.9, 0.4, np.nan], [0.2, 0.8, 0.8]]))
    assert [ranks_by_form(forms, found, id_) for id_ in found.ids] == [
        {"question": 1, "expanded": 3},
        {"question": 2, "expanded": 1},
        {"expanded": 1},
    ]


@given(st.lists(st.integers(0, 99).map(lambda n: n / 99), min_size=1, max_size=8), st.floats(0.1, 1))
def test_one_form_keeps_its_own_order(scores: list[float], weight: float) -> None:
    ids = [str(n) for n in range(len(scores))]
    ranked = fuse([form(weight)], FormScores(ids, np.array([scores])))
    assert [scores[int(id_)] for id_ in ranked] == sorted(scores, reverse=True)
    assert sorted(ranked) == sorted(ids)
