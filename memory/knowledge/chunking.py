"""The chunkers. By sentences: whole sentences are packed that fit the encoder's window together with the title.

By meaning (semantic chunking, SEMRAG, Algorithm 1 with equations 1 and 2): a document is cut where its meaning turns.
Sentences are merged with their neighbours, the merged windows are embedded, and where two of them lie at least
`threshold` apart (equation 1) a new part begins. A part of more than `size` tokens becomes windows (equation 2).

Algorithm 1 compares each window with the next, which with `buffer` 5 shares ten of its eleven sentences: their distance
hardly ever comes to 0.5, and nothing is cut (docs/figures.md). Equation 1 is written for windows any k apart, so `step`
is that k, by default the least for which they share nothing. Windows so far apart see one change of meaning from
several places, so a cut is made only at the greatest distance within k / 2 sentences. With `step` 1 that is each, as in
Algorithm 1.

A part can be longer than the encoder's window, and a chunk has one vector. So a part is several chunks, packed as the
sentence chunker packs a document: none reaches over the end of its part, and stores and tools know nothing of parts.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import itemgetter
from typing import Any, Literal

import numpy as np

from clew.memory.datatypes import Chunk, Document, Vector, Vectors
from clew.memory.encoding import embedded_text, title_prefix
from clew.memory.errors import BadInput
from clew.memory.parameters import Count, Distance, Natural
from clew.memory.ports import Encoder
from clew.memory.text import Span, split, stripped
from clew.memory.vectors import unit

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

    size: Count | None = None  # how many tokens a passage may have; none: as many as the encoder reads
    overlap: Natural = 1  # how many sentences of a passage the next one repeats
    name: Literal["sentences"] = "sentences"  # of this chunker, as a library records it


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


def chunk_groups(
    document: Document, groups: Sequence[Sequence[Span]], encoder: Encoder, parameters: ChunkerParameters
) -> list[Chunk]:
    """Chunks of sentences (or parts of them) in groups: none reaches from one into the next. Groups may share
    sentences; what then lies wholly in another chunk is left out."""
    groups = [group for group in groups if group]
    if not groups:
        return []
    window = min(parameters.size or encoder.window, encoder.window)
    prefix = title_prefix(document.title)
    begins = sorted({start + len(prefix) for group in groups for start, _ in group})
    tokens = token_starts(prefix + document.text, begins, encoder)
    title_length = bisect_left(tokens, len(prefix))
    starts = [place - len(prefix) for place in tokens[title_length:]]
    room = max(1, window - title_length)
    while True:
        units = (_units(document, group, starts, room) for group in groups)
        packed = [span for its in units for span in _packed(its, room, parameters.overlap)]
        chunks = _chunks(document, _outermost(packed))
        longest = max(map(len, encoder.tokens([embedded_text(chunk) for chunk in chunks]))) if len(chunks) > 1 else 0
        excess = longest - window
        if excess <= 0 or room == 1:
            return chunks
        # Cut elsewhere, a text can have a few tokens more than the sum of its parts.
        room = max(room - excess, room // 2)


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
        lowest = max(first + 1, last + 1 - overlap) if units[last].bond > -2 else last + 1
        begin = max(units[last].after - room // 4, units[last + 1].after - room)  # as much as can be repeated
        first = next((place for place in range(lowest, last + 1) if units[place].first >= begin), last + 1)


def _outermost(spans: Sequence[Span]) -> Iterator[Span]:
    """In order, without those that lie wholly in another."""
    furthest = -1
    for start, end in sorted(spans, key=lambda span: (span[0], -span[1])):
        if end > furthest:
            yield start, end
            furthest = end


def _chunks(document: Document, spans: Iterator[Span]) -> list[Chunk]:
    chunks = []
    for number, (start, end) in enumerate(spans):
        own = f"{document.id}#{number}", document.id, document.title, document.text[start:end]
        place = document.page_at(start), document.heading_at(start), document.source
        chunks.append(Chunk(*own, start, end, *place))
    return chunks


@dataclass(frozen=True, slots=True)
class SemanticParameters:
    """`buffer` (b): sentences that are merged into a window on either side. `threshold` (theta): the cosine distance,
    0 to 2, from which on a document is cut; a higher one makes larger parts. `step` (k): how far apart, in sentences,
    the windows compared are; None is 2 * buffer + 1. `size` and `overlap` are of a part, in the encoder's tokens.

    Raises `BadInput` for an overlap that is not below the size.
    """

    buffer: Natural = 5  # how many sentences on either side are compared
    threshold: Distance = 0.5  # with `--chunker semantic`, how far the meaning has to turn to begin a new passage
    step: Count | None = None  # how far apart the sentences compared are; none: twice the buffer, and one
    size: Count = 1024  # how many tokens a passage may have
    overlap: Natural = 128  # how many tokens of a passage the next one repeats
    name: Literal["semantic"] = "semantic"  # of this chunker, as a library records it

    def __post_init__(self) -> None:
        if not 0 <= self.overlap < self.size:
            raise BadInput(
                f"an overlap of {self.overlap} tokens does not go with parts of {self.size}",
                "an overlap from 0 to one less than the size",
            )


def parts(text: str, sentences: Sequence[Span], encoder: Encoder, parameters: SemanticParameters) -> list[list[Span]]:
    """For each segment its parts, in order (Algorithm 1, lines 2 to 15): character spans of at most `size` tokens; a
    segment that is longer has several, each sharing `overlap` tokens with the next. None lies wholly in another."""
    starts = token_starts(text, [start for start, _ in sentences], encoder)
    found = []
    for places in segments([text[start:end] for start, end in sentences], encoder, parameters):
        start, end = sentences[places[0]][0], sentences[places[-1]][1]
        tokens = [start, *starts[bisect_left(starts, start) + 1 : bisect_left(starts, end)], end]
        windows = overlap_windows(len(tokens) - 1, parameters.size, parameters.overlap)
        spans = [stripped(text, tokens[first], tokens[after]) for first, after in windows]
        found.append([(first, after) for first, after in spans if first < after])
    return found


def segments(sentences: Sequence[str], encoder: Encoder, parameters: SemanticParameters) -> list[range]:
    """The sentences of each segment: neighbours whose meaning does not turn between them (lines 3 to 12). What has no
    more sentences than a step is not cut."""
    step, threshold = parameters.step or 2 * parameters.buffer + 1, parameters.threshold
    turns: list[int] = []
    if len(sentences) > step:
        turns = borders(distances(window_vectors(sentences, encoder, parameters.buffer), step), threshold, step)
    return [range(first, after) for first, after in pairwise([0, *turns, len(sentences)]) if first < after]


def buffer_merge(sentences: Sequence[Any], buffer: int) -> list[Sequence[Any]]:
    """For each sentence the window of it and of `buffer` sentences on either side, as far as there are (line 3)."""
    return [sentences[max(0, place - buffer) : place + buffer + 1] for place in range(len(sentences))]


def window_vectors(sentences: Sequence[str], encoder: Encoder, buffer: int) -> Vectors:
    """Shape (len(sentences), d), unit rows: the merged windows, embedded (line 4). The encoder would cut one that is
    longer than its own window: that is embedded in runs of whole sentences, and has their vectors' mean direction."""
    lengths = [len(tokens) for tokens in encoder.tokens(sentences)]
    texts, owners = [], []
    for owner, window in enumerate(buffer_merge(range(len(sentences)), buffer)):
        for run in _runs(window, lengths, encoder.window):
            texts.append(" ".join(sentences[place] for place in run))
            owners.append(owner)
    sums = np.zeros((len(sentences), encoder.dimension), np.float32)
    np.add.at(sums, owners, encoder.encode(texts, "sentence"))
    return unit(sums)


