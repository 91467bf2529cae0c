"""Caches: a value in memory, and encodings and answers of models by content, in SQLite files that may be lost."""

import hashlib
import sqlite3
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from itertools import chain
from pathlib import Path
from typing import Any, Generic, TypeVar

from clew.memory.files import private_file, private_folder

PATIENCE = 60.0  # seconds to wait for another process that writes

Value = TypeVar("Value")


class once(Generic[Value]):  # noqa: N801 it is read as `property` is
    """A property that is computed at its first use, by one thread while others wait, and kept. A failure leaves nothing
    behind. (`functools.cached_property` computes it in each thread that comes meanwhile.)"""

    def __init__(self, compute: Callable[[Any], Value]) -> None:
        self._compute = compute
        self.__doc__ = compute.__doc__

    def __set_name__(self, _: type, name: str) -> None:
        self._name = name

    def __get__(self, instance: object, _: type | None = None) -> Value:
        """Asked only until the instance has the value under its own name."""
        if instance is None:
            raise AttributeError(self._name)
        held = vars(instance)
        with held.setdefault("_computing", threading.RLock()):
            if self._name not in held:
                held[self._name] = self._compute(instance)
            value: Value = held[self._name]
            return value


class ContentCache:
    """Digests to bytes. Safe from several threads and processes. A damaged file is made anew, once; where one cannot be
    used (a full disk, a folder that may not be written, another process that holds it) nothing is kept and nothing
    found."""

    def __init__(self, path: Callable[[], Path], what: str) -> None:
        """`path` is called at the first use, as it may need the hash of a model. `what` is the table's name."""
        self._path = path
        self._what = what
        self._lock = threading.Lock()
        self._database: sqlite3.Connection | None = None
        self._remade = False
        self._usable = True

    def read(self, keys: Collection[bytes]) -> dict[bytes, bytes]:
        """Those that are known."""

        def found(database: sqlite3.Connection) -> dict[bytes, bytes]:
            parts = [(part, ",".join("?" * len(part))) for part in _batches(list(keys), 500)]
            rows = (database.execute(f"SELECT * FROM {self._what} WHERE key IN ({of})", part) for part, of in parts)
            return dict(chain.from_iterable(rows))

        return self._with_database(found) or {}

    def write(self, values: Mapping[bytes, bytes]) -> None:
        def put(database: sqlite3.Connection) -> None:
            with database:
                database.executemany(f"INSERT OR REPLACE INTO {self._what} VALUES (?, ?)", values.items())

        self._with_database(put)

    def encoded(
        self, texts: Sequence[str], role: str, batch: int, encode: Callable[[list[str]], Iterable[bytes]]
    ) -> list[bytes]:
        """The encoding of each text in a role. `encode` makes those that are not known, at most `batch` texts between
        two commits: what a kill can lose."""
        # The role is part of a key: some models embed a text differently for another role.
        keys = [hashlib.sha256(f"{role}\0{text}".encode(errors="surrogatepass")).digest() for text in texts]
        known = self.read(set(keys))
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        # Alike lengths side by side waste the least padding, across all that is encoded in one call.
        for part in _batches(sorted(missing, key=lambda key: len(missing[key])), batch):
            fresh = dict(zip(part, encode([missing[key] for key in part]), strict=True))
            self.write(fresh)
            known.update(fresh)
        return [known[key] for key in keys]

    def close(self) -> None:
        """May be called twice; the next use opens the file again."""
        with self._lock:
            self._drop()

    def _with_database(self, work: Callable[[sqlite3.Connection], Value]) -> Value | None:
        """None where there is no cache to be had."""
        with self._lock:
            while self._usable:
                try:
                    self._database = self._database or self._open()
                    return work(self._database)
                except (OSError, sqlite3.OperationalError):
                    self._usable = False
                    self._drop()
                except sqlite3.DatabaseError as error:
                    if type(error) is not sqlite3.DatabaseError:  # which is what SQLite says of a damaged file
                        raise
                    self._usable, self._remade = not self._remade, True
                    self._drop()
                    for ending in ("", "-wal", "-shm"):
                        path = self._path()
                        path.with_name(path.name + ending).unlink(missing_ok=True)
        return None

    def _open(self) -> sqlite3.Connection:
        path = self._path()
        private_folder(path.parent.parent)
        private_folder(path.parent)
        with ExitStack() as undone:
            database = sqlite3.connect(private_file(path), check_same_thread=False, timeout=PATIENCE)
            undone.callback(database.close)
            database.execute("PRAGMA journal_mode = WAL")
            database.execute("PRAGMA synchronous = NORMAL")
            # An ordinary table: without rowids, each comparison of a key would read all of a long value beside it.
            database.execute(f"CREATE TABLE IF NOT EXISTS {self._what} (key BLOB PRIMARY KEY, value BLOB NOT NULL)")
            undone.pop_all()
        return database

    def _drop(self) -> None:
        if self._database is not None:
            self._database.close()
            self._database = None


def _batches(keys: list[bytes], size: int) -> Iterator[list[bytes]]:
    return (keys[start : start + size] for start in range(0, len(keys), size))
