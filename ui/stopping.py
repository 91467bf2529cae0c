"""Ctrl-C: the first one asks a turn to end, so that what it has can be kept; the second one ends it."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def stoppable(gently: Callable[[], bool] = lambda: True) -> Iterator[threading.Event]:
    """An event that the first Ctrl-C sets; the second one, and the first where there is nothing to be gentle about,
    raises `KeyboardInterrupt`."""
    stopped = threading.Event()

    def stop(_signal: int, _frame: FrameType | None) -> None:
        if stopped.is_set() or not gently():
            raise KeyboardInterrupt
        stopped.set()

    before = signal.signal(signal.SIGINT, stop)
    try:
        yield stopped
    finally:
        signal.signal(signal.SIGINT, before)
