"""MMR is the formula of seed 003, step 4."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.memory.datatypes import Vectors
from clew.memory.dialogue.recall import mmr
from tests.memory.dialogue.cases import unit


def by_the_formula(query: Vectors, vectors: Vectors, k: int, lambda_: float) -> list[int]:
    """Seed 003, step 4, word for word."""
    chosen: list[int] = []
    while len(chosen) < min(k, len(vectors)):
        rest = [row for row in range(len(vectors)) if row not in chosen]
        if not chosen:
            chosen.append(max(rest, key=lambda row: float(vectors[row] @ query)))
            continue
        scores = {
            row: lambda_ * float(vectors[row] @ query)
            - (1 - lambda_) * max(float(vectors[row] @ vectors[other]) for other in chosen)
            for row in rest
        }
        chosen.append(max(rest, key=scores.__getitem__))
    return chosen


@given(
    st.integers(0, 2**32 - 1), st.integers(0, 21), st.integers(0, 8), st.sampled_from([0.0, 0.3, 0.5, 0.7, 0.9, 1.0])
)
def test_it_is_the_formula(seed: int, n: int, k: int, lambda_: float) -> None:
    vectors = unit(np.random.default_rng(seed).normal(size=(n + 1, 8)))
    assert mmr(vectors[0], vectors[1:], k, lambda_) == by_the_formula(vectors[0], vectors[1:], k, lambda_)


@pytest.mark.parametrize("lambda_", [0.0, 0.7, 1.0])
def test_ties_go_to_the_earlier(lambda_: float) -> None:
    query = unit([[1, 1]])[0]
    assert mmr(query, unit([[1.0, 0.3]] * 5), 3, lambda_) == [0, 1, 2]
