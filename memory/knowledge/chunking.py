"""Chunks of a document: whole sentences that fit the encoder's window together with the title."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memory.datatypes import Chunk, Document, Mark
from memory.ports import Encoder
from memory.sentences import Span, split

TITLE_BYTES = 200
"""What of a title is embedded: in English or Chinese about a quarter of MiniLM's 254 word pieces, and never all."""


@dataclass(frozen=True, slots=True)
class ChunkerParameters:
    """`size`: word pieces of a chunk with its title, the encoder's window where it is None or larger.

    `overlap`: sentences at the end of a chunk with which the next begins again, where they take no more than a quarter
    of it; none are repeated over a heading.
    """

    size: int | None = None
    overlap: int = 1


def chunk(document: Document, encoder: Encoder, parameters: ChunkerParameters) -> list[Chunk]:
    """The chunks in order; every character that is not white space is in one, and none lies wholly in another."""
    window = min(parameters.size or encoder.window, encoder.window)
    title = _embedded_title(document.title, "")
    [pieces] = encoder.tokens([title + document.text])
    first = bisect_left(pieces, (len(title), 0))
    room = window - first
    ...
