"""The communities of a library: groups of entities that its documents tie together, each with a report (SEMRAG).

They form a hierarchy: level 0 is the coarsest, and a community of one level lies wholly in one of the level above. One
that is not divided further stands at several levels, once.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

from clew.memory.datatypes import Ints, Vectors
from clew.memory.parameters import Cosine, Count, Few, Natural, Weight

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Method = Literal["leiden", "louvain"]


@dataclass(frozen=True, slots=True)
class DetectionParameters:
    """A cluster of fewer than `smallest` entities is joined to what is nearest in meaning, if their cosine is at least
    `alike`; one of more than `largest` is divided. Clusters are joined until there are at most `readable`; `near` is
    how many clusters a cluster is tied to by meaning, and `meaning` what that counts beside the links."""

    method: Method = "leiden"
    seed: Natural = 42
    smallest: Natural = 3
    alike: Cosine = 0.4
    largest: Count = 60
    readable: Count = 30
    near: Few = 5
    meaning: Weight = 1.0
    iterations: Few = 4


BY_EXTRACTION = "extraction"
"""What `Community.by` says of a report that no language model wrote."""


@dataclass(frozen=True, slots=True)
class Community:
    """`name` lists its most central entities. `first` and `last` are the levels at which it stands, `parent` the
    community of level `first - 1` that it lies in, -1 at the top. `entities` are numbers of `Layers`, most central
    first; `by` is who wrote the report."""

    name: str
    report: str
    by: str
    first: int
    last: int
    parent: int
    entities: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Communities:
    """Community c is `items[c]`; `vectors[c]` is of shape (communities, d): the embedding of a report that a
    language model wrote; of an extract the mean of its entities', which are means of the sentences that name them."""

    items: tuple[Community, ...]
    vectors: Vectors

    @cached_property
    def levels(self) -> int:
        return 1 + max((one.last for one in self.items), default=-1)

    def at(self, level: int) -> Ints:
        """The numbers of the communities of a level, rising; they share out the entities."""
        found = [number for number, one in enumerate(self.items) if one.first <= level <= one.last]
        return np.array(found, np.int64)

    def members(self, entities: int) -> "csr_array":
        """Shape (communities, entities): 1 where the entity is of the community; `entities` are all that there are."""
        from scipy.sparse import csr_array

        rows = np.repeat(np.arange(len(self.items)), [len(one.entities) for one in self.items])
        columns = np.array([entity for one in self.items for entity in one.entities], np.int64)
        return csr_array((np.ones(len(rows)), (rows, columns)), shape=(len(self.items), entities))
