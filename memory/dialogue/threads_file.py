"""The file of the threads: its tables in this version, older ones brought to it, the titles that are made in it, and
SQLite's errors in plain words."""

import re
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from clew.memory.errors import ClewError
from clew.memory.files import private_file, private_folder
from clew.memory.text import FUNCTION_WORDS, words

SCHEMA_VERSION = 6
BUSY_SECONDS = 30.0
TITLE, TITLE_WORDS = 60, 6
"""Characters and words of the title of a conversation."""

_NAMED = re.compile(r'(?<!\S)@(?:"[^"]+"|\S+)')
_SCHEMA = Path(__file__).with_name("threads.sql").read_text("utf-8")

_TREE = "CREATE INDEX tree ON turns (thread, turn, parent, number)"
_NEWER = {
    2: ("ALTER TABLE threads ADD COLUMN library TEXT NOT NULL DEFAULT ''",),
    3: ("ALTER TABLE threads ADD COLUMN owner TEXT NOT NULL DEFAULT ''",),
    4: (
        "ALTER TABLE threads ADD COLUMN leaf INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE threads ADD COLUMN name TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE threads ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE threads ADD COLUMN deleted TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE turns ADD COLUMN parent INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE turns ADD COLUMN number INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE centroids ADD COLUMN turn INTEGER NOT NULL DEFAULT 0",
        "UPDATE turns SET number = turn, parent = coalesce((SELECT max(turn) FROM turns AS before"
        " WHERE before.thread = turns.thread AND before.turn < turns.turn), 0)",
        "UPDATE threads SET leaf = coalesce((SELECT max(turn) FROM turns WHERE turns.thread = threads.thread), 0)",
        "UPDATE threads SET title = coalesce((SELECT title_of(question) FROM turns"
        " WHERE turns.thread = threads.thread ORDER BY NOT EXISTS (SELECT 1 FROM sentences"
        " WHERE sentences.thread = turns.thread AND sentences.turn = turns.turn), turn LIMIT 1), title)",
        "UPDATE centroids SET turn = (SELECT leaf FROM threads WHERE threads.thread = centroids.thread)",
        _TREE,
    ),
    5: ("ALTER TABLE turns ADD COLUMN liked INTEGER NOT NULL DEFAULT 0",),
}
"""What brings each older version to the next one. Nothing is copied: a turn of before has the one before it as its
parent, and its thread is at the last one."""

_WRONG = {
    sqlite3.SQLITE_NOTADB: ("is not a database of threads", "move the file away: a new one is made"),
    sqlite3.SQLITE_CORRUPT: ("is damaged", "move the file away: a new one is made"),
    sqlite3.SQLITE_FULL: ("cannot grow: the disk is full", "free some space and ask again"),
    sqlite3.SQLITE_IOERR: ("cannot be read or written: the disk is full or fails", "clew doctor says how much is free"),
    sqlite3.SQLITE_READONLY: ("cannot be written", "make the file and its folder writable"),
    sqlite3.SQLITE_CANTOPEN: ("cannot be opened", "clew doctor says how much is free, and whether it may be written"),
    sqlite3.SQLITE_BUSY: ("is in use by another process", "try again when that one is done"),
}
"""What each primary code of SQLite means to a person, and what mends it."""


class ThreadsFile:
    """Opens or makes the file at `path`, in memory for `None`, with the tables of this version.

    What goes through `rows` and `transaction` is safe from several threads and processes, and raises `ClewError` where
    the file is damaged, of a newer version, locked, full or not writable.
    """

    def __init__(self, path: Path | None) -> None:
        self.name = str(path or "the threads in memory")
        self.lock = threading.RLock()
        try:
            if path:
                private_folder(path.parent)
        except OSError as error:
            raise ClewError(f"{self.name} cannot be made: {error.strerror}", "choose another folder") from error
        with suppress(OSError):  # SQLite says it in its own way
            if path:
                private_file(path)
        with self._translated():
            self.connection = sqlite3.connect(
                path or ":memory:", timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
            )
        with ExitStack() as undo:
            undo.callback(self.connection.close)
            self.connection.create_function("folded", 1, str.casefold, deterministic=True)
            self.connection.create_function("title_of", 1, title_of, deterministic=True)
            self._prepare()
            undo.pop_all()

    def close(self) -> None:
        with self.lock:
            self.connection.close()

    def rows(self, query: str, *values: str | int) -> list[tuple]:  # type: ignore[type-arg]  # as sqlite3 gives them
        with self.lock, self._translated():
            return self.connection.execute(query, values).fetchall()

    def change(self, statement: str, *values: str | int | bytes) -> int:
        """One statement, in a transaction of its own; returns how many rows it changed."""
        with self.transaction() as database:
            return database.execute(statement, values).rowcount

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
            raise ClewError(f"{self.name} {wrong}", hint) from error

    def _prepare(self) -> None:
        with self._translated():
            self.connection.execute("PRAGMA foreign_keys = ON")
            if self._version() == 0:
                with self.transaction() as database:
                    if self._version() == 0:  # no other process was first
                        self._make_schema(database)
            while (version := self._version()) in _NEWER:
                with self.transaction() as database:
                    if self._version() == version:  # no other process was first
                        for statement in (*_NEWER[version], f"PRAGMA user_version = {version + 1}"):
                            database.execute(statement)
            if self._version() > SCHEMA_VERSION:
                raise ClewError(f"{self.name} was written by a newer Clew", "update Clew")
            self.connection.execute("PRAGMA journal_mode = WAL")

    def _version(self) -> int:
        (version,) = self.connection.execute("PRAGMA user_version").fetchone()
        return int(version)

    def _make_schema(self, database: sqlite3.Connection) -> None:
        if database.execute("SELECT 1 FROM sqlite_master").fetchone():
            raise ClewError(f"{self.name} is the database of another program", "choose another folder")
        for statement in _SCHEMA.split(";"):
            database.execute(statement)
        database.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


def title_of(question: str) -> str:
    """The question, without the names behind an @ that it is limited to, where it has at most `TITLE_WORDS` words and
    `TITLE` characters; else so many of its first words, of which the last one says something."""
    asked = _NAMED.sub(" ", question)
    kept = asked.translate(dict.fromkeys(map(ord, '"“”„«»'))).split() or question.split()
    if kept and asked != question:
        kept[0] = kept[0][:1].upper() + kept[0][1:]
    whole = len(kept)
    line = " ".join(kept)
    while len(kept) > 1 and (
        len(line) > TITLE
        or len(kept) > TITLE_WORDS
        or (len(kept) < whole and FUNCTION_WORDS.issuperset(words(kept[-1])))
    ):
        kept.pop()
        line = " ".join(kept)
    if len(kept) < whole:
        line = line[: TITLE - 1].rstrip(",;:.?!") + "…"
    return line if len(line) <= TITLE else line[: TITLE - 1] + "…"
