"""`clew ui`: the page for the browser."""

from typing import Any

import click

from clew.ui import options


@click.command()
@options.library
@click.option("--port", type=click.IntRange(1, 65535), help="[default: 7860]")
@options.llm
@options.given
@options.num_sentences
def ui(**chosen: Any) -> None:
    """Open the page for the browser, for this machine alone (127.0.0.1)."""
    from clew.agent.settings import read_settings
    from clew.ui.web.serving import serve

    serve(read_settings(**chosen))
