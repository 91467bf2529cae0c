"""`clew threads`: the conversations that are kept, listed or changed; `clew export`: one as a file, or the texts of a
library. No model is opened."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click
from rich.table import Table

from clew.agent.settings import read_settings
from clew.memory.dialogue.threads import Thread, Threads
from clew.memory.errors import BadInput
from clew.memory.json_lines import replace_file
from clew.memory.knowledge.cluster.connection import Place
from clew.memory.text import number_of
from clew.ui import options
from clew.ui.console import output, print_json
from clew.ui.plain import near, one_line, when

ENDINGS = {"markdown": ".md", "json": ".json", "html": ".html"}
FORMATS = (*ENDINGS, "text", "graph")


@click.command()
@click.argument("words", nargs=-1, metavar="[WORDS]...")
@click.option("--delete", metavar="ID", default="", help="Forget this conversation; within 10 s --undo brings it back.")
@click.option("--undo", metavar="ID", default="", help="Bring back one that was deleted.")
@click.option(
    "--all", "everything", is_flag=True, help="Also list single questions of clew ask that were not continued."
)
@options.as_json("Print each thread as a JSON object, a line each.")
def threads(words: tuple[str, ...], delete: str, undo: str, everything: bool, as_json: bool) -> None:
    """List the conversations, newest first; with WORDS those in which all of them were said."""
    path = options.threads_path(read_settings())
    with Threads(path) as database:
        if delete or undo:
            _delete(database, path, delete) if delete else _bring_back(database, undo)
            return
        known, kept = database.recent(everything), database.holding(" ".join(words))
        _print_threads([one for one in known if not words or one.id in kept], as_json, searched=bool(words))
    click.echo(f"kept in {path}", err=True)


def _delete(database: Threads, path: Path, thread: str) -> None:
    from clew.agent.graph import forget_checkpoints
    from clew.ui.transcript import known_thread

    forget_checkpoints(path, known_thread(database, thread).id)
    database.take_out(thread)
    back = f"within 10 s this brings it back: clew threads --undo {thread}"
    click.echo(f"thread {thread} is forgotten; {back}", err=True)


def _bring_back(database: Threads, thread: str) -> None:
    if not database.bring_back(thread):
        raise BadInput(f"there is no thread {thread} to bring back", "clew threads")
    click.echo(f"thread {thread} is back", err=True)


def _print_threads(recent: Sequence[Thread], as_json: bool, searched: bool) -> None:
    if as_json:
        for one in recent:
            print_json(asdict(one))
        return
    if not recent:
        click.echo("no conversation has these words" if searched else "no conversations yet", err=True)
        return
    owners = any(one.owner for one in recent)
    names = ("id", "title", "turns", "updated", *(("owner",) if owners else ()))
    table = Table(*names, box=None, header_style="dim", pad_edge=False, padding=(0, 2, 0, 0))
    for one in sorted(recent, key=lambda thread: not thread.pinned):
        title = ("^ " if one.pinned else "") + one_line(one.title)
        table.add_row(one.id, title, str(one.turns), when(one.updated), *((one.owner,) if owners else ()))
    output().print(table, soft_wrap=False)


@click.command()
@click.argument("thread", metavar="[THREAD]", default="")
@options.library
@click.option("--format", "form", type=click.Choice(FORMATS), help="[default: by FILE's ending]")
@click.option("-o", "--out", metavar="FILE", type=click.Path(path_type=Path), help="Write to FILE, or to a folder.")
def export(thread: str, library: Place | None, form: str | None, out: Path | None) -> None:
    """Write a conversation with its sources, or the texts of a library.

    THREAD is an id that 'clew threads' lists. --library DIR --format text --out FOLDER writes each document as it is
    stored, a file each, and documents.jsonl, which says which is which. --format graph writes nodes.jsonl and
    edges.jsonl, which clew index FOLDER reads.
    """
    if form in ("text", "graph"):
        _export_library(thread, library, form, out)
    elif not thread:
        raise click.UsageError("THREAD is missing: 'clew threads' lists them")
    elif out is not None and out.is_dir():
        raise click.UsageError(f"'{near(str(out))}' is a folder")
    else:
        _export_thread(thread, ENDINGS[form] if form else out.suffix if out else ".md", out)


def _export_library(thread: str, library: Place | None, form: str, out: Path | None) -> None:
    from clew.memory.knowledge.library import export_graph, export_text, open_library

    if thread or out is None:
        raise click.UsageError(f"--format {form} takes no THREAD, and needs --out FOLDER")
    with open_library(read_settings(library=library).library, None) as opened:
        if form == "graph":
            nodes, edges = export_graph(opened.store, out)
            click.echo(f"wrote {nodes:,} nodes and {edges:,} edges to {near(str(out))}", err=True)
            return
        number = export_text(opened.store, out)
    click.echo(f"wrote {number_of(number, 'document')} to {near(str(out))}", err=True)


def _export_thread(thread: str, ending: str, out: Path | None) -> None:
    from clew.ui.transcript import exported, known_thread, stored_turns

    with Threads(options.threads_path(read_settings())) as database:
        found, turns = known_thread(database, thread), stored_turns(database, thread)
    text = exported(found, turns, ending)
    if out is None:
        click.echo(text, nl=False)
    else:
        replace_file(out, text)
        click.echo(f"wrote {near(str(out))}", err=True)
