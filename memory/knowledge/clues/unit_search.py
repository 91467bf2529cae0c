"""The walk over knowledge units of ClueRAG's paper (arXiv 2507.08445): query-driven, pruned to a beam at each hop; and
as a search of a store, the chunks of the units that it touched, and by which path.

A unit is a sentence of the library. It has the entities that it names, and that which the title of its document names.
No walk goes to a heading. Dates are entities: without them less was found (docs/figures.md).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from clew.memory.datatypes import Floats, Form, Ints, Subgraph, Vector, Vectors
from clew.memory.errors import BadInput
from clew.memory.knowledge.clues.clue_index import UnitGraph, arrow
from clew.memory.knowledge.clues.triple_search import Mask, PathEvidence
from clew.memory.knowledge.layers import said_by
from clew.memory.knowledge.library_ports import Search
from clew.memory.parameters import Count, Few, Natural, Share, Weight
from clew.memory.vectors import highest

COSINE_DIGITS = 6
"""To which cosines are rounded, so that equal ones are equal however they were summed (in double precision)."""


@dataclass(frozen=True, slots=True)
class UnitWalkParameters:
    """How ClueRAG's walk (arXiv 2507.08445) goes from unit to unit; docs/figures.md compares these values with the
    paper's (3 anchors, a beam of 5).

    After each step the running query q becomes q - subtract * e(unit), where e is the unit's vector, so that the next
    unit is sought by what is not said yet. An entity with more than `widest` units is walked only through those that
    are among the `nearest` to the question, `widest` at most, so that a name in every document costs no more than
    another.
    """

    anchors: Few = 5  # how many sentences nearest to the question it begins at
    per_entity: Few = 3  # how many further sentences it tries for each name
    beam: Few = 10  # how many paths are kept at each step
    depth: Few = 3  # how many sentences a path may have
    subtract: Weight = 1.0  # how much of a sentence's meaning is taken off the question once it is on the path
    widest: Count = 128  # a name in more sentences than this is followed through the nearest of them alone
    nearest: Count = 1000  # among how many sentences those nearest are looked for


@dataclass(frozen=True, slots=True)
class UnitWalk:
    """A walk: `units[i]` was entered through the entity `entities[i]`. `score` is the cosine of the question with the
    sum of the units' vectors."""

    units: tuple[int, ...]
    entities: tuple[int, ...]
    score: float


@dataclass(frozen=True, slots=True, eq=False)
class Near:
    """The units nearest to the question, best first, with their cosines; both of shape (n,)."""

    units: Ints
    cosines: NDArray[np.float32]


class _Beam(NamedTuple):
    """The walks of one hop; for each the running query and the sum of its units' vectors, both of shape (walks, d)."""

    walks: list[UnitWalk]
    queries: Floats
    sums: Floats


class _Tried(NamedTuple):
    """Steps that could be taken: from walk `rows[i]` through `entities[i]` to `units[i]`, whose vector is
    `vectors[i]`."""

    rows: Ints
    entities: Ints
    units: Ints
    vectors: Floats


