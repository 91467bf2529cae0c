"""The ports: what Clew requires of an encoder, of a language model and of a library's words, whoever implements them.
What else it requires of a library stands in `memory/knowledge/library_ports.py`."""

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from clew.memory.datatypes import Vectors
from clew.memory.text import Span

Role = Literal["passage", "query", "sentence"]
"""What a text is for the encoder: models such as E5 need a prefix for each role; `sentence` compares texts of one
kind."""


class Encoder(Protocol):
    """Turns texts into unit vectors. Safe from several threads."""

    @property
    def name(self) -> str: ...

    @property
    def hash(self) -> str:
        """SHA-256, in hex, of the weights and of what else its vectors depend on: one hash, the same vectors."""

    @property
    def dimension(self) -> int: ...

    @property
    def window(self) -> int:
        """Word pieces that a text may have, the model's own special ones not counted."""

    def encode(self, texts: Sequence[str], role: Role) -> Vectors:
        """Shape (len(texts), dimension), float32, unit rows. What is longer than the window is cut."""

    def tokens(self, texts: Sequence[str]) -> list[list[Span]]:
        """The word pieces of each text, uncut and without special ones: their number is its length for the window."""

    def token_vectors(self, texts: Sequence[str], role: Role) -> list[Vectors]:
        """For each text an array (its word pieces within the window, dimension) of unit rows."""


@dataclass(frozen=True, slots=True)
class Message:
    """A message to a language model. There are no other roles, as some models' templates have no others."""

    role: Literal["user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens read and written, as the model's server counts them; `whole`: it ended by itself, not at a limit."""

    read: int
    written: int
    whole: bool = True


@dataclass(frozen=True, slots=True)
class Void:
    """All text so far was a thought, not the answer: some models only mark where a thought ends."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """What a writer waits for before its first word: 'loading llama3.1:8b'."""

    text: str


Output = str | Usage | Waiting | Void  # what a writer hands out


SMALL = 1_000_000_000  # parameters of a model, from which it plans, refuses and asks back
LARGE = 6_500_000_000  # parameters of a model that is said to have 7 billion: it chooses among the methods of search


@dataclass(frozen=True, slots=True)
class Abilities:
    """What a model can be asked to do, by its number of `parameters`: 0 if its server does not say."""

    parameters: int = 0

    @property
    def is_small(self) -> bool:
        """Whether it has less than a billion parameters: then it only shortens what would be quoted, and decides
        nothing."""
        return 0 < self.parameters < SMALL

    @property
    def is_large(self) -> bool:
        return self.parameters >= LARGE


@dataclass(frozen=True, slots=True)
class WriteOptions:
    """With `schema`, the text is JSON that fits it; `temperature` (None: the model's own) and
    `tokens`, the most that it may write, are its server's options."""

    schema: Mapping[str, Any] | None = None
    cancel: threading.Event | None = None
    temperature: float | None = None
    tokens: int | None = None


PLAIN = WriteOptions()


class Writer(Protocol):
    """A language model: takes messages; yields pieces of text as they come, and the usage at the end."""

    @property
    def name(self) -> str: ...

    @property
    def window(self) -> int:
        """Tokens for prompt and answer together."""

    @property
    def abilities(self) -> Abilities: ...

    def tokens(self, text: str) -> int:
        """The estimated number of tokens of a text for this model; too many rather than too few."""

    def write(self, messages: Sequence[Message], options: WriteOptions = PLAIN) -> Iterator[Output]:
        """Raises `ServiceUnreachable`, as `ModelFailed` where the server is there and the model is the trouble, as
        `PromptCut` where the server has read less than it was sent; `Cancelled` when `cancel` is set."""


def text_of(said: Iterable[Output]) -> str:
    """The text alone."""
    text = ""
    for piece in said:
        text = "" if isinstance(piece, Void) else text + piece if isinstance(piece, str) else text
    return text


class Vocabulary(Protocol):
    """The words of a library: one answer for each word or phrase, in the order given. Cheap, and safe from several
    threads."""

    def counts(self, words: Sequence[str]) -> list[int]:
        """The number of chunks with each word, in any form; 0 if the library lacks it. Function words ("the") count as
        being in all chunks."""

    def kinds(self, phrases: Sequence[str]) -> list[str]:
        """What each phrase is in the library: an entity that is a `person`, `place`, `organisation`, `work` or `date`;
        else a `title`; else an entity that is a `name` or a `term`; else nothing."""

    def near(self, words: Sequence[str]) -> list[tuple[str, ...]]:
        """For each word that the library lacks, its words at an edit distance of one or two, likeliest first, in lower
        case; empty for others."""
