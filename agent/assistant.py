"""The assistant: what every interface talks to. It opens what a turn needs once, and runs turns on any thread."""

import threading
from collections.abc import Iterator

from agent.settings import Settings
from agent.state import Step, Turn
from memory.dialogue.threads import Threads


class Assistant:
    """One library, one encoder, one database of threads; safe for several threads of conversation at once."""

    threads: Threads

    @classmethod
    def open(cls, settings: Settings) -> "Assistant":
        """Raises `NoLibrary`, `LibraryMismatch` or `NoModel`."""
        raise NotImplementedError

    def ask(
        self,
        thread: str,
        question: str,
        *,
        tool: str = "",
        scope: tuple[str, ...] = (),
        cancel: threading.Event | None = None,
    ) -> Iterator[Step | Turn]:
        """Run a turn: its steps as they happen, then the finished turn, which is stored before it is handed out.

        A turn that a crash cut off on this thread is finished first: its steps and its `Turn` come before.
        """
        raise NotImplementedError

    def interrupted(self, thread: str) -> str:
        """The question whose turn was cut off on this thread; empty where there is none."""
        raise NotImplementedError

    def resume(self, thread: str) -> Iterator[Step | Turn]:
        """Finish the turn that was cut off."""
        raise NotImplementedError

    def turns(self, thread: str) -> list[Turn]:
        """The finished turns of a thread, oldest first."""
        raise NotImplementedError
