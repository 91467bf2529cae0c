"""The per-user database of threads: one SQLite file for every interface; turns are upserted by (thread, turn)."""

import secrets
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

import numpy as np

from clew.memory.datatypes import Sentence, Vector, Vectors
from clew.memory.dialogue.utterances import same_words
from clew.memory.errors import ClewError
from clew.memory.files import private_file, private_folder
from clew.memory.text import storable

TITLE_CHARACTERS = 60
ONCE = "-"
"""The owner of a conversation of one question: no list has it until it is gone on with. No user can have this name."""

KEPT = 8
"""Threads whose sentences are kept in memory, the last ones read."""

_COUNT = "(SELECT count(*) FROM turns WHERE turns.thread = threads.thread)"
_THREADS = f"SELECT thread, title, {_COUNT} AS count, updated, library, owner FROM threads WHERE count > 0"
_NEWEST = "ORDER BY updated DESC, rowid DESC"


@dataclass(frozen=True, slots=True)
class Thread:
    """A conversation: `title` is made from its first question, `updated` is ISO 8601 in UTC. `library` is the id of
    the one that its last turn was over; empty: none is known. `owner` is a user of the page; empty: the person of this
    machine."""

    id: str
    title: str
    turns: int
    updated: str
    library: str = ""
    owner: str = ""


@dataclass(slots=True)
class _Read:
    """What was read of a thread up to its turn `last`: its sentences with their vectors, by their words, in the order
    in which they were last said."""

    last: int = 0
    mark: tuple[int, int] = (0, 0)
    sentences: dict[str, tuple[Sentence, Vector | None]] = field(default_factory=dict)


