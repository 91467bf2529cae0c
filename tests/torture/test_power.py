"""The layer ends a process at its place, and the disk forgets all that was not synced. That a record is whole is tried
in each run of `power`."""

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from tests.torture import Skipped
from tests.torture.layer import Operation, compiled
from tests.torture.power import PAGE, Disk

WORK = """
import ctypes, os, sys
from pathlib import Path
folder, record = Path(sys.argv[1]), sys.argv[2]
layer = ctypes.CDLL(None)
layer.torture_begin(os.fsencode(folder), os.fsencode(record), int(sys.argv[3]), ctypes.c_long(int(sys.argv[4])), 28)
for name in "abcdef":
    (folder / name).write_text("some text")
print("done")
"""


@pytest.mark.parametrize(("mode", "code"), [(1, -9), (2, -9), (3, 1), (4, 1)])
def test_it_dies_or_fails_at_one_operation(tmp_path: Path, mode: int, code: int) -> None:
    try:
        environment = {**os.environ, "LD_PRELOAD": str(compiled())}
    except Skipped as reason:
        pytest.skip(str(reason))
    (tmp_path / "folder").mkdir()
    command = [sys.executable, "-c", WORK, str(tmp_path / "folder"), str(tmp_path / "record"), str(mode), "5"]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True)
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
        found = {path.name: path.read_bytes() for path in made.iterdir()}
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
