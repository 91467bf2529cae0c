"""The context ledger: a writer that records what each prompt held and cost; and the tokens of a text for a model on a
server, estimated from bytes and corrected by what the server counts."""

from collections.abc import Callable, Iterator, Sequence

from clew.agent.state import Doing, Prompted, PromptPart
from clew.memory.ports import PLAIN, Message, Output, Usage, Waiting, WriteOptions, Writer

BYTES_PER_TOKEN = 3.0
"""Fewer than a token has in most scripts and tokenizers, so that estimates are too high rather than too low."""

MESSAGE = 8
"""Tokens of a chat template around each message."""

MARGIN = 1.1
"""By how much an estimate exceeds the rate that was learned."""

SHORTEST = 400
"""Bytes; shorter prompts are mostly template and teach nothing."""


class TokenCounts:
    """How many tokens a model makes of a text. Safe from several threads: what one of them learns at the same time as
    another may be lost."""

    def __init__(self) -> None:
        self._most = 0.0  # tokens of a byte; 0: nothing was read yet

    def estimate(self, text: str) -> int:
        """Rather too many than too few."""
        rate = MARGIN * self._most or 1 / BYTES_PER_TOKEN
        return int(rate * len(text.encode("utf-8", "replace"))) + 1

    def learn(self, prompt: str, read: int) -> None:
        """From a prompt that the server has counted."""
        size = len(prompt.encode("utf-8", "replace"))
        if size >= SHORTEST:
            self._most = max(self._most, read / size)


class RecordedWriter:
    """`ledger` has a line for each prompt, in order. Who makes a prompt sets `parts`, what it is made of. `emit` takes
    what the model's server does before it writes; `most` is how many tokens it may write, where whoever asks leaves
    that open."""

    def __init__(self, writer: Writer, purpose: str, emit: Callable[[Doing], object], most: int = 700) -> None:
        self.name, self.window, self.abilities = writer.name, writer.window, writer.abilities
        self.tokens = writer.tokens
        self.most = most
        self._writer, self._purpose, self._emit = writer, purpose, emit
        self.ledger: tuple[Prompted, ...] = ()
        self.parts: tuple[PromptPart, ...] = ()

    def write(self, messages: Sequence[Message], options: WriteOptions = PLAIN) -> Iterator[Output]:
        """See `Writer.write`."""
        estimated, used = sum(self.tokens(message.text) for message in messages), Usage(0, 0)
        try:
            for piece in self._writer.write(messages, options):
                if isinstance(piece, Waiting):
                    self._emit(Doing(piece.text))
                elif isinstance(piece, Usage):
                    used = piece
                yield piece
        finally:
            line = Prompted(self._purpose, self.name, self.window, estimated, used.read, used.written, self.parts)
            self.ledger = (*self.ledger, line)
