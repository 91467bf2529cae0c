"""The walk over knowledge units of ClueRAG's paper (arXiv 2507.08445): query-driven, pruned to a beam at each hop.

A unit is a sentence of the library. It has the entities that it names, and that which the title of its document names.
No walk goes to a heading. Dates are entities: without them less was found (docs/figures.md).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clew.memory.datatypes import Floats, Ints, Vector, Vectors
from clew.memory.knowledge.clues.triple_graph import normalise
from clew.memory.layers import Layers
from clew.memory.vectors import Ragged

TELLS_OF, NAMED_WITH = "tells of", "named with"
"""What a step is called that no relation of the library names: from a document's title to what a sentence of it names,
and between two entities of one sentence."""


@dataclass(frozen=True, slots=True)
class UnitStep:
    """`(lokesh kanagaraj) -[directed]-> (film)`, its entities by number."""

    subject: int
    label: str
    object: int


@dataclass(frozen=True, slots=True, eq=False)
class UnitGraph:
    """`units` has for each entity its units, `entities` for each unit its entities, both rising; `titles[u]` is the
    entity that the title of unit u's document names, -1 where none. `relations` are by the unit that states them."""

    layers: Layers
    units: Ragged
    entities: Ragged
    titles: Ints
    relations: Ragged

    @staticmethod
    def of(layers: Layers) -> "UnitGraph":
        count = len(layers.sentence_chunks)
        titles = layers.titles[layers.chunk_documents[layers.sentence_chunks]]
        units, entities = layers.naming
        walked = ~np.isin(units, layers.headings)
        units, entities = units[walked], entities[walked]
        return UnitGraph(
            layers=layers,
            units=Ragged.grouped(entities, len(layers.entities), units),
            entities=Ragged.grouped(units, count, entities),
            titles=titles,
            relations=Ragged.grouped(layers.stated, count),
        )

    def size(self, entities: Ints) -> Ints:
        """How many units each has; shape (entities,)."""
        return self.units.starts[entities + 1] - self.units.starts[entities]

    def entities_of(self, unit: int) -> list[int]:
        return self.entities.row(unit)

    def within(self, scope: frozenset[str]) -> NDArray[np.bool_]:
        """Which units are of documents of the scope; shape (units,)."""
        return np.asarray(self.layers.chunks_within(scope)[self.layers.sentence_chunks], dtype=bool)

    def steps(self, units: tuple[int, ...], entities: tuple[int, ...]) -> tuple[UnitStep, ...]:
        """A walk in words: from each entity by its unit to the next, and by the last unit to what that says of it.

        They are read from the end from which more steps are in their own direction, as seed 000 prints them. There is
        none where the units name one entity alone.
        """
        if not entities:
            return ()
        ends = (*entities[1:], self._end(units[-1], entities))
        hops = [(u, one, other) for u, one, other in zip(units, entities, ends, strict=True) if one != other]
        steps = [self._step(*hop) for hop in hops]
        forward = sum(step.subject == one for step, (_, one, _) in zip(steps, hops, strict=True))
        return tuple(dict.fromkeys(steps if 2 * forward >= len(steps) else steps[::-1]))

    def written(self, step: UnitStep) -> str:
        names = self.layers.entities
        return f"({normalise(names[step.subject].name)}) -[{step.label}]-> ({normalise(names[step.object].name)})"

    def _step(self, unit: int, one: int, other: int) -> UnitStep:
        """By the first relation of the unit that joins both."""
        layers = self.layers
        for relation in self.relations.row(unit):
            ends = int(layers.subjects[relation]), int(layers.objects[relation])
            if ends in ((one, other), (other, one)):
                return UnitStep(ends[0], layers.verbs[layers.verb_numbers[relation]], ends[1])
        if self.titles[unit] == other:
            one, other = other, one
        return UnitStep(one, TELLS_OF if self.titles[unit] == one else NAMED_WITH, other)

    def _end(self, unit: int, walked: tuple[int, ...]) -> int:
        """What the last unit of a walk says of the entity before: what a relation joins it with, else the rarest that
        it names; where there is no other, the entity itself."""
        new = [entity for entity in self.entities_of(unit) if entity not in walked]
        if not new:
            return walked[-1]
        joined = {
            int(end)
            for relation in self.relations.row(unit)
            for end, other in _both_ways(self.layers, relation)
            if other == walked[-1]
        }
        return min(new, key=lambda entity: (entity not in joined, int(self.size(np.array([entity]))[0]), entity))


def _both_ways(layers: Layers, relation: int) -> tuple[tuple[int, int], tuple[int, int]]:
    subject, object_ = int(layers.subjects[relation]), int(layers.objects[relation])
    return (subject, object_), (object_, subject)


Prune = Callable[[Sequence[tuple[int, ...]]], Floats]
"""Scores of shape (paths,) of paths given as their units: what a cross-encoder makes of the question and each path's
joined units. Higher is better."""

COSINE_DIGITS = 6
"""To which cosines are rounded, so that equal ones are equal however they were summed (in double precision)."""


@dataclass(frozen=True, slots=True)
class UnitWalkParameters:
    """`anchors`: the entities of so many units, the nearest to the question, are where walks begin; `per_entity`: so
    many unused units of each entity of the frontier are tried, the nearest to the running query; then that becomes
    q <- q - subtract * e(unit), of unit length again where `renormalise`. `beam` paths of at most `depth` units go on.

    An entity that more than `widest` units name is walked through those of them that are among the `nearest` to the
    question, `widest` at most, so that a name in every document costs no more than another. Of the paths that a
    cross-encoder prunes it sees the `pruned` nearest by cosine.

    The paper has 3 anchors and a beam of 5; docs/figures.md has what both find.
    """

    anchors: int = 5
    per_entity: int = 3
    beam: int = 10
    depth: int = 3
    subtract: float = 1.0
    renormalise: bool = False
    widest: int = 128
    nearest: int = 1000
    pruned: int = 30


