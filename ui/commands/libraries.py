"""`clew copy`: a library from a folder onto a cluster, back, and from one cluster to another; `clew libraries`: what a
cluster holds, and the end of one of them."""

import sys
from collections.abc import Iterator
from contextlib import closing

import click

from clew.agent.settings import read_settings
from clew.memory.datatypes import Progress
from clew.memory.errors import BadInput, NoLibrary
from clew.memory.knowledge.cluster import generations as clusters
from clew.memory.knowledge.cluster.cluster_store import open_cluster
from clew.memory.knowledge.cluster.connection import NAME, Cluster, ClusterAddress, Place
from clew.memory.knowledge.cluster.publishing import Published, Sending, publish
from clew.memory.knowledge.cluster.restoring import on_this_machine, restore
from clew.memory.knowledge.disk import required_generation
from clew.memory.knowledge.library import open_library, recorded_at
from clew.memory.text import number_of
from clew.ui import options
from clew.ui.console import shown


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

    with closing(shown(_copied(source, target, Sending(shards, replicas)), quiet)) as events:
        done = [event for event in events if isinstance(event, Published)]
    with open_library(target, None) as library:
        count = number_of(library.manifest.documents, "document")
    sent = f", {done[-1].sent:,} of {done[-1].rows:,} rows sent" if done else ""
    click.echo(f"{count}{sent}: {target}")


def _copied(source: Place, target: Place, sending: Sending) -> Iterator[Progress | Published]:
    """Between clusters by the copy that indexing works on: a run that is cut off goes on with what was read and sent.
    Raises `BadInput` for two folders, and a place where another library is."""
    own = recorded_at(source).id
    if (there := recorded_at(target).id) and there != own:
        raise BadInput(f"there is another library at {target}", "choose a place that has none")
    if isinstance(target, ClusterAddress):
        if isinstance(source, ClusterAddress):
            clusters.Generations(Cluster(target)).may_index()
            source = on_this_machine(source, read_settings().cache)
        return publish(Cluster(target), required_generation(source), sending)
    if isinstance(source, ClusterAddress):
        return restore(open_cluster(source), target)
    raise BadInput("one of the two has to be on a cluster", "clew copy FOLDER es://HOST:PORT/NAME")


class _Servers(options.AnyPlace):
    """An address with a name or without one."""

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Place:
        servers, slashes, rest = f"{value}".strip().partition("//")
        hosts, _, name = rest.partition("/")
        return super().convert(f"{servers}{slashes}{hosts}/{name or 'all'}", param, ctx)


@click.command()
@click.argument("address", metavar="ADDRESS", type=_Servers())
@click.option("--remove", metavar="NAME", help="Remove a library with all its generations; it asks first.")
@click.option("--yes", is_flag=True, help="Remove without asking.")
def libraries(address: Place, remove: str | None, yes: bool) -> None:
    """List the libraries of a cluster, or remove one.

    ADDRESS is es://HOST:PORT, or es:/// with the servers of ES_URL. What the key may not see is not listed.
    """
    if not isinstance(address, ClusterAddress):
        raise BadInput(f"{address} is not the address of a cluster", "clew libraries es://HOST:PORT")
    if remove is None:
        names = clusters.libraries(Cluster(address))
        click.echo("\n".join(names) if names else "no libraries")
        return
    where = ClusterAddress(remove, address.servers, address.tls)
    generations = clusters.Generations(Cluster(where))
    if not NAME.fullmatch(remove) or not generations.ours():
        raise NoLibrary(f"there is no library at {where}", f"clew libraries {address}")
    if not yes:
        if not sys.stdin.isatty():
            raise BadInput(f"{where} is only removed if you say so", "--yes")
        click.confirm(f"Remove {where} with all its generations?", abort=True)
    click.echo(f"removed {where}: {number_of(generations.remove_all(), 'generation')}")
