"""What is its user's alone: conversations, caches and exports, also those that were made before."""

import errno
import os
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from clew.memory.dialogue.threads import Threads
from clew.memory.encoding import CachedEncoder, ContentCache
from clew.memory.files import lasting_folder, private_file, private_folder
from clew.memory.json_lines import append_object, replace_file
from clew.memory.knowledge.arrays import new_array
from clew.memory.knowledge.index.run import index


@pytest.fixture(autouse=True)
def open_umask() -> Iterator[None]:
    before = os.umask(0o000)
    yield
    os.umask(before)


def closed(folder: Path) -> bool:
    return all(stat.S_IMODE(path.stat().st_mode) & 0o077 == 0 for path in [folder, *folder.rglob("*")])


@pytest.mark.parametrize("before", [False, True])
def test_conversations_and_caches_are_their_users_alone(tmp_path: Path, before: bool) -> None:
    home, cache = tmp_path / "data" / "clew", tmp_path / "cache" / "clew" / "embeddings"
    files = [home / "threads.sqlite", cache / "e.sqlite"]
    if before:
        for file in files:
            file.parent.mkdir(parents=True)
            file.touch()
    with Threads(files[0]) as threads:
        threads.save("t", 1, "q", "{}", [], np.zeros((0, 2), np.float32), "e")
        kept = ContentCache(lambda: files[1], "vectors")
        kept.write({b"k": b"v"})
        assert (home / "threads.sqlite-wal").exists() and (cache / "e.sqlite-wal").exists()
        for folder in (home, cache, cache.parent):
            assert closed(folder)
        kept.close()


@pytest.mark.parametrize("before", [False, True])
def test_a_library_is_its_users_alone(tmp_path: Path, encoder: CachedEncoder, before: bool) -> None:
    (tmp_path / "a.txt").write_text("The Moon orbits the Earth.", "utf-8")
    library = tmp_path / "library"
    list(index([tmp_path / "a.txt"], library, encoder))
    if before:
        (library / "mine.txt").touch(0o644)
        for path in (library, *library.rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)
        list(index([tmp_path / "a.txt"], library, encoder))
        assert stat.S_IMODE((library / "mine.txt").stat().st_mode) == 0o644
        (library / "mine.txt").unlink()
    assert closed(library)


def test_exports_are_their_users_alone(tmp_path: Path) -> None:
    for name in ("new.md", "old.md"):
        (tmp_path / "old.md").touch()
        replace_file(tmp_path / name, "text")
        append_object(tmp_path / f"{name}.jsonl", {"a": 1})
        assert {stat.S_IMODE((tmp_path / one).stat().st_mode) for one in (name, f"{name}.jsonl")} == {0o600}
    replace_file(tmp_path / "shared", "text", private=False)
    assert stat.S_IMODE((tmp_path / "shared").stat().st_mode) == 0o666


def test_folders_of_others_stay_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir(mode=0o755)
    private_folder(tmp_path / "home")
    assert stat.S_IMODE((tmp_path / "home").stat().st_mode) == 0o755
    assert stat.S_IMODE(private_folder(tmp_path / "fresh").stat().st_mode) == 0o700


def test_a_folder_that_is_made_lasts_with_those_above_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced = list[Path]()
    monkeypatch.setattr("clew.memory.files.sync", synced.append)
    lasting_folder(tmp_path / "a" / "b")
    assert sorted(synced) == [tmp_path, tmp_path / "a"] and (tmp_path / "a" / "b").is_dir()
    lasting_folder(tmp_path / "a" / "b")
    assert len(synced) == 2


def test_an_array_has_its_place_before_it_is_filled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = new_array(tmp_path, "a.npy", np.float16, (3, 2))
    made[:] = 1
    made.flush()
    assert np.load(tmp_path / "a.npy").tolist() == [[1, 1]] * 3

    def full(*_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(OSError, match="No space"):
        new_array(tmp_path, "b.npy", np.float16, (3, 2))


def test_a_database_in_use_keeps_its_locks(tmp_path: Path) -> None:
    path = private_file(tmp_path / "cache.sqlite")
    code = "import sqlite3, sys; sqlite3.connect(sys.argv[1], timeout=0).execute('BEGIN IMMEDIATE')"
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("BEGIN IMMEDIATE")
        assert private_file(path) == path
        other = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True)
    assert "database is locked" in other.stderr
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
