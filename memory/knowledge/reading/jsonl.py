"""JSON lines: corpora of BEIR, nodes of graph folders, any file with a `text` on each line; plain or zipped.

`JSONLoader` of langchain-community is not used: it needs jq, keeps no ids or titles, and one broken line ends it.
"""

import gzip
import json
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from clew.memory.datatypes import Document
from clew.memory.errors import Unreadable
from clew.memory.knowledge.reading.plain import title_of_text
from clew.memory.knowledge.reading.source import Failure, Source, clean, reason, shown, storable
from clew.memory.knowledge.reading.triples import parts_of

Record = Mapping[str, Any]
Item = TypeVar("Item")

NAMED_FAILURES = 20
"""Lines of one file that are named; of a file that has nothing but broken lines, the rest are counted."""


def read_jsonl(source: Source) -> Iterator[Document | Failure]:
    """A document for each line. Ids are kept as they are; a line without one is `<file>:<line>`."""
    yield from named(_documents(source), shown(source.path))


def is_conversation_script(path: Path) -> bool:
    first = next(records(path), None)
    return isinstance(first, tuple) and _is_script(first[1])


def _documents(source: Source) -> Iterator[Document | Failure]:
    known: set[str] = set()
    anything = False
    for item in records(source.path):
        anything = True
        if isinstance(item, Failure):
            yield item
            continue
        number, record = item
        place = f"{shown(source.path)}:{number}"
        if number == 1 and _is_script(record):
            raise Unreadable("a conversation script, which clew replay runs")
        try:
            document = _document(record, f"{source.name}:{number}", place)
        except Unreadable as error:
            yield Failure(place, error.message)
            continue
        if document.id in known:
            yield Failure(place, f"the id '{document.id}' is on an earlier line already")
            continue
        known.add(document.id)
        yield document
    if not anything:
        raise Unreadable("empty")


def _document(record: Record, default_id: str, place: str) -> Document:
    """A text that is empty is its title, so that a corpus keeps all its ids; raises `Unreadable` without either. A
    text without a title has its first line for one, where that looks like one."""
    text = clean(field(record, "text"))
    title = clean(field(record, "title", "")).strip() or title_of_text(text)
    if not text.strip():
        text = title
    if not text:
        raise Unreadable("empty")
    id_ = field(record, "_id", "") or field(record, "id", "") or default_id
    triples = record.get("triples")
    parts = tuple(map(parts_of, triples)) if isinstance(triples, list) else ()
    return Document(storable(id_), title, text, place, triples=parts)


def field(record: Record, name: str, default: str | None = None) -> str:
    """A field that is text, or a number in its place. Without `default` it has to be there: else `Unreadable`."""
    value = record.get(name)
    if value is None and default is not None:
        return default
    if value is None:
        raise Unreadable(f'there is no "{name}"')
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise Unreadable(f'"{name}" is not text')
    return str(value)


def records(path: Path, having: bytes = b"") -> Iterator[tuple[int, Record] | Failure]:
    """The object on each line that has these bytes, with the line's number. What ends the file too early is told after
    the good lines."""
    number = 0
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if not line.strip() or having not in line:
                    continue
                try:
                    yield number, _record(line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line)
                except Unreadable as error:
                    yield Failure(f"{shown(path)}:{number}", error.message)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        yield Failure(shown(path), f"the zipped file is broken or cut off after line {number} ({error})")
    except OSError as error:
        yield Failure(shown(path), reason(error))


def _record(line: bytes) -> Record:
    try:
        record = json.loads(line.decode().strip())
    except UnicodeDecodeError as error:
        raise Unreadable(f"not UTF-8 (byte {error.start} of the line)") from error
    except json.JSONDecodeError as error:
        raise Unreadable(f"not JSON: {error.msg} (column {error.colno})") from error
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, lists in lists without end
        raise Unreadable("JSON that is too deep or too large to be read") from error
    if not isinstance(record, dict):
        raise Unreadable("not a JSON object")
    return record


def _is_script(record: Record) -> bool:
    return "conversation_id" in record and "turns" in record


def named(items: Iterator[Item | Failure], path: str) -> Iterator[Item | Failure]:
    """Failures of a file's lines: the first ones named, the rest counted at the end."""
    failures = 0
    for item in items:
        failures += isinstance(item, Failure)
        if not isinstance(item, Failure) or failures <= NAMED_FAILURES:
            yield item
    if failures > NAMED_FAILURES:
        more = failures - NAMED_FAILURES
        yield Failure(path, f"{more} more of its lines cannot be read", more)
