"""What it takes to index a graph folder, the encoder aside: seconds and the most memory at once.

python -m tests.benchmarks.ingest GRAPH_FOLDER

Vectors are random and word pieces are words: no model is loaded. The memory is the peak of the resident set of a
process that does nothing else, pages of mapped files among it.
"""

import re
import resource
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import numpy as np

from clew.memory.datatypes import Vectors
from clew.memory.knowledge.index.run import IndexReport, index
from clew.memory.knowledge.library import open_library
from clew.memory.ports import Role
from clew.memory.text import Span
from tests.benchmarks.inputs import paths


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


def main() -> None:
    (folder,) = paths(__doc__ or "", "folder")
    with TemporaryDirectory() as temporary:
        library = Path(temporary) / "library"
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
            report, seconds, peak = process.submit(measured, folder, library).result()
        with open_library(library, None) as opened:
            edges = opened.manifest.edges
    print(f"{folder.name}: {report.documents} documents, {edges} edges in {seconds:.1f} s, peak {peak / 2**20:.0f} MiB")
    for stage, taken in report.seconds.items():
        print(f"    {stage:20} {taken:8.2f} s")


def measured(folder: Path, library: Path) -> tuple[IndexReport, float, int]:
    """The report, seconds and the peak in bytes of this process."""
    started = perf_counter()
    *_, report = index([folder], library, RandomEncoder())
    assert isinstance(report, IndexReport)
    return report, perf_counter() - started, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


if __name__ == "__main__":
    main()
