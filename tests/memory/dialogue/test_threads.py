"""Threads of conversations; in a file: several processes, kills, older and newer versions, damage, full disks."""

import json
import signal
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest

from clew.memory.datatypes import Sentence
from clew.memory.dialogue.threads import Threads, title_of
from clew.memory.errors import ClewError
from tests.memory.dialogue.cases import hashed_vectors
from tests.processes import Process


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "of the user" / "threads.sqlite"


@pytest.fixture(params=["file", "memory"])
def threads(request: pytest.FixtureRequest, path: Path) -> Iterator[Threads]:
    with Threads(path if request.param == "file" else None) as opened:
        yield opened


def save(threads: Threads, thread: str, turn: int, *said: str, encoder: str = "a", parent: int | None = None) -> None:
    sentences = [Sentence(text, "agent" if position else "user", turn) for position, text in enumerate(said)]
    record = json.dumps({"turn": turn, "said": said})
    threads.save(thread, turn, said[0], record, sentences, hashed_vectors(said), encoder, parent)


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


def test_vectors_of_another_encoder_are_absent(threads: Threads) -> None:
    save(threads, "t", 1, "How far?", "It is far.", encoder="old")
    threads.save("t", 2, "Why?", "{}", [Sentence("Why?", "user", 2)], np.ones((1, 8), np.float32), "new")
    sentences, vectors = threads.sentences("t", "new")
    assert [said.text for said in sentences] == ["How far?", "It is far.", "Why?"]
    assert [None if vector is None else vector.shape for vector in vectors] == [None, None, (8,)]


def test_half_a_surrogate_pair_is_stored(threads: Threads) -> None:
    save(threads, "t", 1, "How \udce9 far?")
    assert threads.sentences("t", "a")[0][0].text == "How \ufffd far?"


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("How far\n is it?", "How far is it?"),
        (
            "What is the policy on travel expenses for contractors in Germany?",
            "What is the policy on travel…",
        ),
        ("What does “Lease of 14 Mill Lane” say about “Pets”?", "What does Lease of 14 Mill…"),
        ("Which of them is in the", "Which of them is in the"),
        ("What does “Harbourline” say about “Hours”?", "What does Harbourline say about Hours?"),
        ('@minutes.md @"Old notes" what was decided?', "What was decided?"),
        ("x" * 80, "x" * 59 + "\u2026"),
        ("", ""),
    ],
)
def test_titles_are_the_question_or_its_first_words(question: str, title: str) -> None:
    assert title_of(question) == title
    assert len(title_of(question)) <= 60 and len(title_of(question).split()) <= 6


def test_a_turn_in_the_place_of_another_begins_another_way_and_nothing_is_lost(threads: Threads) -> None:
    for turn, question in enumerate(("How far?", "And how old?", "Why?"), 1):
        save(threads, "t", turn, question, f"Answer {turn}.")
    threads.sentences("t", "a")
    save(threads, "t", 4, "And how hot?", "Answer 4.", parent=1)
    tree = threads.tree("t")
    assert (tree.path(), tree.versions(4), tree.after(2)) == ([1, 4], [2, 4], [3])
    assert [json.loads(record)["turn"] for record in threads.records("t")] == [1, 4]
    assert [(said.text, said.turn) for said in threads.sentences("t", "a")[0]] == [
        ("How far?", 1),
        ("Answer 1.", 1),
        ("And how hot?", 2),
        ("Answer 4.", 2),
    ]
    assert [said.text for said in threads.all_sentences("t", leaf=1)] == ["How far?", "Answer 1."]
    threads.go_to("t", tree.newest_below(2))
    assert [said.text for said in threads.sentences("t", "a")[0]][-1] == "Answer 3."
    assert threads.sentences("t", "a", leaf=0) == ([], []) and threads.records("t", leaf=0) == []
    assert [thread.turns for thread in threads.recent()] == [3]
    save(threads, "t", 5, "How far is Mars?", parent=0)
    assert (threads.tree("t").path(), threads.tree("t").versions(1)) == ([5], [1, 5])


def test_the_title_is_of_the_first_question_that_is_no_small_talk_or_what_a_person_says(threads: Threads) -> None:
    threads.save("t", 1, "hello", "{}", [], np.empty((0, 0), np.float32), "a")
    save(threads, "t", 2, "How far is the Moon?")
    save(threads, "t", 3, "And the Sun?")
    assert [thread.title for thread in threads.recent()] == ["How far is the Moon?"]
    threads.rename("t", "  Distances\n in space ")
    save(threads, "t", 2, "How old is the Moon?")
    assert [thread.title for thread in threads.recent()] == ["Distances in space"]
    threads.rename("t", "")
    threads.pin("t", True)
    assert [(thread.title, thread.pinned) for thread in threads.recent()] == [("How old is the Moon?", True)]


def test_a_thread_is_found_by_all_words_that_were_said_on_it(threads: Threads) -> None:
    save(threads, "one", 1, "How far is the Moon?", "It is 384,400 km away.")
    save(threads, "two", 1, "Wie heißt die STRASSE?", "Sie hat 100 % Öl.")
    assert threads.holding("moon KM") == {"one"} and threads.holding("öl 100 %") == {"two"}
    assert threads.holding("moon öl") == set() and threads.holding(" ") == {"one", "two"}


def test_a_thread_that_was_taken_out_can_be_brought_back_for_a_while(
    threads: Threads, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(threads, "t", 1, "How far?", "It is far.")
    threads.take_out("t")
    assert threads.recent() == [] and threads.get("t") is None
    assert threads.bring_back("t") and [thread.id for thread in threads.recent()] == ["t"]
    threads.take_out("t")
    monkeypatch.setattr("clew.memory.dialogue.threads.UNDO", timedelta(0))
    save(threads, "another", 1, "How old?")
    assert not threads.bring_back("t") and threads.records("t") == []


def test_several_threads_at_once(threads: Threads) -> None:
    def talk(thread: str) -> None:
        for turn in range(1, 11):
            save(threads, thread, turn, f"{thread} {turn}?", "It is far.")
            assert len(threads.records(thread)) == turn

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(talk, [f"t{n}" for n in range(6)]))
    assert sorted(thread.turns for thread in threads.recent()) == [10] * 6


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
