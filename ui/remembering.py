"""`clew threads` and `clew export`: the conversations that were had. Neither needs a library or a model."""

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from clew.ui import options
from clew.ui.plain import near, one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clew.memory.dialogue.threads import Thread


@click.command()
@click.option("--delete", metavar="ID", help="Forget this conversation.")
@options.as_json("Print each thread as a JSON object, a line each.")
def threads(delete: str | None, as_json: bool) -> None:
    """List the conversations, newest first."""
    from clew.agent import checkpoints
    from clew.agent.settings import read_settings
    from clew.ui.exporting import known_thread

    settings = read_settings()
    with options.open_threads(settings) as database:
        if delete:
            thread = known_thread(database, delete).id
            checkpoints.forget(options.threads_path(settings), thread)
            database.delete(thread)
            click.echo(f"thread {delete} is forgotten", err=True)
            return
        _print_threads(database.recent(), as_json)
    click.echo(f"kept in {options.threads_path(settings)}", err=True)


def _print_threads(recent: "Sequence[Thread]", as_json: bool) -> None:
    from dataclasses import asdict

    from rich.table import Table

    from clew.ui.streams import output, print_json

    if as_json:
        for one in recent:
            print_json(asdict(one))
        return
    if not recent:
        click.echo("no conversations yet", err=True)
        return
    table = Table("id", "title", "turns", "updated", box=None, header_style="dim", pad_edge=False, padding=(0, 2, 0, 0))
    for one in recent:
        table.add_row(one.id, one_line(one.title), str(one.turns), _local(one.updated))
    output().print(table, soft_wrap=False)


def _local(updated: str) -> str:
    """ISO 8601 in UTC as the clock of this machine shows it."""
    return datetime.fromisoformat(updated).astimezone().strftime("%Y-%m-%d %H:%M")


@click.command()
@click.argument("thread", metavar="THREAD")
@click.option("--format", "form", type=click.Choice(["markdown", "json"]), help="[default: by FILE's ending]")
@click.option("-o", "--out", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path), help="Write to FILE.")
def export(thread: str, form: str | None, out: Path | None) -> None:
    """Write a conversation with its sources.

    THREAD is an id that 'clew threads' lists.
    """
    from clew.agent.lines import replace_file
    from clew.agent.settings import read_settings
    from clew.ui.exporting import as_json, as_markdown, known_thread, stored_turns

    with options.open_threads(read_settings()) as database:
        found, turns = known_thread(database, thread), stored_turns(database, thread)
    is_json = form == "json" or (form is None and out is not None and out.suffix == ".json")
    text = as_json(found, turns) if is_json else as_markdown(found, turns)
    if out is None:
        click.echo(text, nl=False)
    else:
        replace_file(out, text)
        click.echo(f"wrote {near(str(out))}", err=True)
