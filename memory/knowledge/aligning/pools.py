"""How much of the gold a pool of nodes holds: the nodes of the best partitions, and as many nearest by exact cosine."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from clew.memory.datatypes import Ints, Vectors
from clew.memory.knowledge.aligning.words import Floats
from clew.memory.nodes import Partitioning

DEPTHS = (1, 3, 5, 10)
BLOCK = 16_384
"""Nodes whose cosines are taken at a time."""


@dataclass(frozen=True, slots=True)
class Pool:
    """Of the best `partitions`, the mean over the questions: `nodes` in them, the share of the gold among these, and
    among the same number of `nearest` nodes."""

    partitions: int
    nodes: float
    held: float
    nearest: float


def cosine_ranks(block: Callable[[Ints], Vectors], count: int, questions: Vectors, golds: Sequence[Ints]) -> list[Ints]:
    """Of each question's gold nodes how many of all `count` are nearer to it. `block` has the vectors of nodes."""
    gold, of = np.concatenate(golds), np.repeat(np.arange(len(golds)), [len(its) for its in golds])
    own = np.einsum("gd,gd->g", block(gold), questions[of])
    ranks = np.zeros(len(gold), np.int64)
    for start in range(0, count, BLOCK):
        rows = np.arange(start, min(count, start + BLOCK))
        cosines = questions @ block(rows).T
        ranks += np.array([(cosines[question] > mine).sum() for question, mine in zip(of, own, strict=True)])
    return np.split(ranks, np.cumsum([len(its) for its in golds])[:-1])


def pools(
    partitioning: Partitioning, scores: Sequence[Floats], golds: Sequence[Ints], near: Sequence[Ints]
) -> list[Pool]:
    """`near` is what `cosine_ranks` gave for these questions."""
    sizes = np.diff(partitioning.members.starts)
    depth = min(max(DEPTHS), partitioning.count)
    best = [np.argsort(-own, kind="stable")[:depth] for own in scores]
    found = []
    for partitions in DEPTHS:
        nodes = [int(sizes[its[:partitions]].sum()) for its in best]
        held = [
            np.isin(partitioning.of_node[gold], its[:partitions]).mean() for gold, its in zip(golds, best, strict=True)
        ]
        nearest = [(ranks < size).mean() for ranks, size in zip(near, nodes, strict=True)]
        found.append(Pool(partitions, *(float(np.mean(values)) for values in (nodes, held, nearest))))
    return found
