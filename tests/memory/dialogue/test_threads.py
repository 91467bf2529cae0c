import json
import signal
import sqlite3
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from clew.memory.datatypes import Sentence
from clew.memory.dialogue.threads import Threads, title_of
from clew.memory.errors import ClewError
from tests.memory.dialogue.cases import hashed_vectors
from tests.processes import Process

ROOT = Path(__file__).parents[3]

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


LONG_TITLE = "What is the average distance between the Earth and the\u2026"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "of the user" / "threads.sqlite"


@pytest.fixture(params=["file", "memory"])
def threads(request: pytest.FixtureRequest, path: Path) -> Iterator[Threads]:
    with Threads(path if request.param == "file" else None) as opened:
        yield opened


def save(threads: Threads, thread: str, turn: int, *said: str, encoder: str = "a") -> None:
    sentences = [Sentence(text, "agent" if position else "user", turn) for position, text in enumerate(said)]
    record = json.dumps({"turn": turn, "said": said})
    threads.save(thread, turn, said[0], record, sentences, hashed_vectors(said), encoder)


def saver(path: Path, thread: str, turns: int) -> "subprocess.Popen[str]":
    return Process(["-c", SAVER, path, thread, turns], stdout=subprocess.PIPE)


def counts(threads: Threads, thread: str) -> dict[int, int]:
    turns = [sentence.turn for sentence in threads.sentences(thread, "encoder")[0]]
    return {turn: turns.count(turn) for turn in turns}


def test_what_was_saved_is_read_in_the_order_said(threads: Threads) -> None:
    save(threads, "t", 2, "And how old?", "It is old.")
    save(threads, "t", 1, "How far?", "It is far.", "Very far indeed.")
    sentences, vectors = threads.sentences("t", "a")
    assert [(said.text, said.speaker, said.turn) for said in sentences] == [
        ("How far?", "user", 1),
        ("It is far.", "agent", 1),
        ("Very far indeed.", "agent", 1),
        ("And how old?", "user", 2),
        ("It is old.", "agent", 2),
    ]
    assert np.array_equal(
        np.stack([vector for vector in vectors if vector is not None]),
        hashed_vectors([said.text for said in sentences]),
    )
    assert [json.loads(record)["turn"] for record in threads.records("t")] == [1, 2]


def test_a_turn_saved_again_replaces_what_it_had(threads: Threads) -> None:
    save(threads, "t", 1, "How far?", "It is far.", "Very far indeed.")
    save(threads, "t", 2, "And how old?")
    save(threads, "t", 1, "How near?", "Not near.")
    assert [said.text for said in threads.sentences("t", "a")[0]] == ["How near?", "Not near.", "And how old?"]
    assert len(threads.records("t")) == 2
    thread = threads.get("t")
    assert thread is not None
    assert (thread.title, thread.turns) == ("How near?", 2)


def test_what_was_said_twice_is_read_once(threads: Threads) -> None:
    for turn in range(1, 9):
        save(threads, "t", turn, "How far is it?" if turn % 2 else "how far  IS it?", f"Answer number {turn}.")
    assert [said.text for said in threads.sentences("t", "a")[0]].count("how far  IS it?") == 1
    assert len(threads.sentences("t", "a")[0]) == 9
    assert threads.sentences("t", "a")[0][-2:] == [
        Sentence("how far  IS it?", "user", 8),
        Sentence("Answer number 8.", "agent", 8),
    ]


def test_a_thread_that_was_read_is_read_on(threads: Threads, path: Path) -> None:
    save(threads, "t", 1, "How far?", "It is far.")
    first, _ = threads.sentences("t", "a")
    first.clear()  # what was handed out is the caller's
    save(threads, "t", 2, "And how old?")
    assert [said.turn for said in threads.sentences("t", "a")[0]] == [1, 1, 2]
    save(threads, "t", 2, "And how hot?")
    assert [said.text for said in threads.sentences("t", "a")[0]][-1] == "And how hot?"
    threads.delete("t")
    assert threads.sentences("t", "a") == ([], [])


def test_what_another_process_changed_is_seen(path: Path) -> None:
    with Threads(path) as one, Threads(path) as other:
        save(one, "t", 1, "How far?")
        save(one, "t", 2, "How old?")
        assert len(one.sentences("t", "a")[0]) == 2
        save(other, "t", 1, "How hot?", "It is very hot.")
        assert [said.text for said in one.sentences("t", "a")[0]] == ["How hot?", "It is very hot.", "How old?"]
        other.delete("t")
        assert one.sentences("t", "a") == ([], [])


