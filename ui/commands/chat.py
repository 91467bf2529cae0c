"""`clew chat`: a conversation in the terminal."""

from typing import Any

import click

from clew.ui import options
from clew.ui.piped import over_document, piped_before


@click.command()
@options.library
@options.thread
@options.tool
@options.llm
@options.language
@options.given
@options.num_sentences
@options.today
@options.watch
def chat(thread: str | None, go_on: bool, today: str | None, watch: bool, **chosen: Any) -> None:
    """Talk with your documents in the terminal.

    If you pipe text in, each line is a question.
    """
    from clew.agent.settings import note_used, read_settings
    from clew.ui.terminal import run_chat

    settings = read_settings(**chosen)
    if not chosen["library"] and (before := piped_before(settings, thread, go_on)):
        settings = over_document(settings, before, settings.cache, quiet=True)
    else:
        note_used(settings.library)
    run_chat(settings, thread, go_on, today=today, watch=watch)
