"""`clew export`: a conversation as a file; no library and no model is opened."""

from pathlib import Path

import click

from clew.ui import options
from clew.ui.plain import near


@click.command()
@click.argument("thread", metavar="THREAD")
@click.option("--format", "form", type=click.Choice(["markdown", "json"]), help="[default: by FILE's ending]")
@click.option("-o", "--out", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path), help="Write to FILE.")
def export(thread: str, form: str | None, out: Path | None) -> None:
    """Write a conversation with its sources.

    THREAD is an id that 'clew threads' lists.
    """
    from clew.agent.settings import read_settings
    from clew.memory.dialogue.threads import Threads
    from clew.memory.json_lines import replace_file
    from clew.ui.transcript import as_json, as_markdown, known_thread, stored_turns

    with Threads(options.threads_path(read_settings())) as database:
        found, turns = known_thread(database, thread), stored_turns(database, thread)
    is_json = form == "json" or (form is None and out is not None and out.suffix == ".json")
    text = as_json(found, turns) if is_json else as_markdown(found, turns)
    if out is None:
        click.echo(text, nl=False)
    else:
        replace_file(out, text)
        click.echo(f"wrote {near(str(out))}", err=True)