def test_only_the_last_threads_read_are_kept(threads: Threads) -> None:
    for number in range(30):
        save(threads, f"t{number}", 1, f"How far is {number}?")
    for number in [*range(30), 0]:
        assert threads.sentences(f"t{number}", "a")[0][0].text == f"How far is {number}?"


def test_centroids_are_kept_with_their_encoder(threads: Threads) -> None:
    save(threads, "t", 1, "How far?")
    assert threads.centroids("t", "a") is None
    for rows in (2, 3):
        kept = hashed_vectors([f"centroid {row}" for row in range(rows)])
        threads.keep_centroids("t", "a", kept)
        assert np.array_equal(threads.centroids("t", "a"), kept)  # type: ignore[arg-type]
    assert threads.centroids("t", "another") is None
    threads.delete("t")
    assert threads.centroids("t", "a") is None


def test_threads_are_listed_newest_first(threads: Threads) -> None:
    save(threads, "one", 1, "How far?")
    save(threads, "two", 1, "Who made Metropolis?")
    save(threads, "one", 2, "And how old?")
    listed = threads.recent()
    assert [(thread.id, thread.title, thread.turns) for thread in listed] == [
        ("one", "How far?", 2),
        ("two", "Who made Metropolis?", 1),
    ]
    assert listed[0].updated > listed[1].updated
    assert listed[0].updated.endswith("+00:00")


def test_a_thread_that_is_not_there(threads: Threads) -> None:
    assert threads.get("t") is None
    assert threads.recent() == []
    assert threads.records("t") == []
    assert threads.sentences("t", "a") == ([], [])
    threads.delete("t")


def test_delete_forgets_all_of_one_thread(threads: Threads) -> None:
    save(threads, "one", 1, "How far?", "It is far.")
    save(threads, "two", 1, "Who made it?")
    threads.delete("one")
    assert threads.get("one") is None
    assert threads.sentences("one", "a") == ([], [])
    assert [thread.id for thread in threads.recent()] == ["two"]


def test_vectors_of_another_encoder_are_absent(threads: Threads) -> None:
    save(threads, "t", 1, "How far?", "It is far.", encoder="old")
    threads.save("t", 2, "Why?", "{}", [Sentence("Why?", "user", 2)], np.ones((1, 8), np.float32), "new")
    sentences, vectors = threads.sentences("t", "new")
    assert [said.text for said in sentences] == ["How far?", "It is far.", "Why?"]
    assert [None if vector is None else vector.shape for vector in vectors] == [None, None, (8,)]


def test_a_turn_without_sentences(threads: Threads) -> None:
    threads.save("t", 1, "?", "{}", [], np.empty((0, 0), np.float32), "a")
    assert threads.records("t") == ["{}"]
    assert threads.sentences("t", "a") == ([], [])


def test_as_many_vectors_as_sentences(threads: Threads) -> None:
    with pytest.raises(ValueError, match="shorter"):
        threads.save("t", 1, "?", "{}", [Sentence("Why is it?", "user", 1)], np.empty((0, 3), np.float32), "a")
    assert threads.recent() == []


def test_half_a_surrogate_pair_is_stored(threads: Threads) -> None:
    save(threads, "t", 1, "How \udce9 far?")
    assert threads.sentences("t", "a")[0][0].text == "How ? far?"


def test_a_new_id_is_not_in_use(threads: Threads) -> None:
    ids = {threads.new_id() for _ in range(50)}
    assert len(ids) == 50
    assert max(map(len, ids)) <= 8


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("How far\n is it?", "How far is it?"),
        ("What is the average distance between the Earth and the Moon, in km?", LONG_TITLE),
        ("x" * 80, "x" * 59 + "\u2026"),
        ("", ""),
    ],
)
def test_titles_are_cut_at_a_word(question: str, title: str) -> None:
    assert title_of(question) == title
    assert len(title_of(question)) <= 60


def test_what_was_saved_is_there_when_opened_again(path: Path) -> None:
    with Threads(path) as threads:
        save(threads, "t", 1, "How far?", "It is far.")
    with Threads(path) as threads:
        assert len(threads.sentences("t", "a")[0]) == 2


