"""What the whole of a library is about: a line from each community, and how much of the library that covers."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from memory.knowledge.communities.covering import Allowed, Cover
from memory.layers import Ints
from memory.ports import Store
from memory.sentences import split

LEVEL = 0
"""The coarsest, which has as many communities as can be read; where it has more, the biggest are told of."""

NAMED = 3
"""Entities by which a community is told in a scope."""


@dataclass(frozen=True, slots=True)
class Part:
    """A community: its name, its most telling sentence, its `extent` in words, the `share` of the chunks that name it,
    the chunk (row) that is nearest to its report, and that cosine."""

    name: str
    telling: str
    extent: str
    share: float
    chunk: int
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
        cosines = (
            store.vectors([cover.layers.chunk_ids[chunk] for chunk in chunks]) @ cover.communities.vectors[community]
        )
        name, telling = _whole(cover, community) if allowed.all() else _scoped(store, cover, community, chunks)
        best = int(np.argmax(cosines))
        extent = _counted(len(chunks), "passage") if one_document else _counted(cover.documents(chunks), "document")
        yield Part(name, telling, extent, len(chunks) / len(whole), int(chunks[best]), float(cosines[best]))


def told(parts_: list[Part]) -> str:
    """A line for each: `1. Fritz Lang, Metropolis (3 documents): Fritz Lang directed Metropolis.`"""
    lines = (f"{part.name} ({part.extent}): {part.telling}" for part in parts_)
    return "\n".join(f"{number}. {line}" for number, line in enumerate(lines, 1))


def _whole(cover: Cover, community: int) -> tuple[str, str]:
    one = cover.communities.items[community]
    return one.name, one.report[slice(*split(one.report)[0])]


def _scoped(store: Store, cover: Cover, community: int, chunks: Ints) -> tuple[str, str]:
    """Its entities and its sentence nearest to the report, of these chunks alone."""
    one = cover.communities.items[community]
    named = np.asarray(cover.layers.chunk_entities[chunks].sum(axis=0)).reshape(-1) > 0
    names = dict.fromkeys(" ".join(cover.layers.entities[e].name.split()) for e in one.entities if named[e])
    rows = np.flatnonzero(np.isin(cover.layers.sentence_chunks, chunks))
    if not len(rows):
        return ", ".join(list(names)[:NAMED]), ""
    nearest = rows[np.argmax(store.unit_vectors(rows) @ cover.communities.vectors[community])]
    return ", ".join(list(names)[:NAMED]), " ".join(store.units([int(nearest)])[0].text.split())


def _counted(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"
