"""Chunks of a document: whole sentences that fit the encoder's window together with the title."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from clew.memory.datatypes import Chunk, Document, Passage
from clew.memory.ports import Encoder
from clew.memory.sentences import Span, split

TITLE_BYTES = 200
"""Bytes of a title that are embedded: in English or Chinese about a quarter of MiniLM's 254 tokens, and never all."""

LONGEST_WORD = 100
"""Characters; BERT's tokenizer makes one token of a longer word, and a chunk of such tokens would be of any length."""

SLICE = 50_000
"""Characters that are tokenized at a time: a tokenizer's answer takes a hundred times the memory of its text."""


@dataclass(frozen=True, slots=True)
class ChunkerParameters:
    """`size`: tokens of a chunk with its title; the encoder's window where it is None or larger than that.

    `overlap`: how many of the last sentences of a chunk the next begins with, where they take a quarter of it at most
    and no heading lies between.
    """

    size: int | None = None
    overlap: int = 1
    name: Literal["sentences"] = "sentences"


@dataclass(frozen=True, slots=True)
class _Unit:
    """A sentence, or a part of one that is too long. `first` and `after` count the tokens up to its ends.

    `bond`: how much it belongs to the next, so that a lower one is the better place to cut: -2 where the next is a
    heading, -1 where it is a paragraph, 1 where this is a heading itself.
    """

    start: int
    end: int
    first: int
    after: int
    bond: int


def chunk(document: Document, encoder: Encoder, parameters: ChunkerParameters) -> list[Chunk]:
    """In order. All that is not white space is in a chunk, no chunk lies wholly in another, and each fits: at most
    `encoder.window` tokens (or `parameters.size`) of its `embedded_text`."""
    return chunk_groups(document, [split(document.text)], encoder, parameters)