def test_several_threads_at_once(threads: Threads) -> None:
    def talk(thread: str) -> None:
        for turn in range(1, 11):
            save(threads, thread, turn, f"{thread} {turn}?", "It is far.")
            assert len(threads.records(thread)) == turn

    failures: list[BaseException] = []
    hook, threading.excepthook = threading.excepthook, lambda args: failures.append(args.exc_value or SystemExit())
    try:
        workers = [threading.Thread(target=talk, args=(f"t{n}",)) for n in range(6)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
    finally:
        threading.excepthook = hook
    assert failures == []
    assert sorted(thread.turns for thread in threads.recent()) == [10] * 6


def test_several_processes_make_and_fill_one_file(path: Path) -> None:
    path.parent.mkdir()
    savers = [saver(path, f"t{n}", 40) for n in range(3)]
    for process in savers:
        process.communicate()
    assert [process.returncode for process in savers] == [0, 0, 0]
    with Threads(path) as threads:
        assert [thread.turns for thread in threads.recent()] == [40] * 3
        for n in range(3):
            assert counts(threads, f"t{n}") == {turn: turn % 7 + 1 for turn in range(1, 41)}


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


def test_a_newer_version_is_refused_and_left_as_it_is(path: Path) -> None:
    with Threads(path) as threads:
        save(threads, "t", 1, "How far?")
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA user_version = 99")
    database.close()
    with pytest.raises(ClewError, match="newer Clew") as refused:
        Threads(path)
    assert refused.value.hint == "update Clew"


def test_another_programs_database_is_refused(path: Path) -> None:
    path.parent.mkdir()
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE bookmarks (url TEXT)")
    database.close()
    with pytest.raises(ClewError, match="another program"):
        Threads(path)


def test_a_file_that_is_no_database(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"not a database, but long enough to be read as a header of one" * 100)
    with pytest.raises(ClewError, match="not a database") as refused:
        Threads(path)
    assert "move the file away" in refused.value.hint


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


def test_a_full_disk_loses_the_turn_and_nothing_else(path: Path) -> None:
    with Threads(path) as threads:
        save(threads, "t", 1, "How far?", "It is far.")
        (pages,) = threads._database.connection.execute("PRAGMA page_count").fetchone()
        threads._database.connection.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(ClewError, match="disk is full"):
            save(threads, "t", 2, *(f"Sentence {n} of a long answer" for n in range(500)))
        threads._database.connection.execute("PRAGMA max_page_count = 1000000")
        assert len(threads.records("t")) == 1
        save(threads, "t", 2, "And how old?")
        assert len(threads.records("t")) == 2


def test_a_file_that_may_only_be_read(path: Path) -> None:
    with Threads(path) as threads:
        save(threads, "t", 1, "How far?")
        threads._database.connection.execute("PRAGMA query_only = ON")
        with pytest.raises(ClewError, match="cannot be written"):
            save(threads, "t", 2, "And how old?")
        assert len(threads.records("t")) == 1


def test_a_file_that_another_process_keeps_locked(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clew.memory.dialogue.threads.BUSY_SECONDS", 0.05)
    with Threads(path) as threads, Threads(path) as other, other._database.transaction():
        with pytest.raises(ClewError, match="in use by another process"):
            save(threads, "t", 1, "How far?")
        assert threads.recent() == []


def test_threads_of_before_there_were_ids_get_theirs_with_the_next_turn(tmp_path: Path) -> None:
    path = tmp_path / "threads.sqlite"
    with Threads(path) as threads:
        threads.save("old", 1, "How far is the Moon?", "{}", [], np.zeros((0, 2), np.float32), "e")
    with closing(sqlite3.connect(path)) as database:  # as version 2 had it
        database.execute("ALTER TABLE threads DROP COLUMN owner")
        database.execute("ALTER TABLE threads DROP COLUMN library")
        database.execute("PRAGMA user_version = 2")
        database.commit()
    with Threads(path, "one") as threads:
        assert [thread.library for thread in threads.over_library()] == [""]
        threads.save("old", 2, "And the Sun?", "{}", [], np.zeros((0, 2), np.float32), "e")
        assert [thread.library for thread in threads.over_library()] == ["one"]
    with Threads(path, "two") as threads:
        assert threads.over_library() == [] and [thread.id for thread in threads.recent()] == ["old"]


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


def test_threads_of_before_there_were_owners_are_of_the_person_of_this_machine(path: Path) -> None:
    with Threads(path, "one") as threads:
        save(threads, "old", 1, "How far?")
    with closing(sqlite3.connect(path)) as database:  # as version 3 had it
        database.execute("ALTER TABLE threads DROP COLUMN owner")
        database.execute("PRAGMA user_version = 3")
        database.commit()
    with Threads(path, "one") as threads:
        assert [(thread.id, thread.owner, thread.library) for thread in threads.over_library()] == [("old", "", "one")]
