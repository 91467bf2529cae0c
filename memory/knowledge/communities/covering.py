"""Which chunks the communities of a library cover: those that name one of their entities (C_r of equation 5)."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from clew.memory.communities import Communities
from clew.memory.datatypes import Ints
from clew.memory.layers import Layers
from clew.memory.ports import Store

if TYPE_CHECKING:
    from scipy.sparse import csr_array

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