class Threads:
    """Opens or makes the database at `path`, in memory for `None`. Safe from several threads and processes.

    Every method raises `ClewError` where the file is damaged, of a newer version, locked, full or not writable.
    `library` is the id of the one that turns are over from now on.
    """

    def __init__(self, path: Path | None, library: str = "") -> None:
        self.library = library
        self._database = _ThreadsFile(path)
        self._read: dict[tuple[str, str], _Read] = {}

    def new_id(self, owner: str = "") -> str:
        """A short id that is not in use; the thread of that id will be this owner's."""
        while self.owner(thread := secrets.token_hex(4)) is not None:
            pass
        if owner:
            with self._database.transaction() as database:
                database.execute("INSERT INTO threads VALUES (?, '', '', '', ?)", (thread, owner))
        return thread

    def owner(self, thread: str) -> str | None:
        """None: there is no such thread."""
        return next((row[0] for row in self._database.rows("SELECT owner FROM threads WHERE thread = ?", thread)), None)

    def recent(self, unlisted: bool = False) -> list[Thread]:
        """Those of all owners, newest first; with `unlisted` also those of one question."""
        where = "" if unlisted else f"AND owner <> '{ONCE}'"
        return [Thread(*row) for row in self._database.rows(f"{_THREADS} {where} {_NEWEST}")]

    def last(self) -> str:
        """The id of the newest over `library` that the person of this machine had; empty where there is none."""
        both = [*self.over_library(), *self.over_library(ONCE)]
        return max(both, key=lambda one: one.updated).id if both else ""

    def list_from_now_on(self, thread: str) -> None:
        """One of a single question becomes one like others."""
        with self._database.transaction() as database:
            database.execute("UPDATE threads SET owner = '' WHERE thread = ? AND owner = ?", (thread, ONCE))

    def over_library(self, owner: str = "") -> list[Thread]:
        """Those of this owner over `library`, or over none that is known; newest first."""
        where = "AND owner = ?2 AND (library IN ('', ?1) OR ?1 = '')"
        return [Thread(*row) for row in self._database.rows(f"{_THREADS} {where} {_NEWEST}", self.library, owner)]

    def over_others(self, owner: str = "") -> list[Thread]:
        """Those of this owner that are not in `over_library`; newest first."""
        where = "AND owner = ?2 AND library NOT IN ('', ?1) AND ?1 <> ''"
        return [Thread(*row) for row in self._database.rows(f"{_THREADS} {where} {_NEWEST}", self.library, owner)]

    def get(self, thread: str) -> Thread | None:
        """None where there is none, or nothing was said on it yet."""
        return next((Thread(*row) for row in self._database.rows(f"{_THREADS} AND thread = ?", thread)), None)

    def save(
        self,
        thread: str,
        turn: int,
        question: str,
        record: str,
        sentences: Sequence[Sentence],
        vectors: Vectors,
        encoder: str,
    ) -> None:
        """Write a turn whole, in one transaction, over what (thread, turn) had. `record` is JSON; the sentences are
        those of the question and of its answer, `vectors` of shape (len(sentences), d) their embeddings by the
        encoder of that hash."""
        rows = [
            (thread, turn, position, sentence.speaker, storable(sentence.text), len(vector), vector.tobytes())
            for position, (sentence, vector) in enumerate(zip(sentences, np.asarray(vectors, "<f4"), strict=True))
        ]
        if any(key[0] == thread and turn <= read.last for key, read in self._read.items()):
            self._forget_read(thread)
        with self._database.transaction() as database:
            _write_thread(database, thread, turn, storable(question), self.library)
            database.execute("DELETE FROM turns WHERE thread = ? AND turn = ?", (thread, turn))
            database.execute(
                "INSERT INTO turns VALUES (?, ?, ?, ?, ?)",
                (thread, turn, storable(question), storable(record), encoder),
            )
            database.executemany("INSERT INTO sentences VALUES (?, ?, ?, ?, ?, ?, ?)", rows)

    def last_turn(self, thread: str) -> int:
        """The number of the thread's last turn; 0 where there is none."""
        return int(self._database.rows("SELECT coalesce(max(turn), 0) FROM turns WHERE thread = ?", thread)[0][0])

    def records(self, thread: str) -> list[str]:
        """The JSON of each turn, oldest first."""
        return [
            row[0] for row in self._database.rows("SELECT record FROM turns WHERE thread = ? ORDER BY turn", thread)
        ]

    def sentences(self, thread: str, encoder: str) -> tuple[list[Sentence], list[Vector | None]]:
        """The sentences of the thread in the order last said, none twice in the same words, each with its vector of
        shape (d,), or None where another encoder than that of this hash made it: only those have to be embedded (see
        `recall.embedded`). Of a thread that was read before, only the turns since are read."""
        with self._database.lock:
            read = self._read.pop((thread, encoder), None)
            if read is None or read.mark != self._mark(thread, read.last):
                read = _Read()
            rows = self._database.rows(
                "SELECT text, speaker, turn, encoder, dimension, vector FROM sentences JOIN turns USING (thread, turn)"
                " WHERE thread = ? AND turn > ? ORDER BY turn, position",
                thread,
                read.last,
            )
            for text, speaker, turn, made_by, dimension, vector in rows:
                own = np.frombuffer(vector, "<f4", dimension).astype(np.float32) if made_by == encoder else None
                before, _ = read.sentences.pop(same_words(text), (None, None))
                read.sentences[same_words(text)] = Sentence(text, speaker, turn).said_after(before), own
                read.last = turn
            read.mark = self._mark(thread, read.last)
            self._read[thread, encoder] = read
            while len(self._read) > KEPT:
                self._read.pop(next(iter(self._read)))
            known = list(read.sentences.values())
            return [sentence for sentence, _ in known], [vector for _, vector in known]

    def all_sentences(self, thread: str) -> list[Sentence]:
        """All sentences of the thread in the order said, also those that were said again."""
        query = "SELECT text, speaker, turn FROM sentences WHERE thread = ? ORDER BY turn, position"
        return [Sentence(*row) for row in self._database.rows(query, thread)]

    def _mark(self, thread: str, last: int) -> tuple[int, int]:
        """Changes when one of the thread's turns up to this one is written anew or forgotten, whoever does it."""
        rows = self._database.rows(
            "SELECT count(*), coalesce(sum(rowid), 0) FROM turns WHERE thread = ? AND turn <= ?", thread, last
        )
        return rows[0][0], rows[0][1]

    def _forget_read(self, thread: str) -> None:
        for key in [key for key in self._read if key[0] == thread]:
            del self._read[key]

    def centroids(self, thread: str, encoder: str) -> Vectors | None:
        """Those that `keep_centroids` kept, (k, d); None where there are none of the encoder of this hash."""
        rows = self._database.rows(
            "SELECT dimension, vectors FROM centroids WHERE thread = ? AND encoder = ?", thread, encoder
        )
        return next((np.frombuffer(blob, "<f4").astype(np.float32).reshape(-1, d) for d, blob in rows), None)

    def keep_centroids(self, thread: str, encoder: str, centroids: Vectors) -> None:
        """Keep the clusters' centroids, (k, d), over those of the turn before. The thread has to be there."""
        with self._database.transaction() as database:
            database.execute(
                "INSERT OR REPLACE INTO centroids VALUES (?, ?, ?, ?)",
                (thread, encoder, centroids.shape[1], np.asarray(centroids, "<f4").tobytes()),
            )

    def delete(self, thread: str) -> None:
        """Forget the thread, where there is one."""
        self._forget_read(thread)
        with self._database.transaction() as database:
            database.execute("DELETE FROM threads WHERE thread = ?", (thread,))

    def close(self) -> None:
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def title_of(question: str) -> str:
    """At most 60 characters of the question, cut at a word."""
    line = " ".join(question.split())
    if len(line) <= TITLE_CHARACTERS:
        return line
    head = line[: TITLE_CHARACTERS - 1]
    whole_words = head if line[len(head)] == " " else head.rpartition(" ")[0]
    return (whole_words or head).rstrip(" ,;:.") + "…"


