"""What a look of `clew doctor` finds."""

from dataclasses import dataclass
from typing import Literal

State = Literal["ok", "warning", "problem"]


@dataclass(frozen=True, slots=True)
class Check:
    """`hint` is the command that puts right what is no `ok`. A warning is what Clew works without."""

    name: str
    state: State
    message: str
    hint: str = ""
