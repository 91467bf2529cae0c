"""The lock of a library: one process at a time changes it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from clew.memory.errors import LibraryBusy


@contextmanager
def held(library: Path) -> Iterator[None]:
    """Raises `LibraryBusy` where another has it."""
    library.mkdir(parents=True, exist_ok=True)
    lock = FileLock(library / "lock")
    try:
        with lock.acquire(timeout=0):
            yield
    except Timeout:
        raise LibraryBusy(f"another clew index is at work on {library}", "wait until it has ended") from None