class UnitWalker:
    """Walks over units for one question.

    `vectors_of` returns the vectors of units, shape (units, d). `among`, of shape (units,), says which units may be
    walked; None means all. `check` is called before each hop and may raise to end the walk.
    """

    def __init__(
        self,
        graph: UnitGraph,
        question: Vector,
        near: Near,
        vectors_of: Callable[[Ints], Vectors],
        parameters: UnitWalkParameters,
        among: Mask | None = None,
        check: Callable[[], None] = lambda: None,
    ) -> None:
        self._graph, self._question, self._vectors_of = graph, question.astype(np.float64), vectors_of
        self._parameters, self._among, self._check = parameters, among, check
        self._near, self._anchors = near.units[: parameters.nearest], near.units[: parameters.anchors]

    def walks(self) -> list[UnitWalk]:
        """Return all walks that were in the beam after some hop, shorter ones first, and of one length the best first.
        A walk that cannot go on stays in the result."""
        found: list[UnitWalk] = []
        beam = _Beam([UnitWalk((), (), 0.0)], self._question[None], np.zeros_like(self._question[None]))
        named, _ = self._graph.entities.of(self._anchors)
        entities = np.array(list(dict.fromkeys(named.tolist())), np.int64)
        rows = np.zeros_like(entities)
        for _ in range(self._parameters.depth):
            self._check()
            beam = self._longer(beam, rows, entities)
            if not beam.walks:
                break
            found += beam.walks
            rows, entities = self._frontier(beam.walks)
        return found

    def _frontier(self, walks: Sequence[UnitWalk]) -> tuple[Ints, Ints]:
        """Return pairs of a walk's place and an entity to go on through: one that the walk's last unit names and the
        walk has not passed."""
        pairs = [
            (row, entity)
            for row, walk in enumerate(walks)
            for entity in self._graph.entities.row(walk.units[-1])
            if entity not in walk.entities
        ]
        rows, entities = np.array(pairs, np.int64).reshape(-1, 2).T
        return rows, entities

    def _longer(self, beam: _Beam, rows: Ints, entities: Ints) -> _Beam:
        tried = self._tried(beam, rows, entities)
        sums = beam.sums[tried.rows] + tried.vectors
        lengths = np.linalg.norm(sums, axis=1).clip(1e-12)
        cosines = np.round(sums @ self._question / lengths, COSINE_DIGITS)
        places = self._best(beam.walks, tried, cosines)
        rows, entities = tried.rows[places], tried.entities[places]
        units, vectors = tried.units[places], tried.vectors[places]
        walks = [
            UnitWalk((*beam.walks[row].units, unit), (*beam.walks[row].entities, entity), score)
            for row, entity, unit, score in zip(
                rows.tolist(), entities.tolist(), units.tolist(), cosines[places].tolist(), strict=True
            )
        ]
        queries = beam.queries[rows] - self._parameters.subtract * vectors
        return _Beam(walks, queries, sums[places])

    def _tried(self, beam: _Beam, rows: Ints, entities: Ints) -> _Tried:
        """Return for each pair of walk and entity the `per_entity` unused units that are nearest to the walk's running
        query."""
        places, units = self._units_of(entities)
        used = np.array([walk.units for walk in beam.walks], np.int64).reshape(len(beam.walks), -1)
        fresh = ~(used[rows[places]] == units[:, None]).any(axis=1)
        if self._among is not None:
            fresh &= self._among[units]
        places, units = places[fresh], units[fresh]
        different, where = np.unique(units, return_inverse=True)
        vectors = self._vectors_of(different).astype(np.float64)[where.reshape(-1)]
        near = np.round(np.einsum("ij,ij->i", vectors, beam.queries[rows[places]]), COSINE_DIGITS)
        order = np.lexsort((units, -near, places))
        grouped = places[order]
        within = np.arange(len(grouped)) - np.searchsorted(grouped, grouped)
        best = order[within < self._parameters.per_entity]
        return _Tried(rows[places[best]], entities[places[best]], units[best], vectors[best])

    def _units_of(self, entities: Ints) -> tuple[Ints, Ints]:
        """Return pairs of a place in `entities` and a unit of that entity; for an entity with more than `widest` units
        only those nearest to the question."""
        busy = self._graph.size(entities) > self._parameters.widest
        quiet = np.flatnonzero(~busy)
        units, places = self._graph.units.of(entities[quiet])
        found = [(quiet[places], units)]
        if busy.any():
            named, rows = self._graph.entities.of(self._near)
            for place in np.flatnonzero(busy).tolist():
                near = self._near[rows[named == entities[place]]][: self._parameters.widest]
                found.append((np.full(len(near), place), near))
        return np.concatenate([one for one, _ in found]), np.concatenate([one for _, one in found])

    def _best(self, walks: Sequence[UnitWalk], tried: _Tried, cosines: Floats) -> Ints:
        """Return the places of the `beam` best steps, by score, then walk, then unit. Of steps that lead to the same
        set of units only the first counts."""
        paths: dict[frozenset[int], int] = {}
        for place in np.lexsort((tried.entities, tried.units, tried.rows, -cosines)).tolist():
            paths.setdefault(frozenset((*walks[tried.rows[place]].units, int(tried.units[place]))), place)
        return np.array(list(paths.values())[: self._parameters.beam], np.int64)


SHOWN = 90
"""Characters of a unit that an explanation quotes."""


@dataclass(frozen=True, slots=True)
class UnitParameters:
    """How a chunk is scored: `path` parts of 1 by its best walk, and the rest by its own match. The match is the mean,
    weighted by `cosine` and `keyword`, of its cosine and of its BM25 as a share of the highest that the question could
    reach.

    Behind the chunks that were walked to come those of the `filled` units nearest to the question, each scored as a
    walk of that unit alone, but not above the worst walk. The paper has `path` 1 and `filled` 0.
    """

    walk: UnitWalkParameters = field(default_factory=UnitWalkParameters)  # how far it goes from name to name
    path: Share = 0.5  # how much the path counts beside the passage's own match
    cosine: Weight = 0.55  # how much likeness in meaning counts in that match
    keyword: Weight = 0.45  # how much shared words count in that match
    filled: Natural = 100  # how many of the nearest sentences stand behind the paths

    def __post_init__(self) -> None:
        if not self.cosine + self.keyword:
            raise BadInput("cosine and keyword cannot both be 0", "one of them above 0")


