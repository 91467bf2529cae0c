"""A language model that says what a script tells it to."""

import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from clew.memory.errors import Cancelled
from clew.memory.ports import PLAIN, Abilities, Message, Output, Usage, WriteOptions

Script = Callable[[Sequence[Message], Mapping[str, Any] | None], str]


@dataclass
class ScriptedWriter:
    """Says what its script says to the messages; counts words as tokens."""

    script: Script
    name: str = "scripted"
    window: int = 1000
    abilities: Abilities = field(default_factory=Abilities)

    def tokens(self, text: str) -> int:
        return len(text.split())

    def write(self, messages: Sequence[Message], options: WriteOptions = PLAIN) -> Iterator[Output]:
        _check(options.cancel)
        pieces = re.findall(r"\s*\S+|\s+", self.script(messages, options.schema))
        for piece in pieces:
            _check(options.cancel)
            yield piece
        yield Usage(sum(len(message.text.split()) for message in messages), len(pieces))


def _check(cancel: threading.Event | None) -> None:
    if cancel is not None and cancel.is_set():
        raise Cancelled("stopped")
