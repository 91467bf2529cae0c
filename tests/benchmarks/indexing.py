"""What indexing takes beside the encoder: a data set into a library that is new, with a cache that is empty.

python -m tests.benchmarks.indexing DATASET

The model is loaded before the clock starts. A second run, of the same data unchanged, is given as a share of the first.
"""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from clew.memory.datatypes import Vectors
from clew.memory.encoding import MINILM, CachedEncoder, load_encoder
from clew.memory.knowledge.index.run import IndexReport, index
from clew.memory.ports import Encoder, Role
from clew.memory.text import Span
from tests.benchmarks.inputs import paths


class Timed:
    """Passes on to an encoder, and adds up the seconds of its encoding. Cutting into word pieces is not counted."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self.name, self.hash, self.dimension, self.window = (
            encoder.name,
            encoder.hash,
            encoder.dimension,
            encoder.window,
        )
        self.seconds = 0.0

    def encode(self, texts: Sequence[str], role: Role) -> Vectors:
        started = perf_counter()
        vectors = self._encoder.encode(texts, role)
        self.seconds += perf_counter() - started
        return vectors

    def tokens(self, texts: Sequence[str]) -> list[list[Span]]:
        return self._encoder.tokens(texts)

    def token_vectors(self, texts: Sequence[str], role: Role) -> list[Vectors]:
        return self._encoder.token_vectors(texts, role)


def main() -> None:
    (dataset,) = paths(__doc__ or "", "dataset")
    with TemporaryDirectory() as folder:
        real = load_encoder(MINILM, Path(folder)).uncached
        real.encode(["The model is loaded with its first text."], "passage")
        timed = Timed(real)
        library, encoder = Path(folder) / "library", CachedEncoder(timed, Path(folder))
        report, whole = run(dataset, library, encoder)
        again, unchanged = run(dataset, library, encoder)
    print(f"{dataset.name}: {report.chunks} chunks in {whole:.1f} s")
    for stage, taken in report.seconds.items():
        print(f"    {stage:20} {taken:8.2f} s")
    print(f"    {'of it the encoder':20} {timed.seconds:8.2f} s")
    print(f"everything else: {(whole - timed.seconds) / timed.seconds:.1%} of the encoder's time")
    print(f"again ({again.line}): {unchanged:.2f} s, {unchanged / whole:.2%} of the first run")


def run(dataset: Path, library: Path, encoder: CachedEncoder) -> tuple[IndexReport, float]:
    started = perf_counter()
    *_, report = index([dataset], library, encoder)
    assert isinstance(report, IndexReport)
    return report, perf_counter() - started


if __name__ == "__main__":
    main()
