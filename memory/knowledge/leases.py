"""Leases: who reads a generation holds a shared lock on a file of it, and a generation with readers is not removed.

The lock is the system's (`flock`): it ends with the process that holds it, killed or not. Where there are none (some
network file systems; Windows, which removes no file that is open) a reader reads without.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

try:
    import fcntl
except ImportError:  # Windows
    fcntl: Any = None  # type: ignore[no-redef]

LEASED = "manifest.json"
"""The file of a generation that is locked: disk.MANIFEST."""


class Lease:
    """A generation that stays until this is closed. Raises `FileNotFoundError` where it is gone, or goes now."""

    def __init__(self, generation: Path) -> None:
        self._file = os.open(generation / LEASED, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
        try:
            if _locked(self._file, shared=True):
                there = (generation / LEASED).stat()
                if not os.path.samestat(there, os.fstat(self._file)):
                    raise FileNotFoundError(str(generation / LEASED))
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """May be called twice."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


@contextmanager
def unread(generation: Path) -> Iterator[bool]:
    """Whether nobody reads a generation; meanwhile nobody begins to."""
    try:
        file = os.open(generation / LEASED, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
    except OSError:  # it is not whole: there is nothing to read
        yield True
        return
    try:
        yield _locked(file, shared=False) is not None
    finally:
        os.close(file)


def readers(generation: Path) -> list[str]:
    """The programs that read a generation, as `clew chat (process 4711)`; none where the system does not tell."""
    try:
        inode = f":{(generation / LEASED).stat().st_ino}"
        locks = [line.split() for line in Path("/proc/locks").read_text("ascii").splitlines()]
    except OSError:
        return []
    pids = sorted({int(lock[4]) for lock in locks if lock[1] == "FLOCK" and lock[5].endswith(inode)})
    return [f"{_command(pid)} (process {pid})" for pid in pids if pid > 0 and pid != os.getpid()]


def _command(pid: int) -> str:
    """Its program and first argument, for a Python script those of the script."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().decode("utf-8", "replace").split("\0")
    except OSError:
        return "a program"
    names = [Path(word).name for word in words if word and not word.startswith("-")]
    return " ".join(names[1:3] if names and names[0].startswith("python") and len(names) > 1 else names[:2])


def _locked(file: int, shared: bool) -> bool | None:
    """True: now it is; None: others hold it; False: there are no locks here. A shared one is waited for."""
    if fcntl is None:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_SH if shared else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return None
    except OSError:
        return False
    return True
