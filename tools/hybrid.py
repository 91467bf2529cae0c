"""The tool `hybrid`: keywords first, meaning second (seed 002, stages 1 and 2), and the two added.

Stage 1 takes the best by BM25, stage 2 orders them by cosine. A keyword filter alone loses what is said in other
words, so by default the nearest by vector are candidates too, and the calibrated scores of both are added.
"""

from dataclasses import dataclass, field, replace

import numpy as np

from clew.memory.datatypes import Findings, Passage, Query
from clew.memory.knowledge.question import Matches, MatchParameters, candidates, match
from clew.memory.ports import Search
from clew.tools.base import FormScores, ToolSettings, fuse, passages_of, ranks_by_form

TWO_STAGE = MatchParameters(nearest=0, cosine=1, keyword=0, title=0)
"""The seed's pure form: no nearest by vector, ordered by cosine alone."""


@dataclass(frozen=True, slots=True)
class HybridParameters:
    """`k` passages where no other number is asked for (seed 002: 100 by keywords, then 5). Stemming and stop words are
    the library's (`KeywordParameters`)."""

    k: int = 5
    match: MatchParameters = field(default_factory=MatchParameters)


class Hybrid:
    name = "hybrid"
    description = (
        "Searches the documents by their words and by their meaning. Use it first, and for most questions: a fact, a "
        "name, a number, what something is, what a document says. Returns the passages that match best."
    )

    def __init__(self, store: Search, parameters: HybridParameters | None = None) -> None:
        self._store = store
        self._parameters = parameters or HybridParameters()

    def search(self, query: Query, k: int | None = None) -> Findings:
        """At most k passages, by default the parameters' own; with k = 0 there are none."""
        query.check()
        k = self._parameters.k if k is None else k
        ids = candidates(self._store, query, k, self._parameters.match)
        if not ids:
            return Findings(notes=("no passage holds a word of the question",))
        query.check()
        found = match(self._store, query.forms, ids, self._parameters.match)
        scored = FormScores(ids, found.scores)
        ranked = fuse(query.forms, scored)
        places = {id_: place for place, id_ in enumerate(ids)}
        return Findings(
            tuple(
                replace(
                    _explained(passage, found, places[passage.id], query),
                    score=ranked[passage.id],
                    ranks=ranks_by_form(query.forms, scored, passage.id),
                )
                for passage in passages_of(self._store.chunks(list(ranked)[:k]), self.name)
            )
        )

    def form_scores(self, query: Query, k: int) -> FormScores:
        """What `search` would fuse: the candidates with their score for each form."""
        ids = candidates(self._store, query, k, self._parameters.match)
        return FormScores(ids, match(self._store, query.forms, ids, self._parameters.match).scores)


def _explained(passage: Passage, found: Matches, place: int, query: Query) -> Passage:
    """Why it was found: the words of the first form that hit, and both scores of the form that it fits best."""
    cosines, hits = found.cosines[:, place], found.hits
    best = int(np.argmax(cosines))
    words = next((of_form[passage.id].terms for of_form in hits if passage.id in of_form), ())
    share = hits[best][passage.id].score if passage.id in hits[best] else 0.0
    form = "" if len(query.forms) == 1 else f" (as {query.forms[best].name})"
    held = f"words {', '.join(words)} ({share:.2f})" if words else "no word of the question"
    return replace(
        passage,
        why=f"{held}; meaning {cosines[best]:.2f}{form}",
        keywords=words,
        scores={"keyword": share, "cosine": float(cosines[best])},
    )


def make(store: Search, settings: ToolSettings) -> Hybrid:  # noqa: ARG001 no setting is for it
    return Hybrid(store)
