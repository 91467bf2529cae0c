"""The walk over knowledge units as a search of a store: the chunks of the units that it touched, and by which path."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache, partial

import numpy as np

from clew.memory.datatypes import Edge, Floats, Form, Hit, Ints, Subgraph, Vector, Vectors
from clew.memory.knowledge.clues.triple_beam import Evidence
from clew.memory.knowledge.clues.triple_graph import normalise
from clew.memory.knowledge.clues.unit_walk import (
    Near,
    UnitGraph,
    UnitWalk,
    UnitWalker,
    UnitWalkParameters,
)
from clew.memory.ports import Graph, Reranker, Search
from clew.memory.vectors import highest

SHOWN = 90
"""Characters of a unit that an explanation quotes."""


@dataclass(frozen=True, slots=True)
class UnitParameters:
    """A chunk's score is `path`, a share, of its best walk and for the rest its own match: the mean of its cosine and
    of its BM25 as a share of the most that the question could reach, weighted by `cosine` and `keyword`.

    Behind the chunks that were walked to come those of the `filled` units nearest to the question, each as a path of
    that unit alone, which counts no more than the worst path walked. The paper has `path` 1 and `filled` 0.
    """

    walk: UnitWalkParameters = field(default_factory=UnitWalkParameters)
    path: float = 0.5
    cosine: float = 0.55
    keyword: float = 0.45
    filled: int = 100


@dataclass(frozen=True, slots=True, eq=False)
class UnitSearch:
    store: Search
    part: Graph
    graph: UnitGraph
    reranker: Reranker | None = None

    @staticmethod
    def over(store: Search, reranker: Reranker | None = None, part: Sequence[int] | None = None) -> "UnitSearch":
        graph = store.part(part)
        return UnitSearch(store, graph, UnitGraph.of(graph.layers), reranker)

    @property
    def empty(self) -> bool:
        return not len(self.graph.titles)

    def found(
        self, form: Form, scope: frozenset[str] | None, parameters: UnitParameters, k: int, check: Callable[[], None]
    ) -> tuple[dict[str, Evidence], UnitWalk | None]:
        """By chunk, at least k of them where there are so many, and the best walk. `check` is called between steps."""
        among = None if scope is None else self.graph.within(scope)
        filled = max(parameters.filled, 4 * k) if parameters.filled else 0
        near = self._near(form.vector, max(parameters.walk.nearest, filled), among)
        check()
        prune = None if self.reranker is None else partial(self._pruned, form.text, self.reranker)
        walker = UnitWalker(self.graph, form.vector, near, self._vectors, parameters.walk, among, prune, check)
        walks = sorted(walker.walks(), key=lambda walk: (-walk.score, len(walk.units), walk.units))
        check()
        by_chunk = self._by_chunk([*walks, *self._singles(near, filled, walks)])
        return self._scored(form, by_chunk, parameters), walks[0] if walks else None

    def subgraph(self, walk: UnitWalk) -> Subgraph:
        names = self.graph.layers.entities
        steps = self.graph.steps(walk.units, walk.entities)
        edges = [
            Edge(normalise(names[step.subject].name), normalise(names[step.object].name), step.label) for step in steps
        ]
        ends = dict.fromkeys(end for edge in edges for end in (edge.source, edge.target))
        return Subgraph(tuple(ends), tuple(edges))

    def _near(self, vector: Vector, most: int, among: np.ndarray | None) -> Near:
        """By cosine over the sentences, best first."""
        rows, vectors = None if among is None else np.flatnonzero(among), self.part.sentence_vectors
        cosines = (vector[None] @ (vectors if rows is None else vectors[rows]).T)[0]
        best = np.array(highest(cosines, most), np.int64)
        return Near(best if rows is None else rows[best], cosines[best])

    def _vectors(self, rows: Ints) -> Vectors:
        found: Vectors = self.part.sentence_vectors.take(rows, axis=0)
        return found

    def _pruned(self, question: str, reranker: Reranker, paths: Sequence[tuple[int, ...]]) -> Floats:
        """The cross-encoder on the question and each path's joined units, one call for all."""
        rows = sorted({unit for path in paths for unit in path})
        texts = {row: unit.text for row, unit in zip(rows, self.part.sentences(rows), strict=True)}
        return reranker.scores(question, [" ".join(texts[unit] for unit in path) for path in paths])

    def _singles(self, near: Near, most: int, walks: Sequence[UnitWalk]) -> list[UnitWalk]:
        """Paths of one of the nearest units, entered by what its document is about."""
        lowest = walks[-1].score if walks else 1.0
        found = []
        for unit, cosine in zip(near.units[:most].tolist(), near.cosines[:most].tolist(), strict=True):
            title = int(self.graph.titles[unit])
            entities = [title] if title >= 0 else self.graph.entities_of(unit)[:1]
            found.append(UnitWalk((unit,), tuple(entities), min(lowest, round(cosine, 6))))
        return found

    def _by_chunk(self, walks: Sequence[UnitWalk]) -> dict[str, UnitWalk]:
        """The best walk that touched each; walks are given best first."""
        layers, found = self.graph.layers, dict[str, UnitWalk]()
        for walk in walks:
            for unit in walk.units:
                found.setdefault(layers.chunk_ids[layers.sentence_chunks[unit]], walk)
        return found

    def _scored(self, form: Form, by_chunk: dict[str, UnitWalk], parameters: UnitParameters) -> dict[str, Evidence]:
        ids = list(by_chunk)
        if not ids:
            return {}
        cosines = (self.store.vectors(ids) @ form.vector).clip(0).tolist()
        hits = {hit.chunk: hit for hit in self.store.keyword_search([form.text], len(ids), among=ids)[0]}
        shares = (1 - parameters.path) * np.array([parameters.cosine, parameters.keyword])
        shares /= parameters.cosine + parameters.keyword
        found, explained = {}, cache(self._explained)  # many chunks share a walk
        for id_, cosine in zip(ids, cosines, strict=True):
            walk, keyword = by_chunk[id_], hits.get(id_, Hit(id_, 0.0)).score
            parts = parameters.path * walk.score, shares[0] * cosine, shares[1] * keyword
            scores = dict(zip(("path", "cosine", "keyword"), map(float, parts), strict=True))
            found[id_] = Evidence(sum(scores.values()), scores, partial(explained, walk))
        return found

    def _explained(self, walk: UnitWalk) -> tuple[tuple[str, ...], str]:
        """The steps; and the units that were walked. A walk that names one entity alone is that entity."""
        names, steps = self.graph.layers.entities, self.graph.steps(walk.units, walk.entities)
        alone = [f"({normalise(names[entity].name)})" for entity in walk.entities[:1]]
        quoted = [_cut(unit.text) for unit in self.part.sentences(walk.units)]
        begun = f"from {normalise(names[walk.entities[0]].name)}: " if walk.entities else ""
        return tuple(map(self.graph.written, steps)) or tuple(alone), begun + " > ".join(quoted)


def _cut(text: str) -> str:
    text = " ".join(text.split())
    return f"“{text if len(text) <= SHOWN else text[: SHOWN - 1].rstrip() + '…'}”"
