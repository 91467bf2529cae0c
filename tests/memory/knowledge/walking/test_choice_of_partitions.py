"""Which partitions are chosen: votes, K, tau, and the bounds of nodes."""

from collections.abc import Sequence
from dataclasses import astuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.memory.knowledge.walking.walker import ThinkParameters, choose, votes
from tests.memory.knowledge.walking.made import ints, partitioning_of

SIZES = [4, 4, 4, 4, 4, 4, 4, 4]
EIGHT = partitioning_of([place for place, size in enumerate(SIZES) for _ in range(size)])
FREE = ThinkParameters(top=1, above=2.0, least=0, most=1000)


def chosen(scores: Sequence[float], parameters: ThinkParameters, found: Sequence[int] = ()) -> list[int]:
    numbers: list[int] = choose(np.array(scores), ints(found), EIGHT, parameters).tolist()
    return numbers


def test_votes_are_the_shares_of_the_nodes_and_hub_nodes_has_none() -> None:
    partitioning = partitioning_of([0, 0, 1, 1, 2], hub_nodes=[1, 2])
    found = votes(ints([0, 1, 2, 3]), np.array([0.4, 0.3, 0.2, 0.1]), partitioning)
    assert found == pytest.approx([0.4, 0.1, 0])
    assert votes(ints([]), np.zeros(0), partitioning).tolist() == [0, 0, 0]


SCORES = [0.05, 0.3, 0.16, 0.14, 0.2, 0.15, 0.0, 0.0]


def test_the_seed_takes_the_top_and_all_above() -> None:
    assert chosen(SCORES, ThinkParameters(top=3, above=2.0, least=0)) == [1, 4, 2]
    assert chosen(SCORES, ThinkParameters(top=1, above=0.15, least=0)) == [1, 4, 2, 5]
    assert chosen(SCORES, ThinkParameters(top=6, above=0.15, least=0)) == [1, 4, 2, 5, 3, 0]


def test_then_those_of_what_was_found_best_first() -> None:
    assert chosen(SCORES, FREE, found=[31, 4, 25, 24]) == [1, 7, 6]


def test_more_are_taken_until_there_are_nodes_enough() -> None:
    for least, count in ((0, 1), (4, 1), (5, 2), (8, 2), (9, 3), (1000, 8)):
        assert chosen(SCORES, ThinkParameters(1, 2.0, least, 1000)) == [1, 4, 2, 5, 3, 0, 6, 7][:count]


def test_none_once_there_would_be_too_many_but_the_first_always() -> None:
    assert chosen(SCORES, ThinkParameters(5, 0.15, 1000, most=12)) == [1, 4, 2]
    assert chosen(SCORES, ThinkParameters(5, 0.15, 1000, most=1)) == [1]


def test_one_that_is_too_large_is_passed_over_for_a_smaller_one() -> None:
    partitioning = partitioning_of([0] * 3 + [1] * 50 + [2] * 2)
    found = choose(np.array([0.5, 0.3, 0.2]), ints([]), partitioning, ThinkParameters(3, 2.0, 0, most=10))
    assert found.tolist() == [0, 2]


def test_ties_go_by_number() -> None:
    assert chosen([0.1] * 8, ThinkParameters(3, 2.0, 0)) == [0, 1, 2]


def test_no_partitions() -> None:
    assert choose(np.zeros(0), ints([]), partitioning_of([]), ThinkParameters()).tolist() == []


@settings(deadline=None)
@given(
    st.lists(st.sampled_from([0.0, 0.1, 0.15, 0.3]), min_size=8, max_size=8),
    st.lists(st.integers(0, 31), max_size=5),
    st.builds(ThinkParameters, st.integers(1, 9), st.sampled_from([0.1, 0.2]), st.integers(0, 40), st.integers(0, 40)),
)
def test_each_once_and_within_the_bounds(scores: list[float], found: list[int], parameters: ThinkParameters) -> None:
    taken = chosen(scores, parameters, found)
    assert len(set(taken)) == len(taken) >= 1 and taken[0] == int(np.argmax(scores))
    nodes = sum(SIZES[partition] for partition in taken)
    assert nodes <= max(parameters.most, SIZES[taken[0]])
    assert nodes >= min(parameters.least, parameters.most - 3, sum(SIZES))


def test_of_a_small_library_half_is_taken() -> None:
    usual = ThinkParameters()
    assert usual.within(500) == usual and usual.within(10**6) == usual
    assert (usual.within(71).least, usual.within(71).most) == (36, 36)
    assert (usual.within(1).most, ThinkParameters(most=5).within(71).most) == (1, 5)
    assert chosen(SCORES, usual.within(32)) == [1, 4, 2, 5]
    assert chosen(SCORES, ThinkParameters(share=0.25).within(32)) == [1, 4]


def test_the_defaults_are_the_seeds_and_what_was_measured() -> None:
    """K is the seed's 5, and so is the bound of 2,000 nodes."""
    assert astuple(ThinkParameters()) == (5, 0.15, 500, 2000, 0.5)