def chunk_groups(
    document: Document, groups: Sequence[Sequence[Span]], encoder: Encoder, parameters: ChunkerParameters
) -> list[Chunk]:
    """Chunks as `chunk` makes them, of sentences (or parts of them) in groups: none reaches from one into the next.
    Groups may share sentences; what then lies wholly in another chunk is left out."""
    groups = [group for group in groups if group]
    if not groups:
        return []
    window = min(parameters.size or encoder.window, encoder.window)
    prefix = _prefix(document.title)
    begins = sorted({start + len(prefix) for group in groups for start, _ in group})
    tokens = token_starts(prefix + document.text, begins, encoder)
    title_length = bisect_left(tokens, len(prefix))
    starts = [place - len(prefix) for place in tokens[title_length:]]
    room = max(1, window - title_length)
    while True:
        packed = [
            span
            for group in groups
            for span in _packed(_units(document, group, starts, room), room, parameters.overlap)
        ]
        chunks = _chunks(document, _outermost(packed))
        excess = 0 if len(chunks) == 1 else _longest(chunks, encoder) - window
        if excess <= 0 or room == 1:
            return chunks
        # Cut elsewhere, a text can have a few tokens more than the sum of its parts.
        room = max(room - excess, room // 2)


def embedded_text(chunk: Chunk | Passage) -> str:
    return with_title(chunk.title, chunk.text)


def with_title(title: str, text: str) -> str:
    """What is encoded: the title, unless the text begins with it as a line, and the text."""
    prefix = _prefix(title)
    return text if f"{text}\n".startswith(prefix) else prefix + text


def token_starts(text: str, sentences: Sequence[int], encoder: Encoder) -> list[int]:
    """Where the tokens begin, in rising order; a token of more than `LONGEST_WORD` characters counts as several."""
    cuts = [0]
    for start in sentences:
        if start - cuts[-1] > SLICE:
            cuts.append(start)
    starts: list[int] = []
    for cut, after in zip(cuts, [*cuts[1:], len(text)], strict=True):
        [tokens] = encoder.tokens([text[cut:after]])
        for start, end in tokens:
            if end - start > LONGEST_WORD:
                starts.extend(range(cut + start, cut + end, LONGEST_WORD))
            else:
                starts.append(cut + start)
    return starts


def _prefix(title: str) -> str:
    """The title as it is embedded, with its line's end; empty without one."""
    title = " ".join(title.split())
    if len(title.encode()) > TITLE_BYTES:
        title = title.encode()[:TITLE_BYTES].decode(errors="ignore")
        title = title.rsplit(None, 1)[0]
    return f"{title}\n" if title else ""


def _units(document: Document, sentences: Sequence[Span], starts: Sequence[int], room: int) -> list[_Unit]:
    parts = [part for sentence in sentences for part in _parts(document.text, sentence, starts, room)]
    headings = {mark.start for mark in document.headings}
    units = []
    for place, (start, end) in enumerate(parts):
        following = parts[place + 1][0] if place + 1 < len(parts) else end
        if following in headings:
            bond = -2
        elif start in headings:
            bond = 1
        else:
            bond = -1 if document.text.count("\n", end, following) > 1 else 0
        units.append(_Unit(start, end, bisect_left(starts, start), bisect_left(starts, end), bond))
    return units


def _parts(text: str, sentence: Span, starts: Sequence[int], room: int) -> Iterator[Span]:
    """The sentence; one that is longer than the room in parts of an eighth of it, cut between words where it can be."""
    start, end = sentence
    first, after = bisect_left(starts, start), bisect_left(starts, end)
    if after - first > room:
        step = max(1, room // 8)
        while after - first > step:
            words = (place for place in range(first + step, first, -1) if text[starts[place] - 1].isspace())
            first = next(words, first + step)
            if part := text[start : starts[first]].rstrip():
                yield start, start + len(part)
            start = starts[first]
    yield start, end


def _packed(units: Sequence[_Unit], room: int, overlap: int) -> Iterator[Span]:
    """As many units as fit, then back to where the text parts best beyond the half: a heading, then a paragraph."""
    after, first = [unit.after for unit in units], 0
    while True:
        last = max(first, bisect_right(after, units[first].first + room, lo=first) - 1)
        if last == len(units) - 1:
            yield units[first].start, units[last].end
            return
        half = units[first].first + room // 2
        candidates = [place for place in range(first, last + 1) if after[place] > half] or [last]
        last = min(candidates, key=lambda place: (units[place].bond, -place))
        yield units[first].start, units[last].end
        first = _next_first(units, first, last, room, overlap)


def _next_first(units: Sequence[_Unit], first: int, last: int, room: int, overlap: int) -> int:
    """The unit that the next chunk begins with: the one after `last`, or one before it that is repeated."""
    start = last + 1
    lowest = max(first + 1, start - overlap) if units[last].bond > -2 else start
    while start > lowest and _repeatable(units, start - 1, last, room):
        start -= 1
    return start


def _repeatable(units: Sequence[_Unit], start: int, last: int, room: int) -> bool:
    begin = units[start].first
    return units[last].after - begin <= room // 4 and units[last + 1].after - begin <= room


def _outermost(spans: Sequence[Span]) -> Iterator[Span]:
    """In order, without those that lie wholly in another."""
    furthest = -1
    for start, end in sorted(spans, key=lambda span: (span[0], -span[1])):
        if end > furthest:
            yield start, end
            furthest = end


def _chunks(document: Document, spans: Iterator[Span]) -> list[Chunk]:
    return [
        Chunk(
            f"{document.id}#{number}",
            document.id,
            document.title,
            document.text[start:end],
            start,
            end,
            document.page_at(start),
            document.heading_at(start),
            document.source,
        )
        for number, (start, end) in enumerate(spans)
    ]


def _longest(chunks: Sequence[Chunk], encoder: Encoder) -> int:
    return max(map(len, encoder.tokens([embedded_text(chunk) for chunk in chunks])))
