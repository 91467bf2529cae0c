"""`clew chat` and `clew ui`: a conversation in the terminal, and in the browser."""

from pathlib import Path

import click

from clew.ui import options


@click.command()
@options.library
@options.thread
@options.tool
@options.llm
def chat(library: Path | None, thread: str | None, go_on: bool, tool: str | None, llm: str | None) -> None:
    """Talk with the library in the terminal.

    Where standard input is no terminal, each of its lines is a question.
    """
    from clew.agent.settings import read_settings
    from clew.ui.terminal.chat import run_chat

    run_chat(read_settings(library=library, tool=tool, llm=llm), thread, go_on)


@click.command()
@options.library
@click.option("--port", type=click.IntRange(1, 65535), help="[default: 7860]")
@options.llm
def ui(library: Path | None, port: int | None, llm: str | None) -> None:
    """Open the page for the browser, for this machine alone (127.0.0.1)."""
    from clew.agent.settings import read_settings
    from clew.ui.web import launch

    launch(read_settings(library=library, port=port, llm=llm))
