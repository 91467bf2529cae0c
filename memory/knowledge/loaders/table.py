"""Tables in files: comma-separated values, or whatever parts the cells of theirs."""

import csv
import io
from collections.abc import Iterator, Sequence
from itertools import islice

from clew.memory.datatypes import Document
from clew.memory.errors import Unreadable
from clew.memory.knowledge.loaders.plain_text import decode, not_empty, title_of_file
from clew.memory.knowledge.loaders.source import Loader, Source, shown
from clew.memory.knowledge.tables import LARGE, SAMPLED, table_of

DELIMITERS = ",;\t|"
SAMPLE = 4096
"""Characters that the delimiter is told by."""

ROWS = 25
"""Rows that stand together below the names of the columns, so that no row is far from them."""


def read_table(source: Source) -> Iterator[Document]:
    """A document: its rows, cells parted by `|`, empty ones left out; the first row again above every `ROWS` of them.
    Of more than `LARGE` rows the text has some from all over; the document's table has all.

    Raises `Unreadable` where a cell has no end, or nothing stands in it.
    """
    text = decode(source.path.read_bytes())
    reader = csv.reader(io.StringIO(text), _dialect(text))
    try:
        read = [(reader.line_num, [" ".join(cell.split()) for cell in row]) for row in reader]
    except csv.Error as error:
        raise Unreadable(f"not a table: {error}") from error
    rows = [(number, row) for number, row in read if any(row)]
    table = table_of("", rows)
    shown_rows = [line for _, row in rows if (line := _line(row))]
    if table and len(shown_rows) > LARGE:
        shown_rows = [shown_rows[0], *shown_rows[1 :: len(shown_rows) // SAMPLED + 1]]
    told = not_empty(text_of_rows(shown_rows))
    yield Document(source.name, title_of_file(source.path), told, shown(source.path), tables=(table,) if table else ())


def text_of_rows(lines: Sequence[str]) -> str:
    """The lines of a table, the first again above every `ROWS` of the others."""
    first, behind = [*lines[:1]], iter(lines[1:])
    stanzas = [first] if len(lines) == 1 else []
    while part := list(islice(behind, ROWS)):
        stanzas.append([*first, *part])
    return "\n\n".join("\n".join(stanza) for stanza in stanzas)


def _dialect(text: str) -> type[csv.Dialect]:
    """Commas, where nothing else is seen."""
    try:
        return csv.Sniffer().sniff(text[:SAMPLE], DELIMITERS)
    except csv.Error:
        return csv.excel


def _line(row: Sequence[str]) -> str:
    return " | ".join(row).rstrip(" |")


TABLE = Loader("table", read_table, (".csv", ".tsv"))
