"""What indexing takes beside the encoder: a folder into a library that is new, with a cache that is empty.

    python -m tests.benchmarks.indexing FOLDER [--random]

The model is loaded before the clock starts. A second run, of the same data unchanged, is given as a share of the first;
a third adds one document. Stages are in seconds of the clock, what stands behind `processor` is of all threads. With
`--random` vectors are random, word pieces are words, and no model is loaded: the peak is then the resident set of a
process that does nothing else, pages of mapped files among it.
"""

import re
import resource
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from unittest.mock import patch

import click
import numpy as np

from clew.memory.datatypes import Vectors
from clew.memory.encoding import MINILM, CachedEncoder, load_encoder
from clew.memory.knowledge.index.run import IndexReport, index
from clew.memory.ports import Encoder, Role
from clew.memory.text import Span

NOTE = """The Lighthouse of Tarn Point

The Lighthouse of Tarn Point was built in 1871 by the engineer Alexander Mackay on the shore of Loch Ewe. Mackay
was born in Inverness and studied under Thomas Stevenson in Edinburgh. Its last keeper, Donald Urquhart, left in 1986.
"""


class RandomEncoder:
    """Unit vectors without a meaning, of the default model's size."""

    name, hash, dimension, window = "random", "0" * 64, 384, 254

    def __init__(self) -> None:
        self._random = np.random.default_rng(0)

    def encode(self, texts: Sequence[str], role: Role) -> Vectors:
        vectors = self._random.standard_normal((len(texts), self.dimension), np.float32)
        return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))

    def tokens(self, texts: Sequence[str]) -> list[list[Span]]:
        return [[match.span() for match in re.finditer(r"\w+|[^\w\s]", text)] for text in texts]

    def token_vectors(self, texts: Sequence[str], role: Role) -> list[Vectors]:
        return [self.encode(["word"] * len(spans), role) for spans in self.tokens(texts)]


@contextmanager
def timed(encoder: Encoder) -> Iterator[list[float]]:
    """The seconds of each call that encodes. Cutting into word pieces is not counted."""
    taken: list[float] = []
    encode = encoder.encode

    def measured(texts: Sequence[str], role: Role) -> Vectors:
        started = perf_counter()
        vectors = encode(texts, role)
        taken.append(perf_counter() - started)
        return vectors

    with patch.object(encoder, "encode", measured):
        yield taken


@click.command(help=__doc__)
@click.argument("folder", type=click.Path(exists=True, path_type=Path))
@click.option("--random", "at_random", is_flag=True)
def main(folder: Path, at_random: bool) -> None:
    with TemporaryDirectory() as made:
        real = RandomEncoder() if at_random else load_encoder(MINILM, Path(made)).uncached
        real.encode(["The model is loaded with its first text."], "passage")
        library, encoder = Path(made) / "library", real if at_random else CachedEncoder(real, Path(made))
        with timed(real) as taken:
            report, whole = run(folder, library, encoder)
        print(f"{folder.name}: {report.chunks} chunks in {whole:.1f} s, {sum(taken):.1f} s of it the encoder")
        print_stages(report)
        if at_random:
            print(f"peak {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")
            return
        again, unchanged = run(folder, library, encoder)
        print(f"again ({again.line}): {unchanged:.2f} s, {unchanged / whole:.2%} of the first run")
        (note := Path(made) / "note.txt").write_text(NOTE, "utf-8")
        started = process_time()
        more, _ = run(note, library, encoder)
        print(f"one more document ({more.line}): processor {process_time() - started:.2f} s")
        print_stages(more)


def print_stages(report: IndexReport) -> None:
    for stage, taken in report.seconds.items():
        print(f"    {stage:20} {taken:8.2f} s")


def run(folder: Path, library: Path, encoder: Encoder) -> tuple[IndexReport, float]:
    started = perf_counter()
    *_, report = index([folder], library, encoder)
    assert isinstance(report, IndexReport)
    return report, perf_counter() - started


if __name__ == "__main__":
    main()
