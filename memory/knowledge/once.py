"""What is read from a generation when it is first asked for, and kept."""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

Value = TypeVar("Value")


class Once(Generic[Value]):
    """Called, it gives what `read` gave at the first call; other threads wait for that. A call that fails leaves
    nothing behind."""

    def __init__(self, read: Callable[[], Value]) -> None:
        self._read = read
        self._lock = threading.Lock()
        self._held: list[Value] = []

    def __call__(self) -> Value:
        with self._lock:
            if not self._held:
                self._held.append(self._read())
            return self._held[0]
