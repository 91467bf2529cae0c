"""The questions that an aligner is trained on, as arrays."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from clew.memory.datatypes import Ints, Vectors
from clew.memory.knowledge.aligning.queries import SyntheticQuery
from clew.memory.knowledge.aligning.words import Floats, PartitionWords

VALIDATED = 0.1
"""The share of the training queries that says when to stop."""


@dataclass(frozen=True, eq=False)
class Lessons:
    """Queries with their vectors, shape (q, d), and the words of the partitions. Word scores are made when they are
    asked for: of all queries at once they would take 1 GB for 100,000 queries."""

    queries: Sequence[SyntheticQuery]
    vectors: Vectors
    words: PartitionWords

    @cached_property
    def weighted(self) -> list[list[tuple[int, float]]]:
        return [self.words.weighted(query.text) for query in self.queries]

    def word_scores(self, places: Ints) -> Floats:
        """Shape (len(places), 3, partitions)."""
        return np.stack([self.words.summed(self.weighted[place]) for place in places])

    def positives(self, places: Ints) -> Floats:
        """1 for each partition of a query's nodes, shape (len(places), partitions)."""
        found = np.zeros((len(places), self.words.count), np.float32)
        for row, place in enumerate(places):
            found[row, list(self.queries[place].partitions)] = 1
        return found

    def parted(self, seed: int) -> tuple[Ints, Ints]:
        """Places to learn from and places to validate on; at least one of each where there are two."""
        order = np.random.default_rng(seed).permutation(len(self.queries))
        held = min(len(order) - 1, max(1, round(VALIDATED * len(order))))
        return order[held:], order[:held]
