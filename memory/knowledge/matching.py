"""How well chunks match a question: by its words and by its meaning (seed 002, stages 1 and 2), and the two added."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clew.memory.datatypes import Form, Hit, Query
from clew.memory.ports import Search


@dataclass(frozen=True, slots=True)
class MatchParameters:
    """`candidates` by keywords and `nearest` by vector are what is scored, or k of each where more than that is wanted.

    The score is the mean, with these weights, of three shares: the cosine, BM25 as a share of the most that the
    question could reach, and the share of the title that the question names. The weights were chosen on five data sets
    and stand on a plateau (docs/figures.md).
    """

    candidates: int = 100
    nearest: int = 100
    cosine: float = 0.55
    keyword: float = 0.45
    title: float = 0.08


@dataclass(frozen=True, slots=True, eq=False)
class Matches:
    """Of chunks and of each form of a question: `scores` and `cosines`, of shape (forms, ids), and the keyword hits."""

    ids: Sequence[str]
    scores: NDArray[np.float64]
    cosines: NDArray[np.float32]
    hits: Sequence[Mapping[str, Hit]]


def candidates(store: Search, query: Query, k: int, parameters: MatchParameters) -> list[str]:
    """The best by keywords and the nearest by vector, of all forms; without `nearest` the best by keywords alone."""
    texts = [form.text for form in query.forms]
    found = store.keyword_search(texts, max(parameters.candidates, k), scope=query.scope)
    if parameters.nearest:
        vectors = np.stack([form.vector for form in query.forms])
        found += store.vector_search(vectors, max(parameters.nearest, k), scope=query.scope)
    return list(dict.fromkeys(hit.chunk for hits in found for hit in hits))


def match(store: Search, forms: Sequence[Form], ids: Sequence[str], parameters: MatchParameters) -> Matches:
    """All of them are scored, whichever search had found them."""
    found = store.keyword_search([form.text for form in forms], len(ids), among=ids)
    hits = [{hit.chunk: hit for hit in its} for its in found]
    cosines = np.stack([form.vector for form in forms]) @ store.vectors(ids).T
    none = Hit("", 0.0)
    rows = [[of_form.get(id_, none) for id_ in ids] for of_form in hits]
    words = np.array([[hit.score for hit in row] for row in rows])
    titles = np.array([[hit.title_coverage for hit in row] for row in rows])
    p = parameters
    weighted = p.cosine * cosines + p.keyword * words + p.title * titles
    return Matches(ids, weighted / (p.cosine + p.keyword + p.title), cosines, hits)
