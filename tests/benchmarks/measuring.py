"""What the benchmarks read, print and measure: paths named on the command line, which need not be there, tables, and
times that compare on a machine that does other things too."""

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import TypeVar

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table

from clew.memory.datatypes import Query, Vectors

os.environ.setdefault("HF_HUB_OFFLINE", "1")


def paths(usage: str, *names: str) -> list[Path]:
    """The paths that the command line names, one for each name; ends the run with a line where one is missing."""
    parser = argparse.ArgumentParser(description=usage, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in names:
        parser.add_argument(name, type=Path)
    given = vars(parser.parse_args())
    for name in names:
        if not given[name].exists():
            print(f"skipped: there is no {name} at {given[name]}")
            sys.exit(0)
    return [given[name] for name in names]


def show(title: str, heads: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """A table as Markdown has it; shares have three decimals."""
    table = Table(*heads, title=title, title_justify="left", box=box.MARKDOWN)
    for row in rows:
        table.add_row(*(f"{cell:.3f}" if isinstance(cell, float) else str(cell) for cell in row))
    Console(width=200).print(table)


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
