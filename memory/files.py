"""The files of a library, which may come from somebody else: the one place that says where they may be.

A path is made a name at a time (`within`): no name is a path, and nothing below the library's folder is reached through
a link, so that nothing is read or written outside it. Whatever is written is first made here (`new_file`,
`new_folder`), and only here is anything moved or removed (tests/test_architecture.py). And what is its user's alone:
conversations, caches, exports.
"""

import errno
import hashlib
import os
import re
import shutil
import sqlite3
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from clew.memory.errors import ClewError

MAKE_ROOM = "free some space and run this again; clew doctor says how much each folder has left"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


def within(folder: Path, *names: str) -> Path:
    """The path of these names below a folder. Raises `ValueError` for an invalid name, `ClewError` for a link."""
    for name in names:
        if not NAME.fullmatch(name):
            raise ValueError(f"{name!r} is no name of a file in {folder}")
        folder = folder / name
        _no_link(folder)
    return folder


def new_file(folder: Path, *names: str) -> Path:
    """Makes an empty file, in place of one that exists."""
    path = within(folder, *names)
    path.unlink(missing_ok=True)
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    return path


def new_folder(folder: Path, *names: str) -> Path:
    """Makes an empty folder, in place of what exists."""
    remove(folder, *names)
    path = within(folder, *names)
    path.mkdir(mode=0o700, parents=True)
    return path


def remove(folder: Path, *names: str) -> None:
    """Deletes a file, or a folder with everything in it, if it exists."""
    path = within(folder, *names)
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def write_durably(path: Path, content: bytes, mode: int = 0o600) -> None:
    """Replaces a file: a reader finds the old or the new one, even after a power failure."""
    fresh = path.with_name(f"{path.name}.new")
    fresh.unlink(missing_ok=True)
    try:
        fresh.touch(mode, exist_ok=False)
        fresh.write_bytes(content)
        sync(fresh)
        fresh.replace(path)
        sync(path.parent)
    except OSError:
        fresh.unlink(missing_ok=True)
        raise


def copy(source: Path, folder: Path, name: str) -> None:
    """Copies a folder of a library into another, over what is there."""
    check_plain(source)
    for parent, _, files in os.walk(source):  # `copytree` would say of a full disk what it says of each file
        there = within(folder, name) / Path(parent).relative_to(source)
        there.mkdir(parents=True, exist_ok=True)
        for file in files:
            shutil.copy2(Path(parent) / file, there / file)


def check_plain(folder: Path) -> None:
    """Raises `ClewError` if anything in it is a link, or neither file nor folder: reading a pipe never ends."""
    _no_link(folder)
    for parent, folders, files in os.walk(folder):
        for name in (*folders, *files):
            _no_link(Path(parent, name))


def sync(path: Path) -> None:
    """Force a file, or a folder without what is in it, onto the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_all(folder: Path) -> None:
    """Wait until the disk has every file of a folder, and the folder itself."""
    for file in [*folder.rglob("*"), folder]:
        sync(file)


def file_digest(path: Path) -> str:
    """SHA-256, in hex, of a file's bytes. Raises `OSError`."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def lasting_folder(path: Path, mode: int = 0o777) -> None:
    """Makes the folder and those above it; each is synced to disk, so that its name survives a power failure."""
    missing = [one for one in (path, *path.parents) if not one.exists()]
    path.mkdir(mode=mode, parents=True, exist_ok=True)
    for one in missing:
        sync(one.parent)


def private_folder(path: Path) -> Path:
    """A folder that its user alone can open (0700). One that was there before is mended where its name is ours alone;
    others (somebody's home, /tmp) stay as they are."""
    lasting_folder(path, 0o700)
    if path.name in ("clew", "embeddings", "locks"):
        _close_to_others(path, 0o700)
    return path


def private_file(path: Path) -> Path:
    """A file that its user alone can read and write (0600), made where it is missing; SQLite gives what it puts beside
    its database the same. Raises `OSError`.

    One that is there is not opened: to close it would end the locks that SQLite has on it in this process, and another
    process would take away what it still uses (fcntl's locks are a process's, not a descriptor's)."""
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_RDONLY | os.O_CREAT | os.O_EXCL, 0o600))
    for ending in ("", "-wal", "-shm"):
        _close_to_others(path.with_name(f"{path.name}{ending}"), 0o600)
    return path


def close_to_others(folder: Path, inside: Iterable[Path]) -> None:
    """Mend a folder, and what is named of it with all that it holds: folders to 0700, files to 0600."""
    for one in (folder, *(below for path in inside for below in (path, *path.rglob("*")))):
        if not one.is_symlink():
            _close_to_others(one, 0o700 if one.is_dir() else 0o600)


def _close_to_others(path: Path, mode: int) -> None:
    with suppress(OSError):  # it is not ours, or gone
        if stat.S_IMODE(path.stat().st_mode) & 0o077:
            path.chmod(mode)


def no_room(error: BaseException, new: bool = True) -> str:
    """The error text for a full disk; empty for other errors. NumPy only says how much it could not write; SQLite, that
    something failed, or (`new`) that its file cannot be opened."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # the rest is its extended part
    full = getattr(error, "errno", 0) in (errno.ENOSPC, errno.EDQUOT) or "requested and" in str(error)
    if full or code == sqlite3.SQLITE_FULL:
        return "the disk is full"
    if new and code == sqlite3.SQLITE_CANTOPEN:
        return "a file cannot be made, as where the disk is full, or fails"
    return "the disk is full, or fails" if code == sqlite3.SQLITE_IOERR else ""


@contextmanager
def naming_full_disk(what: str) -> Iterator[None]:
    """Turns the error of a full disk into `ClewError`, saying what happened to `what`."""
    try:
        yield
    except (sqlite3.DatabaseError, OSError, ClewError) as error:
        cause = error.__cause__ if isinstance(error, ClewError) else error
        if cause is None or not (wrong := no_room(cause, new=cause is error)):
            raise
        raise ClewError(f"{wrong}: {what}", MAKE_ROOM) from error


def _no_link(path: Path) -> None:
    try:
        mode = path.lstat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        what = "a link" if stat.S_ISLNK(mode) else "no file"
        raise ClewError(f"{path} is {what}: no file of a library is reached through one", f"rm {path}")


def no_follow(path: str, flags: int) -> int:
    """Opens a file, but raises `OSError` for a link."""
    return os.open(path, flags | os.O_NOFOLLOW)


def machine_memory() -> float:
    """The memory of this machine, or of this container, in bytes."""
    whole = float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    with suppress(ValueError, OSError):  # `max`: there is no limit
        return min(whole, float(Path("/sys/fs/cgroup/memory.max").read_text("ascii")))
    return whole
