"""`clew partition`: the graph of a library's nodes divided anew; `clew align`: aligners, which choose partitions for a
question, trained on synthetic queries and measured; `clew train-structure`: what a search by structure can learn."""

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from clew.agent.settings import read_settings
from clew.memory.errors import BadInput
from clew.memory.files import naming_full_disk
from clew.memory.knowledge.cluster.connection import Place
from clew.memory.knowledge.cluster.publishing import worked_on
from clew.memory.knowledge.disk import held
from clew.memory.knowledge.library import open_library
from clew.memory.knowledge.nodes import PartitionMethod
from clew.memory.knowledge.partitioning.capsule import Capsule, plan_of
from clew.ui import options
from clew.ui.console import output, print_json, print_table, shown

if TYPE_CHECKING:
    from clew.agent.evaluation.aligners import AlignerRow, SavedAligner

METHODS = click.Choice(get_args(PartitionMethod))
MODELS = ["bi", "mlp", "gcn", "sage", "gin", "rgcn", "all"]
LOSSES = ["infonce", "bce", "all"]
"""Those of `clew.agent.evaluation.aligners`, which is not imported to print a help text."""


@click.command()
@options.library
@click.option("--method", type=METHODS, default="hybrid", show_default=True, help="How nodes are grouped.")
@click.option("--size", type=click.IntRange(1), help="The most nodes of a partition (hybrid, metis).  [default: 200]")
@click.option("--k", type=click.IntRange(1), help="How many partitions (metis; leiden: about).")
@options.as_json("Print the report as a JSON object.")
@options.quiet
def partition(
    library: Place | None, method: PartitionMethod, size: int | None, k: int | None, as_json: bool, quiet: bool
) -> None:
    """Divide the graph of a library anew, and use these partitions from now on.

    `clew index` makes those of --method hybrid --size 200.
    """
    from clew.memory.knowledge.partitioning.partitioner import partition_library

    settings, plan = read_settings(library=library), plan_of(method, size, k)
    events = worked_on(settings.library, settings.cache, lambda folder: partition_library(folder, plan))
    kept = f"the library at {settings.library} keeps the partitions that it has"
    with naming_full_disk(kept), closing(shown(events, quiet)) as seen:
        *_, capsule = seen
    assert isinstance(capsule, Capsule)
    if as_json:
        plan = capsule.plan
        about = {"capsule": plan.name, "method": plan.method, "size": plan.size, "k": plan.k}
        print_json(about | dict(capsule.report))
    else:
        click.echo("\n".join(_lines(capsule.plan.name, capsule.report)))


def _lines(name: str, report: Mapping[str, Any]) -> list[str]:
    sizes = f"{report['smallest']} to {report['largest']} nodes (median {report['median']:g}, mean {report['mean']:g})"
    between = f"{report['edge_cut']:.1%} of {report['edges']}, joining {report['bridged']} pairs of partitions"
    rows = {
        name: f"{report['partitions']} partitions of {report['nodes']} nodes",
        "sizes": sizes,
        "edges between": between,
        "coherence": f"{report['coherence']:.3f}, {report['lift']:.2f} times that of random partitions",
        "islands": f"{report['components']} components, {report['alone']} nodes without an edge",
        "high degree": f"{report['high_degree']} nodes, {report['hub_nodes']} of them hub nodes",
    }
    return [f"{label:14} {text}" for label, text in rows.items()]


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

    wanted = size or default_size()
    if not size and not quiet and wanted == SIZE_WITHOUT_GPU:
        click.echo(f"note: there is no GPU here: {wanted} synthetic queries (--size to change)", err=True)
    settings, training = read_settings(library=library), TrainingPlan(size=wanted, **plan)
    events = worked_on(
        settings.library,
        settings.cache,
        lambda folder: train_aligners(training, settings.model_copy(update={"library": folder})),
    )
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

    rows: list[AlignerRow] = []
    with closing(shown(evaluate_aligners(dataset, capsule, read_settings(library=library)), quiet)) as events:
        for row in events:
            rows.append(row)
            if as_json:
                print_json(asdict(row))
    if not as_json:
        _print_rows(rows)


def _print_rows(rows: "Sequence[AlignerRow]") -> None:
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


@click.command(name="train-structure")
@options.library
@click.option("--language", type=click.Choice(["eo"]), help="Read it, whatever language it seems to be in.")
@click.option("--sentences", type=click.IntRange(2), default=20_000, show_default=True, help="To learn from, at most.")
@click.option("--epochs", type=click.IntRange(1), default=4, show_default=True, help="How often each is learned from.")
@click.option(
    "--seed", type=click.IntRange(0), default=7, show_default=True, help="Of the network and the paraphrases."
)
@options.quiet
def train_structure(
    library: Path | None, language: str | None, sentences: int, epochs: int, seed: int, quiet: bool
) -> None:
    """Train a Tree-LSTM on the sentences of a library, for searches with --set tools.hybrid.stage2=structure.

    The documents have to be in Esperanto. It learns from the library alone, each sentence against paraphrases of it,
    and uses a GPU where there is one.
    """
    from clew.memory.language.structure_training import StructurePlan, train_library

    path = read_settings(library=library).library
    if not isinstance(path, Path):
        raise BadInput("a network is trained on a library in a folder", "--library FOLDER")
    kept = f"the library at {path} stays as it was"
    with naming_full_disk(kept), open_library(path, None) as opened, held(path):
        events = train_library(opened, StructurePlan(epochs=epochs, seed=seed), sentences, told=bool(language))
        with closing(shown(events, quiet)) as seen:
            for written in seen:
                click.echo(str(written))
