"""The tool `elastic` (seed 003): a library on a cluster by ELSER's tokens, by BM25 and by vectors, and the three added.

The seed searches by ELSER v2 alone, with the rewritten question; that is the parameter `alone`. Tokens come from an
inference endpoint that the person names (`ES_ELSER`), of chunks when they are indexed and of a question when it is
searched for. Without one, keywords and vectors are searched.
"""

from dataclasses import dataclass, replace

import numpy as np

from clew.memory.datatypes import Findings, Passage, Query
from clew.memory.errors import BadInput, NotSetUp
from clew.memory.knowledge.cluster.cluster_store import ClusterStore
from clew.memory.knowledge.cluster.searches import ENDPOINT, endpoint, tokens_of
from clew.memory.knowledge.library_ports import Search
from clew.memory.knowledge.question import MatchParameters, match
from clew.memory.parameters import Count, Weight
from clew.tools.base import FormScores, ToolSettings, fused_passages

REWRITTEN = "rewritten"
"""The form of a question that stands alone."""

WITHOUT = f"no endpoint for ELSER is named ({ENDPOINT}): this was searched for by keywords and vectors"
UNINDEXED = "the library was indexed without ELSER's tokens: clew index it again; searched by keywords and vectors"


@dataclass(frozen=True, slots=True)
class ElasticParameters:
    """A chunk's score is the weighted mean of ELSER's score as a share of the best, BM25 as a share of the maximum, and
    the cosine. `alone`: only ELSER's, on the rewritten question, as in seed 003."""

    candidates: Count = 100  # how many passages each search proposes
    elser: Weight = 0.5  # how much ELSER's score counts
    keyword: Weight = 0.45  # how much shared words count
    cosine: Weight = 0.55  # how much likeness in meaning counts
    alone: bool = False  # whether ELSER's score alone counts

    def __post_init__(self) -> None:
        if not self.keyword + self.cosine:
            raise BadInput("keyword and cosine cannot both be 0", "one of them above 0; alone for ELSER by itself")


class Elastic:
    """Searches a library on a cluster by ELSER's tokens, alone or together with BM25 and vectors."""

    name = "elastic"
    description = (
        "Searches the documents by related words that a model adds to the question, by its own words and by its "
        "meaning. Use it where the documents may say it in other words. Returns the passages that match best."
    )

    def __init__(self, store: ClusterStore, parameters: ElasticParameters | None = None) -> None:
        self._store = store
        self._parameters = parameters or ElasticParameters()

    def search(self, query: Query, k: int = 5) -> Findings:
        """At most k passages."""
        query.check()
        if not k:
            return Findings()
        most = max(k, self._parameters.candidates)
        said = WITHOUT if not endpoint() else "" if self._store.tokens_by else UNINDEXED
        alone = self._parameters.alone and not said
        if alone:
            own = next((form for form in query.forms if form.name == REWRITTEN), query.forms[0])
            query = replace(query, forms=(replace(own, weight=1.0),))
        sparse = [] if said else self._by_tokens(query, most)
        query.check()
        ids = [id_ for found in sparse for id_ in found]
        if not alone:
            texts, vectors = [form.text for form in query.forms], np.stack([form.vector for form in query.forms])
            hits = self._store.candidates(texts, vectors, most, most, query.scope)
            ids += [hit.chunk for its in hits for hit in its]
        ids = list(dict.fromkeys(ids))
        if not ids:
            return Findings(notes=(said or "no passage has a word that is related to the question",))
        query.check()
        return Findings(self._passages(query, ids, sparse, k, alone), (said,) if said else ())

    def _by_tokens(self, query: Query, most: int) -> list[dict[str, float]]:
        """For each form the score of each chunk by ELSER, as a share of the best one's."""
        tokens = tokens_of(self._store.cluster, [form.text for form in query.forms])
        found = self._store.by_tokens(tokens, most, query.scope)
        return [{hit.chunk: hit.score / its[0].score for hit in its} for its in found]

    def _passages(
        self, query: Query, ids: list[str], sparse: list[dict[str, float]], k: int, alone: bool
    ) -> tuple[Passage, ...]:
        p = self._parameters
        matched = match(self._store, query.forms, ids, MatchParameters(cosine=p.cosine, keyword=p.keyword, title=0))
        scores, by_tokens = matched.scores, np.zeros(matched.scores.shape)
        if sparse:
            by_tokens = np.array([[of_form.get(id_, 0.0) for id_ in ids] for of_form in sparse])
            total = p.elser + p.keyword + p.cosine
            scores = by_tokens if alone else (p.elser * by_tokens + (p.keyword + p.cosine) * scores) / total
        made = []
        for passage in fused_passages(self._store, query, FormScores(ids, scores), k, self.name):
            place = ids.index(passage.id)
            best = int(np.argmax(scores[:, place]))
            hit = matched.hits[best].get(passage.id)
            parts = {
                **({"elser": float(by_tokens[best, place])} if sparse else {}),
                **{"keyword": hit.score if hit else 0.0, "cosine": float(matched.cosines[best, place])},
            }
            why = ", ".join(f"{name} {value:.2f}" for name, value in parts.items())
            made.append(replace(passage, why=why, keywords=hit.terms if hit else (), scores=parts))
        return tuple(made)


def make(store: Search, settings: ToolSettings) -> Elastic:
    """Raises `NotSetUp` for a library that is on no cluster."""
    if not isinstance(store, ClusterStore):
        raise NotSetUp(
            "the tool elastic searches a library on an Elasticsearch cluster, and this one is in a folder",
            "clew index FOLDER --library es://HOST:9200/NAME (docs/elasticsearch.md)",
        )
    return Elastic(store, settings.of(ElasticParameters))


PARAMETERS = ElasticParameters
