"""`clew partition`: the graph of a library's nodes divided anew."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from clew.memory.knowledge.cluster.connection import Place
from clew.ui import options

if TYPE_CHECKING:
    from clew.memory.knowledge.partitioning.capsule import Capsule
    from clew.memory.nodes import PartitionMethod

METHODS = ["hybrid", "leiden", "metis"]
"""Those of `clew.memory.nodes`, which is not imported to print a help text."""


@click.command()
@options.library
@click.option(
    "--method", type=click.Choice(METHODS), default="hybrid", show_default=True, help="How nodes are grouped."
)
@click.option("--size", type=click.IntRange(1), help="The most nodes of a partition (hybrid, metis).  [default: 200]")
@click.option("--k", type=click.IntRange(1), help="How many partitions (metis; leiden: about).")
@options.as_json("Print the report as a JSON object.")
@options.quiet
def partition(
    library: Place | None, method: "PartitionMethod", size: int | None, k: int | None, as_json: bool, quiet: bool
) -> None:
    """Divide the graph of a library anew, and use these partitions from now on.

    `clew index` makes those of --method hybrid --size 200.
    """
    from contextlib import closing

    from clew.agent.settings import read_settings
    from clew.memory.files import naming_full_disk
    from clew.memory.knowledge.cluster.restoring import worked_on
    from clew.memory.knowledge.partitioning.capsule import Capsule, plan_of
    from clew.memory.knowledge.partitioning.partitioner import partition_library
    from clew.ui.console import print_json, shown

    settings, plan = read_settings(library=library), plan_of(method, size, k)
    events = worked_on(settings.library, settings.cache, lambda folder: partition_library(folder, plan))
    kept = f"the library at {settings.library} keeps the partitions that it has"
    with naming_full_disk(kept), closing(shown(events, quiet)) as seen:
        *_, capsule = seen
    assert isinstance(capsule, Capsule)
    if as_json:
        print_json(_as_object(capsule))
    else:
        click.echo("\n".join(_lines(capsule.plan.name, capsule.report)))


def _as_object(capsule: "Capsule") -> dict[str, Any]:
    plan = capsule.plan
    return {"capsule": plan.name, "method": plan.method, "size": plan.size, "k": plan.k, **capsule.report}


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
