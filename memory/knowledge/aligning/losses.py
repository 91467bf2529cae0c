"""The two losses of seed 004, with all positives. Logits and positives (1 or 0) have the shape (questions, partitions).

Logits come divided by the temperature already: here nothing is divided or exponentiated again.
"""

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from torch import Tensor

Loss = Literal["infonce", "bce"]
LOSSES: tuple[Loss, ...] = ("infonce", "bce")


def info_nce(logits: "Tensor", positives: "Tensor") -> "Tensor":
    """- log of the softmax's mass on all positives, the mean over the questions (multi-positive InfoNCE; van den Oord
    et al. 2018 for one)."""
    wrong = positives == 0
    return (logits.logsumexp(1) - logits.masked_fill(wrong, float("-inf")).logsumexp(1)).mean()


def binary(logits: "Tensor", positives: "Tensor") -> "Tensor":
    """Binary cross-entropy, summed over the partitions, the mean over the questions."""
    from torch.nn.functional import binary_cross_entropy_with_logits

    return binary_cross_entropy_with_logits(logits, positives, reduction="sum") / len(logits)
