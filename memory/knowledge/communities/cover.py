"""Which chunks the communities of a library cover, and what they are called within a scope."""

import numpy as np
from numpy.typing import NDArray

from clew.memory.datatypes import Ints
from clew.memory.ports import Graph

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
