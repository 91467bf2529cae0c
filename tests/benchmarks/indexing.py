"""What indexing takes beside the encoder: a data set into a library that is new, with a cache that is empty.

python -m tests.benchmarks.indexing DATASET

The model is loaded before the clock starts. A second run, of the same data unchanged, is given as a share of the first;
a third adds one document. Stages are in seconds of the clock, what stands behind `processor` is of all threads.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from unittest.mock import patch

from clew.memory.datatypes import Vectors
from clew.memory.encoding import MINILM, CachedEncoder, load_encoder
from clew.memory.knowledge.index.run import IndexReport, index
from clew.memory.ports import Encoder, Role
from tests.benchmarks.inputs import paths

NOTE = """The Lighthouse of Tarn Point

The Lighthouse of Tarn Point was built in 1871 by the engineer Alexander Mackay on the shore of Loch Ewe. Mackay
was born in Inverness and studied under Thomas Stevenson in Edinburgh. Its last keeper, Donald Urquhart, left in 1986.
"""


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


def main() -> None:
    (dataset,) = paths(__doc__ or "", "dataset")
    with TemporaryDirectory() as folder:
        real = load_encoder(MINILM, Path(folder)).uncached
        real.encode(["The model is loaded with its first text."], "passage")
        library, encoder = Path(folder) / "library", CachedEncoder(real, Path(folder))
        with timed(real) as taken:
            report, whole = run(dataset, library, encoder)
        encoded = sum(taken)
        again, unchanged = run(dataset, library, encoder)
        note = Path(folder) / "note.txt"
        note.write_text(NOTE, "utf-8")
        started = process_time()
        more, _ = run(note, library, encoder)
        processor = process_time() - started
    print(f"{dataset.name}: {report.chunks} chunks in {whole:.1f} s")
    print_stages(report)
    print(f"    {'of it the encoder':20} {encoded:8.2f} s")
    print(f"everything else: {(whole - encoded) / encoded:.1%} of the encoder's time")
    print(f"again ({again.line}): {unchanged:.2f} s, {unchanged / whole:.2%} of the first run")
    print(f"one more document ({more.line}): processor {processor:.2f} s")
    print_stages(more)


def print_stages(report: IndexReport) -> None:
    for stage, taken in report.seconds.items():
        print(f"    {stage:20} {taken:8.2f} s")


def run(dataset: Path, library: Path, encoder: CachedEncoder) -> tuple[IndexReport, float]:
    started = perf_counter()
    *_, report = index([dataset], library, encoder)
    assert isinstance(report, IndexReport)
    return report, perf_counter() - started


if __name__ == "__main__":
    main()
