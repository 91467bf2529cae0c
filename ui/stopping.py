"""Ctrl-C: the first one asks a turn to end, so that what it has can be kept; the second one ends it."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def stoppable(gently: Callable[[], bool] = lambda: True) -> Iterator[threading.Event]:
    """An event that the first Ctrl-C sets; the second one, and the first where there is nothing to be gentle about,
    raises `KeyboardInterrupt` too. The event is set either way: who raises waits for the thread that a model is
    listened to in, and only the event ends that."""
    stopped = threading.Event()

    def stop(_signal: int, _frame: FrameType | None) -> None:
        now = stopped.is_set() or not gently()
        stopped.set()
        if now:
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, stop)
    try:
        yield stopped
    finally:
        signal.signal(signal.SIGINT, before)
