"""The tool `hybrid`: keywords first, meaning second (seed 002, stages 1 and 2), and the two added.

Stage 1 takes the best by BM25, stage 2 orders them by cosine. A keyword filter alone loses what is said in other
words, so by default the nearest by vector are candidates too, and the calibrated scores of both are added.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from clew.memory.datatypes import Findings, Passage, Query
from clew.memory.knowledge.question import Matches, MatchParameters, candidates, match
from clew.memory.ports import Search
from clew.tools.base import FormScores, ToolSettings, fuse, fused_passages

TWO_STAGE = MatchParameters(nearest=0, cosine=1, keyword=0, title=0)
"""The seed's pure form: no nearest by vector, ordered by cosine alone."""


class Hybrid:
    name = "hybrid"
    description = (
        "Searches the documents by their words and by their meaning. Use it first, and for most questions: a fact, a "
        "name, a number, what something is, what a document says. Returns the passages that match best."
    )

    def __init__(self, store: Search, parameters: MatchParameters | None = None) -> None:
        self.store = store
        self._parameters = parameters or MatchParameters()

    def search(self, query: Query, k: int = 5) -> Findings:
        """At most k passages."""
        return self.findings(query, self.matches(query, k), k)

    def matches(self, query: Query, k: int = 5) -> Matches:
        """All candidates, with their scores by each form of the question."""
        query.check()
        ids = candidates(self.store, query, k, self._parameters)
        query.check()
        return match(self.store, query.forms, ids, self._parameters)

    def scores(self, query: Query, ids: Sequence[str]) -> dict[str, float]:
        """Of these chunks, whichever search found them."""
        found = match(self.store, query.forms, ids, self._parameters)
        return fuse(query.forms, FormScores(ids, found.scores))

    def findings(self, query: Query, found: Matches, k: int = 5) -> Findings:
        """The best k by the sum of the forms' scores, weighed as the query says: the forms are those of `matches`."""
        if not found.ids:
            return Findings(notes=("no passage holds a word of the question",))
        passages = fused_passages(self.store, query, FormScores(found.ids, found.scores), k, self.name)
        return Findings(tuple(_explained(passage, found, found.ids.index(passage.id), query) for passage in passages))


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


def make(store: Search, settings: ToolSettings) -> Hybrid:
    return Hybrid(store, settings.of(MatchParameters))


PARAMETERS = MatchParameters
