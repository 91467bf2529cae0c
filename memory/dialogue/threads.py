"""The per-user database of threads: one SQLite file for every interface; turns are upserted by (thread, turn).

The turns of a thread are a tree (`TurnTree`). What is read of a thread is what was said from the root to a leaf, by
default the turn that the thread is at. A file of an older version is brought to this one when it is opened.
"""

import re
import secrets
import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Self

import numpy as np

from clew.memory.datatypes import Sentence, Vector, Vectors
from clew.memory.dialogue.utterances import same_words
from clew.memory.errors import ClewError
from clew.memory.files import private_file, private_folder
from clew.memory.text import FUNCTION_WORDS, storable, words

# The file -------------------------------------------------------------------------------------------------------------

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


# Threads --------------------------------------------------------------------------------------------------------------

ONCE = "-"
"""The owner of a conversation of a single question: it is in no list until it is continued. No user can have this
name."""

UNDO = timedelta(seconds=10)
"""How long a deleted thread can be restored; later, the next change or the next opening deletes it for good."""

_COUNT = "(SELECT number FROM turns WHERE turns.thread = threads.thread AND turn = leaf)"
_THREADS = (
    f"SELECT thread, iif(name <> '', name, title), {_COUNT} AS count, updated, library, owner, pinned FROM threads"
    " WHERE count > 0 AND deleted = ''"
)
_NEWEST = "ORDER BY updated DESC, rowid DESC"
_HOLDING = (
    "SELECT thread FROM threads WHERE instr(folded(name || ' ' || title), ?1)"
    " UNION SELECT thread FROM turns WHERE instr(folded(question), ?1)"
    " UNION SELECT thread FROM sentences WHERE instr(folded(text), ?1)"
)
_AMONG = "(SELECT value FROM json_each(?))"
_FORGET = "DELETE FROM threads WHERE deleted <> '' AND deleted < ?"
"""Deletes the threads that can no longer be restored."""


@dataclass(frozen=True, slots=True)
class Thread:
    """A conversation: `title` is the name that a person gave it, else made from its first question; `turns` counts
    those up to the one that it is at; `updated` is ISO 8601 in UTC. `library` is the id of the one that its last turn
    was over; empty: none is known. `owner` is a user of the page; empty: the person of this machine."""

    id: str
    title: str
    turns: int
    updated: str
    library: str = ""
    owner: str = ""
    pinned: bool = False


@dataclass(frozen=True, slots=True)
class TurnTree:
    """The turns of a thread as a tree: a question asked again or in other words begins another branch at the turn
    before it. `parents` has each turn's parent, 0 for none; `leaf` is the turn that the thread is at."""

    parents: Mapping[int, int]
    leaf: int = 0

    @property
    def mark(self) -> str:
        """A value that changes when a turn is added or the thread moves to another one."""
        return f"{self.leaf}of{len(self.parents)}"

    def path(self, leaf: int | None = None) -> list[int]:
        """The turns from the root to this leaf, by default the thread's."""
        turn, path = self.leaf if leaf is None else leaf, list[int]()
        while turn in self.parents:
            path.append(turn)
            turn = self.parents[turn]
        return path[::-1]

    def after(self, turn: int) -> list[int]:
        """The turns that follow this one directly, oldest first."""
        return sorted(one for one, parent in self.parents.items() if parent == turn)

    def versions(self, turn: int) -> list[int]:
        """This turn and its alternatives, oldest first."""
        return self.after(self.parents[turn]) if turn in self.parents else []

    def newest_below(self, turn: int) -> int:
        """The end of the newest branch from this turn."""
        while further := self.after(turn):
            turn = further[-1]
        return turn


