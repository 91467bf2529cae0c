"""The turns of a thread as a tree: a question that is asked anew, or in other words, begins another way from the turn
before it."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TurnTree:
    """`parents` has each turn's, 0 for none, and `leaf` is the turn that the thread is at."""

    parents: Mapping[int, int]
    leaf: int = 0

    @property
    def mark(self) -> str:
        """Another where a turn came, or the thread is at another one."""
        return f"{self.leaf}of{len(self.parents)}"

    def path(self, leaf: int | None = None) -> list[int]:
        """The turns from the root to this leaf, by default the thread's."""
        turn, path = self.leaf if leaf is None else leaf, list[int]()
        while turn in self.parents:
            path.append(turn)
            turn = self.parents[turn]
        return path[::-1]

    def after(self, turn: int) -> list[int]:
        """The turns that go on from this one, oldest first."""
        return sorted(one for one, parent in self.parents.items() if parent == turn)

    def versions(self, turn: int) -> list[int]:
        """This turn and those that were asked in its place, oldest first."""
        return self.after(self.parents[turn]) if turn in self.parents else []

    def newest_below(self, turn: int) -> int:
        """Where the newest way from this turn ends."""
        while further := self.after(turn):
            turn = further[-1]
        return turn
