"""The layer sees every operation, and the disk forgets all that was not synced."""

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from tests.torture import Skipped
from tests.torture.layer import Operation, compiled, operations
from tests.torture.power import PAGE, Disk

WORK = """
import ctypes, os, sys
from pathlib import Path
import numpy as np
folder, record = Path(sys.argv[1]), sys.argv[2]
layer = ctypes.CDLL(None)
layer.torture_begin(os.fsencode(folder), os.fsencode(record), int(sys.argv[3]), ctypes.c_long(int(sys.argv[4])), 28)
(folder / "old").write_text("another text")
(folder / "made").mkdir()
with (folder / "made" / "log").open("ab") as file:
    file.write(b"one, ")
with (folder / "made" / "log").open("ab") as file:
    file.write(b"two")
(folder / "made" / "log").rename(folder / "log")
(folder / "made").rmdir()
np.save(folder / "a.npy", np.arange(2000))
mapped = np.lib.format.open_memmap(folder / "b.npy", mode="w+", dtype=np.float32, shape=(3000,))
mapped[:] = 7
mapped.flush()
with (folder / "b.npy").open("rb") as file:
    os.fsync(file.fileno())
(folder / "gone").unlink()
os.ftruncate(os.open(folder / "cut", os.O_RDWR), 3)
print("done")
"""


def worked(folder: Path, record: Path, mode: int = 0, at: int = 0) -> subprocess.CompletedProcess[str]:
    try:
        environment = {**os.environ, "LD_PRELOAD": str(compiled())}
    except Skipped as reason:
        pytest.skip(str(reason))
    folder.mkdir()
    for name in ("old", "gone", "cut"):
        (folder / name).write_text("some text")
    command = [sys.executable, "-c", WORK, str(folder), str(record), str(mode), str(at)]
    return subprocess.run(command, env=environment, capture_output=True, text=True)


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_whole_record_makes_what_is_on_the_disk(tmp_path: Path) -> None:
    folder, made = tmp_path / "folder", tmp_path / "made"
    ended = worked(folder, tmp_path / "record")
    assert ended.returncode == 0, ended.stderr
    before = tmp_path / "before"
    done = list(operations(tmp_path / "record"))
    assert {one.kind for one in done} == set("CWTFRUMDS")
    before.mkdir()
    disk = Disk(before)
    inodes = {one.inode for one in done}
    for name in ("old", "gone", "cut"):  # as they were, under the numbers that they had
        inode = (folder / name).stat().st_ino if name != "gone" else 0
        disk.do(Operation("C", inode, 0, str(before / name), "", b""))
        disk.do(Operation("W", inode, 0, str(before / name), "", b"some text"))
        assert not inode or inode in inodes
    for one in done:
        disk.do(
            one._replace(
                path=one.path.replace(str(folder), str(before)), other=one.other.replace(str(folder), str(before))
            )
        )
    made.mkdir()
    disk.write(made, None, everything=True)
    assert files(made) == files(folder) and "gone" not in files(made) and disk.shown == "done\n"


@pytest.mark.parametrize(("mode", "code"), [(1, -9), (2, -9), (3, 1), (4, 1)])
def test_it_dies_or_fails_at_one_operation(tmp_path: Path, mode: int, code: int) -> None:
    ended = worked(tmp_path / "folder", tmp_path / "record", mode, 5)
    assert ended.returncode == code and not ended.stdout
    assert ("No space left" in ended.stderr) == (code == 1)


def test_what_was_not_synced_is_gone(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "old").write_bytes(b"old")
    disk, old = Disk(folder), (folder / "old").stat().st_ino

    def there(chance: random.Random | None = None) -> dict[str, bytes]:
        made = tmp_path / "made"
        made.mkdir()
        disk.write(made, chance)
        found = files(made)
        for path in made.iterdir():
            path.unlink()
        made.rmdir()
        return found

    def do(kind: str, name: str, inode: int = 0, offset: int = 0, data: bytes = b"", other: str = "") -> None:
        disk.do(Operation(kind, inode, offset, str(folder / name), str(folder / other) if other else "", data))

    do("C", "new", 1)
    do("W", "new", 1, 0, b"x" * 3 * PAGE)
    do("W", "old", old, 0, b"new")
    assert there() == {"old": b"old"}
    do("F", "new", 1)
    assert there() == {"old": b"old"}  # its name is not
    do("R", "new", other="old")
    do("F", "")
    assert there() == {"old": b"x" * 3 * PAGE}
    do("W", "old", 1, PAGE - 1, b"yyy")  # over the end of a page
    seen = {there(random.Random(seed))["old"][PAGE - 1 : PAGE + 2] for seed in range(40)}
    assert seen == {b"xxx", b"yxx", b"xyy", b"yyy"}
