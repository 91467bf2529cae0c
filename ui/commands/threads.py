"""`clew threads`: the conversations that are kept, listed or deleted; no library and no model is opened."""

from datetime import datetime
from typing import TYPE_CHECKING

import click

from clew.ui import options
from clew.ui.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clew.memory.dialogue.threads import Thread


@click.command()
@click.option("--delete", metavar="ID", help="Delete this conversation.")
@click.option(
    "--all", "everything", is_flag=True, help="Also list single questions of clew ask that were not continued."
)
@options.as_json("Print each thread as a JSON object, a line each.")
def threads(delete: str | None, everything: bool, as_json: bool) -> None:
    """List the conversations, newest first."""
    from clew.agent.settings import read_settings
    from clew.memory.dialogue.threads import Threads
    from clew.ui.transcript import known_thread

    path = options.threads_path(read_settings())
    with Threads(path) as database:
        if delete:
            from clew.agent.graph import forget_checkpoints

            thread = known_thread(database, delete).id
            forget_checkpoints(path, thread)
            database.delete(thread)
            click.echo(f"thread {delete} is forgotten", err=True)
            return
        _print_threads(database.recent(everything), as_json)
    click.echo(f"kept in {path}", err=True)


def _print_threads(recent: "Sequence[Thread]", as_json: bool) -> None:
    from dataclasses import asdict

    from rich.table import Table

    from clew.ui.console import output, print_json

    if as_json:
        for one in recent:
            print_json(asdict(one))
        return
    if not recent:
        click.echo("no conversations yet", err=True)
        return
    owners = any(one.owner for one in recent)
    names = ("id", "title", "turns", "updated", *(("owner",) if owners else ()))
    table = Table(*names, box=None, header_style="dim", pad_edge=False, padding=(0, 2, 0, 0))
    for one in recent:
        table.add_row(
            one.id, one_line(one.title), str(one.turns), _local(one.updated), *((one.owner,) if owners else ())
        )
    output().print(table, soft_wrap=False)


def _local(updated: str) -> str:
    """ISO 8601 in UTC as the clock of this machine shows it."""
    return datetime.fromisoformat(updated).astimezone().strftime("%Y-%m-%d %H:%M")
