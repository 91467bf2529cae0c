"""`clew train-structure`: what a search by structure can learn."""

from contextlib import closing
from pathlib import Path

import click

from clew.agent.settings import read_settings
from clew.memory.errors import BadInput
from clew.memory.files import naming_full_disk
from clew.memory.knowledge.disk import held
from clew.memory.knowledge.library import open_library
from clew.ui import options
from clew.ui.console import shown


@click.command(name="train-structure")
@options.library
@click.option("--language", type=click.Choice(["eo", "en"]), help="Of the documents.  [default: as it is detected]")
@click.option("--sentences", type=click.IntRange(2), default=20_000, show_default=True, help="To learn from, at most.")
@click.option("--epochs", type=click.IntRange(1), default=4, show_default=True, help="How often each is learned from.")
@click.option(
    "--seed", type=click.IntRange(0), default=7, show_default=True, help="Of the network and the paraphrases."
)
@options.quiet
def train_structure(
    library: Path | None, language: str | None, sentences: int, epochs: int, seed: int, quiet: bool
) -> None:
    """Train a Tree-LSTM on the sentences of a library, for searches with --set tools.hybrid.stage2=structure.

    It learns from the library alone: each sentence against paraphrases of it. A GPU is used where there is one.
    """
    from clew.memory.language.structure_training import StructurePlan, train_library

    path = read_settings(library=library).library
    if not isinstance(path, Path):
        raise BadInput("a network is trained on a library in a folder", "--library FOLDER")
    kept = f"the library at {path} stays as it was"
    with naming_full_disk(kept), open_library(path, None) as opened, held(path):
        events = train_library(opened, StructurePlan(epochs=epochs, seed=seed), language or "", sentences)
        with closing(shown(events, quiet)) as seen:
            for written in seen:
                click.echo(str(written))
