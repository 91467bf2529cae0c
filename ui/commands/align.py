"""`clew align`: aligners trained on synthetic queries, and measured."""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from clew.memory.knowledge.cluster.connection import Place
from clew.ui import options

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clew.agent.evaluation.aligners import AlignerRow, SavedAligner
    from clew.memory.datatypes import Progress

MODELS = ["bi", "mlp", "gcn", "sage", "gin", "rgcn", "all"]
LOSSES = ["infonce", "bce", "all"]
"""Those of `clew.agent.evaluation.aligners`, which is not imported to print a help text."""


@click.group()
def align() -> None:
    """Train and measure what chooses partitions for a question."""


@align.command()
@options.library
@click.option("--model", type=click.Choice(MODELS), default="mlp", show_default=True, help="The two towers.")
@click.option("--loss", type=click.Choice(LOSSES), default="infonce", show_default=True, help="What is minimised.")
@click.option("--epochs", type=click.IntRange(1), default=20, show_default=True, help="At most; it may stop earlier.")
@click.option("--size", type=click.IntRange(10), help="Synthetic queries.  [default: 100000 with a GPU, 10000 without]")
@click.option("--seed", type=click.IntRange(0), default=42, show_default=True, help="Of the queries and the training.")
@click.option("--capsule", metavar="NAME", default="", help="The partitioning.  [default: the one in use]")
@options.as_json("Print what is known of each aligner as a JSON object, a line each.")
@options.quiet
def train(library: Place | None, size: int | None, as_json: bool, quiet: bool, **plan: Any) -> None:
    """Train aligners on synthetic queries and save them beside their partitions."""
    from clew.agent.evaluation.aligners import (
        SIZE_WITHOUT_GPU,
        SavedAligner,
        TrainingPlan,
        default_size,
        train_aligners,
    )
    from clew.agent.settings import read_settings
    from clew.memory.files import naming_full_disk
    from clew.memory.knowledge.cluster.restoring import worked_on
    from clew.ui.console import print_json, shown

    wanted = size or default_size()
    if not size and not quiet and wanted == SIZE_WITHOUT_GPU:
        click.echo(f"note: there is no GPU here: {wanted} synthetic queries (--size to change)", err=True)
    settings, training = read_settings(library=library), TrainingPlan(size=wanted, **plan)

    def trained(folder: Path) -> "Iterator[Progress | SavedAligner]":
        return train_aligners(training, settings.model_copy(update={"library": folder}))

    events = worked_on(settings.library, settings.cache, trained)
    kept = f"the library at {settings.library} keeps the aligners that it has"
    with naming_full_disk(kept), closing(shown(events, quiet)) as saved:
        for one in saved:
            if not isinstance(one, SavedAligner):
                continue  # what was sent to a cluster
            if as_json:
                print_json(one.record.model_dump())
            else:
                click.echo(_line(one, one.path if isinstance(settings.library, Path) else settings.library))


def _line(saved: "SavedAligner", where: Place) -> str:
    """`where`: its file, or the library on a cluster that it is in."""
    record = saved.record
    return (
        f"{record.model}-{record.loss}: epoch {record.epoch} of {record.epochs}, validation loss "
        f"{record.validation:.3f}, temperature {record.temperature:.3f}, {record.learned} queries: {where}"
    )


@align.command()
@click.argument("dataset", required=False, type=click.Path(exists=True, file_okay=False, path_type=Path))
@options.library
@click.option("--capsule", metavar="NAME", default="", help="One partitioning alone.  [default: all]")
@options.as_json("Print each row as a JSON object, a line each.")
@options.quiet
def evaluate(dataset: Path | None, library: Place | None, capsule: str, as_json: bool, quiet: bool) -> None:
    """Measure all aligners of all partitionings on synthetic queries, and on those of DATASET, where it is given: a
    folder with queries.jsonl and qrels."""
    from clew.agent.evaluation.aligners import evaluate_aligners
    from clew.agent.settings import read_settings
    from clew.ui.console import print_json, shown

    rows: list[AlignerRow] = []
    with closing(shown(evaluate_aligners(dataset, capsule, read_settings(library=library)), quiet)) as events:
        for row in events:
            rows.append(row)
            if as_json:
                print_json(asdict(row))
    if not as_json:
        _print_rows(rows)


def _print_rows(rows: "Sequence[AlignerRow]") -> None:
    from clew.ui.console import output, print_table

    names = ("p@1", "r@5", "r@10", "mrr")
    pools = [str(pool.partitions) for pool in rows[0].pools]
    headings = ("queries", *names, "ms p50", *(f"pool {depth} | dense" for depth in pools))
    lines = (
        (
            row.capsule,
            row.aligner,
            row.set,
            str(row.queries),
            *(f"{row.metrics[name]:.3f}" for name in names),
            f"{row.ms:.2f}",
            *(f"{pool.held:.3f} | {pool.nearest:.3f}" for pool in row.pools),
        )
        for row in rows
    )
    print_table(lines, "partitions", "aligner", "set", *headings, words=3)
    output().print("pool: gold among the nodes of the best partitions; dense: among as many nearest by exact cosine")
