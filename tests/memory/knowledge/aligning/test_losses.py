"""Losses against values by hand."""

import math

import pytest
import torch

from clew.memory.knowledge.aligning.losses import binary, info_nce

LOGITS = torch.tensor([[math.log(4), math.log(3), math.log(2), math.log(1)]])


def test_info_nce_counts_the_mass_of_all_positives() -> None:
    assert float(info_nce(LOGITS, torch.tensor([[1.0, 0, 1, 0]]))) == pytest.approx(-math.log(6 / 10))
    assert float(info_nce(LOGITS, torch.tensor([[1.0, 0, 0, 0]]))) == pytest.approx(-math.log(4 / 10))


def test_info_nce_is_a_mean_over_questions() -> None:
    both = info_nce(LOGITS.repeat(2, 1), torch.tensor([[1.0, 0, 1, 0], [1.0, 0, 0, 0]]))
    assert float(both) == pytest.approx(-(math.log(0.6) + math.log(0.4)) / 2)


def test_binary_sums_over_partitions() -> None:
    shares = [4 / 5, 3 / 4, 2 / 3, 1 / 2]
    wanted = -math.log(shares[0]) - math.log(1 - shares[1]) - math.log(shares[2]) - math.log(1 - shares[3])
    assert float(binary(LOGITS, torch.tensor([[1.0, 0, 1, 0]]))) == pytest.approx(wanted)
