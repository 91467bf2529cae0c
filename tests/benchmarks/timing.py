"""Times that compare on a machine that does other things too."""

from collections.abc import Callable, Mapping, Sequence
from statistics import median
from time import perf_counter
from typing import TypeVar

Input = TypeVar("Input")
Clock = Callable[[], float]


def medians(ways: Mapping[str, Callable[[Input], object]], inputs: Sequence[Input]) -> dict[str, float]:
    """For each way the median over the inputs of its seconds, each the fastest of three, the ways in turn."""
    return {name: median(taken) for name, taken in fastest(ways, inputs).items()}


def fastest(
    ways: Mapping[str, Callable[[Input], object]], inputs: Sequence[Input], clock: Clock = perf_counter
) -> dict[str, list[float]]:
    """For each way its seconds for each input, the fastest of three, the ways in turn."""
    taken: dict[str, list[float]] = {name: [] for name in ways}
    for given in inputs:
        rounds = [{name: seconds(way, given, clock) for name, way in ways.items()} for _ in range(3)]
        for name in ways:
            taken[name].append(min(times[name] for times in rounds))
    return taken


def seconds(way: Callable[[Input], object], given: Input, clock: Clock = perf_counter) -> float:
    started = clock()
    way(given)
    return clock() - started
