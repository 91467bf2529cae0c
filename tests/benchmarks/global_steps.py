"""What the steps of `clew index` that look at the whole library take, by its size: seconds and the most memory at once.

python -m tests.benchmarks.global_steps CORPUS [CORPUS ...] --chunks 12000 36000 100000

A library of so many chunks is made of the corpora (BEIR's `corpus.jsonl`), again and again: each time its rarer names
are others (`Lang`, `Langen`, ...), so that entities and documents grow together as the chunks do, and what is common
stays so. Vectors are sums over the words of a text, a random one for each: texts with words in common are alike.

Memory is what a process of its own holds beside mapped files, looked at every 20 ms; the encoder's is among it.
"""

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import numpy as np

from clew.memory.datatypes import Progress, Vectors
from clew.memory.knowledge.cluster.rows import rows_of
from clew.memory.knowledge.disk import read_manifest, required_generation
from clew.memory.knowledge.index.generation import Generation, IndexStep
from clew.memory.knowledge.index.run import IndexReport, index
from clew.memory.knowledge.index.steps import STEPS
from clew.memory.knowledge.library import open_library
from clew.memory.ports import Role
from clew.memory.vectors import unit
from tests.benchmarks.ingest import RandomEncoder

ENDS = "", "en", "or", "il", "ak", "um", "is", "ott", "ya", "ev", "ur", "ano"
"""What is put to the names of each round, and doubled after that."""

COMMON = 400
"""Words with a capital that stay as they are: those of the most documents."""

SENDING = "rows for a cluster"
_NAME = re.compile(r"\b[A-Z][a-z]{2,}\b")
_WORD = re.compile(r"[a-z]{3,}")


class WordEncoder(RandomEncoder):
    """Of a text the sum of its words' vectors, of unit length."""

    name = "words"

    def __init__(self) -> None:
        super().__init__()
        self._rows: dict[str, int] = {}
        self._table = np.zeros((0, self.dimension), np.float32)

    def encode(self, texts: Sequence[str], role: Role) -> Vectors:
        found = [[self._rows.setdefault(word, len(self._rows)) for word in _WORD.findall(text.lower())] or [0]
                 for text in texts]  # fmt: skip
        if (missing := len(self._rows) + 1 - len(self._table)) > 0:
            fresh = self._random.standard_normal((missing + len(self._table) // 2, self.dimension), np.float32)
            self._table = np.concatenate([self._table, fresh])
        sums = [self._table[its].sum(axis=0) for its in found]
        return unit(np.array(sums, np.float32).reshape(-1, self.dimension))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", type=Path, nargs="+")
    parser.add_argument("--chunks", type=int, nargs="+", default=[12_000, 36_000, 100_000])
    given = parser.parse_args()
    for chunks in given.chunks:
        with TemporaryDirectory() as temporary:
            made = Path(temporary)
            write(given.corpora, made / "corpus.jsonl", chunks)
            told, peaks = watched(made)
        print(f"{told.pop('chunks'):,} chunks, {told.pop('documents'):,} documents, {told.pop('entities'):,} entities")
        for name, seconds in told.items():
            print(f"    {name:24} {seconds:8.1f} s {peaks[name] / 2**20:8.0f} MiB", flush=True)


def write(corpora: Sequence[Path], to: Path, chunks: int) -> None:
    """About so many: a document is counted as 1.5, as in the four sets."""
    rows = [
        {**json.loads(line), "of": corpus.name}
        for corpus in corpora
        for line in (corpus / "corpus.jsonl").read_text("utf-8").splitlines()
    ]
    held = Counter(name for row in rows for name in set(_NAME.findall(row["text"])))
    common = {name for name, _ in held.most_common(COMMON)}
    with to.open("w", encoding="utf-8") as out:
        for number in range(int(chunks / 1.51)):
            turn, row = number // len(rows), rows[number % len(rows)]
            end = ENDS[turn % len(ENDS)] * (1 + turn // len(ENDS))

            def renamed(match: re.Match[str], end: str = end) -> str:
                return match[0] if match[0] in common else f"{match[0]}{end}"

            title, text = (_NAME.sub(renamed, row.get(name, "")) for name in ("title", "text"))
            out.write(json.dumps({"_id": f"{turn}/{row['of']}/{row['_id']}", "title": title, "text": text}) + "\n")


def watched(folder: Path) -> tuple[dict[str, Any], dict[str, int]]:
    """What a process of its own tells, and the most bytes that it held, by step."""
    here, there = get_context("spawn").Pipe()
    process = get_context("spawn").Process(target=worked, args=(folder, there))
    process.start()
    peaks, step = dict[str, int](), ""
    while True:
        if here.poll(0.02):
            told = here.recv()
            if isinstance(told, dict):
                process.join()
                return told, peaks
            step = told
        status = Path(f"/proc/{process.pid}/status").read_text("ascii")
        held = int(re.findall(r"RssAnon:\s+(\d+) kB", status)[0]) * 1024
        peaks[step] = max(peaks.get(step, 0), held)


def worked(folder: Path, say: Connection) -> None:
    def told(step: IndexStep) -> IndexStep:
        def run(generation: Generation) -> Iterator[Progress]:
            say.send(step.title)
            return step.run(generation)

        return replace(step, run=run)

    library = folder / "library"
    say.send("reading")
    *_, report = index([folder / "corpus.jsonl"], library, WordEncoder(), steps=[told(step) for step in STEPS])
    assert isinstance(report, IndexReport)
    say.send(SENDING)
    started, generation = perf_counter(), required_generation(library)
    for _ in rows_of(generation, read_manifest(generation)):
        pass
    sending = perf_counter() - started
    with open_library(library, None) as opened:
        entities = len(opened.store.part().layers.entities)
    about = {"chunks": report.chunks, "documents": report.documents, "entities": entities}
    say.send({**about, **report.seconds, SENDING: sending})


if __name__ == "__main__":
    main()
