"""The semantic chunker over a grid of buffer and threshold, beside the sentence chunker: a table for one text.

python -m tests.benchmarks.chunkers TEXT CASES

CASES is seed 001's file: its questions, each with pieces of the text that hold the answer. A piece is found where one
chunk of those that the tool `hybrid` brings holds it, white space aside: in the first, in the first five, or in those
that come to 500 tokens together, which does not favour large chunks. MRR is by the first chunk with any piece.
A second table has the number of parts by the step from window to window.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from statistics import mean, median
from tempfile import TemporaryDirectory

from agent.models import encoder_for
from agent.settings import read_settings
from memory.datatypes import Passage
from memory.knowledge.chunkers import Chunker
from memory.knowledge.chunking import ChunkerParameters
from memory.knowledge.indexing import Parameters, Report, index
from memory.knowledge.library import open_library
from memory.knowledge.semantic_chunking import SemanticParameters, parts
from memory.ports import Encoder
from memory.sentences import split
from tests.benchmarks.inputs import paths
from tools.base import encode_query
from tools.hybrid import Hybrid, HybridParameters

BUFFERS = (0, 1, 2, 5, 10)
THRESHOLDS = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7)
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
    print("| chunker | parts | chunks | tokens: least, median, most | first | five | 500 tokens | MRR@10 |")
    print("|---|---|---|---|---|---|---|---|")
    print_row("sentences", "", path, cases, encoder, ChunkerParameters())
    for buffer in BUFFERS:
        for threshold in THRESHOLDS:
            parameters = SemanticParameters(buffer, threshold)
            name = f"b {buffer}, theta {threshold}"
            print_row(name, str(len(parts_of(text, encoder, parameters))), path, cases, encoder, parameters)
    print_parts(text, encoder)


def print_row(name: str, parts: str, path: Path, cases: Sequence[Case], encoder: Encoder, chunker: Chunker) -> None:
    with TemporaryDirectory() as folder:
        *_, report = index([path], Path(folder), encoder, parameters=Parameters(chunker))
        assert isinstance(report, Report)
        with open_library(Path(folder), encoder) as library:
            tool = Hybrid(library.store, HybridParameters())
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
    spread = f"{min(sizes)}, {median(sizes):.0f}, {max(sizes)}"
    print(f"| {name} | {parts} | {len(chunks)} | {spread} |", " | ".join(f"{x:.2f}" for x in figures), "|", flush=True)


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


def print_parts(text: str, encoder: Encoder) -> None:
    print("\n| b | k |", " | ".join(f"theta {threshold}" for threshold in THRESHOLDS), "|")
    print("|---" * (len(THRESHOLDS) + 2) + "|")
    for buffer in BUFFERS[1:]:
        for step in (1, buffer + 1, 2 * buffer + 1):
            counts = [len(parts_of(text, encoder, SemanticParameters(buffer, x, step))) for x in THRESHOLDS]
            print(f"| {buffer} | {step} |", " | ".join(map(str, counts)), "|", flush=True)


def parts_of(text: str, encoder: Encoder, parameters: SemanticParameters) -> list[tuple[int, int]]:
    return [part for segment in parts(text, split(text), encoder, parameters) for part in segment]


def _joined(text: str) -> str:
    return " ".join(text.split())


if __name__ == "__main__":
    main()
