"""Encodings and answers of models by content, in SQLite files that may be lost."""

import hashlib
import sqlite3
import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from clew.memory.files import private_file, private_folder

PATIENCE = 60.0  # seconds to wait for another process that writes

Value = TypeVar("Value")


class ContentCache:
    """Digests to bytes. Safe from several threads and processes. A damaged file is removed; where one cannot be used (a
    full disk, a folder that may not be written, another process that holds it) nothing is kept and nothing found."""

    def __init__(self, path: Callable[[], Path], what: str) -> None:
        """`path` is called at the first use, as it may need the hash of a model. `what` is the table's name."""
        self._path = path
        self._what = what
        self._lock = threading.Lock()
        self._database: sqlite3.Connection | None = None
        self._usable = True

    def read(self, keys: Collection[bytes]) -> dict[bytes, bytes]:
        """The values of the keys that are known."""

        def found(database: sqlite3.Connection) -> dict[bytes, bytes]:
            one = f"SELECT value FROM {self._what} WHERE key = ?"
            return {key: row[0] for key in keys if (row := database.execute(one, (key,)).fetchone())}

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
        ordered = sorted(missing, key=lambda key: len(missing[key]))
        for start in range(0, len(ordered), batch):
            part = ordered[start : start + batch]
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
            try:
                if self._usable:
                    return work(self._database or self._opened())
            except (OSError, sqlite3.OperationalError):
                self._usable = False
                self._drop()
            except sqlite3.DatabaseError as error:
                if type(error) is not sqlite3.DatabaseError:  # which is what SQLite says of a damaged file
                    raise
                self._drop()
                for ending in ("", "-wal", "-shm"):
                    self._path().with_name(f"{self._path().name}{ending}").unlink(missing_ok=True)
        return None

    def _opened(self) -> sqlite3.Connection:
        path = self._path()
        private_folder(path.parent.parent)
        private_folder(path.parent)
        self._database = sqlite3.connect(private_file(path), check_same_thread=False, timeout=PATIENCE)
        self._database.execute("PRAGMA journal_mode = WAL")
        self._database.execute("PRAGMA synchronous = NORMAL")
        # An ordinary table: without rowids, each comparison of a key would read all of a long value beside it.
        self._database.execute(f"CREATE TABLE IF NOT EXISTS {self._what} (key BLOB PRIMARY KEY, value BLOB NOT NULL)")
        return self._database

    def _drop(self) -> None:
        if self._database is not None:
            self._database.close()
            self._database = None
