"""The tool `graph`: from the passages that match a question, over the entities that they name, to what it needs beside.

For questions that no single passage answers. Passages that match by words and by meaning are the anchors; a walk over
sentences and entities leads from them to others (`clew.memory.knowledge.multihop`), and one learned model weighs both:
what matches, and what is reached.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from clew.memory.cached import Cached
from clew.memory.datatypes import Findings, Floats, Ints, Passage, Query, Subgraph
from clew.memory.knowledge.matching import MatchParameters, candidates
from clew.memory.knowledge.multihop.explaining import Origin, origins
from clew.memory.knowledge.multihop.features import DIRECT, Asked
from clew.memory.knowledge.multihop.index import hop_index
from clew.memory.knowledge.multihop.model import Coefficients, load_coefficients
from clew.memory.knowledge.multihop.walk import HopParameters, Round, walk
from clew.memory.ports import Store
from clew.tools.base import nothing_named, passages_of

BESIDE = "passages are by words and meaning"


@dataclass(frozen=True, slots=True)
class GraphParameters:
    """`k` passages where no other number is asked for; `pool` of those that match best are weighed without a path."""

    k: int = 5
    pool: int = 100
    match: MatchParameters = field(default_factory=MatchParameters)
    hops: HopParameters = field(default_factory=HopParameters)


class Graph:
    """The layers of the library are read and indexed at the first search, once."""

    name = "graph"
    description = (
        "Finds passages that match a question, and those that they lead to by the people, places and works they name. "
        "Use it when the answer joins facts from two documents, as in: where was the director of that film born?"
    )

    def __init__(
        self, store: Store, parameters: GraphParameters | None = None, coefficients: Coefficients | None = None
    ) -> None:
        self._store = store
        self._parameters = parameters or GraphParameters()
        self._coefficients = coefficients or load_coefficients()
        self._index = Cached(lambda: hop_index(store.layers()))

    def search(self, query: Query, k: int | None = None) -> Findings:
        """At most k passages, by default the parameters' own. A passage's score is its share of the mass of all."""
        query.check()
        k = self._parameters.k if k is None else k
        asked = self.ask(query)
        pool = self.pool(asked)
        if not len(pool):
            return Findings()
        rounds = walk(asked, pool, self._coefficients, self._parameters.hops)
        masses = rounds[-1].masses(self._coefficients)
        best = np.argsort(-masses, kind="stable")[:k]
        shares = np.exp(masses - masses[best[0]])[best] / np.exp(masses - masses[best[0]]).sum() if k else masses[:0]
        found = origins(rounds, self._coefficients, rounds[-1].chunks[best], asked.index.layers)
        passages = self._passages(asked, rounds[-1], best, shares, found)
        layers = asked.index.layers
        notes = () if len(layers.entities) else (f"{nothing_named(layers)}; {BESIDE}",)
        return Findings(passages, notes, walk=_subgraph(found))

    def ask(self, query: Query) -> Asked:
        index = self._index()
        among = None if query.scope is None else index.layers.chunks_within(query.scope)
        return Asked(self._store, index, query, self._parameters.match, among)

    def pool(self, asked: Asked) -> Ints:
        """The chunks that match best, rising."""
        ids = candidates(self._store, asked.query, self._parameters.pool, self._parameters.match)
        chunks = np.array([asked.index.layers.chunk_numbers[id_] for id_ in ids], np.int64)
        scores = asked.direct(chunks)[:, DIRECT.index("hybrid")]
        return np.sort(chunks[np.argsort(-scores, kind="stable")[: self._parameters.pool]])

    def _passages(
        self, asked: Asked, last: Round, best: Ints, shares: Floats, found: Sequence[Origin]
    ) -> tuple[Passage, ...]:
        ids = [asked.index.layers.chunk_ids[chunk] for chunk in last.chunks[best]]
        words = self._store.word_shares(asked.query.forms[0].text, ids)
        features = [*last.direct[best].T, self._store.vectors(ids) @ asked.vector]
        scores = [dict(zip((*DIRECT, "cosine"), map(float, row), strict=True)) for row in zip(*features, strict=True)]
        passages = passages_of(self._store.chunks(ids), self.name)
        return tuple(
            replace(
                passage,
                score=float(shares[place]),
                why=found[place].why,
                keywords=tuple(w for w, held in zip(words.words, words.shares[place] > 0, strict=True) if held),
                scores=scores[place],
                path=found[place].path,
            )
            for place, passage in enumerate(passages)
        )


def _subgraph(found: Sequence[Origin]) -> Subgraph | None:
    """The steps to the passages, in the order of the passages."""
    edges = list(dict.fromkeys(edge for origin in found for edge in origin.edges))
    if not edges:
        return None
    return Subgraph(tuple(dict.fromkeys(end for edge in edges for end in (edge.source, edge.target))), tuple(edges))
