"""Many vectors divided into blocks of near ones, so that all pairs of a block can be compared."""

import numpy as np

from clew.memory.datatypes import Ints, Vectors

ROUNDS = 4
"""Of power iteration: the direction of most variance need be found only about."""


def blocks(vectors: Vectors, most: int) -> list[Ints]:
    """Of at most `most` rows each, halved at the median of their main direction until they fit; at least one block."""
    waiting, found = [np.arange(len(vectors))], list[Ints]()
    while waiting:
        rows = waiting.pop()
        if len(rows) <= most:
            found.append(rows)
            continue
        order = rows[np.argsort(_along(vectors[rows]), kind="stable")]
        half = len(rows) // 2
        waiting += [np.sort(order[half:]), np.sort(order[:half])]
    return found


def _along(vectors: Vectors) -> Vectors:
    """The place of each along the direction in which they differ most, shape (n,)."""
    mean = vectors.mean(axis=0)
    places = vectors @ (vectors[0] - mean)
    for _ in range(ROUNDS):
        places = places - places.mean()
        direction = vectors.T @ places
        length = np.linalg.norm(direction)
        places = vectors @ (direction / length if length > 0 else direction)
    return np.asarray(np.round(places, 4), np.float32)
