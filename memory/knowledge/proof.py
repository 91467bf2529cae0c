"""A generation proven by the SHA-256 of every file, as they were when it was written.

It finds what a disk, a copy or a hand has changed; it proves nothing about who wrote the library. The words of
partitions are no part of it: readers write them once they need them, with the fingerprint of the partitions in them.
"""

import hashlib
import json
from pathlib import Path
from typing import NamedTuple

from clew.memory.files import check_plain, new_file, put, sync, within
from clew.memory.knowledge.disk import BROKEN, HASHES
from clew.memory.knowledge.partitioning.capsule import FOLDER as CAPSULES

WORDS = "/aligners/words.safetensors"


class Proof(NamedTuple):
    """`files` were looked at. The names of those that are not as they were written, are gone, or were not written by
    the library, each relative to the generation."""

    files: int
    changed: tuple[str, ...]
    gone: tuple[str, ...]
    unknown: tuple[str, ...]

    @property
    def wrong(self) -> tuple[str, ...]:
        return self.changed + self.gone

    def __bool__(self) -> bool:
        return not (self.wrong or self.unknown)


def write_hashes(generation: Path) -> None:
    """Of all files of a generation that is whole."""
    _write(generation, {name: _hash(generation / name) for name in _names(generation)})


def record_partitions(generation: Path) -> None:
    """Of the partitions anew, which were just written; others as they were recorded, if they were."""
    if recorded := _recorded(generation):
        kept = {name: hash_ for name, hash_ in recorded.items() if not of_partitions(name)}
        made = {name: _hash(generation / name) for name in _names(generation) if of_partitions(name)}
        _write(generation, kept | made)


def _write(generation: Path, hashes: dict[str, str]) -> None:
    fresh = new_file(generation, f"{HASHES}.new")
    fresh.write_text(json.dumps(hashes, indent=0, sort_keys=True) + "\n", "utf-8")
    sync(fresh)
    put(generation, fresh.name, HASHES)


def proven(generation: Path) -> Proof | None:
    """None where nothing was recorded: it is from before this. Raises one of `disk.BROKEN` for a broken record, and
    `ClewError` for a link."""
    if not within(generation, HASHES).exists():
        return None
    recorded, there = _recorded(generation), _names(generation)
    changed = tuple(name for name in there if name in recorded and _hash(generation / name) != recorded[name])
    gone = tuple(sorted(recorded.keys() - set(there)))
    return Proof(len(there), changed, gone, tuple(name for name in there if name not in recorded))


def _names(generation: Path) -> list[str]:
    check_plain(generation)
    found = (path.relative_to(generation).as_posix() for path in generation.rglob("*") if path.is_file())
    return sorted(name for name in found if not name.startswith(HASHES) and not name.endswith(WORDS))


def _recorded(generation: Path) -> dict[str, str]:
    path = within(generation, HASHES)
    content = json.loads(path.read_text("utf-8")) if path.exists() else {}
    if not isinstance(content, dict):
        raise ValueError(f"{path} is no record of files")
    return content


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def of_partitions(name: str) -> bool:
    """Whether a file is of the partitions, which are made anew without reading a document."""
    return name.startswith(f"{CAPSULES}/")


def whole(generation: Path) -> bool:
    """Whether it has a record, and every file is as recorded."""
    try:
        found = proven(generation)
    except BROKEN:
        return False
    return found is not None and not found.wrong
