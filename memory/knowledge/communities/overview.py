"""What the whole of a library is about: a line from each community, and how much of the library that covers."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from clew.memory.datatypes import Ints
from clew.memory.knowledge.communities.covering import NAMED, Allowed, Cover
from clew.memory.knowledge.communities.reporting import quality_of
from clew.memory.layers import Unit
from clew.memory.ports import Store

LEVEL = 0
"""The coarsest, which has as many communities as can be read; where it has more, the biggest are told of."""

NAMING, LEADS, LEAD = 0.05, 0.15, 300
"""What each of the entities in a community's name adds to a sentence that names it, and what it adds to stand within
the first characters of a document, where it says what it is about."""

NEAREST = 20
"""Sentences nearest to a report, of which the one that reads best tells it."""


@dataclass(frozen=True, slots=True)
class Part:
    """A community: its name, its most telling sentence, its `extent` in words, the `share` of the chunks that name it,
    the chunk (row) that has the sentence, its `start` in the document, and the cosine of sentence and report."""

    name: str
    telling: str
    extent: str
    share: float
    chunk: int
    start: int
    cosine: float


class Covered(NamedTuple):
    """How many communities and documents are told of, of how many in scope."""

    communities: int
    of_communities: int
    documents: int
    of_documents: int

    @property
    def note(self) -> str:
        return (
            f"{self.communities} of {self.of_communities} communities,"
            f" which name things in {self.documents} of {_counted(self.of_documents, 'document')}"
        )


def largest(cover: Cover, allowed: Allowed, most: int) -> tuple[list[int], Covered]:
    """The communities to tell of, those with the most chunks first, and what they cover."""
    there = cover.there(cover.communities.at(LEVEL), allowed)
    held = {int(community): cover.of(int(community), allowed) for community in there}
    chosen = sorted(held, key=lambda community: (-len(held[community]), community))[:most]
    chunks = np.concatenate([*(held[community] for community in chosen), np.empty(0, np.int64)]).astype(np.int64)
    return chosen, Covered(len(chosen), len(there), cover.documents(chunks), cover.documents(np.flatnonzero(allowed)))


def parts(store: Store, cover: Cover, allowed: Allowed, communities: list[int]) -> Iterator[Part]:
    """Of each community in turn. Where not all chunks are allowed, only of what these say."""
    whole = np.flatnonzero(allowed)
    one_document = cover.documents(whole) == 1
    for community in communities:
        chunks = cover.of(community, allowed)
        name = cover.name(community, allowed)
        extent = _counted(len(chunks), "passage") if one_document else _counted(cover.documents(chunks), "document")
        told = _telling(store, cover, community, chunks)
        if told:
            unit, row, cosine = told
            chunk, share = int(cover.layers.sentence_chunks[row]), len(chunks) / len(whole)
            yield Part(name, " ".join(unit.text.split()), extent, share, chunk, unit.start, cosine)


def told(parts_: list[Part]) -> str:
    """A line for each: `1. Fritz Lang, Metropolis (3 documents): Fritz Lang directed Metropolis.`"""
    lines = (f"{part.name} ({part.extent}): {part.telling}" for part in parts_)
    return "\n".join(f"{number}. {line}" for number, line in enumerate(lines, 1))


def _telling(store: Store, cover: Cover, community: int, chunks: Ints) -> tuple[Unit, int, float] | None:
    """Of the sentences of these chunks that name one of its entities (where none does, of all) one that is near to its
    report and reads well, its row and that cosine."""
    layers = cover.layers
    inside = np.isin(layers.sentence_chunks, chunks)
    held = layers.mentions[0][np.isin(layers.mentions[1], cover.communities.items[community].entities)]
    rows = np.unique(held[inside[held]])
    rows = rows if len(rows) else np.flatnonzero(inside)
    if not len(rows):
        return None
    cosines = store.unit_vectors(rows) @ cover.communities.vectors[community]
    nearest = np.argsort(-cosines, kind="stable")[:NEAREST]
    units = store.units(rows[nearest].tolist())
    central = list(cover.communities.items[community].entities[:NAMED])
    naming = layers.sentence_entities[rows[nearest]][:, central].sum(axis=1)
    reads = np.array([quality_of(one.text) + LEADS * (one.start < LEAD) for one in units])
    scores = cosines[nearest] + NAMING * naming + reads
    best = int(np.argmax(scores))
    return units[best], int(rows[nearest[best]]), float(cosines[nearest[best]])


def _counted(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"
