"""Which part of a library on a cluster a question reaches."""

import numpy as np

from clew.memory.knowledge.cluster.searches import FEWEST, NODES, chosen


def test_the_partitions_with_the_most_votes_as_many_as_fit() -> None:
    sizes = [400] * 10
    votes = np.array([0.1, 0.9, 0.0, 0.5, 0.4, 0.3, 0.2, 0.0, 0.0, 0.0])
    found = chosen(votes, sizes)
    assert found == (1, 3, 4, 5, 6) and sum(sizes[one] for one in found) <= NODES
    assert chosen(np.zeros(10), sizes) == (0, 1) and FEWEST <= 2 * 400  # without votes, until there are enough
    assert chosen(np.array([0.0, 1.0]), [10, 2 * NODES]) == (1,)  # the first whatever its size
    assert chosen(np.array([1.0, 0.5, 0.1]), [1500, 1000, 300]) == (0, 2)  # what is too big is passed over
    assert chosen(np.zeros(0), []) == ()
