"""All aligners of all partitionings of a library, trained and measured: the tables of docs/figures.md.

python -m tests.benchmarks.aligners DATASET LIBRARY [--capsule NAME] [--size 10000]

Every model is trained with every loss on synthetic queries of each capsule (`clew partition` makes them), then all
are measured as `clew align evaluate` measures, on the half of the human queries whose `_id` has an odd CRC-32: the
other half may be looked at when something is chosen. About 25 minutes of one core for a capsule of 650 partitions.
"""

import argparse
import sys
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from clew.agent.aligner_evaluation import (
    SIZE_WITHOUT_GPU,
    AlignerRow,
    SavedAligner,
    TrainingPlan,
    evaluate_aligners,
    train_aligners,
)
from clew.agent.settings import Settings, read_settings
from clew.memory.json_lines import read_objects
from clew.memory.knowledge.disk import required_generation
from clew.memory.knowledge.partitioning.capsule import capsules

MEASURES = {"P@1": "p@1", "R@5": "r@5", "R@10": "r@10", "MRR": "mrr"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dataset", type=Path)
    parser.add_argument("library", type=Path)
    parser.add_argument("--capsule", default="")
    parser.add_argument("--size", type=int, default=SIZE_WITHOUT_GPU)
    given = parser.parse_args()
    settings = read_settings(library=given.library)
    for name in [given.capsule] if given.capsule else capsules(required_generation(given.library)):
        for saved in trained(TrainingPlan("all", "all", size=given.size, capsule=name), settings):
            record = saved.record
            line = f"{name} {saved.path.stem}: epoch {record.epoch} of {record.epochs}, T {record.temperature:.3f}"
            print(line, file=sys.stderr, flush=True)
        with TemporaryDirectory() as folder:
            print_table(measured(half(given.dataset, Path(folder)), name, settings))


def trained(plan: TrainingPlan, settings: Settings) -> Iterator[SavedAligner]:
    return (event for event in train_aligners(plan, settings) if isinstance(event, SavedAligner))


def measured(dataset: Path, capsule: str, settings: Settings) -> Iterator[AlignerRow]:
    events = evaluate_aligners(dataset, capsule, settings)
    return (event for event in events if isinstance(event, AlignerRow))


def half(dataset: Path, folder: Path) -> Path:
    """A data set of the queries that nothing was chosen on."""
    made = folder / f"{dataset.resolve().name}, held back"
    made.mkdir()
    lines = (dataset / "queries.jsonl").read_text("utf-8").splitlines(keepends=True)
    rows = zip(read_objects(dataset / "queries.jsonl"), lines, strict=True)
    kept = [line for (_, row), line in rows if zlib.crc32(str(row["_id"]).encode()) % 2]
    (made / "queries.jsonl").write_text("".join(kept), "utf-8")
    (made / "qrels.tsv").write_text((dataset / "qrels.tsv").read_text("utf-8"), "utf-8")
    return made


def print_table(rows: Iterable[AlignerRow]) -> None:
    for number, row in enumerate(rows):
        depths = [str(pool.partitions) for pool in row.pools]
        if not number:
            heads = ("partitions", "aligner", "queries", *MEASURES, "ms", *(f"pool {d} / dense" for d in depths))
            print_row(*heads)
            print("|---" * len(heads) + "|")
        shares = (f"{decimals(pool.held)} / {decimals(pool.nearest)}" for pool in row.pools)
        figures = (decimals(row.metrics[name]) for name in MEASURES.values())
        print_row(row.capsule, row.aligner, f"{row.set} ({row.queries})", *figures, f"{row.ms:.2f}", *shares)


def decimals(share: float) -> str:
    return f"{share:.3f}".removeprefix("0")


def print_row(*cells: str) -> None:
    print("|", " | ".join(cells), "|", flush=True)


if __name__ == "__main__":
    main()