@dataclass(frozen=True, slots=True)
class UnitWalk:
    """`entities[i]` is the one through which `units[i]` was entered. `score` is the cross-encoder's; without one it is
    the cosine of the question with the sum of the units' vectors."""

    units: tuple[int, ...]
    entities: tuple[int, ...]
    score: float


@dataclass(frozen=True, slots=True, eq=False)
class Near:
    """The units nearest to the question, best first, with their cosines; both of shape (n,)."""

    units: Ints
    cosines: NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class _Beam:
    """Walks, with the running query and the sum of the units' vectors of each, of shape (walks, d)."""

    walks: list[UnitWalk]
    queries: Floats
    sums: Floats


@dataclass(frozen=True, slots=True, eq=False)
class _Tried:
    """Longer paths: walk `rows[i]` through `entities[i]` to `units[i]`, whose vector is `vectors[i]`."""

    rows: Ints
    entities: Ints
    units: Ints
    vectors: Floats

    def only(self, places: Ints) -> "_Tried":
        return _Tried(self.rows[places], self.entities[places], self.units[places], self.vectors[places])


class UnitWalker:
    """Walks for one question. `vectors_of` gives the vectors of units, shape (units, d); `among`, of shape (units,),
    says which may be walked (None: all); `check` is called before each hop, and may raise."""

    def __init__(
        self,
        graph: UnitGraph,
        question: Vector,
        near: Near,
        vectors_of: Callable[[Ints], Vectors],
        parameters: UnitWalkParameters,
        among: NDArray[np.bool_] | None = None,
        prune: Prune | None = None,
        check: Callable[[], None] = lambda: None,
    ) -> None:
        self._graph, self._question, self._vectors_of = graph, question.astype(np.float64), vectors_of
        self._parameters, self._among, self._prune, self._check = parameters, among, prune, check
        self._near = near.units[: parameters.nearest]
        self._anchors = near.units[: parameters.anchors]

    def walks(self) -> list[UnitWalk]:
        """Those that were in the beam after any hop, shorter ones first, best first; a dead end is a finished path."""
        found: list[UnitWalk] = []
        beam = _Beam([UnitWalk((), (), 0.0)], self._question[None], np.zeros_like(self._question[None]))
        rows, entities = self._begin()
        for _ in range(self._parameters.depth):
            self._check()
            beam = self._longer(beam, rows, entities)
            if not beam.walks:
                break
            found += beam.walks
            rows, entities = self._frontier(beam.walks)
        return found

    def _begin(self) -> tuple[Ints, Ints]:
        named = dict.fromkeys(entity for unit in self._anchors.tolist() for entity in self._graph.entities_of(unit))
        return np.zeros(len(named), np.int64), np.array(list(named), np.int64)

    def _frontier(self, walks: Sequence[UnitWalk]) -> tuple[Ints, Ints]:
        """The entities that the last units lead to, none that a walk came through; with the places of the walks."""
        pairs = [
            (row, entity)
            for row, walk in enumerate(walks)
            for entity in self._graph.entities_of(walk.units[-1])
            if entity not in walk.entities
        ]
        rows, entities = np.array(pairs, np.int64).reshape(-1, 2).T
        return rows, entities

    def _longer(self, beam: _Beam, rows: Ints, entities: Ints) -> _Beam:
        tried = self._tried(beam, rows, entities)
        sums = beam.sums[tried.rows] + tried.vectors
        lengths = np.linalg.norm(sums, axis=1).clip(1e-12)
        cosines = np.round(sums @ self._question / lengths, COSINE_DIGITS)
        places, scores = self._best(beam.walks, tried, cosines)
        kept, vectors = tried.only(places), tried.vectors[places]
        walks = [
            UnitWalk((*beam.walks[row].units, unit), (*beam.walks[row].entities, entity), score)
            for row, entity, unit, score in zip(
                kept.rows.tolist(), kept.entities.tolist(), kept.units.tolist(), scores, strict=True
            )
        ]
        return _Beam(walks, self._subtracted(beam.queries[kept.rows], vectors), sums[places])

    def _tried(self, beam: _Beam, rows: Ints, entities: Ints) -> _Tried:
        """For each place of the frontier the `per_entity` unused units nearest to its running query."""
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
        """The places in `entities` and the units there; of an entity with very many those nearest to the question."""
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

    def _best(self, walks: Sequence[UnitWalk], tried: _Tried, cosines: Floats) -> tuple[Ints, list[float]]:
        """The places of the `beam` best and their scores; of paths of the same units the first, by score, row, unit."""
        order = np.lexsort((tried.entities, tried.units, tried.rows, -cosines)).tolist()
        paths: dict[frozenset[int], int] = {}
        for place in order:
            paths.setdefault(frozenset((*walks[tried.rows[place]].units, int(tried.units[place]))), place)
        places, scores = list(paths.values()), cosines
        if self._prune is not None and places:
            places = places[: max(self._parameters.pruned, self._parameters.beam)]
            scores = cosines.copy()
            joined = [(*walks[tried.rows[place]].units, int(tried.units[place])) for place in places]
            scores[places] = np.round(self._prune(joined), COSINE_DIGITS)
            places.sort(key=lambda place: -scores[place])
        best = np.array(places[: self._parameters.beam], np.int64)
        return best, scores[best].tolist()

    def _subtracted(self, queries: Floats, vectors: Floats) -> Floats:
        """q <- q - e(unit)."""
        left = queries - self._parameters.subtract * vectors
        if self._parameters.renormalise:
            left /= np.linalg.norm(left, axis=1, keepdims=True).clip(1e-12)
        return left
