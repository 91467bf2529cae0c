"""The tool `hybrid`: keywords first, meaning second (seed 002, stages 1 and 2), and the two added.

Stage 1 takes the best by BM25, stage 2 orders them by cosine. A keyword filter alone loses what is said in other
words, so by default the nearest by vector are candidates too, and the calibrated scores of both are added.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from memory.datatypes import Findings, Form, Hit, Passage, Query
from memory.ports import Store
from tools.base import FormScores, fuse, passages_of, ranks_by_form


@dataclass(frozen=True, slots=True)
class HybridParameters:
    """`candidates` by keywords and `nearest` by vector are what is scored (seed 002: 100 by keywords, then k = 5), or k
    of each where more than that is wanted.

    The score is the mean, with these weights, of three shares: the cosine, BM25 as a share of the most that the
    question could reach, and the share of the title that the question names. The weights were chosen on five data sets
    and stand on a plateau (docs/figures.md). `two_stage` is the seed's pure form: no nearest by vector, ordered by
    cosine alone. Stemming and stop words are the library's (`KeywordParameters`).
    """

    k: int = 5
    candidates: int = 100
    nearest: int = 100
    cosine: float = 0.55
    keyword: float = 0.45
    title: float = 0.08
    two_stage: bool = False


class Hybrid:
    name = "hybrid"
    description = (
        "Searches the documents for a question or key words, by their words and by their meaning. "
        "Good for most questions; use it first. Returns the passages that match best."
    )

    def __init__(self, store: Store, parameters: HybridParameters | None = None) -> None:
        self._store = store
        self._parameters = parameters or HybridParameters()

    def search(self, query: Query, k: int | None = None) -> Findings:
        """At most k passages, by default the parameters' own; with k = 0 there are none."""
        query.check()
        k = self._parameters.k if k is None else k
        ids = self._candidates(query, k)
        if not ids:
            return Findings(notes=("no passage holds a word of the question",) if self._parameters.two_stage else ())
        query.check()
        keyword, cosines = self._keyword_hits(query.forms, ids), self._cosines(query.forms, ids)
        scored = FormScores(ids, self._scores(ids, keyword, cosines))
        ranked = fuse(query.forms, scored)
        best = list(ranked)[:k]
        places = {id_: place for place, id_ in enumerate(ids)}
        chunks = self._store.chunks(best)
        return Findings(
            tuple(
                replace(
                    _explained(passage, keyword, cosines[:, places[passage.id]], query),
                    score=ranked[passage.id],
                    ranks=ranks_by_form(query.forms, scored, passage.id),
                )
                for passage in passages_of(chunks, self.name)
            )
        )

    def form_scores(self, query: Query, k: int) -> FormScores:
        """What `search` would fuse: the candidates with their score for each form."""
        ids = self._candidates(query, k)
        keyword, cosines = self._keyword_hits(query.forms, ids), self._cosines(query.forms, ids)
        return FormScores(ids, self._scores(ids, keyword, cosines))

    def _cosines(self, forms: Sequence[Form], ids: Sequence[str]) -> np.ndarray:
        """Shape (forms, ids)."""
        return np.stack([form.vector for form in forms]) @ self._store.vectors(ids).T

    def _candidates(self, query: Query, k: int) -> list[str]:
        texts, p = [form.text for form in query.forms], self._parameters
        found = self._store.keyword_search(texts, max(p.candidates, k), scope=query.scope)
        if not p.two_stage:
            vectors = np.stack([form.vector for form in query.forms])
            found += self._store.vector_search(vectors, max(p.nearest, k), scope=query.scope)
        return list(dict.fromkeys(hit.chunk for hits in found for hit in hits))

    def _keyword_hits(self, forms: Sequence[Form], ids: Sequence[str]) -> list[dict[str, Hit]]:
        """For each form its hits among the candidates, whichever search had found them."""
        found = self._store.keyword_search([form.text for form in forms], len(ids), among=ids)
        return [{hit.chunk: hit for hit in hits} for hits in found]

    def _scores(self, ids: Sequence[str], keyword: Sequence[dict[str, Hit]], cosines: np.ndarray) -> np.ndarray:
        """Shape (forms, ids)."""
        p = self._parameters
        if p.two_stage:
            return cosines.astype(np.float64)
        none = Hit("", 0.0)
        hits = [[of_form.get(id_, none) for id_ in ids] for of_form in keyword]
        words = np.array([[hit.score for hit in row] for row in hits])
        titles = np.array([[hit.title_coverage for hit in row] for row in hits])
        weighted = p.cosine * cosines.clip(0) + p.keyword * words + p.title * titles
        return weighted / (p.cosine + p.keyword + p.title)


def _explained(passage: Passage, keyword: Sequence[dict[str, Hit]], cosines: np.ndarray, query: Query) -> Passage:
    """Why it was found: the words of the first form that hit, and both scores of the form that it fits best."""
    best = int(np.argmax(cosines))
    words = next((of_form[passage.id].terms for of_form in keyword if passage.id in of_form), ())
    share = keyword[best][passage.id].score if passage.id in keyword[best] else 0.0
    form = "" if len(query.forms) == 1 else f" (as {query.forms[best].name})"
    held = f"words {', '.join(words)} ({share:.2f})" if words else "no word of the question"
    return replace(
        passage,
        why=f"{held}; meaning {cosines[best]:.2f}{form}",
        keywords=words,
        scores={"keyword": share, "cosine": float(cosines[best])},
    )
