"""The power fails at 200 places of a recorded first run of `clew index`, of a second one and of a turn: of all that was
not synced nothing is on the disk, or some pages of it are.

A disk here keeps no more than it has to: a file's data are safe when the file was synced, a name when its folder was.
"By page" also keeps some of the changes of names: those that were first. Half of the places are near the end, where it
is said that all is done.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from pathlib import Path

from tests.torture import Points, Run
from tests.torture.layer import Accident, Operation, compiled, operations
from tests.torture.scene import PLACES, Copy, Kind, Scene, at_once

NEAR = 40
PAGE = 4096
REMADE = "-shm"
"""The end of the name of what SQLite maps and makes anew: its content is not recorded."""


@dataclass(eq=False)
class File:
    safe: bytearray = field(default_factory=bytearray)
    pending: list[tuple[int, bytes | None]] = field(default_factory=list)
    """Writes: from where, and what; without data it is cut or extended to there."""

    def sync(self) -> None:
        self.safe, self.pending = self.after(lambda: True), []

    def after(self, kept: Callable[[], bool]) -> bytearray:
        """With those pages that are kept."""
        content = bytearray(self.safe)
        for at, data in self.pending:
            if data is None:
                if kept():
                    content[at:] = bytes(max(0, at - len(content)))
                continue
            ends = [at, *range(at - at % PAGE + PAGE, at + len(data), PAGE), at + len(data)]
            for start, end in pairwise(ends):
                if kept():
                    content.extend(bytes(max(0, start - len(content))))
                    content[start:end] = data[start - at : end - at]
        return content


@dataclass(eq=False)
class Folder:
    safe: "dict[str, Folder | File]" = field(default_factory=dict)
    live: "dict[str, Folder | File]" = field(default_factory=dict)
    pending: "list[tuple[int, str, Folder | File | None]]" = field(default_factory=list)
    """Changes: the number of the operation, a name, and what has it now."""

    def sync(self) -> None:
        self.safe, self.pending = dict(self.live), []

    def put(self, number: int, name: str, what: "Folder | File | None") -> None:
        self.pending.append((number, name, what))
        self.live.pop(name, None)
        if what:
            self.live[name] = what

    def after(self, until: int) -> "dict[str, Folder | File]":
        names = dict(self.safe)
        for number, name, what in self.pending:
            if number < until:
                names.pop(name, None)
                if what:
                    names[name] = what
        return names


class Disk:
    """A folder as it was, and what was done to it since: on the disk, and only in memory."""

    def __init__(self, folder: Path) -> None:
        self._at, self._files, self._done, self.shown = folder, dict[int, File](), 0, ""
        self._root = self._read(folder)

    def _read(self, folder: Path) -> Folder:
        there = Folder()
        for path in folder.iterdir():
            if path.is_dir():
                there.safe[path.name] = self._read(path)
            else:
                there.safe[path.name] = self._files[path.stat().st_ino] = File(bytearray(path.read_bytes()))
        there.live = dict(there.safe)
        return there

    def do(self, one: Operation) -> None:
        self._done += 1
        match one.kind:
            case "S":
                self.shown += one.data.decode()
            case "W" | "T":
                self._files[one.inode].pending.append((one.offset, one.data if one.kind == "W" else None))
            case "F":
                (self._files.get(one.inode) or self._found(Path(one.path))).sync()
            case "C":
                self._files[one.inode] = File()
                self._put(one.path, self._files[one.inode])
            case "M":
                self._files.pop(one.inode, None)  # the number of a file that was removed
                self._put(one.path, Folder())
            case "U" | "D":
                self._put(one.path, None)
            case "R":
                moved = self._found(Path(one.path))
                self._put(one.path, None)
                self._put(one.other, moved)

    def _put(self, path: str, what: Folder | File | None) -> None:
        parent = self._found(Path(path).parent)
        assert isinstance(parent, Folder)
        parent.put(self._done, Path(path).name, what)

    def _found(self, path: Path) -> Folder | File:
        there: Folder | File = self._root
        for name in path.relative_to(self._at).parts:
            assert isinstance(there, Folder)
            there = there.live[name]
        return there

    def write(self, folder: Path, chance: random.Random | None, everything: bool = False) -> None:
        """What a start after the power failed finds, into an empty folder: what is safe, and by `chance` pages."""
        until = self._done + 1 if everything else chance.randrange(self._done + 2) if chance else 0
        kept = (lambda: True) if everything else (lambda: chance.random() < 0.5) if chance else (lambda: False)
        self._write(self._root, folder, until, kept)

    def _write(self, there: Folder, folder: Path, until: int, kept: Callable[[], bool]) -> None:
        for name, what in sorted(there.after(until).items()):
            if isinstance(what, Folder):
                (folder / name).mkdir()
                self._write(what, folder / name, until, kept)
            else:
                (folder / name).write_bytes(what.after(kept))


def points(run: Run) -> Points:
    compiled()
    scene = Scene(run.folder / "scene")
    for kind in scene.kinds():
        yield from _failing(run, scene, kind)


def _failing(run: Run, scene: Scene, kind: Kind) -> Points:
    """The record is whole where all of it makes what is on the disk at the end: that is a point too."""
    chance, record = run.chance(f"power, {kind.name}"), run.folder / "record"
    with scene.copied(kind.before) as folder:
        disk, whole = Disk(folder), Disk(folder)
        ended = kind.command(folder, Accident(), record)
        done = list(operations(record))
        for one in done:
            whole.do(one)
        yield f"{kind.name}, the record", ended.err if ended.code else _differs(scene, whole, folder)
    tried, at, end = [], 0, len(done) + 1
    places = [chance.randrange(chance.choice((0, max(0, end - NEAR))), end) for _ in range(run.some(PLACES[kind.name]))]
    for place in sorted(places):
        for one in done[at:place]:
            disk.do(one)
        at, by_page = place, chance.random() < 0.5
        left = scene.copied(None)
        disk.write(left.make(), chance if by_page else None)
        said = f"{kind.name}, {place} of {end - 1} {'by page' if by_page else 'whole'}"
        tried.append((said, partial(_opened, left, kind.wrong, disk.shown)))
    yield from at_once(tried)


def _opened(left: Copy, wrong: Callable[[Path, str], str], shown: str) -> str:
    with left as folder:
        return wrong(folder, shown)


def _differs(scene: Scene, whole: Disk, folder: Path) -> str:
    with scene.copied(None) as made:
        whole.write(made, None, everything=True)
        ours, theirs = (
            {
                path.relative_to(root): path.read_bytes()
                for path in root.rglob("*")
                if path.is_file() and not path.name.endswith(REMADE)
            }
            for root in (made, folder)
        )
    different = [str(name) for name in {**ours, **theirs} if ours.get(name) != theirs.get(name)]
    return f"the record lacks something of {', '.join(sorted(different))}" if different else ""