def _write_thread(database: sqlite3.Connection, thread: str, turn: int, question: str, library: str) -> None:
    """The title follows the earliest turn, also when that one is saved anew."""
    database.execute(
        "INSERT INTO threads VALUES (:thread, :title, :now, :library, '')"
        " ON CONFLICT (thread) DO UPDATE SET updated = :now, library = iif(:library = '', library, :library),"
        " title = CASE WHEN EXISTS (SELECT 1 FROM turns WHERE turns.thread = :thread AND turn < :turn)"
        " THEN title ELSE :title END",
        {
            "thread": thread,
            "title": title_of(question),
            "turn": turn,
            "now": datetime.now(UTC).isoformat(timespec="microseconds"),
            "library": library,
        },
    )


SCHEMA_VERSION = 4
_COLUMNS = {2: "library", 3: "owner"}
"""Of each older version, the column of `threads` that it lacks beside those of later ones."""

BUSY_SECONDS = 30.0

_SCHEMA = Path(__file__).with_name("threads.sql").read_text("utf-8")

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


class _ThreadsFile:
    """Opens or makes the file at `path`, in memory for `None`, with the tables of this version.

    What goes through `rows` and `transaction` is safe from several threads and processes, and raises `ClewError` where
    the file is damaged, of a newer version, locked, full or not writable.
    """

    def __init__(self, path: Path | None) -> None:
        self._name = str(path or "the threads in memory")
        self.lock = threading.RLock()
        try:
            if path:
                private_folder(path.parent)
        except OSError as error:
            raise ClewError(f"{self._name} cannot be made: {error.strerror}", "choose another folder") from error
        with suppress(OSError):  # SQLite says it in its own way
            if path:
                private_file(path)
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
            while (version := self._version()) in _COLUMNS:
                with self.transaction() as database:
                    if self._version() == version:
                        database.execute(f"ALTER TABLE threads ADD COLUMN {_COLUMNS[version]} TEXT NOT NULL DEFAULT ''")
                        database.execute(f"PRAGMA user_version = {version + 1}")
            if self._version() > SCHEMA_VERSION:
                raise ClewError(f"{self._name} was written by a newer Clew", "update Clew")
            self.connection.execute("PRAGMA journal_mode = WAL")

    def _version(self) -> int:
        (version,) = self.connection.execute("PRAGMA user_version").fetchone()
        return int(version)

    def _make_schema(self, database: sqlite3.Connection) -> None:
        if database.execute("SELECT 1 FROM sqlite_master").fetchone():
            raise ClewError(f"{self._name} is the database of another program", "choose another folder")
        for statement in _SCHEMA.split(";"):
            database.execute(statement)
        database.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
