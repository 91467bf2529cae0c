"""What partitions somebody wants: the method, and how big or how many."""

from dataclasses import dataclass

from clew.memory.errors import BadInput
from clew.memory.nodes import PartitionMethod

SIZE = 200
"""The most nodes of a partition, as in seed 004."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Partitions of at most `size` nodes (0: no limit), or `k` of them (0: as many as it takes).

    `hybrid` takes a size, `leiden` k or nothing, `metis` one of both. Raises `BadInput` for what a method cannot do.
    """

    method: PartitionMethod = "hybrid"
    size: int = SIZE
    k: int = 0

    def __post_init__(self) -> None:
        if self.size < 0 or self.k < 0:
            raise BadInput("sizes and numbers of partitions are 1 or more")
        if self.method == "hybrid" and (self.k or not self.size):
            raise BadInput(
                "hybrid takes a size, not a number of partitions", "clew partition --method hybrid --size 200"
            )
        if self.method == "leiden" and self.size:
            raise BadInput("leiden keeps to no size: it takes --k, or nothing", "clew partition --method leiden")
        if self.method == "metis" and bool(self.size) == bool(self.k):
            raise BadInput("metis takes a size or a number of partitions", "clew partition --method metis --size 200")

    @property
    def name(self) -> str:
        """Of its capsule's folder."""
        return f"{self.method}-k{self.k}" if self.k else f"{self.method}-{self.size}"


def wanted_of(method: PartitionMethod, size: int | None = None, k: int | None = None) -> Wanted:
    """With the default size where a method takes one and nothing is said. Raises `BadInput`."""
    usual = SIZE if method != "leiden" and not k else 0
    return Wanted(method, usual if size is None else size, k or 0)
