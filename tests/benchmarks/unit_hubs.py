"""Seconds of a walk over 100,000 made sentences, as ratios to one pass of cosines over all of them.

python -m tests.benchmarks.unit_hubs

One name is in every sentence, ten are in a tenth of them each. Of each question the fastest of three rounds counts.
"""

import random

import numpy as np

from clew.memory.datatypes import Ints, Vector, Vectors
from clew.memory.knowledge.clues.clue_index import UnitGraph
from clew.memory.knowledge.clues.unit_search import Near, UnitWalk, UnitWalker, UnitWalkParameters
from tests.benchmarks.timing import medians, seconds
from tests.memory.knowledge.clues.unit_cases import layers_of, near, unit_rows

SENTENCES, NAMES, DIMENSION, QUESTIONS = 100_000, 30_000, 384, 20


def main() -> None:
    random_, numbers = random.Random(0), np.random.default_rng(0)
    vectors = unit_rows(numbers.normal(size=(SENTENCES, DIMENSION)))
    asked = list(enumerate(unit_rows(numbers.normal(size=(QUESTIONS, DIMENSION)))))
    nearest = [near(question, vectors) for _, question in asked]
    rare = [[f"n{random_.randrange(NAMES)}" for _ in range(3)] for _ in range(SENTENCES)]
    hubs = [["hub", f"tenth {place % 10}", *names] for place, names in enumerate(rare)]
    print(f"{'sentences':38} {'ms':>9} {'ratio':>9}")
    for name, units in (("three rare names each", rare), ("and a name in all, another in a tenth", hubs)):
        print_row(name, UnitGraph(layers_of(units)), vectors, asked, nearest)


def print_row(
    name: str, graph: UnitGraph, vectors: Vectors, asked: list[tuple[int, Vector]], nearest: list[Near]
) -> None:
    def vectors_of(rows: Ints) -> Vectors:
        return vectors[rows]

    def walk(one: tuple[int, Vector]) -> list[UnitWalk]:
        place, question = one
        return UnitWalker(graph, question, nearest[place], vectors_of, UnitWalkParameters()).walks()

    ways = {"walk": walk, "cosines": lambda one: vectors @ one[1]}
    for way in ways.values():
        seconds(way, asked[0])
    times = medians(ways, asked)
    print(f"{name:38} {1000 * times['walk']:9.1f} {times['walk'] / times['cosines']:9.1f}")


if __name__ == "__main__":
    main()
