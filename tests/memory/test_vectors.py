"""Rows of unit length."""

import numpy as np
import pytest

from clew.memory.vectors import unit


def test_rows_have_length_one_and_zeros_stay() -> None:
    made = unit(np.array([[3, 4], [0, 0], [1e-15, 0]], np.float32))
    assert made.dtype == np.float32
    assert made.tolist() == [pytest.approx([0.6, 0.8]), [0, 0], pytest.approx([1, 0])]
    assert unit(np.zeros((0, 3), np.float32)).shape == (0, 3)
