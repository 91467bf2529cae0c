"""The text of a document that has markup, as it is written piece by piece, with its headings and its tables."""

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise, zip_longest
from textwrap import indent

from clew.memory.datatypes import Document, Mark, Table
from clew.memory.knowledge.loaders.plain_text import not_empty, title_of_file, title_of_text
from clew.memory.knowledge.loaders.source import Source, in_a_line, shown
from clew.memory.knowledge.tables import LARGE, SAMPLED, typed
from clew.memory.text import BELOW

_ITEMS = re.compile(r"\A\s*(?:- .*\s*)+")  # a list above all else names no text
YEAR = re.compile(r"1[5-9]\d\d|20[0-3]\d")
Rows = Iterable[Sequence[str]]
BREAKS = ("", " ", "\n", "\n\n")

INDENT = " " * 4  # before a line of code
NESTED = " " * 2  # before an item of a list, for each list that it stands in but one
CELLS = " | "  # between cells of a row
ROWS = 25  # that stand together below the names of the columns, so that no row is far from them


class TextLayout:
    """White space is as a reader sees it; a heading is marked with all that it lies below ("Tents > Alpine > Weight").

    The break before a piece is the strongest one that was asked for since the last."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._length = 0
        self._break = 0
        self._marker = ""
        self._heading = 0
        self._lists = 0  # that are open
        self._term = False
        self._join: str | None = None
        self._above: list[tuple[int, str]] = []
        self.headings: list[Mark] = []
        self.pages: list[Mark] = []
        self.tables: list[Table] = []
        self.hidden: list[str] = []  # what the file says and does not show

    @property
    def text(self) -> str:
        return "".join(self._pieces)

    def line(self) -> None:
        self._ask("\n")

    def paragraph(self) -> None:
        self._ask("\n\n")

    def words(self, text: str) -> None:
        """Running text: runs of white space become one space."""
        if text[:1].isspace():
            self._ask(" ")
        if words := text.replace("\u00ad", "").split():
            self._write(" ".join(words))
        if text[-1:].isspace():
            self._ask(" ")

    def verbatim(self, text: str) -> None:
        """Text whose lines stay as they are: rows of a table."""
        self.paragraph()
        if text := text.strip("\n").rstrip():
            self._write(text)
        self.paragraph()

    def code(self, text: str) -> None:
        """Its lines as they are, each behind `INDENT`, as in Markdown."""
        self._join = None
        self.verbatim(indent(text, INDENT))

    def page(self, label: str, goes_on: bool = False) -> None:
        """What is written from here on stands on this page, sheet or slide; `goes_on`: within a paragraph."""
        self._ask(" ") if goes_on else self.paragraph()
        self.pages.append(Mark(self._length + (len(BREAKS[self._break]) if self._length else 0), label))

    def heading(self, text: str, level: int = 1) -> None:
        self.open_heading()
        self.words(text)
        self.close_heading(level)

    def item(self, text: str) -> None:
        self.open_item()
        self.words(text)
        self.close_item()

    def table(self, rows: Rows, title: str = "", first: int = 1, headed: bool = True, caption: str = "") -> None:
        """A line a row, cells parted by `|`; the names of the columns again above every `ROWS` of them. A cell that
        spans several rows or columns stands in each. `first` is the number of the first row in its file; `headed`:
        that row names the columns. `caption` stands above it. Of more than `LARGE` rows the text has some."""
        columns = zip_longest(*(tuple(" ".join(cell.split()) for cell in row) for row in rows), fillvalue="")
        cells = list(zip(*filter(any, columns), strict=True))
        heads, taken = _heads(cells) if headed else ((), 0)
        body = cells[taken:]
        if body and len(heads) > 1:
            title = caption or title or (self._above[-1][1] if self._above else "")
            place = self.pages[-1].text if self.pages else ""
            self.tables.append(Table(title, heads, tuple(body), first + taken, place))
            body = body[:: 1 + len(body) // SAMPLED] if len(body) > LARGE else body
        for start in range(0, max(len(body), 1), ROWS):
            shown_rows = [*([heads] if heads else []), *body[start : start + ROWS]]
            self.verbatim("\n".join(filter(None, [caption, *map(line_of, shown_rows)])))
            caption = ""

    def open_heading(self) -> None:
        self.paragraph()
        self._heading = len(self._pieces)

    def close_heading(self, level: int = 1) -> None:
        """Mark the text since `open_heading`, with the headings of a lower level that it lies below."""
        if heading := "".join(self._pieces[self._heading :]).lstrip():
            self._above = [one for one in self._above if one[0] < level] + [(level, " ".join(heading.split()))]
            self.headings.append(Mark(self._length - len(heading), BELOW.join(text for _, text in self._above)))
        self._heading = len(self._pieces)
        self.paragraph()

    def open_term(self) -> None:
        """A term of a list of terms: an item, or one more of the same meaning."""
        if self._term and not self._marker and self._break < BREAKS.index("\n\n"):
            self._join = ","
        else:
            self.open_item()
        self._term = True

    def open_meaning(self) -> None:
        """What the term means: behind it, on its line."""
        if self._term and self._pieces:
            self._join = "" if self._pieces[-1].endswith(":") else ":"
        else:
            self.paragraph()
        self._term = False

    def open_list(self) -> None:
        """A list within an item stands close to it."""
        self.line() if self._lists else self.paragraph()
        self._lists += 1

    def close_list(self) -> None:
        self._lists -= 1
        self.line() if self._lists else self.paragraph()

    def open_item(self, marker: str = "- ") -> None:
        """An item of a list: the marker is written before its first words."""
        self._join = None
        self.line()
        self._marker = f"{NESTED * (self._lists - 1)}{marker}"

    def close_item(self) -> None:
        self._marker = ""
        self.line()

    def _ask(self, kind: str) -> None:
        self._break = max(self._break, BREAKS.index(kind))

    def _write(self, piece: str) -> None:
        between = BREAKS[self._break] if self._length else ""
        if self._join is not None:
            between, self._join = f"{self._join} ", None
        for part in (between, self._marker, piece):
            self._pieces.append(part)
            self._length += len(part)
        self._break, self._marker = 0, ""

    def document(
        self, source: Source, title: str = "", date: str = "", status: str = "", author: object = (), tags: object = ()
    ) -> Document:
        """All that was written; `author` and `tags` may be lists. Raises `Unreadable` where nothing was."""
        text = not_empty(self.text)
        title = title or title_of_text(_ITEMS.sub("", text)) or title_of_file(source.path)
        headings = tuple(Mark(mark.start, mark.text.removeprefix(title + BELOW)) for mark in self.headings)
        told = date, status, in_a_line(author), in_a_line(tags), "\n".join(filter(None, self.hidden))
        found = tuple(self.pages), headings
        return Document(source.name, title, text, shown(source.path), *found, (), *told, tuple(self.tables))


def line_of(row: Sequence[str]) -> str:
    """A cell that spans a row of several stands once."""
    return row[0] if len(set(row)) == 1 and len(row) != 2 else CELLS.join(row).rstrip(" |")


def _heads(rows: Sequence[tuple[str, ...]]) -> tuple[tuple[str, ...], int]:
    """The names of the columns, and in how many rows they stand: in two where one of the first row spans several that
    have names of their own ("Summer, Weight"). None where no word is in the first row."""
    if not rows or not any(map(str.isalpha, "".join(rows[0]))):
        return (), 0
    first = rows[0]
    below = rows[1] if len(rows) > 2 and len(set(first)) > 1 else ()
    spans = [place for place, (one, other) in enumerate(pairwise(first)) if one and one == other]
    repeated = [one for one, other in zip(first, below, strict=False) if one and one == other]
    apart = all(below[place] != below[place + 1] for place in spans) if below else False
    if not (spans or repeated) or not apart or not all(is_name(cell) for cell in below if cell):
        return first, 1
    both = zip(first, below, strict=True)
    return tuple(one if one == other or not other else f"{one}, {other}".strip(", ") for one, other in both), 2


def has_heads(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first row may name the columns. It is one of data where its numbers, days or yes and no stand above
    others of their kind, but for years above what is none, and for numbers that count up by one."""
    if not any(rows):
        return True
    first, *below = zip(*zip_longest(*rows[:SAMPLED], fillvalue=""), strict=True)
    kinds, others = ([column.kind for column in typed(Table("", first, tuple(its)))[0]] for its in ((first,), below))
    told = [its for its in zip(first, kinds, others, strict=True) if its[0] and its[2] != "text"]
    numbers = [int(cell) for cell in first if cell.isdecimal()]
    counts = len(numbers) > 2 and numbers == [*range(numbers[0], numbers[0] + len(numbers))]
    are_data = all(other == ("date" if YEAR.fullmatch(cell) else kind) for cell, kind, other in told)
    return not (below and told and are_data) or counts


def is_name(cell: str) -> bool:
    """Whether a cell may name a column: it has a letter and no digit before it."""
    return any(map(str.isalpha, cell)) and not cell[0].isdigit()
