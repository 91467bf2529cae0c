"""Knowledge units and the entities that they name, as two tables to walk through (ClueRAG's paper, arXiv 2507.08445).

A unit is a sentence of the library. It names what it says, and it is about what the title of its document names. No
walk goes to a heading, which says nothing. Dates stay: without them less was found (docs/figures.md).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clew.memory.datatypes import Ints
from clew.memory.knowledge.triples import normalise
from clew.memory.layers import Layers
from clew.memory.ragged import Ragged

TELLS_OF, NAMED_WITH = "tells of", "named with"
"""What a step is called that no relation of the library names: from a document's title to what a sentence of it names,
and between two entities of one sentence."""


@dataclass(frozen=True, slots=True)
class Step:
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

    def steps(self, units: tuple[int, ...], entities: tuple[int, ...]) -> tuple[Step, ...]:
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

    def written(self, step: Step) -> str:
        names = self.layers.entities
        return f"({normalise(names[step.subject].name)}) -[{step.label}]-> ({normalise(names[step.object].name)})"

    def _step(self, unit: int, one: int, other: int) -> Step:
        """By the first relation of the unit that joins both."""
        layers = self.layers
        for relation in self.relations.row(unit):
            ends = int(layers.subjects[relation]), int(layers.objects[relation])
            if ends in ((one, other), (other, one)):
                return Step(ends[0], layers.verbs[layers.verb_numbers[relation]], ends[1])
        if self.titles[unit] == other:
            one, other = other, one
        return Step(one, TELLS_OF if self.titles[unit] == one else NAMED_WITH, other)

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
