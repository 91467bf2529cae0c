"""The encoder, loaded behind the prompt: importing torch and reading the model takes seconds."""

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from clew.memory.errors import Cancelled, ClewError

if TYPE_CHECKING:
    from clew.agent.assistant import Assistant

POLL = 0.05
"""Seconds between two looks at whether the person has given up waiting."""


class Loading:
    """On a daemon thread: who leaves before it is done need not wait for it."""

    def __init__(self, assistant: "Assistant") -> None:
        self._assistant = assistant
        self._ended = threading.Event()

    def begin(self, then: Callable[[], None]) -> None:
        """`then` is called on the other thread, when it has ended."""
        threading.Thread(target=self._load, args=(then,), name="loading the encoder", daemon=True).start()

    @property
    def ended(self) -> bool:
        return self._ended.is_set()

    def wait(self, cancel: threading.Event) -> None:
        """Raises `Cancelled` once `cancel` is set."""
        while not self._ended.wait(POLL):
            if cancel.is_set():
                raise Cancelled("stopped waiting for the encoder")

    def _load(self, then: Callable[[], None]) -> None:
        """What fails here fails again in the turn that needs the encoder, before the person's eyes."""
        try:
            self._assistant.warm_up()
        except (ClewError, OSError, ImportError, RuntimeError, ValueError):
            pass
        finally:
            self._ended.set()
            then()
