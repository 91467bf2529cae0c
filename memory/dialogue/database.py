"""The file of the threads: its tables, and SQLite's ways made ours."""

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from clew.memory.errors import ClewError

SCHEMA_VERSION = 2
BUSY_SECONDS = 30.0

_SCHEMA = """
CREATE TABLE threads (
    thread TEXT PRIMARY KEY,
    title TEXT NOT NULL,
    updated TEXT NOT NULL
) STRICT;
CREATE TABLE turns (
    thread TEXT NOT NULL REFERENCES threads ON DELETE CASCADE,
    turn INTEGER NOT NULL,
    question TEXT NOT NULL,
    record TEXT NOT NULL,
    encoder TEXT NOT NULL,
    PRIMARY KEY (thread, turn)
) STRICT;
CREATE TABLE sentences (
    thread TEXT NOT NULL,
    turn INTEGER NOT NULL,
    position INTEGER NOT NULL,
    speaker TEXT NOT NULL,
    text TEXT NOT NULL,
    dimension INTEGER NOT NULL,
    vector BLOB NOT NULL,
    PRIMARY KEY (thread, turn, position),
    FOREIGN KEY (thread, turn) REFERENCES turns ON DELETE CASCADE
) STRICT;
"""

_CENTROIDS = """
CREATE TABLE centroids (
    thread TEXT PRIMARY KEY REFERENCES threads ON DELETE CASCADE,
    encoder TEXT NOT NULL,
    dimension INTEGER NOT NULL,
    vectors BLOB NOT NULL
) STRICT
"""
"""Since version 2."""

_WRONG = {
    sqlite3.SQLITE_NOTADB: ("is not a database of threads", "move the file away: a new one is made"),
    sqlite3.SQLITE_CORRUPT: ("is damaged", "move the file away: a new one is made"),
    sqlite3.SQLITE_FULL: ("cannot grow: the disk is full", "free some space and ask again"),
    sqlite3.SQLITE_READONLY: ("cannot be written", "make the file and its folder writable"),
    sqlite3.SQLITE_CANTOPEN: ("cannot be opened", "make the file and its folder readable and writable"),
    sqlite3.SQLITE_BUSY: ("is in use by another process", "try again when that one is done"),
}
"""What each primary code of SQLite means to a person, and what mends it."""


class Database:
    """Opens or makes the file at `path`, in memory for `None`, with the tables of this version.

    What goes through `rows` and `transaction` is safe from several threads and processes, and raises `ClewError` where
    the file is damaged, of a newer version, locked, full or not writable.
    """

    def __init__(self, path: Path | None) -> None:
        self._name = str(path or "the threads in memory")
        self.lock = threading.RLock()
        try:
            if path:
                path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ClewError(f"{self._name} cannot be made: {error.strerror}", "choose another folder") from error
        with self._translated():
            self.connection = sqlite3.connect(
                path or ":memory:", timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
            )
        with ExitStack() as undo:
            undo.callback(self.connection.close)
            self._prepare()
            undo.pop_all()

    def close(self) -> None:
        with self.lock:
            self.connection.close()

    def rows(self, query: str, *values: str | int) -> list[tuple]:  # type: ignore[type-arg]  # as sqlite3 gives them
        with self.lock, self._translated():
            return self.connection.execute(query, values).fetchall()

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        with self.lock, self._translated():
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                yield self.connection
                self.connection.execute("COMMIT")
            finally:
                if self.connection.in_transaction:
                    self.connection.execute("ROLLBACK")

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """SQLite's errors as ours. Those of wrong use (a closed database) are bugs and pass as they are."""
        try:
            yield
        except (sqlite3.ProgrammingError, sqlite3.IntegrityError):
            raise
        except sqlite3.DatabaseError as error:
            code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # the primary code of an extended one
            wrong, hint = _WRONG.get(code, (f"cannot be used: {error}", "try again, or move the file away"))
            raise ClewError(f"{self._name} {wrong}", hint) from error

    def _prepare(self) -> None:
        with self._translated():
            self.connection.execute("PRAGMA foreign_keys = ON")
            if self._version() == 0:
                with self.transaction() as database:
                    if self._version() == 0:  # no other process was first
                        self._make_schema(database)
            if self._version() == 1:
                with self.transaction() as database:
                    if self._version() == 1:
                        database.execute(_CENTROIDS)
                        database.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
            if self._version() > SCHEMA_VERSION:
                raise ClewError(f"{self._name} was written by a newer Clew", "update Clew")
            self.connection.execute("PRAGMA journal_mode = WAL")

    def _version(self) -> int:
        (version,) = self.connection.execute("PRAGMA user_version").fetchone()
        return int(version)

    def _make_schema(self, database: sqlite3.Connection) -> None:
        if database.execute("SELECT 1 FROM sqlite_master").fetchone():
            raise ClewError(f"{self._name} is the database of another program", "choose another folder")
        for statement in [*_SCHEMA.split(";"), _CENTROIDS]:
            database.execute(statement)
        database.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