class Threads:
    """Opens or makes the database at `path`, in memory for `None`. Safe from several threads and processes.

    Every method raises `ClewError` where the file is damaged, of a newer version, locked, full or not writable.
    `library` is the id of the one that turns are over from now on.
    """

    def __init__(self, path: Path | None, library: str = "") -> None:
        self.library = library
        self._database = ThreadsFile(path)
        if self._database.rows("SELECT 1 FROM threads WHERE deleted <> '' AND deleted < ?", _before_undo()):
            self._database.change(_FORGET, _before_undo())

    @property
    def place(self) -> str:
        """The path of the database."""
        return self._database.name

    def new_id(self, owner: str = "") -> str:
        """A short unused id; the thread with it will belong to this owner."""
        while self.owner(thread := secrets.token_hex(4)) is not None:
            pass
        if owner:
            insert = "INSERT INTO threads (thread, title, updated, owner) VALUES (?, '', '', ?)"
            self._database.change(insert, thread, owner)
        return thread

    def owner(self, thread: str) -> str | None:
        """The owner of a thread; None if there is no such thread."""
        return next((row[0] for row in self._database.rows("SELECT owner FROM threads WHERE thread = ?", thread)), None)

    def recent(self, unlisted: bool = False) -> list[Thread]:
        """The threads of all owners, newest first; with `unlisted` also those of a single question."""
        where = "" if unlisted else f"AND owner <> '{ONCE}'"
        return [_thread(row) for row in self._database.rows(f"{_THREADS} {where} {_NEWEST}")]

    def last(self) -> str:
        """The id of the newest thread over `library` of this machine's user; empty if there is none."""
        both = [*self.over_library(), *self.over_library(ONCE)]
        return max(both, key=lambda one: one.updated).id if both else ""

    def list_from_now_on(self, thread: str) -> None:
        """Makes a conversation of a single question an ordinary one."""
        self._database.change("UPDATE threads SET owner = '' WHERE thread = ? AND owner = ?", thread, ONCE)

    def over_library(self, owner: str = "") -> list[Thread]:
        """The threads of this owner over `library`, or over an unknown one; newest first."""
        where = "AND owner = ?2 AND (library IN ('', ?1) OR ?1 = '')"
        return [_thread(row) for row in self._database.rows(f"{_THREADS} {where} {_NEWEST}", self.library, owner)]

    def over_others(self, owner: str = "") -> list[Thread]:
        """The other threads of this owner; newest first."""
        where = "AND owner = ?2 AND library NOT IN ('', ?1) AND ?1 <> ''"
        return [_thread(row) for row in self._database.rows(f"{_THREADS} {where} {_NEWEST}", self.library, owner)]

    def get(self, thread: str) -> Thread | None:
        """The thread; None if there is none, or it has no turn yet."""
        return next((_thread(row) for row in self._database.rows(f"{_THREADS} AND thread = ?", thread)), None)

    def holding(self, text: str) -> set[str]:
        """The ids of the threads that have every word of the text in their title, a question or an answer, in any
        case."""
        each = [{row[0] for row in self._database.rows(_HOLDING, word)} for word in text.casefold().split()]
        return set.intersection(*each) if each else {thread.id for thread in self.recent()}

    def save(
        self,
        thread: str,
        turn: int,
        question: str,
        record: str,
        sentences: Sequence[Sentence],
        vectors: Vectors,
        encoder: str,
        parent: int | None = None,
    ) -> None:
        """Write a turn whole, in one transaction, over what (thread, turn) had. `record` is JSON; the sentences are
        those of the question and of its answer, `vectors` of shape (len(sentences), d) their embeddings by the
        encoder of that hash. It goes on from the turn `parent`, by default the one before it by number; unless it is
        on the way to the thread's leaf, it is the leaf from now on."""
        rows = [
            (thread, turn, position, sentence.speaker, storable(sentence.text), len(vector), vector.tobytes())
            for position, (sentence, vector) in enumerate(zip(sentences, np.asarray(vectors, "<f4"), strict=True))
        ]
        before = turn - 1 if parent is None else parent
        with self._database.transaction() as database:
            _write_thread(database, thread, storable(question), self.library)
            database.execute("DELETE FROM turns WHERE thread = ? AND turn = ?", (thread, turn))
            database.execute(
                "INSERT INTO turns VALUES (?1, ?2, ?3, ?4, ?5, ?6,"
                " coalesce((SELECT number FROM turns WHERE thread = ?1 AND turn = ?6), ?6) + 1, 0)",
                (thread, turn, storable(question), storable(record), encoder, before),
            )
            database.executemany("INSERT INTO sentences VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
            if sentences:
                _title(database, thread, turn, storable(question))
            if turn not in self.tree(thread).path():
                database.execute("UPDATE threads SET leaf = ? WHERE thread = ?", (turn, thread))
            database.execute(_FORGET, (_before_undo(),))

    def last_turn(self, thread: str) -> int:
        """The highest number of a turn in the thread; 0 if there is none."""
        return int(self._database.rows("SELECT coalesce(max(turn), 0) FROM turns WHERE thread = ?", thread)[0][0])

    def tree(self, thread: str) -> TurnTree:
        parents = self._database.rows("SELECT turn, parent FROM turns INDEXED BY tree WHERE thread = ?", thread)
        leaf = self._database.rows("SELECT leaf FROM threads WHERE thread = ?", thread)
        return TurnTree(dict(parents), leaf[0][0] if leaf else 0)

    def go_to(self, thread: str, leaf: int) -> None:
        """Moves the thread to this turn; the turns behind it are kept."""
        self._change(thread, "leaf", leaf)

    def like(self, thread: str, turn: int, liked: int) -> None:
        """Stores the person's rating of an answer: 1 good, -1 bad, 0 none."""
        self._database.change("UPDATE turns SET liked = ? WHERE thread = ? AND turn = ?", liked, thread, turn)

    def liked(self, thread: str) -> dict[int, int]:
        """The rating of each turn that has one."""
        return dict(self._database.rows("SELECT turn, liked FROM turns WHERE thread = ? AND liked <> 0", thread))

    def records(self, thread: str, leaf: int | None = None) -> list[str]:
        """The JSON of each turn up to the leaf, oldest first."""
        query = f"SELECT record FROM turns WHERE thread = ? AND turn IN {_AMONG} ORDER BY number"
        return [row[0] for row in self._database.rows(query, thread, str(self.tree(thread).path(leaf)))]

    def sentences(
        self, thread: str, encoder: str, leaf: int | None = None
    ) -> tuple[list[Sentence], list[Vector | None]]:
        """The sentences of the thread up to the leaf in the order last said, none twice in the same words, each with
        its vector of shape (d,), or None where another encoder than that of this hash made it: only those have to be
        embedded (see `recall.embedded`)."""
        rows = self._database.rows(
            "SELECT text, speaker, number, encoder, dimension, vector FROM sentences"
            f" JOIN turns USING (thread, turn) WHERE thread = ? AND turn IN {_AMONG} ORDER BY number, position",
            thread,
            str(self.tree(thread).path(leaf)),
        )
        known = dict[str, tuple[Sentence, Vector | None]]()
        for text, speaker, turn, made_by, dimension, vector in rows:
            own = np.frombuffer(vector, "<f4", dimension).astype(np.float32) if made_by == encoder else None
            before, _ = known.pop(same_words(text), (None, None))
            known[same_words(text)] = Sentence(text, speaker, turn).said_after(before), own
        return [sentence for sentence, _ in known.values()], [vector for _, vector in known.values()]

    def all_sentences(self, thread: str, leaf: int | None = None) -> list[Sentence]:
        """All sentences of the thread up to the leaf in the order said, with repetitions."""
        query = (
            "SELECT text, speaker, number FROM sentences JOIN turns USING (thread, turn)"
            f" WHERE thread = ? AND turn IN {_AMONG} ORDER BY number, position"
        )
        return [Sentence(*row) for row in self._database.rows(query, thread, str(self.tree(thread).path(leaf)))]

    def centroids(self, thread: str, encoder: str, turn: int | None = None) -> Vectors | None:
        """The centroids, (k, d), stored by `keep_centroids` for this turn, by default the last; None if there are none
        of the encoder of this hash."""
        rows = self._database.rows(
            "SELECT dimension, vectors FROM centroids WHERE thread = ?1 AND encoder = ?2 AND ?3 IN (turn, -1)",
            thread,
            encoder,
            -1 if turn is None else turn,
        )
        return next((np.frombuffer(blob, "<f4").astype(np.float32).reshape(-1, d) for d, blob in rows), None)

    def keep_centroids(self, thread: str, encoder: str, centroids: Vectors, turn: int = 0) -> None:
        """Keep the clusters' centroids, (k, d), that the turn has made, over those of the turn before. The thread has
        to be there."""
        values = np.asarray(centroids, "<f4").tobytes()
        insert = "INSERT OR REPLACE INTO centroids VALUES (?, ?, ?, ?, ?)"
        self._database.change(insert, thread, encoder, centroids.shape[1], values, turn)

    def rename(self, thread: str, name: str) -> None:
        """Sets the title; an empty name restores the automatic one."""
        self._change(thread, "name", storable(" ".join(name.split())))

    def pin(self, thread: str, pinned: bool) -> None:
        self._change(thread, "pinned", int(pinned))

    def take_out(self, thread: str) -> None:
        """Removes the thread from all lists; `bring_back` undoes that, and so does a new turn in it."""
        self._change(thread, "deleted", _now())

    def taken_out(self, owner: str = "") -> str:
        """The id of this owner's last deleted thread that can be restored; empty if there is none."""
        query = "SELECT thread FROM threads WHERE owner = ? AND deleted >= ? ORDER BY deleted DESC LIMIT 1"
        return next((row[0] for row in self._database.rows(query, owner, _before_undo())), "")

    def bring_back(self, thread: str) -> bool:
        """Restores a deleted thread; whether it was still there."""
        return self._change(thread, "deleted", "")

    def _change(self, thread: str, column: str, value: str | int) -> bool:
        """Runs the statement; whether the thread exists."""
        with self._database.transaction() as database:
            database.execute(_FORGET, (_before_undo(),))
            return database.execute(f"UPDATE threads SET {column} = ? WHERE thread = ?", (value, thread)).rowcount > 0

    def delete(self, thread: str) -> None:
        """Deletes the thread for good, if it exists."""
        self._database.change("DELETE FROM threads WHERE thread = ?", thread)

    def close(self) -> None:
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _thread(row: tuple) -> Thread:  # type: ignore[type-arg]  # as sqlite3 gives them
    return Thread(*(*row[:-1], bool(row[-1])))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds")


def _write_thread(database: sqlite3.Connection, thread: str, question: str, library: str) -> None:
    """Stores the thread; its title is made of this question unless it has one that says more."""
    database.execute(
        "INSERT INTO threads (thread, title, updated, library) VALUES (:thread, :title, :now, :library)"
        " ON CONFLICT (thread) DO UPDATE SET updated = :now, library = iif(:library = '', library, :library),"
        " title = iif(title = '', :title, title), deleted = ''",
        {"thread": thread, "title": title_of(question), "now": _now(), "library": library},
    )


def _title(database: sqlite3.Connection, thread: str, turn: int, question: str) -> None:
    """The title follows the earliest turn of which something is remembered, and small talk is not; also when that one
    is saved anew."""
    earlier = "SELECT 1 FROM sentences WHERE thread = ?1 AND turn < ?2"
    values = (thread, turn, title_of(question))
    database.execute(f"UPDATE threads SET title = ?3 WHERE thread = ?1 AND NOT EXISTS ({earlier})", values)


def _before_undo() -> str:
    return (datetime.now(UTC) - UNDO).isoformat(timespec="microseconds")
