"""Maximal marginal relevance (Carbonell and Goldstein 1998), as seed 003 has it."""

import numpy as np

from clew.memory.datatypes import Vector, Vectors


def mmr(query_vector: Vector, vectors: Vectors, k: int, lambda_: float) -> list[int]:
    """At most k rows of `vectors` (n, d), in the order chosen; all are unit vectors, ties go to the earlier row.

    Score = lambda * sim(s, query) - (1 - lambda) * max over the selected of sim(s, selected). The first is the most
    similar to the query.
    """
    candidates = vectors.astype(np.float64)
    # Rounded, so that equal vectors have equal scores whatever the order in which a product was summed.
    relevance = np.round(candidates @ query_vector.astype(np.float64), 12)
    redundancy = np.full(len(candidates), -np.inf)
    selected: list[int] = []
    for _ in range(min(k, len(candidates))):
        scores = lambda_ * relevance - (1 - lambda_) * redundancy if selected else relevance.copy()
        scores[selected] = -np.inf
        best = int(np.argmax(scores))
        selected.append(best)
        redundancy = np.maximum(redundancy, np.round(candidates @ candidates[best], 12))
    return selected
