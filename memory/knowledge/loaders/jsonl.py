"""JSON lines: corpora of BEIR, nodes of graph folders, any file with a `text` on each line; plain or zipped."""

import bz2
import gzip
import json
import stat
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any, TypeVar, cast

from clew.memory.datatypes import Document
from clew.memory.errors import Unreadable
from clew.memory.knowledge.clues.clue_index import normalise
from clew.memory.knowledge.loaders.plain_text import TOO_DEEP, not_empty, title_of_text
from clew.memory.knowledge.loaders.source import LoadFailure, Source, file_mode, in_a_line, reason, shown
from clew.memory.text import clean, storable

Record = Mapping[str, Any]
SUFFIXES = (".jsonl", ".jsonl.gz")
Entry = TypeVar("Entry")

LONGEST_LINE, NAMED_FAILURES = 1 << 24, 20
"""Bytes of a line that are read; and lines of one file that are named: of a file that has nothing but broken lines, the
rest are counted."""

AUTHOR, TAGS = ("author", "authors"), ("tags", "keywords")
BROKEN_ZIP = (EOFError, zlib.error, gzip.BadGzipFile)


def read_jsonl(source: Source) -> Iterator[Document | LoadFailure]:
    """A document for each line. Ids are kept as they are; a line without one is `<file>:<line>`."""
    yield from named(_documents(source), shown(source.path))


def unzipped(path: Path) -> IO[bytes]:
    """A file, or what is in one that is zipped alone. Reading it may raise `OSError`, and what `BROKEN_ZIP` lists."""
    openers: dict[str, Any] = {".bz2": bz2.open, ".gz": gzip.open}
    return cast(IO[bytes], openers.get(path.suffix.lower(), Path.open)(path, "rb"))


def plain_or_zipped(folder: Path, name: str) -> Path | None:
    """The file `<name>.jsonl` or `<name>.jsonl.gz` of a folder."""
    paths = (folder / f"{name}{end}" for end in SUFFIXES)
    return next((path for path in paths if stat.S_ISREG(file_mode(path))), None)


def corpus_of(folder: Path) -> Path | None:
    """A corpus without queries or qrels beside it is a file like others, and what lies beside it is read too."""
    judged = plain_or_zipped(folder, "queries") or file_mode(folder / "qrels.tsv") or file_mode(folder / "qrels")
    return plain_or_zipped(folder, "corpus") if judged else None


def _documents(source: Source) -> Iterator[Document | LoadFailure]:
    item, known = None, set[str]()
    for item in records(source.path):
        if isinstance(item, LoadFailure):
            yield item
            continue
        number, record = item
        place = f"{shown(source.path)}:{number}"
        if number == 1 and "conversation_id" in record and "turns" in record:
            raise Unreadable("a conversation script, which clew replay runs")
        try:
            document = _document(record, f"{source.name}:{number}", place)
            if document.id in known:
                raise Unreadable(f"the id '{document.id}' is on an earlier line already")
            known.add(document.id)
            yield document
        except Unreadable as error:
            yield LoadFailure(place, error.message)
    if item is None:
        raise Unreadable("empty")


def _document(record: Record, default_id: str, place: str) -> Document:
    """A text that is empty is its title, so that a corpus keeps all its ids; raises `Unreadable` without either. A
    text without a title has its first line for one, where that looks like one."""
    text = clean(field(record, "text"))
    title = clean(field(record, "title", "")).strip() or title_of_text(text)
    text = not_empty(text if text.strip() else title)
    id_ = field(record, "_id", "") or field(record, "id", "") or default_id
    triples = record.get("triples")
    parts = tuple(map(parts_of, triples)) if isinstance(triples, list) else ()
    date, status = (value if isinstance(value := record.get(name), str) else "" for name in ("date", "status"))
    told = storable(date), storable(status), in_a_line(*map(record.get, AUTHOR)), in_a_line(*map(record.get, TAGS))
    return Document(storable(id_), title, text, place, (), (), parts, *told)


def parts_of(entry: object) -> tuple[str, ...]:
    """Subject, relation and object of a list of three texts, each on one line; of anything else (). A number stands
    for a text."""
    parts = [" ".join(clean(str(part)).split()) for part in entry if _is_text(part)] if isinstance(entry, list) else []
    return tuple(parts) if len(parts) == 3 == len(entry) and all(map(normalise, parts)) else ()  # type: ignore[arg-type]


def _is_text(part: object) -> bool:
    return isinstance(part, str | int | float) and not isinstance(part, bool)


def field(record: Record, name: str, default: str | None = None) -> str:
    """A field that is text, or a number in its place. Without `default` it has to be there: else `Unreadable`."""
    value = record.get(name)
    if value is None and default is not None:
        return default
    if value is None:
        raise Unreadable(f'there is no "{name}"')
    if not _is_text(value):
        raise Unreadable(f'"{name}" is not text')
    return str(value)


def records(path: Path, having: bytes = b"") -> Iterator[tuple[int, Record] | LoadFailure]:
    """The object on each line that has these bytes, with the line's number. What ends the file too early comes after
    the good lines."""
    number = 0
    try:
        with unzipped(path) as file:
            for number, line in enumerate(_lines(file), 1):
                if len(line) > LONGEST_LINE:
                    yield LoadFailure(f"{shown(path)}:{number}", f"a line of more than {LONGEST_LINE >> 20} MiB")
                    continue
                if not line.strip() or having not in line:
                    continue
                try:
                    yield number, _record(line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line)
                except Unreadable as error:
                    yield LoadFailure(f"{shown(path)}:{number}", error.message)
    except BROKEN_ZIP as error:
        yield LoadFailure(shown(path), f"the zipped file is broken or cut off after line {number} ({error})")
    except OSError as error:
        yield LoadFailure(shown(path), reason(error))


def _lines(file: IO[bytes]) -> Iterator[bytes]:
    """Of a line that is too long, the beginning with a byte too many, and never more in memory."""
    while line := file.readline(LONGEST_LINE + 1):
        yield line
        while len(line) > LONGEST_LINE and line[-1:] != b"\n":
            line = file.readline(LONGEST_LINE + 1) or b"\n"


def _record(line: bytes) -> Record:
    try:
        record = json.loads(line.decode().strip())
    except UnicodeDecodeError as error:
        raise Unreadable(f"not UTF-8 (byte {error.start} of the line)") from error
    except json.JSONDecodeError as error:
        raise Unreadable(f"not JSON: {error.msg} (column {error.colno})") from error
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, lists in lists without end
        raise Unreadable(TOO_DEEP) from error
    if not isinstance(record, dict):
        raise Unreadable("not a JSON object")
    return record


def named(items: Iterator[Entry | LoadFailure], path: str) -> Iterator[Entry | LoadFailure]:
    """Failures of a file's lines: the first ones named, the rest counted at the end."""
    failures = 0
    for item in items:
        failures += isinstance(item, LoadFailure)
        if not isinstance(item, LoadFailure) or failures <= NAMED_FAILURES:
            yield item
    if failures > NAMED_FAILURES:
        more = failures - NAMED_FAILURES
        yield LoadFailure(path, f"{more} more of its lines cannot be read", more)
