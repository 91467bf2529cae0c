"""All aligners of all partitionings of a library, trained and measured: the tables of docs/figures.md.

python -m tests.benchmarks.aligners DATASET LIBRARY [--capsule NAME] [--size 10000]

Every model is trained with every loss on synthetic queries of each capsule (`clew partition` makes them), then all
are measured as `clew align evaluate` measures, on the half of the human queries whose `_id` has an odd CRC-32: the
other half may be looked at when something is chosen. About 25 minutes of one core for a capsule of 650 partitions.
"""

import zlib
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from clew.agent.evaluation.aligners import (
    SIZE_WITHOUT_GPU,
    AlignerRow,
    SavedAligner,
    TrainingPlan,
    evaluate_aligners,
    train_aligners,
)
from clew.agent.settings import read_settings
from clew.memory.json_lines import as_line
from clew.memory.knowledge.disk import required_generation
from clew.memory.knowledge.partitioning.capsule import capsules
from tests.benchmarks.inputs import show
from tests.training.records import lines_of

MEASURES = {"P@1": "p@1", "R@5": "r@5", "R@10": "r@10", "MRR": "mrr"}
HEADS = ("partitions", "aligner", "queries", *MEASURES, "ms", "held by pools / by as many nearest nodes")


@click.command(help=__doc__)
@click.argument("dataset", type=click.Path(exists=True, path_type=Path))
@click.argument("library", type=click.Path(exists=True, path_type=Path))
@click.option("--capsule", default="")
@click.option("--size", default=SIZE_WITHOUT_GPU)
def main(dataset: Path, library: Path, capsule: str, size: int) -> None:
    settings = read_settings(library=library)
    for name in [capsule] if capsule else capsules(required_generation(library)):
        for saved in train_aligners(TrainingPlan("all", "all", size=size, capsule=name), settings):
            if isinstance(saved, SavedAligner):
                record = saved.record
                line = f"{name} {saved.path.stem}: epoch {record.epoch} of {record.epochs}, T {record.temperature:.3f}"
                click.echo(line, err=True)
        with TemporaryDirectory() as folder:
            events = evaluate_aligners(half(dataset, Path(folder)), name, settings)
            show(name, HEADS, ([*cells(event)] for event in events if isinstance(event, AlignerRow)))


def half(dataset: Path, folder: Path) -> Path:
    """A data set of the queries that nothing was chosen on."""
    made = folder / f"{dataset.resolve().name}, held back"
    made.mkdir()
    kept = (row for row in lines_of(dataset / "queries.jsonl") if zlib.crc32(str(row["_id"]).encode()) % 2)
    (made / "queries.jsonl").write_text("".join(map(as_line, kept)), "utf-8")
    (made / "qrels.tsv").write_text((dataset / "qrels.tsv").read_text("utf-8"), "utf-8")
    return made


def cells(row: AlignerRow) -> Iterator[object]:
    yield from (row.capsule, row.aligner, f"{row.set} ({row.queries})")
    yield from (row.metrics[name] for name in MEASURES.values())
    yield f"{row.ms:.2f}"
    yield ", ".join(f"{pool.partitions}: {pool.held:.3f} / {pool.nearest:.3f}" for pool in row.pools)


if __name__ == "__main__":
    main()