def distances(vectors: Vectors, step: int) -> Vector:
    """Cosine distance, 0 to 2, of each row (n, d) and the one `step` after it (equation 1): shape (n - step,)."""
    return np.asarray(1 - np.einsum("nd,nd->n", vectors[:-step], vectors[step:]), np.float32)


def borders(distances: Vector, threshold: float, step: int) -> list[int]:
    """The sentences that begin a segment, but for the first: in the middle between two windows `step` apart whose
    distance is `threshold` at least (lines 7 to 12), and the greatest, or the first greatest, within step / 2."""
    found = []
    for place in map(int, np.flatnonzero(distances >= threshold)):
        lowest = max(0, place - step // 2)
        if lowest + np.argmax(distances[lowest : place + step // 2 + 1]) == place:
            found.append(place + (step + 1) // 2)
    return found


def overlap_windows(count: int, size: int, overlap: int) -> list[Span]:
    """Equation 2: spans (start, end) of at most `size` of `count` tokens, each sharing `overlap` with the next; the
    last ends with the tokens and is the only one that may be shorter. `overlap` is below `size`."""
    starts = range(0, max(1, count - overlap), size - overlap)
    return [(start, min(start + size, count)) for start in starts]


def _runs(window: Sequence[int], lengths: Sequence[int], room: int) -> Iterator[Sequence[int]]:
    """Sentences of a window that fit the room together, and one that is longer by itself."""
    run: list[int] = []
    for place in window:
        if run and sum(lengths[other] for other in run) + lengths[place] > room:
            yield run
            run = []
        run.append(place)
    yield run


def _held(sentences: Sequence[Span], segment: Sequence[Span], place: int) -> list[Span]:
    """The sentences of one part of a segment. What is cut by its ends is left to a part beside it that holds the whole
    sentence, as it does where the overlap is longer; else the piece is taken."""
    start, end = segment[place]
    beside = [*segment[max(0, place - 1) : place], *segment[place + 1 : place + 2]]
    first = bisect_right(sentences, start, key=itemgetter(1))
    after = bisect_left(sentences, end, key=itemgetter(0))
    held = []
    for begin, stop in sentences[first:after]:
        whole = start <= begin and stop <= end
        if whole or not any(other[0] <= begin and stop <= other[1] for other in beside):
            held.append((max(start, begin), min(end, stop)))
    return held


Chunker = ChunkerParameters | SemanticParameters
"""A chunker with its parameters, as a library records it."""

CHUNKERS: Mapping[str, type[Chunker]] = {"sentences": ChunkerParameters, "semantic": SemanticParameters}


def chunks_of(document: Document, encoder: Encoder, chunker: Chunker) -> list[Chunk]:
    """In order. All that is not white space is in a chunk, no chunk lies wholly in another, and each fits: its
    `embedded_text` has at most `encoder.window` tokens, and by sentences at most `chunker.size`."""
    sentences = split(document.text)
    if isinstance(chunker, ChunkerParameters):
        return chunk_groups(document, [sentences], encoder, chunker)
    groups = [
        _held(sentences, segment, place)
        for segment in parts(document.text, sentences, encoder, chunker)
        for place in range(len(segment))
    ]
    return chunk_groups(document, groups, encoder, ChunkerParameters())
