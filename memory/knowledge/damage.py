"""Libraries whose files are broken: what that raises, and what a person is told."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from zipfile import BadZipFile

from clew.memory.errors import ClewError

BROKEN = (sqlite3.DatabaseError, FileNotFoundError, EOFError, ValueError, LookupError, TypeError, BadZipFile)
"""What SQLite, numpy and bm25s raise at files that are cut off, overwritten or not there."""


@contextmanager
def naming_damage(generation: Path) -> Iterator[None]:
    """What broken files raise is raised as `ClewError`, with the command that makes the library anew."""
    try:
        yield
    except sqlite3.ProgrammingError:  # it has been closed
        raise
    except BROKEN as error:
        raise damaged(generation.parent) from error


def damaged(library: Path) -> ClewError:
    return ClewError(f"the library at {library} is damaged", rebuild_command(library))


def rebuild_command(library: Path) -> str:
    return f"clew index --rebuild --library {library}"
