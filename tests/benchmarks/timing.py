"""Times that compare on a machine that does other things too."""

from collections.abc import Callable, Mapping, Sequence
from statistics import median
from time import perf_counter
from typing import TypeVar

import numpy as np

from clew.memory.datatypes import Query, Vectors

Input = TypeVar("Input")
Clock = Callable[[], float]
K = 10


def fastest(
    ways: Mapping[str, Callable[[Input], object]], inputs: Sequence[Input], clock: Clock = perf_counter
) -> dict[str, list[float]]:
    """For each way its milliseconds for each input, the fastest of three, the ways in turn."""
    taken: dict[str, list[float]] = {name: [] for name in ways}
    for given in inputs:
        rounds = [{name: milliseconds(way, given, clock) for name, way in ways.items()} for _ in range(3)]
        for name in ways:
            taken[name].append(min(times[name] for times in rounds))
    return taken


def medians(
    ways: Mapping[str, Callable[[Input], object]], inputs: Sequence[Input], clock: Clock = perf_counter
) -> dict[str, float]:
    """Of `fastest` over the inputs."""
    return {name: median(taken) for name, taken in fastest(ways, inputs, clock).items()}


def milliseconds(way: Callable[[Input], object], given: Input, clock: Clock = perf_counter) -> float:
    started = clock()
    way(given)
    return (clock() - started) * 1000


def exact(vectors: Vectors, query: Query) -> list[int]:
    """The rows of the K nearest by cosine, found with NumPy: what other searches are held against."""
    cosines = vectors @ query.forms[0].vector
    best = np.argpartition(-cosines, K)[:K]
    return [int(row) for row in best[np.argsort(-cosines[best])]]
