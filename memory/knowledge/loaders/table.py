"""Tables in files: comma-separated values, or whatever parts the cells of theirs."""

import csv
import io
from collections.abc import Iterator

from clew.memory.datatypes import Document
from clew.memory.errors import Unreadable
from clew.memory.knowledge.loaders.layout import TextLayout
from clew.memory.knowledge.loaders.plain_text import decode, guessed, title_of_file
from clew.memory.knowledge.loaders.source import Loader, Source

DELIMITERS = ",;\t|"
SAMPLE = 4096
"""Characters that the delimiter is told by."""


def read_table(source: Source) -> Iterator[Document]:
    """A document: its rows, cells parted by `|`, empty ones left out.

    Raises `Unreadable` where a cell has no end, or nothing stands in it.
    """
    text = decode(source.path.read_bytes())
    try:
        rows = [row for row in csv.reader(io.StringIO(text), _dialect(text)) if any(map(str.strip, row))]
    except csv.Error as error:
        raise Unreadable(f"not a table: {error}") from error
    layout, title = TextLayout(), title_of_file(source.path)
    layout.table(rows, title)
    yield layout.document(source, title)


def _dialect(text: str) -> type[csv.Dialect]:
    """Commas, where nothing else is seen."""
    try:
        return csv.Sniffer().sniff(text[:SAMPLE], DELIMITERS)
    except csv.Error:
        return csv.excel


TABLE = Loader("table", read_table, (".csv", ".tsv"), guesses=guessed)
