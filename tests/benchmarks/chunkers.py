"""The semantic chunker beside the sentence chunker: a table for one text.

python -m tests.benchmarks.chunkers TEXT CASES

CASES is seed 001's file: its questions, each with pieces of the text that hold the answer. A piece is found where one
chunk of those that the tool `hybrid` brings holds it, white space aside: in the first, in the first five, or in those
that come to 500 tokens together, which does not favour large chunks. MRR is by the first chunk with any piece.
Sizes are in the encoder's tokens: least, median, most. `cuts` are those of the semantic chunker; `step` is that from
window to window, 1 in the seed.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from statistics import mean, median
from tempfile import TemporaryDirectory

from clew.agent.models import encoder_for
from clew.agent.settings import read_settings
from clew.memory.datatypes import Passage
from clew.memory.encoding import CachedEncoder
from clew.memory.knowledge.chunking import Chunker, ChunkerParameters, SemanticParameters, segments
from clew.memory.knowledge.index.generation import Parameters
from clew.memory.knowledge.index.run import index
from clew.memory.knowledge.library import open_library
from clew.memory.ports import Encoder
from clew.memory.text import split
from clew.tools.base import encode_query
from clew.tools.hybrid import Hybrid
from tests.benchmarks.measuring import paths, show

CHUNKERS: dict[str, Chunker] = {
    "sentences": ChunkerParameters(None),
    "sentences, size 160": ChunkerParameters(160),
    "semantic, buffer 2, threshold .2": SemanticParameters(2, 0.2),
    "semantic, buffer 5, threshold .5": SemanticParameters(5, 0.5),
    "semantic, 5 and .5, step 1": SemanticParameters(5, 0.5, 1),
}
HEADS = ("chunker", "cuts", "chunks", "their sizes", "first", "five", "500 tokens", "MRR@10")

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
    encoder, text = encoder_for(read_settings()), path.read_text("utf-8")
    sentences = [text[start:end] for start, end in split(text)]
    rows: list[list[object]] = []
    for name, chunker in CHUNKERS.items():
        cuts = len(segments(sentences, encoder, chunker)) - 1 if isinstance(chunker, SemanticParameters) else ""
        rows.append([name, cuts, *figures(path, cases, encoder, chunker)])
    show(f"{path.name}, {len(sentences)} sentences", HEADS, rows)


def figures(path: Path, cases: Sequence[Case], encoder: CachedEncoder, chunker: Chunker) -> list[object]:
    """The cells behind the cuts."""
    with TemporaryDirectory() as folder:
        list(index([path], Path(folder), encoder, parameters=Parameters(chunker)))
        with open_library(Path(folder), encoder) as library:
            tool = Hybrid(library.store)
            chunks = library.store.chunks(library.store.part().layers.chunk_ids)
            found = [(tool.search(encode_query(asked, [], encoder), FOUND).passages, its) for asked, its in cases]
    sizes = [len(pieces) for pieces in encoder.tokens([chunk.text for chunk in chunks])]
    return [
        *(len(chunks), f"{min(sizes)}, {median(sizes):.0f}, {max(sizes)}"),
        mean(share(passages[:1], pieces) for passages, pieces in found),
        mean(share(passages[:5], pieces) for passages, pieces in found),
        mean(share(within(passages, encoder), pieces) for passages, pieces in found),
        mean(reciprocal_rank(passages[:10], pieces) for passages, pieces in found),
    ]


def share(passages: Sequence[Passage], pieces: Sequence[str]) -> float:
    """Of the pieces of evidence, those that lie in one of the passages."""
    return float(mean(any(piece in _joined(passage.text) for passage in passages) for piece in pieces))


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


def _joined(text: str) -> str:
    return " ".join(text.split())


if __name__ == "__main__":
    main()
