"""Seconds of a search for paths among 100,000 made triples, as ratios to one TF-IDF cosine pass over all of them.

python -m tests.benchmarks.clues

Entities are unevenly busy: the busiest has thousands of edges. Of each question the fastest of three rounds counts.
"""

import random
from collections.abc import Iterator
from itertools import pairwise
from time import perf_counter

import numpy as np

from clew.memory.datatypes import Triple
from clew.memory.knowledge.clues.clue_index import ClueIndex, clue_index, triple_graph
from clew.memory.knowledge.clues.triple_search import search_paths
from tests.benchmarks.timing import medians, seconds

TRIPLES, ENTITIES, WORDS, RELATIONS, QUESTIONS = 100_000, 40_000, 20_000, 500, 40
KNOWN = ("directed", "played by", "titled", "born in", "located in")


def main() -> None:
    random_ = random.Random(0)
    entities = [" ".join(words) for words in named(random_, ENTITIES)]
    relations = [*KNOWN, *(" ".join(words) for words in named(random_, RELATIONS))]
    triples = [
        Triple(entities[int(ENTITIES * random_.random() ** 3)], random_.choice(relations), random_.choice(entities))
        for _ in range(TRIPLES)
    ]
    started = perf_counter()
    graph = triple_graph(triples)
    made = perf_counter()
    index = clue_index(graph)
    busiest = int(np.bincount(np.concatenate([graph.subjects, graph.objects])).max())
    print(f"{len(graph.subjects)} triples, {len(graph.entities)} entities, the busiest with {busiest} edges")
    print(f"made in {made - started:.1f} s the graph and {perf_counter() - made:.1f} s the index")
    print(f"{'question':38} {'ms':>9} {'ratio':>9}")
    for name, asked in questions(random_, entities, index).items():
        print_row(name, asked, index)


def named(random_: random.Random, count: int) -> Iterator[list[str]]:
    """Names of one to three made words."""
    syllables = [consonant + vowel for consonant in "bcdfgklmnprst" for vowel in "aeiou"]
    words = ["".join(random_.choices(syllables, k=random_.randint(2, 4))) for _ in range(WORDS)]
    return (random_.sample(words, random_.randint(1, 3)) for _ in range(count))


def questions(random_: random.Random, entities: list[str], index: ClueIndex) -> dict[str, list[str]]:
    graph = index.graph
    degrees = np.bincount(graph.subjects, minlength=len(graph.entities))
    busy = [graph.entities[node] for node in np.argsort(-degrees, kind="stable")[: QUESTIONS + 1]]
    return {
        "an entity and a relation": [f"Who directed {name}?" for name in random_.sample(entities, QUESTIONS)],
        "two of the busiest entities": [f"Where were {one} and {other} born?" for one, other in pairwise(busy)],
        "a relation alone": ["Who directed anything?", "Where is it located?", "Who played in it?"],
        "no clue": ["Is that so?", "How many of these?"],
    }


def print_row(name: str, asked: list[str], index: ClueIndex) -> None:
    ways = {
        "search": lambda question: search_paths(question, index),
        "cosines": lambda question: index.triple_cosines(question),
    }
    for way in ways.values():
        seconds(way, asked[0])
    times = medians(ways, asked)
    print(f"{name:38} {1000 * times['search']:9.1f} {times['search'] / times['cosines']:9.1f}")


if __name__ == "__main__":
    main()
