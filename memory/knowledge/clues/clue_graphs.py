"""The graphs that the tool `clues` walks: the triples of a library, and its sentences with the entities in them.

Entities and relations are numbers, the edges of an entity arrays. The order of a graph of triples does not depend on
theirs: entities and relations are sorted, edges by their three parts.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from clew.memory.datatypes import Edge, Ints, Triple
from clew.memory.knowledge.extraction.aliases import normalised
from clew.memory.layers import Layers
from clew.memory.vectors import Ragged

Key = tuple[str, str, str]

AROUND = " \t\n,;:!?\"'`“”‘’«»„"
"""What is stripped around an entity or a relation. A full stop stays: it may belong to a name."""

_SIGNS = re.compile(r"[+#*°%$€£]|(?<!\w)[-−]\d|\w[-−](?!\w)")


@dataclass(frozen=True, slots=True, eq=False)
class TripleGraph:
    """Edge e is `entities[subjects[e]] -[relations[kinds[e]]]-> entities[objects[e]]`; the chunks `chunks[e]` state it.

    The ways to write a name that have one key (`entity_key`) are one entity: `names` has its commonest spelling, and
    `entities` that normalised, as `relations` are.
    """

    entities: tuple[str, ...]
    names: tuple[str, ...]
    relations: tuple[str, ...]
    subjects: Ints
    kinds: Ints
    objects: Ints
    chunks: tuple[tuple[str, ...], ...]
    outgoing: Ragged
    incoming: Ragged

    def edges_of(self, nodes: Ints) -> tuple[Ints, Ints, Ints]:
        """The edges that leave or enter each of `nodes`: their places in `nodes`, the edges, and the nodes at the other
        end, each of shape (edges found,). An edge from a node to itself comes once."""
        out_edges, out_rows = self.outgoing.of(nodes)
        in_edges, in_rows = self.incoming.of(nodes)
        other = self.subjects[in_edges] != self.objects[in_edges]
        in_rows, in_edges = in_rows[other], in_edges[other]
        rows, edges = np.concatenate([out_rows, in_rows]), np.concatenate([out_edges, in_edges])
        return rows, edges, np.concatenate([self.objects[out_edges], self.subjects[in_edges]])

    def edge(self, number: int) -> Edge:
        subject, object_ = self.entities[self.subjects[number]], self.entities[self.objects[number]]
        return Edge(subject, object_, self.relations[self.kinds[number]])


def arrow(edge: Edge) -> str:
    """`(lokesh kanagaraj) -[directed]-> (film)`."""
    return f"({edge.source}) -[{edge.relation}]-> ({edge.target})"


def normalise(text: str) -> str:
    """Lower case, letters composed, single spaces, no punctuation around."""
    return " ".join(unicodedata.normalize("NFC", text.lower()).split()).strip(AROUND)


def entity_key(name: str) -> str:
    """One for `Dr. B. R. Ambedkar` and `B.R. Ambedkar`; of a name with a sign that the key would lose (`C++`, `A-`) its
    own."""
    own = normalise(name)
    return own if _SIGNS.search(own) else normalised(own) or own


def triple_lines(triples: Iterable[Sequence[str]]) -> list[str]:
    """Each triple as a line of text, the same ones once."""
    lines: dict[tuple[str, ...], str] = {}
    for triple in triples:
        lines.setdefault(tuple(map(normalise, triple)), f"{' '.join(triple)}.")
    return list(lines.values())


def triple_graph(triples: Iterable[Triple]) -> TripleGraph:
    """The graph of the triples that have three parts, the same ones merged."""
    chunks: dict[Key, set[str]] = {}
    spellings: dict[str, Counter[str]] = {}
    key_of = cache(entity_key)
    for triple in triples:
        key = key_of(triple.subject), normalise(triple.relation), key_of(triple.object)
        if all(key):
            chunks.setdefault(key, set()).update([triple.chunk] if triple.chunk else [])
            for entity, name in ((key[0], triple.subject), (key[2], triple.object)):
                spellings.setdefault(entity, Counter())[" ".join(name.split()).strip(AROUND)] += 1
    names = {key: min(counts, key=lambda name: (-counts[name], name)) for key, counts in spellings.items()}
    ordered = sorted(names, key=lambda key: (normalise(names[key]), key))
    number_of = {key: number for number, key in enumerate(ordered)}
    edges = sorted(chunks, key=lambda key: (number_of[key[0]], key[1], number_of[key[2]]))
    relations = sorted({relation for _, relation, _ in edges})
    kind_of = {relation: number for number, relation in enumerate(relations)}
    subjects = np.array([number_of[subject] for subject, _, _ in edges], np.int64)
    objects = np.array([number_of[object_] for _, _, object_ in edges], np.int64)
    return TripleGraph(
        entities=tuple(normalise(names[key]) for key in ordered),
        names=tuple(names[key] for key in ordered),
        relations=tuple(relations),
        subjects=subjects,
        kinds=np.array([kind_of[relation] for _, relation, _ in edges], np.int64),
        objects=objects,
        chunks=tuple(tuple(sorted(chunks[key])) for key in edges),
        outgoing=Ragged.grouped(subjects, len(ordered)),
        incoming=Ragged.grouped(objects, len(ordered)),
    )


TELLS_OF, NAMED_WITH = "tells of", "named with"
"""What a step is called that no relation of the library names: from a document's title to what a sentence of it names,
and between two entities of one sentence."""


class UnitGraph:
    """`units` has for each entity its units, `entities` for each unit its entities, both rising; `titles[u]` is the
    entity that the title of unit u's document names, -1 where none. `relations` are by the unit that states them."""

    def __init__(self, layers: Layers) -> None:
        units, entities = layers.naming
        walked = ~np.isin(units, layers.headings)
        units, entities = units[walked], entities[walked]
        self.layers = layers
        self.titles: Ints = layers.titles[layers.chunk_documents[layers.sentence_chunks]]
        self.units = Ragged.grouped(entities, len(layers.entities), units)
        self.entities = Ragged.grouped(units, len(self.titles), entities)
        self.relations = Ragged.grouped(layers.stated, len(self.titles))

    def size(self, entities: Ints) -> Ints:
        """How many units each has; shape (entities,)."""
        return self.units.starts[entities + 1] - self.units.starts[entities]

    def name(self, entity: int) -> str:
        return normalise(self.layers.entities[entity].name)

    def within(self, scope: frozenset[str]) -> NDArray[np.bool_]:
        """Which units are of documents of the scope; shape (units,)."""
        return np.asarray(self.layers.chunks_within(scope)[self.layers.sentence_chunks], dtype=bool)

    def steps(self, units: tuple[int, ...], entities: tuple[int, ...]) -> tuple[Edge, ...]:
        """A walk in words: from each entity by its unit to the next, and by the last unit to another one that it names.

        They are read from the end from which more steps are in their own direction, as seed 000 prints them. There is
        none where the units name one entity alone.
        """
        if not entities:
            return ()
        ends = (*entities[1:], self._end(units[-1], entities))
        hops = [(u, one, other) for u, one, other in zip(units, entities, ends, strict=True) if one != other]
        steps = [self._step(*hop) for hop in hops]
        forward = sum(subject == one for (subject, _, _), (_, one, _) in zip(steps, hops, strict=True))
        ordered = dict.fromkeys(steps if 2 * forward >= len(steps) else steps[::-1])
        return tuple(Edge(self.name(subject), self.name(object_), label) for subject, label, object_ in ordered)

    def _step(self, unit: int, one: int, other: int) -> tuple[int, str, int]:
        """Subject, label and object: by the first relation of the unit that joins both."""
        for relation in self.relations.row(unit):
            ends = self._ends(relation)
            if ends in ((one, other), (other, one)):
                return ends[0], self.layers.verbs[self.layers.verb_numbers[relation]], ends[1]
        if self.titles[unit] == other:
            one, other = other, one
        return one, TELLS_OF if self.titles[unit] == one else NAMED_WITH, other

    def _end(self, unit: int, walked: tuple[int, ...]) -> int:
        """Of what the last unit of a walk names besides: what a relation joins with the entity before, else the rarest;
        where there is no other, the entity itself."""
        joined = {end for r in self.relations.row(unit) if walked[-1] in (ends := self._ends(r)) for end in ends}
        new = (entity for entity in self.entities.row(unit) if entity not in walked)
        rarest_first = sorted(new, key=lambda entity: (entity not in joined, len(self.units.row(entity)), entity))
        return rarest_first[0] if rarest_first else walked[-1]

    def _ends(self, relation: int) -> tuple[int, int]:
        return int(self.layers.subjects[relation]), int(self.layers.objects[relation])
