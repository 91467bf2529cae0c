"""Vectors as directions."""

import numpy as np
from numpy.typing import NDArray

from clew.memory.datatypes import Vectors


def unit(rows: NDArray[np.float32]) -> Vectors:
    """Each row of unit length; a row of zeros stays. Shape (n, d)."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(lengths > 0, lengths, 1), np.float32)