class UnitSearch:
    """ClueRAG's walk over the sentences of a store, or of the partitions `part` of it."""

    def __init__(self, store: Search, part: Sequence[int] | None = None) -> None:
        self.part = store.part(part)
        self.graph = UnitGraph(self.part.layers)

    @property
    def empty(self) -> bool:
        return not len(self.graph.titles)

    def found(
        self, form: Form, scope: frozenset[str] | None, parameters: UnitParameters, k: int, check: Callable[[], None]
    ) -> tuple[dict[str, PathEvidence], UnitWalk | None]:
        """Return the evidence by chunk, of at least k chunks if there are so many, and the best walk. `check` is called
        between the steps and may raise."""
        layers = self.graph.layers
        among = None if scope is None else layers.chunks_within(scope)[layers.sentence_chunks]
        filled = max(parameters.filled, 4 * k) if parameters.filled else 0
        near = self._near(form.vector, max(parameters.walk.nearest, filled), among)
        check()
        walker = UnitWalker(self.graph, form.vector, near, self._vectors, parameters.walk, among, check)
        walks = sorted(walker.walks(), key=lambda walk: (-walk.score, len(walk.units), walk.units))
        check()
        by_chunk: dict[int, UnitWalk] = {}
        for walk in [*walks, *self._singles(near, filled, walks)]:
            for unit in walk.units:
                by_chunk.setdefault(int(layers.sentence_chunks[unit]), walk)
        return self._scored(form, by_chunk, parameters), walks[0] if walks else None

    def subgraph(self, walk: UnitWalk) -> Subgraph:
        edges = self.graph.steps(walk.units, walk.entities)
        return Subgraph(tuple(dict.fromkeys(end for edge in edges for end in (edge.source, edge.target))), edges)

    def _near(self, vector: Vector, most: int, among: Mask | None) -> Near:
        """Return the `most` sentences with the highest cosines to the vector, best first."""
        rows, vectors = None if among is None else np.flatnonzero(among), self.part.sentence_vectors
        cosines = (vector[None] @ (vectors if rows is None else vectors[rows]).T)[0]
        best = np.array(highest(cosines, most), np.int64)
        return Near(best if rows is None else rows[best], cosines[best])

    def _vectors(self, rows: Ints) -> Vectors:
        return np.asarray(self.part.sentence_vectors.take(rows, axis=0))

    def _singles(self, near: Near, most: int, walks: Sequence[UnitWalk]) -> list[UnitWalk]:
        """Return walks of one unit each, of those nearest to the question, entered through the entity that its
        document's title names."""
        lowest = walks[-1].score if walks else 1.0
        found = []
        for unit, cosine in zip(near.units[:most].tolist(), near.cosines[:most].tolist(), strict=True):
            title = int(self.graph.titles[unit])
            entities = [title] if title >= 0 else self.graph.entities.row(unit)[:1]
            found.append(UnitWalk((unit,), tuple(entities), min(lowest, round(cosine, 6))))
        return found

    def _scored(self, form: Form, by_chunk: dict[int, UnitWalk], parameters: UnitParameters) -> dict[str, PathEvidence]:
        """Return the score of each chunk; `by_chunk` has for each the best walk that passed it."""
        chunks, ids = np.array(list(by_chunk), np.int64), self.graph.layers.chunk_ids
        cosines = (self.part.vectors.take(chunks, axis=0) @ form.vector).clip(0).tolist()
        words = self.part.words(form.text, chunks)
        shares = (1 - parameters.path) * np.array([parameters.cosine, parameters.keyword])
        shares /= parameters.cosine + parameters.keyword
        found, explained = {}, cache(self._explained)  # many chunks share a walk
        scored = zip(by_chunk.items(), cosines, (words.shares @ words.weights).tolist(), strict=True)
        for (chunk, walk), cosine, keyword in scored:
            parts = parameters.path * walk.score, shares[0] * cosine, shares[1] * keyword
            scores = dict(zip(("path", "cosine", "keyword"), map(float, parts), strict=True))
            found[ids[chunk]] = PathEvidence(sum(scores.values()), scores, partial(explained, walk))
        return found

    def _explained(self, walk: UnitWalk, beside: str) -> tuple[tuple[str, ...], str]:
        """Return the steps of a walk, and a sentence that lists its units with their documents. A walk that names a
        single entity has that entity as its only step."""
        quoted = " > ".join(f"{_cut(unit.text)} ({unit.document})" for unit in self.part.sentences(walk.units))
        if not walk.entities:
            return (), quoted
        name, steps = self.graph.name(walk.entities[0]), self.graph.steps(walk.units, walk.entities)
        start = said_by(name, self.graph.layers.sole_document(walk.entities[0]), beside)
        return tuple(map(arrow, steps)) or (f"({start})",), f"from {start}: {quoted}"


def _cut(text: str) -> str:
    text = " ".join(text.split())
    return f"“{text if len(text) <= SHOWN else text[: SHOWN - 1].rstrip() + '…'}”"
