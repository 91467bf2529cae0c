"""A generation proven by the SHA-256 of every file, as they were when it was written.

It finds what a disk, a copy or a hand has changed; it proves nothing about who wrote the library.
"""

import json
import re
import sqlite3
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import NamedTuple

from clew.memory.files import check_plain, file_digest, within, write_durably
from clew.memory.knowledge.disk import BROKEN, HASHES, current_generation, leased, open_database
from clew.memory.knowledge.partitioning.capsule import FOLDER as CAPSULES
from clew.memory.knowledge.partitioning.capsule import TRAINED


class Proof(NamedTuple):
    """The result of a check: how many `files` were read, and the names, relative to the generation, of those that
    changed, are gone, or were not written by the library."""

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
    """Writes the hashes of all files of a generation that is whole."""
    _write(generation, {name: file_digest(path) for name, path in _files(generation).items()})


def record_partitions(generation: Path) -> None:
    """Of the partitions anew, which were just written; other files as they were recorded, if they were."""
    if recorded := _recorded(generation):
        made = {name: file_digest(path) for name, path in _files(generation).items() if of_partitions(name)}
        _write(generation, {name: hash_ for name, hash_ in recorded.items() if not of_partitions(name)} | made)


def forget_trained(generation: Path, capsule: str) -> None:
    """Before aligners are trained for this capsule: what is not recorded of them may be anything."""
    if recorded := _recorded(generation):
        _write(generation, {name: hash_ for name, hash_ in recorded.items() if not _trained(name, capsule)})


def _trained(name: str, capsule: str = "[^/]+") -> bool:
    return re.match(rf"{CAPSULES}/{capsule}/({'|'.join(TRAINED)})/", name) is not None


def _write(generation: Path, hashes: dict[str, str]) -> None:
    write_durably(within(generation, HASHES), f"{json.dumps(hashes, indent=0, sort_keys=True)}\n".encode())


def proven(generation: Path) -> Proof | None:
    """None where nothing was recorded: it is from before this. What is partitioned meanwhile is looked at again. Raises
    one of `disk.BROKEN` for a broken record, and `ClewError` for a link."""
    while within(generation, HASHES).exists():
        recorded = _recorded(generation)
        try:
            there = {name: file_digest(path) for name, path in _files(generation).items()}
        except FileNotFoundError:  # it has another place by now
            continue
        if recorded != _recorded(generation):
            continue
        changed = (name for name, hash_ in there.items() if name in recorded and hash_ != recorded[name])
        gone = (name for name in recorded if name not in there)
        unknown = (name for name in there if name not in recorded and not _trained(name))
        return Proof(len(there), tuple(changed), tuple(sorted(gone)), tuple(unknown))
    return None


def proven_now(library: Path) -> tuple[Path, Proof | None] | None:
    """The current generation, which stays while it is looked at; None where there is no library. Raises as `proven` and
    `current_generation`."""
    while generation := current_generation(library):
        with ExitStack() as kept:
            with suppress(OSError):  # not whole, or gone: nothing to keep
                kept.enter_context(leased(generation))
            found = proven(generation)
        if found or generation == current_generation(library):
            return generation, found
    return None


def check_as_written(generation: Path, name: str) -> None:
    """Raises `ValueError` for a file that is not as it was recorded, where it was."""
    known = _recorded(generation).get(name)
    if known and file_digest(within(generation, name)) != known:
        raise ValueError(f"{name} is not as it was written")


def _files(generation: Path) -> dict[str, Path]:
    """The files that are recorded, by name."""
    check_plain(generation)
    found = {path.relative_to(generation).as_posix(): path for path in generation.rglob("*") if path.is_file()}
    return {name: found[name] for name in sorted(found) if not name.startswith(HASHES)}


def _recorded(generation: Path) -> dict[str, str]:
    path = within(generation, HASHES)
    content = json.loads(path.read_text("utf-8")) if path.exists() else {}
    if not isinstance(content, dict):
        raise ValueError(f"{path} is no record of files")
    return content


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


_NOWHERE = (
    "documents WHERE instr(id, char(0)) OR json_type(pages) IS NOT 'array' OR json_type(headings) IS NOT 'array'",
    "chunks WHERE instr(id, char(0))",
    "chunks WHERE document NOT IN (SELECT id FROM documents)",
    "sentences WHERE document NOT IN (SELECT id FROM documents)",
    "chunks WHERE row NOT BETWEEN 0 AND (SELECT count(*) - 1 FROM chunks)",
    "sentences WHERE row NOT BETWEEN 0 AND (SELECT count(*) - 1 FROM sentences)",
    "triples WHERE document NOT IN (SELECT id FROM documents)",
    "names WHERE sentence >= 0 AND (document, sentence) NOT IN (SELECT document, n FROM sentences)",
    "relations WHERE (document, sentence) NOT IN (SELECT document, n FROM sentences)",
    "relations WHERE (document, subject) NOT IN (SELECT document, n FROM names)",
    "relations WHERE (document, object) NOT IN (SELECT document, n FROM names)",
)
"""Rows that name what is not there, or what no name is."""


PRIMARY = 0xFF
"""Of an error code of SQLite what says the kind of error."""

_OF_THE_MACHINE = (
    *(sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_NOMEM),
    sqlite3.SQLITE_INTERRUPT,
)
"""What a full disk or another process does is no damage."""


def is_altered(generation: Path, error: Exception) -> bool:
    """Whether what broken files raised is damage: the generation's files are not as they were written, or its rows do
    not go together. Looking takes long, so only then."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_OK) & PRIMARY
    at_once = isinstance(error, sqlite3.DatabaseError) and code != sqlite3.SQLITE_CANTOPEN
    return code not in _OF_THE_MACHINE and (at_once or _altered(generation))


def _altered(generation: Path) -> bool:
    try:
        found = proven(generation)
        return (found is not None and bool(found.wrong)) or not _goes_together(generation)
    except BROKEN:
        return True


def _goes_together(generation: Path) -> bool:
    """Whether its rows have the types of their columns, and name what is there."""
    with closing(open_database(generation)) as database:
        tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        wrong = list(_NOWHERE)
        for table in tables:
            for _, column, kind, given, _, key in database.execute(f"PRAGMA main.table_info({table})").fetchall():
                free = "" if given or key else ", 'null'"
                wrong.append(f"{table} WHERE typeof(\"{column}\") NOT IN ('{kind.lower()}'{free})")
        whole = database.execute("PRAGMA quick_check(1)").fetchone() == ("ok",)
        return whole and not any(database.execute(f"SELECT 1 FROM {one} LIMIT 1").fetchone() for one in wrong)
