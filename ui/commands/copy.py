"""`clew copy`: a library from a folder onto a cluster, back, and from one cluster to another."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from clew.memory.errors import BadInput
from clew.memory.knowledge.cluster.connection import ClusterAddress, Place
from clew.ui import options

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clew.memory.datatypes import Progress
    from clew.memory.knowledge.cluster.publishing import Published, Sending


@click.command()
@click.argument("source", metavar="FROM", type=options.AnyPlace())
@click.argument("target", metavar="TO", type=options.AnyPlace())
@options.shards
@options.replicas
@options.quiet
def copy(source: Place, target: Place, shards: int | None, replicas: int | None, quiet: bool) -> None:
    """Copy a library from a folder onto a cluster, or back.

    FROM and TO are folders, or addresses like es://HOST:PORT/NAME; one of them is a cluster, or both. Nothing is
    embedded again, and count and hash are proven. The library keeps its id, so that conversations go on. Run again, it
    sends what differs.
    """
    from contextlib import closing

    from clew.memory.knowledge.cluster.publishing import Published, Sending
    from clew.memory.knowledge.library import open_library
    from clew.memory.text import number_of
    from clew.ui.console import shown

    with closing(shown(_copied(source, target, Sending(shards, replicas)), quiet)) as events:
        done = [event for event in events if isinstance(event, Published)]
    with open_library(target, None) as library:
        count = number_of(library.manifest.documents, "document")
    sent = f", {done[-1].sent:,} of {done[-1].rows:,} rows sent" if done else ""
    click.echo(f"{count}{sent}: {target}")


def _copied(source: Place, target: Place, sending: "Sending") -> "Iterator[Progress | Published]":
    """Between clusters by the copy that indexing works on: a run that is cut off goes on with what was read and sent.
    Raises `BadInput` for two folders, and a place where another library is."""
    from clew.agent.settings import read_settings
    from clew.memory.knowledge.cluster.cluster_store import open_cluster
    from clew.memory.knowledge.cluster.connection import Cluster
    from clew.memory.knowledge.cluster.generations import Generations
    from clew.memory.knowledge.cluster.publishing import publish
    from clew.memory.knowledge.cluster.restoring import on_this_machine, restore
    from clew.memory.knowledge.disk import required_generation
    from clew.memory.knowledge.library import recorded_at

    own = recorded_at(source).id
    if (there := recorded_at(target).id) and there != own:
        raise BadInput(f"there is another library at {target}", "choose a place that has none")
    if isinstance(source, Path) and isinstance(target, ClusterAddress):
        return publish(Cluster(target), required_generation(source), sending)
    if isinstance(source, ClusterAddress) and isinstance(target, Path):
        return restore(open_cluster(source), target)
    if isinstance(source, ClusterAddress) and isinstance(target, ClusterAddress):
        Generations(Cluster(target)).may_index()
        generation = required_generation(on_this_machine(source, read_settings().cache))
        return publish(Cluster(target), generation, sending)
    raise BadInput("one of the two has to be on a cluster", "clew copy FOLDER es://HOST:PORT/NAME")
