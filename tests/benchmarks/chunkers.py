"""The semantic chunker over a grid of buffer and threshold, beside the sentence chunker: a table for one text.

python -m tests.benchmarks.chunkers TEXT CASES

CASES is seed 001's file: its questions, each with pieces of the text that hold the answer. A piece is found where one
chunk of those that the tool `hybrid` brings holds it, white space aside: in the first, in the first five, or in those
that come to 500 tokens together, which does not favour large chunks. MRR is by the first chunk with any piece.
Sizes are in the encoder's tokens: least, median, most. A second table has the number of cuts by the step from
window to window.
"""

import json
from bisect import bisect_left
from collections.abc import Sequence
from pathlib import Path
from statistics import mean, median
from tempfile import TemporaryDirectory

from clew.agent.models import encoder_for
from clew.agent.settings import read_settings
from clew.memory.datatypes import Passage
from clew.memory.knowledge.chunking import Chunker, ChunkerParameters, SemanticParameters, parts, segments
from clew.memory.knowledge.index.generation import Parameters
from clew.memory.knowledge.index.run import IndexReport, index
from clew.memory.knowledge.library import open_library
from clew.memory.ports import Encoder
from clew.memory.text import split
from clew.tools.base import encode_query
from clew.tools.hybrid import Hybrid
from tests.benchmarks.inputs import paths

BUFFERS = (0, 1, 2, 5, 10)
THRESHOLDS = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7)
SIZES = (None, 192, 160, 128)
"""Of the sentence chunker's chunks: what is found in so many tokens may hang on how large the chunks are."""

FOUND = 100
"""Chunks asked for: more than 500 tokens have, however short they are."""

BUDGET = 500
"""Tokens."""

Case = tuple[str, list[str]]
"""A question and its pieces of evidence."""


def main() -> None:
    path, cases_path = paths(__doc__ or "", "text", "cases")
    given = json.loads(cases_path.read_text("utf-8"))["qa_on_public_domain_text"]["cases"]
    cases = [(case["question"], [_joined(piece) for piece in case["evidence_substrings"]]) for case in given]
    encoder = encoder_for(read_settings())
    text = path.read_text("utf-8")
    print("| chunker | cuts | parts | their sizes | chunks | their sizes | first | five | 500 tokens | MRR@10 |")
    print("|---" * 10 + "|")
    for size in SIZES:
        name = f"sentences, size {size}" if size else "sentences"
        print_row(name, "| | ", path, cases, encoder, ChunkerParameters(size))
    for buffer in BUFFERS:
        for threshold in THRESHOLDS:
            parameters = SemanticParameters(buffer, threshold)
            print_row(
                f"b {buffer}, theta {threshold}", of_parts(text, encoder, parameters), path, cases, encoder, parameters
            )
    print_cuts(text, encoder)


def of_parts(text: str, encoder: Encoder, parameters: SemanticParameters) -> str:
    found = parts(text, split(text), encoder, parameters)
    places = [start for start, _ in encoder.tokens([text])[0]]
    sizes = [bisect_left(places, end) - bisect_left(places, start) for segment in found for start, end in segment]
    return f"{len(found) - 1} | {len(sizes)} | {spread(sizes)}"


def print_row(name: str, of_parts: str, path: Path, cases: Sequence[Case], encoder: Encoder, chunker: Chunker) -> None:
    with TemporaryDirectory() as folder:
        *_, report = index([path], Path(folder), encoder, parameters=Parameters(chunker))
        assert isinstance(report, IndexReport)
        with open_library(Path(folder), encoder) as library:
            tool = Hybrid(library.store)
            [id_] = {passage.document for passage in tool.search(encode_query(cases[0][0], [], encoder), 1).passages}
            chunks = library.store.chunks([f"{id_}#{number}" for number in range(report.chunks)])
            sizes = [len(pieces) for pieces in encoder.tokens([chunk.text for chunk in chunks])]
            found = [
                (tool.search(encode_query(question, [], encoder), FOUND).passages, pieces) for question, pieces in cases
            ]
    figures = (
        mean(share(passages[:1], pieces) for passages, pieces in found),
        mean(share(passages[:5], pieces) for passages, pieces in found),
        mean(share(within(passages, encoder), pieces) for passages, pieces in found),
        mean(reciprocal_rank(passages[:10], pieces) for passages, pieces in found),
    )
    print(
        f"| {name} | {of_parts} | {len(chunks)} | {spread(sizes)} |",
        " | ".join(f"{x:.2f}" for x in figures),
        "|",
        flush=True,
    )


def share(passages: Sequence[Passage], pieces: Sequence[str]) -> float:
    """Of the pieces of evidence, those that lie in one of the passages."""
    return mean(any(piece in _joined(passage.text) for passage in passages) for piece in pieces)


def within(passages: Sequence[Passage], encoder: Encoder) -> list[Passage]:
    """The first passages that come to `BUDGET` tokens at most, together."""
    left, taken = BUDGET, []
    for passage, pieces in zip(passages, encoder.tokens([passage.text for passage in passages]), strict=True):
        left -= len(pieces)
        if left < 0:
            break
        taken.append(passage)
    return taken


def reciprocal_rank(passages: Sequence[Passage], pieces: Sequence[str]) -> float:
    ranks = (rank for rank, passage in enumerate(passages, 1) if share([passage], pieces))
    return 1 / next(ranks, float("inf"))


def spread(sizes: Sequence[int]) -> str:
    return f"{min(sizes)}, {median(sizes):.0f}, {max(sizes)}"


def print_cuts(text: str, encoder: Encoder) -> None:
    print("\n| cuts: b | k |", " | ".join(f"theta {threshold}" for threshold in THRESHOLDS), "|")
    print("|---" * (len(THRESHOLDS) + 2) + "|")
    sentences = [text[start:end] for start, end in split(text)]
    for buffer in BUFFERS:
        for step in sorted({1, buffer + 1, 2 * buffer + 1}):
            grid = [SemanticParameters(buffer, threshold, step) for threshold in THRESHOLDS]
            counts = [len(segments(sentences, encoder, parameters)) - 1 for parameters in grid]
            print(f"| {buffer} | {step} |", " | ".join(map(str, counts)), "|", flush=True)


def _joined(text: str) -> str:
    return " ".join(text.split())


if __name__ == "__main__":
    main()
