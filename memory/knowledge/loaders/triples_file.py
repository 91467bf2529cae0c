"""A file of triples: JSON, a list of lists of three texts: `[["lokesh kanagaraj", "directed", "film"]]`."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from clew.memory.datatypes import Document
from clew.memory.errors import Unreadable
from clew.memory.knowledge.clues.clue_index import normalise, triple_lines
from clew.memory.knowledge.loaders.plain_text import decode
from clew.memory.knowledge.loaders.source import Loader, LoadFailure, Source, shown
from clew.memory.text import clean

BEGINNING = 1 << 16
"""Bytes in which the first triple of a file ends."""

_TEXT = r'"(?:[^"\\]|\\.)*"'
_PART = rf"\s*(?:{_TEXT}|-?\d[\d.eE+-]*)\s*"
_FIRST = re.compile(rf"\s*\[\s*\[\s*{_TEXT}\s*,{_PART},{_PART}\]")


def is_file_of_triples(path: Path) -> bool:
    """Whether its first entry is a list of three texts; what comes then is not looked at, so that a file that is cut
    off is still the one that it was. One that cannot be opened may be one: reading it says why."""
    try:
        with path.open("rb") as file:
            return bool(_FIRST.match(decode(file.read(BEGINNING).rpartition(b"]")[0] + b"]")))
    except OSError:
        return True
    except Unreadable:
        return False


def read_triples(source: Source) -> Iterator[Document | LoadFailure]:
    """A document for each subject, with its triples a line each, the same ones once; at the end, counted, the entries
    that are none.

    Raises `Unreadable` for what is not a list in JSON, and `OSError`.
    """
    bad: list[int] = []
    by_subject: dict[str, list[tuple[str, ...]]] = {}
    for number, entry in enumerate(_entries(source.path), 1):
        if parts := parts_of(entry):
            by_subject.setdefault(normalise(parts[0]), []).append(parts)
        else:
            bad.append(number)
    place = shown(source.path)
    for subject, triples in by_subject.items():
        text = "\n".join(triple_lines(triples))
        yield Document(f"{source.name}:{subject}", triples[0][0], text, place, triples=tuple(triples))
    if bad:
        yield LoadFailure(
            place, f"{len(bad)} of its entries are not three texts, the first is entry {bad[0]}", len(bad)
        )


def parts_of(entry: object) -> tuple[str, ...]:
    """Subject, relation and object of a list of three texts, each on one line; of anything else (). A number stands
    for a text."""
    parts = [" ".join(clean(str(part)).split()) for part in entry if _is_text(part)] if isinstance(entry, list) else []
    return tuple(parts) if len(parts) == 3 == len(entry) and all(map(normalise, parts)) else ()  # type: ignore[arg-type]


def _entries(path: Path) -> list[Any]:
    try:
        entries = json.loads(decode(path.read_bytes()))
    except json.JSONDecodeError as error:
        raise Unreadable(f"not JSON: {error.msg} (line {error.lineno}, column {error.colno})") from error
    except (ValueError, RecursionError) as error:
        raise Unreadable("JSON that is too deep or too large to be read") from error
    if not isinstance(entries, list):
        raise Unreadable("not a list of triples")
    return entries


def _is_text(part: object) -> bool:
    return isinstance(part, str | int | float) and not isinstance(part, bool)


TRIPLES = Loader("triples", read_triples, (".json",), is_file_of_triples)
