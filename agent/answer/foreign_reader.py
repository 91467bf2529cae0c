"""Which candidate answers a question in another language than English, by the vectors of `clew[multilingual]` alone: a
text and its translation have nearly the same ones, so what is learned in some languages serves all.

`python -m tests.training.foreign_reader DATA` makes `foreign_reader.json`, and says how it is measured.
"""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from clew.agent.answer.evidence import EncodedRequest, Evidence, shares_held
from clew.agent.answer.structure import unnumbered
from clew.memory.datatypes import Floats, Vectors

SHIPPED = Path(__file__).with_name("foreign_reader.json")

FEATURES = ("cosine", "middle of its passage", "words held", "length", "number", "asks")

SHORT, HEADING = 4, 5.0
"""Words of what is likely a heading, where it has no number; what that costs."""


@dataclass(frozen=True, slots=True, eq=False)
class ForeignReader:
    """`weights`, shape (`FEATURES`,), and the score from which a candidate answers, and not nothing."""

    weights: Floats
    least: float

    def scores(self, found: Floats) -> Floats:
        """Of candidates with these `foreign_features`; above 0 where one answers."""
        return np.asarray(found @ self.weights - self.least, np.float64)


def foreign_features(
    question: Vectors, candidates: Vectors, passages: Sequence[int], held: Sequence[float], texts: Sequence[str]
) -> Floats:
    """Shape (candidates, `FEATURES`), of unit vectors; `passages` says which one each is of, `held` the share of the
    question's words that it holds."""
    cosines, places = candidates @ question, np.array(passages)
    middles = {place: float(_middle(candidates[places == place]) @ question) for place in {*passages}}
    lengths = [math.log1p(len(text.split())) for text in texts]
    numbers = [any(map(str.isdecimal, text)) for text in texts]
    asks = [text.rstrip().endswith("?") for text in texts]
    near = [middles[place] for place in passages]
    columns = (cosines, near, held, lengths, numbers, asks)
    return np.stack([np.asarray(column, np.float64) for column in columns], axis=1)


def _middle(vectors: Vectors) -> Vectors:
    middle: Vectors = vectors.mean(axis=0)
    return middle / max(float(np.linalg.norm(middle)), 1e-9)


def foreign_scores(request: EncodedRequest, evidence: Evidence) -> Floats:
    """Shape (candidates,)."""
    if not evidence.candidates:
        return np.zeros(0)
    places = [candidate.passage for candidate in evidence.candidates]
    held = shares_held(request.weights, evidence.candidate_words)
    found = foreign_features(request.whole, evidence.candidate_vectors, places, held, evidence.texts)
    return shipped_foreign_reader().scores(found) - HEADING * np.array([*map(_is_heading, evidence.texts)])


def _is_heading(text: str) -> bool:
    said = unnumbered(text)
    return len(said.split()) < SHORT and not any(map(str.isdecimal, said))


@cache
def shipped_foreign_reader() -> ForeignReader:
    kept = json.loads(SHIPPED.read_text("utf-8"))
    assert tuple(kept["weights"]) == FEATURES, "made for other features: python -m tests.training.foreign_reader"
    return ForeignReader(np.array([*kept["weights"].values()]), kept["least"])
