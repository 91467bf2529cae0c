"""Whether a sentence denies what it tells, and which of parallel sentences do as the question does: who has not paid,
and not who has."""

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np

from clew.agent.answer.evidence import Evidence, Request
from clew.agent.search.table_reader import Softmax
from clew.memory.datatypes import Floats
from clew.memory.ports import Encoder
from clew.memory.text import content_words, words

CLASSES = ("affirmed", "denied")
SHIPPED = Path(__file__).with_suffix(".json")

SURE = 0.75
"""The probability from which a text does either."""


OTHERS = 4
"""Words of content beside those of the question, up to which a sentence tells nothing else."""


@cache
def shipped() -> Softmax:
    """The one that comes with Clew; `python -m tests.training.negation` fits it."""
    said = json.loads(SHIPPED.read_text("utf-8"))
    return Softmax(CLASSES, np.array(said["intercepts"]), np.array(said["weights"]), said["features"])


def denied(texts: Sequence[str], encoder: Encoder) -> Floats:
    """Shape (texts,): how likely each denies something."""
    vectors = encoder.encode(list(texts), "sentence")
    return np.array(
        [shipped().probabilities(vector, words(text))["denied"] for vector, text in zip(vectors, texts, strict=True)]
    )


def opposed(request: Request, evidence: Evidence) -> Floats:
    """Shape (candidates,): 1 where a candidate denies what the question does not, or the other way round, and another
    one of its document, with the same words of the question, does as the question does; both have few others."""
    said = denied([request.rewritten, *evidence.texts], evidence.encoder)
    agrees, differs = (said[1:] >= SURE, said[1:] <= 1 - SURE)[:: 1 if said[0] >= SURE else -1]
    asked = frozenset(content_words(request.rewritten))
    told = [
        (source, asked & own if len(own - asked) <= OTHERS else frozenset[str]())
        for source, own in zip(evidence.sources, evidence.candidate_words, strict=True)
    ]
    agreeing = [one for one, does in zip(told, agrees, strict=True) if does]

    def has_like(document: str, held: frozenset[str]) -> bool:
        return any(document == other and held <= words for other, words in agreeing)

    return np.array([does and bool(one[1]) and has_like(*one) for one, does in zip(told, differs, strict=True)], float)
