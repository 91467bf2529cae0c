"""Threads in a file: several processes, kills, older and newer versions, damage, full disks."""

import signal
import sqlite3
import subprocess
import time
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from clew.memory.dialogue.threads import Threads
from clew.memory.errors import ClewError
from tests.memory.dialogue.test_threads import save
from tests.processes import Process

SAVER = """
import sys
from pathlib import Path
import numpy as np
from clew.memory.datatypes import Sentence
from clew.memory.dialogue.threads import Threads
thread, turns = sys.argv[2], int(sys.argv[3])
with Threads(Path(sys.argv[1])) as threads:
    for turn in range(1, turns + 1):
        said = [Sentence(f"{thread} {turn} {position}", "agent", turn) for position in range(turn % 7 + 1)]
        threads.save(thread, turn, "How far?", "{}", said, np.ones((len(said), 384), np.float32), "encoder")
        print(turn, flush=True)
"""
"""A process that saves turns, and prints each when it is saved. Turn t has t % 7 + 1 sentences."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "of the user" / "threads.sqlite"


def saver(path: Path, thread: str, turns: int) -> "subprocess.Popen[str]":
    return Process(["-c", SAVER, path, thread, turns], stdout=subprocess.PIPE)


def counts(threads: Threads, thread: str) -> dict[int, int]:
    turns = [sentence.turn for sentence in threads.sentences(thread, "encoder")[0]]
    return {turn: turns.count(turn) for turn in turns}


def test_several_processes_make_and_fill_one_file(path: Path) -> None:
    path.parent.mkdir()
    savers = [saver(path, f"t{n}", 14) for n in range(3)]
    for process in savers:
        process.communicate()
    assert [process.returncode for process in savers] == [0, 0, 0]
    with Threads(path) as threads:
        assert [thread.turns for thread in threads.recent()] == [14] * 3
        for n in range(3):
            assert counts(threads, f"t{n}") == {turn: turn % 7 + 1 for turn in range(1, 15)}


@pytest.mark.parametrize("seconds", [0.0, 0.03, 0.1])
def test_a_kill_in_the_middle_leaves_whole_turns_and_loses_none_that_was_saved(path: Path, seconds: float) -> None:
    path.parent.mkdir()
    process = saver(path, "t", 1_000_000)
    assert process.stdout is not None
    process.stdout.readline()
    time.sleep(seconds)
    process.send_signal(signal.SIGKILL)
    printed = [1, *(int(line) for line in process.communicate()[0].split())]
    with Threads(path) as threads:
        found = counts(threads, "t")
        assert found == {turn: turn % 7 + 1 for turn in found}
        assert len(threads.records("t")) == len(found) >= printed[-1]
        save(threads, "t", len(found) + 1, "And on?")
        assert len(threads.records("t")) == len(found) + 1


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("PRAGMA user_version = 99", "newer Clew.*update Clew"),
        ("CREATE TABLE bookmarks (url TEXT)", "another program"),
        (b"not a database, but long enough to be read as a header of one" * 100, "not a database.*move the file away"),
    ],
)
def test_a_file_that_is_not_of_this_clew_is_refused(path: Path, content: str | bytes, said: str) -> None:
    path.parent.mkdir()
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        with closing(sqlite3.connect(path)) as database:
            database.execute(content)
            database.commit()
    before = path.read_bytes()
    with pytest.raises(ClewError, match=said):
        Threads(path)
    assert path.read_bytes() == before


def test_a_damaged_file(path: Path) -> None:
    with Threads(path) as threads:
        for turn in range(1, 60):
            save(threads, "t", turn, "How far?", "It is far.")
    whole = path.read_bytes()
    path.write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096))
    with pytest.raises(ClewError, match="damaged"), Threads(path) as threads:
        threads.sentences("t", "a")


def test_places_where_no_file_can_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ClewError, match="cannot be made") as refused:
        Threads(tmp_path / "file" / "threads.sqlite")
    assert refused.value.hint
    with pytest.raises(ClewError, match="cannot be opened"):
        Threads(tmp_path)


@pytest.mark.parametrize(
    ("pragma", "again", "said"),
    [
        ("max_page_count = 8", "max_page_count = 1000000", "disk is full"),
        ("query_only = ON", "query_only = OFF", "cannot be written"),
    ],
)
def test_what_cannot_be_written_loses_the_turn_and_nothing_else(path: Path, pragma: str, again: str, said: str) -> None:
    with Threads(path) as threads:
        save(threads, "t", 1, "How far?", "It is far.")
        threads._database.connection.execute(f"PRAGMA {pragma}")  # SQLite takes no fewer pages than there are
        with pytest.raises(ClewError, match=said):
            save(threads, "t", 2, *(f"Sentence {n} of a long answer" for n in range(500)))
        threads._database.connection.execute(f"PRAGMA {again}")
        assert len(threads.records("t")) == 1
        save(threads, "t", 2, "And how old?")
        assert len(threads.records("t")) == 2


def test_a_file_that_another_process_keeps_locked(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clew.memory.dialogue.threads.BUSY_SECONDS", 0.05)
    with Threads(path) as threads, Threads(path) as other, other._database.transaction():
        with pytest.raises(ClewError, match="in use by another process"):
            save(threads, "t", 1, "How far?")
        assert threads.recent() == []


NEW = (
    "threads.leaf",
    "threads.name",
    "threads.pinned",
    "threads.deleted",
    "turns.parent",
    "turns.number",
    "turns.liked",
)


@pytest.mark.parametrize(("version", "lacks"), [(2, ("owner", "library")), (3, ("owner",)), (4, ())])
def test_threads_of_older_versions_are_read_on(path: Path, version: int, lacks: tuple[str, ...]) -> None:
    """They are of the person of this machine, and get the library that is missing with the next turn; each turn goes
    on from the one before it."""
    with Threads(path, "one") as threads:
        for turn in (1, 2, 4):  # no version leaves such a gap; nothing would be lost
            save(threads, "old", turn, f"What is the Moon made of, of which I asked {turn} times?")
        threads.keep_centroids("old", "a", np.ones((2, 3), np.float32), 4)
    with closing(sqlite3.connect(path)) as database:
        database.execute("DROP INDEX tree")
        database.execute("UPDATE threads SET title = 'What is the Moon made of, of which I asked 1 times?'")
        for column in (*NEW, "centroids.turn", *(f"threads.{name}" for name in lacks)):
            database.execute("ALTER TABLE {} DROP COLUMN {}".format(*column.split(".")))
        database.execute(f"PRAGMA user_version = {version}")
        database.commit()
    with Threads(path, "one") as threads:
        known = "" if "library" in lacks else "one"
        assert [(one.owner, one.library, one.title, one.turns) for one in threads.over_library()] == [
            ("", known, "What is the Moon made…", 4)
        ]
        assert threads.tree("old").path() == [1, 2, 4] and len(threads.sentences("old", "a")[0]) == 3
        assert threads.centroids("old", "a", 4) is not None
        save(threads, "old", 5, "And the Sun?")
        assert threads.tree("old").path() == [1, 2, 4, 5]
        assert [thread.library for thread in threads.over_library()] == ["one"]
    with Threads(path, "two") as threads:
        assert threads.over_library() == [] and [thread.id for thread in threads.recent()] == ["old"]


def test_what_is_said_of_an_answer_is_kept_also_in_a_file_of_before(path: Path) -> None:
    with Threads(path) as threads:
        save(threads, "t", 1, "How far?")
    with closing(sqlite3.connect(path)) as database:
        database.execute("ALTER TABLE turns DROP COLUMN liked")
        database.execute("PRAGMA user_version = 5")
    with Threads(path) as threads:
        assert threads.liked("t") == {}
        threads.like("t", 1, -1)
    with Threads(path) as threads:
        assert threads.liked("t") == {1: -1} and len(threads.records("t")) == 1


def test_a_thread_is_its_owners_from_before_its_first_turn(path: Path) -> None:
    with Threads(path, "one") as threads:
        hers = threads.new_id("ann")
        assert threads.owner(hers) == "ann" and threads.owner("nobody's") is None
        assert threads.get(hers) is None and threads.recent() == threads.over_library("ann") == []
    with Threads(path, "one") as threads:
        save(threads, hers, 1, "How far?")
        save(threads, "mine", 1, "How old?")
        assert [(thread.id, thread.title) for thread in threads.over_library("ann")] == [(hers, "How far?")]
        assert [thread.id for thread in threads.over_library()] == ["mine"]
        assert {(thread.id, thread.owner) for thread in threads.recent()} == {(hers, "ann"), ("mine", "")}
        save(threads, hers, 2, "And now?")
        assert threads.owner(hers) == "ann" and threads.over_library("bob") == []
    with Threads(path, "two") as threads:
        assert threads.over_library("ann") == [] and [thread.id for thread in threads.over_others("ann")] == [hers]
        threads.delete(hers)
        assert threads.owner(hers) is None
