"""What a conversation needs before its first turn: a language model that is pulled, and an encoder that is loaded."""

import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

import click

from clew.agent.settings import Settings
from clew.memory.errors import Cancelled, NoModel
from clew.ui.console import show_download

if TYPE_CHECKING:
    from clew.agent.assistant import Assistant

Opened = TypeVar("Opened")


def with_models(settings: Settings, opening: Callable[[Settings], Opened]) -> Opened:
    """Return what `opening` opens. A model that is missing is offered to the person at the terminal, and pulled.

    Raises `NoModel` where that is declined or nobody can be asked, and what opening and pulling raise.
    """
    while True:
        try:
            return opening(settings)
        except NoModel as error:
            at_terminal = sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()
            if not error.model or not at_terminal or not _wanted(error.model):
                raise
            missing = error.model
        _pull(missing)


def _wanted(name: str) -> bool:
    try:
        return click.confirm(f"The model {name} is not pulled. Pull it now?", default=False, err=True)
    except click.Abort:
        raise KeyboardInterrupt from None


def _pull(name: str) -> None:
    from clew.agent.llm.ollama_server import OllamaServer

    try:
        show_download(OllamaServer().pull(name))
    except KeyboardInterrupt:
        raise KeyboardInterrupt(f"stopped; this goes on where it ended: ollama pull {name}") from None


POLL = 0.05
"""Seconds between two looks at whether the person has given up waiting."""


class Loading:
    """Loads the encoder on a daemon thread, so that a person who leaves before it is done need not wait; `then` is
    called there when it has ended."""

    def __init__(self, assistant: "Assistant", then: Callable[[], None] = lambda: None) -> None:
        self._ended = threading.Event()
        threading.Thread(target=self._load, args=(assistant, then), name="loading the encoder", daemon=True).start()

    @property
    def ended(self) -> bool:
        return self._ended.is_set()

    def wait(self, cancel: threading.Event) -> None:
        """Wait until it has ended. Raises `Cancelled` once `cancel` is set."""
        while not self._ended.wait(POLL):
            if cancel.is_set():
                raise Cancelled("stopped waiting for the encoder")

    def _load(self, assistant: "Assistant", then: Callable[[], None]) -> None:
        with suppress(Exception):  # the turn that needs the encoder raises it again, where the person sees it
            assistant.warm_up()
        self._ended.set()
        then()
