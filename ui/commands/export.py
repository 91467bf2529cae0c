"""`clew export`: a conversation as a file, for which no library is opened; or the texts of a library."""

from pathlib import Path

import click

from clew.memory.knowledge.cluster.connection import Place
from clew.ui import options
from clew.ui.plain import near

ENDINGS = {"markdown": ".md", "json": ".json", "html": ".html"}
FORMATS = (*ENDINGS, "text", "graph")


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
    from clew.agent.settings import read_settings
    from clew.memory.knowledge.library import export_graph, export_text, open_library
    from clew.memory.text import number_of

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
    from clew.agent.settings import read_settings
    from clew.memory.dialogue.threads import Threads
    from clew.memory.json_lines import replace_file
    from clew.ui.transcript import exported, known_thread, stored_turns

    with Threads(options.threads_path(read_settings())) as database:
        found, turns = known_thread(database, thread), stored_turns(database, thread)
    text = exported(found, turns, ending)
    if out is None:
        click.echo(text, nl=False)
    else:
        replace_file(out, text)
        click.echo(f"wrote {near(str(out))}", err=True)
