"""Questions about a library as a whole: whether one is asked, which chunks the communities cover, a line from each."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clew.memory.communities import Communities
from clew.memory.datatypes import Ints
from clew.memory.knowledge.communities.reports import quality_of
from clew.memory.layers import Layers, Unit
from clew.memory.ports import Store
from clew.memory.words import content_words, words

if TYPE_CHECKING:
    from scipy.sparse import csr_array

HOLDERS = """
collection library document documents text texts corpus file files archive material materials content contents data
book books paper papers article articles report reports everything all whole overall entire dataset page pages notes
"""
"""What can hold the whole; a question has to name one of these, or what it asks of it."""

ASKED = """
theme themes topic topics subject subjects summary summarize summarise summarizing summarising overview gist outline
"""

AROUND = """
main key major central important big broad general common different idea ideas issue issues point points question
questions area areas kind kinds sort sorts type types cover covers covered contain contains contained include includes
included deal deals discuss discusses discussed say says talk talks treat treats present information give list show
find found read knowledge know short brief briefly quick quickly here there about mainly mostly overall generally
together across indexed uploaded loaded
"""


IN_HERE = frozenset("so what is are all do does you we i have has got there in here then now".split())
"""All that a question may be made of that asks what is 'in here'."""


def asks_for_the_whole(question: str) -> bool:
    """A question with any word of its own, such as a name, is about that and not about the whole."""
    asked, said = set(content_words(question)), set(words(question))
    if "what" in said and said <= IN_HERE:
        return {"in", "here"} <= said
    core = asked & (_stems(HOLDERS) | _stems(ASKED)) or said & {"all", "everything"}
    return bool(core) and asked <= _stems(HOLDERS) | _stems(ASKED) | _stems(AROUND)


@cache
def _stems(vocabulary: str) -> frozenset[str]:
    return frozenset(content_words(vocabulary))


NAMED = 3
"""Entities by which a community is told in a scope."""

Allowed = NDArray[np.bool_]
"""Of each chunk whether it may be found; shape (chunks,)."""


@dataclass(frozen=True, slots=True, eq=False)
class Cover:
    """`chunks[c, g]` is above 0 where chunk g names an entity of community c; shape (communities, chunks)."""

    layers: Layers
    communities: Communities
    chunks: "csr_array"

    def within(self, scope: frozenset[str] | None) -> Allowed:
        """The chunks of the documents in scope."""
        return self.layers.chunks_within(scope)

    def of(self, community: int, allowed: Allowed) -> Ints:
        """Its chunks, rising."""
        held = self.chunks.indices[self.chunks.indptr[community] : self.chunks.indptr[community + 1]]
        return np.sort(held[allowed[held]]).astype(np.int64)

    def name(self, community: int, allowed: Allowed) -> str:
        """Where not all chunks are allowed, its entities that the allowed ones name, most central first."""
        one = self.communities.items[community]
        if allowed.all():
            return one.name
        held = self.layers.chunk_entities[self.of(community, allowed)]
        named = np.asarray(held.sum(axis=0)).reshape(-1) > 0
        written = (" ".join(self.layers.entities[e].name.split()) for e in one.entities if named[e])
        return ", ".join(list(dict.fromkeys(written))[:NAMED])

    def there(self, communities: Ints, allowed: Allowed) -> Ints:
        """Those of the communities that have a chunk."""
        held: Allowed = self.chunks[communities] @ allowed.astype(np.float64) > 0
        return communities[held]

    def documents(self, chunks: Ints) -> int:
        """How many documents these chunks are of."""
        return len(np.unique(self.layers.chunk_documents[chunks]))


def cover_of(store: Store) -> Cover:
    from scipy.sparse import csr_array

    layers, communities = store.layers(), store.communities()
    members = communities.members(len(layers.entities))
    return Cover(layers, communities, csr_array(members @ layers.chunk_entities.T))


LEVEL = 0
"""The coarsest, which has as many communities as can be read; where it has more, the biggest are told of."""

NAMING, LEADS, LEAD = 0.05, 0.15, 300
"""What each of the entities in a community's name adds to a sentence that names it, and what it adds to stand within
the first characters of a document, where it says what it is about."""

NEAREST = 20
"""Sentences nearest to a report, of which the one that reads best tells it."""


@dataclass(frozen=True, slots=True)
class CommunitySummary:
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


def parts(store: Store, cover: Cover, allowed: Allowed, communities: list[int]) -> Iterator[CommunitySummary]:
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
            yield CommunitySummary(name, " ".join(unit.text.split()), extent, share, chunk, unit.start, cosine)


def told(parts_: list[CommunitySummary]) -> str:
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
