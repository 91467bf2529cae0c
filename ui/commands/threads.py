"""`clew threads`: the conversations that are kept, listed or changed; no library and no model is opened."""

from typing import TYPE_CHECKING

import click

from clew.memory.errors import BadInput
from clew.ui import options
from clew.ui.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from clew.memory.dialogue.threads import Thread, Threads


@click.command()
@click.argument("words", nargs=-1, metavar="[WORDS]...")
@click.option("--delete", metavar="ID", help="Forget this conversation; within 10 s --undo brings it back.")
@click.option("--undo", metavar="ID", help="Bring back one that was deleted.")
@click.option("--rename", nargs=2, metavar="ID TITLE", help="Give it this title; an empty TITLE: as at first.")
@click.option("--pin", metavar="ID", help="Keep it at the top of the lists, or no longer.")
@click.option(
    "--all", "everything", is_flag=True, help="Also list single questions of clew ask that were not continued."
)
@options.as_json("Print each thread as a JSON object, a line each.")
def threads(
    words: tuple[str, ...],
    delete: str | None,
    undo: str | None,
    rename: tuple[str, str] | None,
    pin: str | None,
    everything: bool,
    as_json: bool,
) -> None:
    """List the conversations, newest first; with WORDS those in which all of them were said."""
    from clew.agent.settings import read_settings
    from clew.memory.dialogue.threads import Threads

    path = options.threads_path(read_settings())
    with Threads(path) as database:
        if said := _changed(database, path, delete, undo, rename, pin):
            click.echo(said, err=True)
            return
        known, kept = database.recent(everything), database.holding(" ".join(words))
        _print_threads([one for one in known if not words or one.id in kept], as_json, searched=bool(words))
    click.echo(f"kept in {path}", err=True)


def _changed(
    database: "Threads",
    path: "Path",
    delete: str | None,
    undo: str | None,
    rename: tuple[str, str] | None,
    pin: str | None,
) -> str:
    """What was done; empty where nothing was asked for."""
    from clew.ui.transcript import known_thread

    if delete:
        from clew.agent.graph import forget_checkpoints

        forget_checkpoints(path, known_thread(database, delete).id)
        database.take_out(delete)
        return f"thread {delete} is forgotten; within 10 s this brings it back: clew threads --undo {delete}"
    if undo:
        if not database.bring_back(undo):
            raise BadInput(f"there is no thread {undo} to bring back", "clew threads")
        return f"thread {undo} is back"
    if rename:
        database.rename(known_thread(database, rename[0]).id, rename[1])
        return f"thread {rename[0]} is called {one_line(known_thread(database, rename[0]).title)} now"
    if pin:
        pinned = not known_thread(database, pin).pinned
        database.pin(pin, pinned)
        return f"thread {pin} is {'now' if pinned else 'no longer'} at the top of the lists"
    return ""


def _print_threads(recent: "Sequence[Thread]", as_json: bool, searched: bool) -> None:
    from dataclasses import asdict
    from datetime import UTC, datetime

    from rich.table import Table

    from clew.ui.console import output, print_json
    from clew.ui.plain import when

    if as_json:
        for one in recent:
            print_json(asdict(one))
        return
    if not recent:
        click.echo("no conversation has these words" if searched else "no conversations yet", err=True)
        return
    now, owners = datetime.now(UTC), any(one.owner for one in recent)
    names = ("id", "title", "turns", "updated", *(("owner",) if owners else ()))
    table = Table(*names, box=None, header_style="dim", pad_edge=False, padding=(0, 2, 0, 0))
    for one in sorted(recent, key=lambda thread: not thread.pinned):
        title = ("^ " if one.pinned else "") + one_line(one.title)
        table.add_row(one.id, title, str(one.turns), when(one.updated, now), *((one.owner,) if owners else ()))
    output().print(table, soft_wrap=False)
