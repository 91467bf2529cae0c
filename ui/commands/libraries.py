"""`clew libraries`: what a cluster holds, and the end of one of them."""

import sys

import click

from clew.memory.errors import BadInput
from clew.memory.knowledge.cluster.connection import NAME, ClusterAddress, Place
from clew.ui import options


class _Servers(options.AnyPlace):
    """An address with a name or without one."""

    def convert(self, value: object, param: "click.Parameter | None", ctx: "click.Context | None") -> Place:
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
    from clew.memory.errors import NoLibrary
    from clew.memory.knowledge.cluster.connection import Cluster
    from clew.memory.knowledge.cluster.generations import Generations
    from clew.memory.knowledge.cluster.generations import libraries as listed
    from clew.memory.text import number_of

    if not isinstance(address, ClusterAddress):
        raise BadInput(f"{address} is not the address of a cluster", "clew libraries es://HOST:PORT")
    if remove is None:
        names = listed(Cluster(address))
        click.echo("\n".join(names) if names else "no libraries")
        return
    where = ClusterAddress(remove, address.servers, address.tls)
    generations = Generations(Cluster(where))
    if not NAME.fullmatch(remove) or not generations.ours():
        raise NoLibrary(f"there is no library at {where}", f"clew libraries {address}")
    if not yes:
        if not sys.stdin.isatty():
            raise BadInput(f"{where} is only removed if you say so", "--yes")
        click.confirm(f"Remove {where} with all its generations?", abort=True)
    click.echo(f"removed {where}: {number_of(generations.remove_all(), 'generation')}")
