"""The context ledger: a writer that records what each prompt held and cost; and counts of tokens for a model on a
server, estimated from bytes and corrected by what the server counts."""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from clew.agent.state import Doing, Prompted, PromptPart
from clew.memory.ports import Abilities, Message, Output, Usage, Waiting, Writer

BYTES_PER_TOKEN = 3.0
"""Fewer than a token has in most scripts and tokenizers, so that estimates are too high rather than too low."""

MOST_BYTES_PER_TOKEN = 6.0
"""More than a token has in prose: a prompt of which the server counts fewer tokens was cut."""

MESSAGE = 8
"""Tokens of a chat template around each message."""

MARGIN = 1.1
"""By how much an estimate exceeds the rate that was learned."""

FEWER = 0.95
"""Of the tokens that were read before, from which a shorter prompt was read whole."""

SHORTEST = 400
"""Bytes; shorter prompts are mostly template and teach nothing."""


class TokenCounts:
    """What is known of one model's tokens. Safe from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._most: float | None = None
        self._window: int | None = None
        self._most_bytes = MOST_BYTES_PER_TOKEN

    @property
    def window(self) -> int | None:
        """The most tokens that were read of a prompt that was cut: more the server does not take. None: not known."""
        with self._lock:
            return self._window

    def estimate(self, text: str) -> int:
        """Rather too many than too few."""
        with self._lock:
            rate = 1 / BYTES_PER_TOKEN if self._most is None else MARGIN * self._most
        return int(rate * len(text.encode("utf-8", "replace"))) + 1

    def learn(self, size: int, read: int) -> None:
        """From a prompt of so many bytes that was read whole."""
        if size < SHORTEST or not read:
            return
        rate = read / size
        with self._lock:
            if self._window is not None and read > self._window:
                self._window = None  # it was no window
            self._most = rate if self._most is None else max(self._most, rate)

    def was_cut(self, size: int, read: int, window: int) -> bool:
        """Whether of a prompt of so many bytes only a part was read: then what was read is the window. What was counted
        of other prompts says nothing here, as languages differ; nor does a server that does not count (0). Where a
        prompt that was thought to be cut is sent again, shorter, and fewer tokens are read, it was none: its tokens
        are long."""
        if not read:
            return False
        with self._lock:
            known = window if self._window is None else min(window, self._window)
            long = size >= SHORTEST and read * self._most_bytes < size
            if long and self._window is not None and read < FEWER * self._window:
                self._most_bytes, self._window = MARGIN * size / read, None
                return False
            cut = read >= known or long
            if cut:
                self._window = min(read, known)
        return cut


class RecordedWriter:
    """`ledger` has a line for each prompt, in order. Who makes a prompt sets `parts`, what it is made of, and, where it
    has more than its messages' text, the tokens `estimated`. `emit` takes what the model's server does before it
    writes; `most` is how many tokens it may write, where whoever asks leaves that open."""

    def __init__(self, writer: Writer, purpose: str, emit: Callable[[Doing], object], most: int = 700) -> None:
        self.most = most
        self._writer = writer
        self._purpose = purpose
        self._emit = emit
        self.ledger: tuple[Prompted, ...] = ()
        self.parts: tuple[PromptPart, ...] = ()
        self.estimated: int | None = None

    @property
    def name(self) -> str:
        return self._writer.name

    @property
    def window(self) -> int:
        return self._writer.window

    @property
    def abilities(self) -> Abilities:
        return self._writer.abilities

    def tokens(self, text: str) -> int:
        return self._writer.tokens(text)

    def write(
        self,
        messages: Sequence[Message],
        *,
        schema: Mapping[str, Any] | None = None,
        cancel: threading.Event | None = None,
        temperature: float | None = None,
        tokens: int | None = None,
    ) -> Iterator[Output]:
        """See `Writer.write`."""
        estimated, used = self.estimated, Usage(0, 0)
        if estimated is None:
            estimated = sum(self.tokens(message.text) for message in messages)
        given = self._writer.write(messages, schema=schema, cancel=cancel, temperature=temperature, tokens=tokens)
        try:
            for piece in given:
                if isinstance(piece, Waiting):
                    self._emit(Doing(piece.text))
                elif isinstance(piece, Usage):
                    used = piece
                yield piece
        finally:
            line = Prompted(self._purpose, self.name, self.window, estimated, used.read, used.written, self.parts)
            self.ledger = (*self.ledger, line)
