"""What a long step yields while it works."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Progress:
    """`done` of `total` of a stage (total 0: not known yet). A stage's last one has done == total."""

    stage: str
    done: int
    total: int
