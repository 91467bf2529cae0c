"""P@1, R@5, R@10 and MRR of ranked partitions, in float32."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from clew.memory.datatypes import Ints
from clew.memory.knowledge.aligning.words import Floats

Measures = Mapping[str, float]


def gold_ranks(scores: Floats, gold: "Sequence[int] | Ints") -> Ints:
    """Of one question's scores, shape (partitions,), the places of its gold partitions from 0, rising. Of equal scores
    the lower number comes first."""
    wanted = np.asarray(gold, np.int64)
    own = scores[wanted][:, None]
    numbers = np.arange(len(scores))
    before = (scores > own) | ((scores == own) & (numbers < wanted[:, None]))
    return np.sort(before.sum(axis=1))


def measure(ranks: Sequence[Ints]) -> Measures:
    """The mean over questions: of R the share of the gold partitions found, of MRR the first of them."""
    first = np.array([its[0] for its in ranks])
    return {
        "p@1": _mean(first == 0),
        "r@5": _mean([(its < 5).mean() for its in ranks]),
        "r@10": _mean([(its < 10).mean() for its in ranks]),
        "mrr": _mean(1 / (1 + first)),
    }


def _mean(values: "Sequence[float] | NDArray[np.generic]") -> float:
    return float(np.mean(np.asarray(values, np.float32), dtype=np.float32))
