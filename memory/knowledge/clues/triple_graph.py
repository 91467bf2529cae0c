"""The triples of a library as a graph: entities and relations by number, the edges of an entity as arrays.

The order does not depend on the order of the triples: entities and relations are sorted, edges by their three parts.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from clew.memory.datatypes import Ints, Triple
from clew.memory.knowledge.extraction.aliases import normalised
from clew.memory.vectors import Ragged

Key = tuple[str, str, str]

AROUND = " \t\n,;:!?\"'`“”‘’«»„"
"""What is stripped around an entity or a relation. A full stop stays: it may belong to a name."""

_SIGNS = re.compile(r"[+#*°%$€£]|(?<!\w)[-−]\d|\w[-−](?!\w)")


@dataclass(frozen=True, slots=True, eq=False)
class TripleGraph:
    """Edge e is `entities[subjects[e]] -[relations[kinds[e]]]-> entities[objects[e]]`, said by the chunks `chunks[e]`.

    The ways to write a name that have one key (`entity_key`) are one entity: `names` has it as it was most often
    written, and `entities` that normalised, as `relations` are. `skipped` triples lacked one of their parts, `merged`
    ones were there before, perhaps from another chunk.
    """

    entities: tuple[str, ...]
    names: tuple[str, ...]
    relations: tuple[str, ...]
    subjects: Ints
    kinds: Ints
    objects: Ints
    chunks: tuple[tuple[str, ...], ...]
    skipped: int
    merged: int
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

    def written(self, edge: int) -> str:
        """`(lokesh kanagaraj) -[directed]-> (film)`."""
        subject, object_ = self.entities[self.subjects[edge]], self.entities[self.objects[edge]]
        return f"({subject}) -[{self.relations[self.kinds[edge]]}]-> ({object_})"


def normalise(text: str) -> str:
    """Lower case, letters composed, single spaces, no punctuation around."""
    return " ".join(unicodedata.normalize("NFC", text.lower()).split()).strip(AROUND)


def entity_key(name: str) -> str:
    """One for `Dr. B. R. Ambedkar` and `B.R. Ambedkar`; of a name with a sign that the key would lose (`C++`, `A-`) its
    own."""
    own = normalise(name)
    return own if _SIGNS.search(own) else normalised(own) or own


def written_out(triples: Iterable[Sequence[str]]) -> list[str]:
    """Each triple as a line of text, the same ones once."""
    lines: dict[tuple[str, ...], str] = {}
    for triple in triples:
        lines.setdefault(tuple(map(normalise, triple)), f"{' '.join(triple)}.")
    return list(lines.values())


def triple_graph(triples: Iterable[Triple]) -> TripleGraph:
    """The graph of the triples that have three parts, the same ones merged."""
    chunks: dict[Key, set[str]] = {}
    names: dict[str, Counter[str]] = {}
    read = skipped = 0
    key_of = cache(entity_key)
    for triple in triples:
        read += 1
        key = key_of(triple.subject), normalise(triple.relation), key_of(triple.object)
        if not all(key):
            skipped += 1
            continue
        chunks.setdefault(key, set()).update([triple.chunk] if triple.chunk else [])
        for entity, written in ((key[0], triple.subject), (key[2], triple.object)):
            names.setdefault(entity, Counter())[" ".join(written.split()).strip(AROUND)] += 1
    return _graph(chunks, names, skipped, read - skipped - len(chunks))


def _graph(chunks: dict[Key, set[str]], names: dict[str, Counter[str]], skipped: int, merged: int) -> TripleGraph:
    shown = {key: _most_often(written) for key, written in names.items()}
    ordered = sorted(shown, key=lambda key: (normalise(shown[key]), key))
    entity_number = {key: number for number, key in enumerate(ordered)}
    keys = sorted(chunks, key=lambda key: (entity_number[key[0]], key[1], entity_number[key[2]]))
    relations = sorted({relation for _, relation, _ in keys})
    relation_number = {relation: number for number, relation in enumerate(relations)}
    subjects = np.array([entity_number[subject] for subject, _, _ in keys], np.int64)
    objects = np.array([entity_number[object_] for _, _, object_ in keys], np.int64)
    return TripleGraph(
        entities=tuple(normalise(shown[key]) for key in ordered),
        names=tuple(shown[key] for key in ordered),
        relations=tuple(relations),
        subjects=subjects,
        kinds=np.array([relation_number[relation] for _, relation, _ in keys], np.int64),
        objects=objects,
        chunks=tuple(tuple(sorted(chunks[key])) for key in keys),
        skipped=skipped,
        merged=merged,
        outgoing=Ragged.grouped(subjects, len(ordered)),
        incoming=Ragged.grouped(objects, len(ordered)),
    )


def _most_often(written: Counter[str]) -> str:
    """Of as many times the first in the alphabet."""
    return min(written, key=lambda name: (-written[name], name))
