"""Questions about a library as a whole: whether one is asked, which chunks the communities cover, a line from each."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from clew.memory.datatypes import Ints
from clew.memory.knowledge.communities.reports import quality_of
from clew.memory.layers import Unit
from clew.memory.ports import Graph
from clew.memory.text import content_words, word_lists, words


def asks_for_the_whole(question: str) -> bool:
    """Whether a question is about the library as a whole: 'What is this collection about?', 'Summarise everything.'

    It has no word but those listed in `overview.txt`: one with a name or another word of its own is about that.
    """
    stems, spoken = set(content_words(question)), set(words(question))
    lists = _vocabulary()
    if "what" in spoken and spoken <= lists["in here"]:
        return {"in", "here"} <= spoken
    whole = lists["holders"] | lists["summaries"]
    return bool(stems & whole or spoken & {"all", "everything"}) and stems <= whole | lists["around"]


@cache
def _vocabulary() -> dict[str, frozenset[str]]:
    """The lists of `overview.txt`: stems of content words, and the words of `in here` as they are."""
    lists = word_lists(Path(__file__).with_suffix(".txt"))
    stems = {name: frozenset(content_words(" ".join(listed))) for name, listed in lists.items()}
    return stems | {"in here": frozenset(lists["in here"])}


NAMED = 3
"""Entities in the name of a community within a scope."""

Allowed = NDArray[np.bool_]
"""Whether each chunk may be found; shape (chunks,)."""


class Cover:
    """Which chunks each community covers: those that name one of its entities (C_r of equation 5).

    `chunks[c, g]` is above 0 where community c covers chunk g; shape (communities, chunks).
    """

    def __init__(self, graph: Graph) -> None:
        from scipy.sparse import csr_array

        self.layers, self.communities = graph.layers, graph.communities
        members = self.communities.members(len(self.layers.entities))
        self.chunks = csr_array(members @ self.layers.chunk_entities.T)

    def of(self, community: int, allowed: Allowed) -> Ints:
        """The allowed chunks of a community, rising."""
        held = self.chunks.indices[self.chunks.indptr[community] : self.chunks.indptr[community + 1]]
        return np.sort(held[allowed[held]]).astype(np.int64)

    def name(self, community: int, allowed: Allowed) -> str:
        """The community's own name; where not all chunks are allowed, those of its entities that they name."""
        one = self.communities.items[community]
        if allowed.all():
            return one.name
        held = self.layers.chunk_entities[self.of(community, allowed)]
        named = np.asarray(held.sum(axis=0)).reshape(-1) > 0
        names = (" ".join(self.layers.entities[e].name.split()) for e in one.entities if named[e])
        return ", ".join(list(dict.fromkeys(names))[:NAMED])

    def there(self, communities: Ints, allowed: Allowed) -> Ints:
        """Those of `communities` that have an allowed chunk."""
        held: Allowed = self.chunks[communities] @ allowed.astype(np.float64) > 0
        return communities[held]

    def documents(self, chunks: Ints) -> int:
        """The number of documents that these chunks belong to."""
        return len(np.unique(self.layers.chunk_documents[chunks]))


LEVEL = 0
"""The level of an overview: the coarsest, with as many communities as a person reads."""

NAMING, LEADS, LEAD = 0.05, 0.15, 300
"""What a sentence gains for each entity of the community's name that it names (`NAMING`), and for standing within the
first `LEAD` characters of its document (`LEADS`)."""

NEAREST = 20
"""Sentences nearest to a report among which that of the summary is chosen."""


@dataclass(frozen=True, slots=True)
class CommunitySummary:
    """A community in one `sentence`. `extent` is its size in words, `share` the share of the chunks that it covers,
    `chunk` the number of the chunk with the sentence, `start` the sentence's first character in the document, `cosine`
    that of sentence and report."""

    name: str
    sentence: str
    extent: str
    share: float
    chunk: int
    start: int
    cosine: float


def largest(cover: Cover, allowed: Allowed, most: int) -> tuple[list[int], str]:
    """The communities with the most chunks, and a note of how many they are and how many documents they name."""
    there = cover.there(cover.communities.at(LEVEL), allowed)
    held = {int(community): cover.of(int(community), allowed) for community in there}
    chosen = sorted(held, key=lambda community: (-len(held[community]), community))[:most]
    chunks = np.concatenate([*(held[community] for community in chosen), np.empty(0, np.int64)]).astype(np.int64)
    documents, of_documents = cover.documents(chunks), cover.documents(np.flatnonzero(allowed))
    note = f"which name things in {documents} of {_counted(of_documents, 'document')}"
    return chosen, f"{len(chosen)} of {len(there)} communities, {note}"


def summaries(graph: Graph, cover: Cover, allowed: Allowed, communities: list[int]) -> Iterator[CommunitySummary]:
    """Of each community in turn, from the allowed chunks alone."""
    whole = np.flatnonzero(allowed)
    one_document = cover.documents(whole) == 1
    for community in communities:
        chunks = cover.of(community, allowed)
        name = cover.name(community, allowed)
        extent = _counted(len(chunks), "passage") if one_document else _counted(cover.documents(chunks), "document")
        found = _best_sentence(graph, cover, community, chunks)
        if found:
            unit, row, cosine = found
            chunk, share = int(cover.layers.sentence_chunks[row]), len(chunks) / len(whole)
            yield CommunitySummary(name, " ".join(unit.text.split()), extent, share, chunk, unit.start, cosine)


def numbered_lines(parts: Sequence[CommunitySummary]) -> str:
    """A line for each: `1. Fritz Lang, Metropolis (3 documents): Fritz Lang directed Metropolis.`"""
    lines = (f"{part.name} ({part.extent}): {part.sentence}" for part in parts)
    return "\n".join(f"{number}. {line}" for number, line in enumerate(lines, 1))


def _best_sentence(graph: Graph, cover: Cover, community: int, chunks: Ints) -> tuple[Unit, int, float] | None:
    """Of the sentences of these chunks that name one of its entities (where none does, of all) the best by its cosine
    with the report and by how well it reads; with its row and that cosine."""
    layers = cover.layers
    inside = np.isin(layers.sentence_chunks, chunks)
    held = layers.mentions[0][np.isin(layers.mentions[1], cover.communities.items[community].entities)]
    rows = np.unique(held[inside[held]])
    rows = rows if len(rows) else np.flatnonzero(inside)
    if not len(rows):
        return None
    cosines = graph.sentence_vectors.take(rows, axis=0) @ cover.communities.vectors[community]
    nearest = np.argsort(-cosines, kind="stable")[:NEAREST]
    units = graph.sentences(rows[nearest].tolist())
    central = list(cover.communities.items[community].entities[:NAMED])
    naming = layers.sentence_entities[rows[nearest]][:, central].sum(axis=1)
    reads = np.array([quality_of(one.text) + LEADS * (one.start < LEAD) for one in units])
    scores = cosines[nearest] + NAMING * naming + reads
    best = int(np.argmax(scores))
    return units[best], int(rows[nearest[best]]), float(cosines[nearest[best]])


def _counted(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"
