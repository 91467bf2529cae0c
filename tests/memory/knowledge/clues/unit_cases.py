"""Small layers of units and entities with vectors, and the paper's walk over them one unit at a time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from clew.memory.datatypes import Floats, Ints, Vector, Vectors
from clew.memory.knowledge.clues.clue_index import UnitGraph
from clew.memory.knowledge.clues.unit_search import Near, UnitParameters, UnitWalk, UnitWalker, UnitWalkParameters
from clew.memory.knowledge.layers import Entity, Layers

Relation = tuple[str, str, str, int]
"""Subject, verb, object, and the unit that states it."""


PAPER = UnitWalkParameters(anchors=3, beam=5)
AS_IN_THE_PAPER = UnitParameters(PAPER, path=1.0, filled=0)
"""The walk of ClueRAG's paper."""


def layers_of(units: Sequence[Sequence[str]], titles: Sequence[str] = (), relations: Sequence[Relation] = ()) -> Layers:
    """Each unit, in a chunk and a document of its own, by the names in it; `titles` of the documents (`-`: none)."""
    names = sorted({name for unit in units for name in unit} | ({*titles} - {"-"}))
    number = {name: place for place, name in enumerate(names)}
    pairs = sorted({(unit, number[name]) for unit, named in enumerate(units) for name in named})
    ids = tuple(f"d{place}" for place in range(len(units)))
    verbs = tuple(sorted({verb for _, verb, _, _ in relations}))
    return Layers(
        chunk_ids=tuple(f"{id_}#0" for id_ in ids),
        document_ids=ids,
        chunk_documents=np.arange(len(units)),
        sentence_chunks=np.arange(len(units)),
        mentions=np.array(pairs, np.int64).reshape(-1, 2).T,
        entities=tuple(Entity(name.lower(), name, "name") for name in names),
        titles=np.array([number.get(title, -1) for title in titles or ["-"] * len(units)], np.int64),
        subjects=np.array([number[one] for one, _, _, _ in relations], np.int64),
        verb_numbers=np.array([verbs.index(verb) for _, verb, _, _ in relations], np.int64),
        objects=np.array([number[other] for _, _, other, _ in relations], np.int64),
        stated=np.array([unit for _, _, _, unit in relations], np.int64),
        given=np.zeros(len(relations), dtype=bool),
        verbs=verbs,
    )


def unit_rows(vectors: ArrayLike) -> Vectors:
    rows = np.array(vectors, np.float32)
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


def near(question: Vector, vectors: Vectors, most: int = 1000) -> Near:
    cosines = vectors @ question
    units = np.argsort(-cosines, kind="stable")[:most]
    return Near(units, cosines[units])


def walked(
    layers: Layers,
    vectors: Vectors,
    question: Vector,
    parameters: UnitWalkParameters,
    among: Sequence[int] | None = None,
) -> list[UnitWalk]:
    def vectors_of(rows: Ints) -> Vectors:
        return vectors[rows]

    mask = None if among is None else np.isin(np.arange(len(vectors)), among)
    allowed = near(question, vectors)
    if mask is not None:
        allowed = Near(allowed.units[mask[allowed.units]], allowed.cosines[mask[allowed.units]])
    return UnitWalker(UnitGraph(layers), question, allowed, vectors_of, parameters, mask).walks()


@dataclass(frozen=True, slots=True, eq=False)
class Reference:
    """The paper, word for word: lists, one unit of one entity of one path at a time."""

    named: Mapping[int, set[int]]
    vectors: Floats
    question: Floats
    parameters: UnitWalkParameters
    allowed: set[int]

    @staticmethod
    def of(
        layers: Layers,
        vectors: Vectors,
        question: Vector,
        parameters: UnitWalkParameters,
        among: Sequence[int] | None = None,
    ) -> "Reference":
        named: dict[int, set[int]] = {unit: set() for unit in range(len(vectors))}
        for unit, entity in layers.mentions.T.tolist():
            named[unit].add(entity)
        for unit in named:
            title = int(layers.titles[layers.chunk_documents[layers.sentence_chunks[unit]]])
            named[unit] |= {title} - {-1}
        allowed = set(range(len(vectors))) if among is None else set(among)
        return Reference(named, vectors.astype(np.float64), question.astype(np.float64), parameters, allowed)

    def score(self, units: Sequence[int]) -> float:
        total = sum((self.vectors[unit] for unit in units), np.zeros_like(self.question))
        return round(float(total @ self.question / np.linalg.norm(total)), 6)

    def running(self, units: Sequence[int]) -> Floats:
        query = self.question.copy()
        for unit in units:
            query = query - self.parameters.subtract * self.vectors[unit]
        return query

    def walks(self) -> list[UnitWalk]:
        p = self.parameters
        nearest = sorted(self.allowed, key=lambda unit: (-round(float(self.vectors[unit] @ self.question), 6), unit))
        beam = [UnitWalk((), (), 0.0)]
        found: list[UnitWalk] = []
        for hop in range(p.depth):
            longer = []
            for row, walk in enumerate(beam):
                frontier = (
                    self.named[walk.units[-1]] - set(walk.entities)
                    if hop
                    else {entity for unit in nearest[: p.anchors] for entity in self.named[unit]}
                )
                for entity in sorted(frontier):
                    query = self.running(walk.units)
                    unused = [u for u in self.allowed if entity in self.named[u] and u not in walk.units]
                    unused.sort(key=lambda unit: (-round(float(self.vectors[unit] @ query), 6), unit))
                    for unit in unused[: p.per_entity]:
                        units = (*walk.units, unit)
                        made = UnitWalk(units, (*walk.entities, entity), self.score(units))
                        longer.append((-made.score, row, unit, entity, made))
            longer.sort(key=lambda one: one[:4])
            kept: dict[frozenset[int], UnitWalk] = {}
            for *_, made in longer:
                kept.setdefault(frozenset(made.units), made)
            beam = list(kept.values())[: p.beam]
            found += beam
        return found
