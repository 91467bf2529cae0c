"""Seed 003's cases, beside the data; an encoder without a model."""

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from clew.memory import vectors
from clew.memory.datatypes import Utterance, Vectors
from tests.memory.seed_cases import seed_cases

CASES, needs_cases = seed_cases("mmr_rewrite")


def cases(name: str) -> list[Any]:
    return list(CASES.get(name, []))


def history(trace: dict[str, Any]) -> list[Utterance]:
    return [Utterance(said["speaker"], said["text"]) for said in trace["history"]]


def hashed_vectors(texts: Sequence[str], dimension: int = 64) -> Vectors:
    """A bag of hashed words, unit rows: alike texts have alike vectors. Shape (n, dimension)."""
    made = np.zeros((len(texts), dimension), dtype=np.float32)
    for row, text in enumerate(texts):
        for word in text.casefold().split() or [text]:
            made[row, int.from_bytes(hashlib.sha256(word.encode(errors="replace")).digest()[:4]) % dimension] += 1
    return unit(made)


def unit(rows: ArrayLike) -> Vectors:
    return vectors.unit(np.asarray(rows, np.float32))
