"""The encoder, loaded while a conversation begins."""

import threading
from collections.abc import Callable
from contextlib import suppress

from clew.agent.assistant import Assistant
from clew.memory.errors import Cancelled

POLL = 0.05
"""Seconds between two looks at whether the person has given up waiting."""


class Loading:
    """Loads the encoder on a daemon thread, so that a person who leaves before it is done need not wait; `then` is
    called there when it has ended."""

    def __init__(self, assistant: Assistant, then: Callable[[], None] = lambda: None) -> None:
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

    def _load(self, assistant: Assistant, then: Callable[[], None]) -> None:
        with suppress(Exception):  # the turn that needs the encoder raises it again, where the person sees it
            assistant.warm_up()
        self._ended.set()
        then()
