"""Tables in files: comma-separated values, or whatever parts the cells of theirs."""

import csv
import io
from collections.abc import Iterator, Sequence
from itertools import islice

from clew.memory.datatypes import Document
from clew.memory.errors import Unreadable
from clew.memory.knowledge.loaders.plain_text import decode, not_empty, title_of_file
from clew.memory.knowledge.loaders.source import Loader, Source, shown

DELIMITERS = ",;\t|"
SAMPLE = 4096
"""Characters that the delimiter is told by."""

ROWS = 25
"""Rows that stand together below the names of the columns, so that no row is far from them."""


def read_table(source: Source) -> Iterator[Document]:
    """A document: its rows, cells parted by `|`, empty ones left out; the first row again above every `ROWS` of them.

    Raises `Unreadable` where a cell has no end, or nothing stands in it.
    """
    text = decode(source.path.read_bytes())
    try:
        rows = [line for row in csv.reader(io.StringIO(text), _dialect(text)) if (line := _line(row))]
    except csv.Error as error:
        raise Unreadable(f"not a table: {error}") from error
    first, behind = rows[:1], iter(rows[1:])
    stanzas = [first] if len(rows) == 1 else []
    while part := list(islice(behind, ROWS)):
        stanzas.append([*first, *part])
    told = not_empty("\n\n".join("\n".join(stanza) for stanza in stanzas))
    yield Document(source.name, title_of_file(source.path), told, shown(source.path))


def _dialect(text: str) -> type[csv.Dialect]:
    """Commas, where nothing else is seen."""
    try:
        return csv.Sniffer().sniff(text[:SAMPLE], DELIMITERS)
    except csv.Error:
        return csv.excel


def _line(row: Sequence[str]) -> str:
    return " | ".join(" ".join(cell.split()) for cell in row).rstrip(" |")


TABLE = Loader("table", read_table, (".csv", ".tsv"))
