"""`clew copy`: a library from a folder onto a cluster; `clew libraries`: what a cluster holds, and the end of one of
them."""

import sys
from contextlib import closing
from pathlib import Path

import click

from clew.memory.errors import BadInput, NoLibrary
from clew.memory.knowledge.cluster import generations as clusters
from clew.memory.knowledge.cluster.connection import NAME, Cluster, ClusterAddress, Place
from clew.memory.knowledge.cluster.publishing import Published, publish
from clew.memory.knowledge.disk import required_generation
from clew.memory.knowledge.library import open_library, recorded_at
from clew.memory.text import number_of
from clew.ui import options
from clew.ui.console import shown


@click.command()
@click.argument("source", metavar="FROM", type=click.Path(file_okay=False, path_type=Path))
@click.argument("target", metavar="TO", type=options.AnyPlace())
@options.quiet
def copy(source: Path, target: Place, quiet: bool) -> None:
    """Copy a library from a folder onto a cluster.

    FROM is a folder, TO an address like es://HOST:PORT/NAME. Nothing is embedded again, and count and hash are proven.
    The library keeps its id, so that conversations go on. Run again, it sends what differs.
    """
    if not isinstance(target, ClusterAddress):
        raise BadInput(f"{target} is not the address of a cluster", "clew copy FOLDER es://HOST:PORT/NAME")
    own = recorded_at(source).id
    if (there := recorded_at(target).id) and there != own:
        raise BadInput(f"there is another library at {target}", "choose a place that has none")
    with closing(shown(publish(Cluster(target), required_generation(source)), quiet)) as events:
        (done,) = (event for event in events if isinstance(event, Published))
    with open_library(target, None) as library:
        count = number_of(library.manifest.documents, "document")
    click.echo(f"{count}, {done}: {target}")


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
