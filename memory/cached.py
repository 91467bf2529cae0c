"""A value that is computed when it is first asked for, and kept."""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

Value = TypeVar("Value")


class Cached(Generic[Value]):
    """Called, it gives what `compute` gave at the first call; other threads wait for that. A call that fails leaves
    nothing behind. (`functools.cache` computes it once in each thread that comes meanwhile.)"""

    def __init__(self, compute: Callable[[], Value]) -> None:
        self._compute = compute
        self._lock = threading.Lock()
        self._held: list[Value] = []

    def __call__(self) -> Value:
        with self._lock:
            if not self._held:
                self._held.append(self._compute())
            return self._held[0]
