"""When a document is from, and whether it says of itself that it is not in force: by its header, its title, the name of
its file and its first lines, else by its folder, and never by the file's own time. Of a diary, when each entry is."""

import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import starmap
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from clew.memory.datatypes import Document
from clew.memory.dates import DAYS, CalendarDate, DateOrder, asked_times, blanked, date_of, found_dates, order_of
from clew.memory.knowledge.catalogue import names_in
from clew.memory.knowledge.disk import COLUMNS, document_of
from clew.memory.knowledge.embedding import CHUNKS, about_documents, titles_and_texts
from clew.memory.knowledge.keywords import KeywordAnalyser, KeywordParameters, Tokens, search_text
from clew.memory.text import BELOW, ITEM, compiled_patterns, content_words

FIRST_LINES, FIRST_CHARACTERS = 5, 500
"""How much of a text its first lines are at most."""

HEADER_LINES = 12
SHORT_LINE = 60
"""Characters of a line that is no sentence: a year alone counts there."""

_PATTERNS = compiled_patterns(Path(__file__).with_suffix(".txt"))
_HEADERS = tuple(
    re.compile(rf"^[\W_]*(?:{one.pattern})[*_\"]*\s*[:=]\s*(\S.*)$", re.IGNORECASE)
    for name, one in _PATTERNS.items()
    if name.startswith("keys ")
)
_NAME_YEAR, _NAME_MONTH = r"(?<!\d)(?P<year>(?:19|20)\d\d)", "(?P<month>0[1-9]|1[0-2])"
_IN_NAME = (
    re.compile(rf"{_NAME_YEAR}(?P<mark>[-_. ]?){_NAME_MONTH}(?P=mark)(?P<day>[0-2]\d|3[01])(?!\d)"),
    re.compile(rf"{_NAME_YEAR}[-_. ]{_NAME_MONTH}(?![-_. ]?\d)"),
)
_NUMBERS_IN_NAME = re.compile(r"(?<!\d)(\d\d)[-_. ](\d\d)[-_. ]((?:19|20)\d\d)(?!\d)")
_IN_NUMBERS = re.compile(r"\d[-_./ ]+\d")
"""In every date whose day and month are numbers; others do not depend on their order."""

_YEAR_IN_NAME = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_BRACKETS = re.compile(r"\([^()]*\)")
_OPENS = re.compile(rf"[\s#>*_\[(-]*(?:(?:{'|'.join(day[:3] for day in DAYS)})[a-z]*[.,]?\s+)?")
"""What may stand before the date of a diary entry."""


def with_date(document: Document, order: DateOrder = "") -> Document:
    """With its date as ISO 8601 and its status, as far as it says any; what its loader found goes first. `order`: that
    of the library, for numbers that the document alone does not explain."""
    order = order_of([document.text]) or order
    date = _of_header(document, order) or _of_name(document.title, order)
    date = date or _of_name(_file_name(document), order) or _of_first_lines(document.text, order)
    folders = PurePosixPath(document.id).parts[:-1] if _file_name(document) else ()
    date = date or next(filter(None, (_of_name(name, order) for name in reversed(folders))), None)
    return replace(document, date=date.iso if date else "", status=_status(document))


def _of_header(document: Document, order: DateOrder) -> CalendarDate | None:
    if document.date and (found := _written(document.date, order)):
        return found
    lines = _first_lines(document.text, HEADER_LINES, 4 * FIRST_CHARACTERS)
    matches = (match for header in _HEADERS for line in lines if (match := header.match(line)))
    return next(filter(None, (_written(match[1], order) for match in matches)), None)


def _first_lines(text: str, most: int = FIRST_LINES, characters: int = 2 * FIRST_CHARACTERS) -> list[str]:
    """The first lines of a text that are not blank."""
    return [line for line in text[:characters].splitlines() if line.strip()][:most]


def _written(text: str, order: DateOrder) -> CalendarDate | None:
    """The first date of a short text; a year alone is one."""
    return next((found.date for found in asked_times(text, order) if found.date.year), None)


def _of_name(name: str, order: DateOrder) -> CalendarDate | None:
    """The date in a title or in a file's name, in which dates are written with any marks."""
    for pattern in _IN_NAME:
        if match := pattern.search(name):
            return CalendarDate(*(int(value) for key, value in match.groupdict().items() if key != "mark"))
    plain = _NUMBERS_IN_NAME.sub(r"\1/\2/\3", name)
    if found := next((one.date for one in found_dates(re.sub(r"[-_]", " ", plain), order) if one.date.year), None):
        return found
    year = _YEAR_IN_NAME.search(_BRACKETS.sub("", name))
    return CalendarDate(int(year.group())) if year else None


def _file_name(document: Document) -> str:
    place = document.source.removesuffix(f", {document.date}")  # as exports have it
    return PurePosixPath(document.id).stem if place and place.endswith(document.id) else ""


def _of_first_lines(text: str, order: DateOrder) -> CalendarDate | None:
    """The first date with a month; what stands in brackets is of something else (a life), and so is a year in running
    text, and what stands in a row of a table or an item of a list."""
    lines = (line for line in _first_lines(text) if " | " not in line and not ITEM.match(line))
    first = _PATTERNS["of another"].sub(" ", "\n".join(lines)[:FIRST_CHARACTERS])
    plain = _PATTERNS["life"].sub(" ", _BRACKETS.sub(" ", first))
    if found := next((one.date for one in found_dates(plain, order) if one.date.year), None):
        return found
    lines = (line.rstrip() for line in first.splitlines() if len(line) <= SHORT_LINE)
    dates = (_written(line, order) for line in lines if not line.endswith((".", "?", "!")))
    return next(filter(None, dates), None)


def _status(document: Document) -> str:
    """In lower case; empty where it says nothing that keeps it from being in force."""
    path = PurePosixPath(document.id).with_suffix("").parts if _file_name(document) else ()
    sentences = (one for line in _first_lines(document.text) for one in re.split(r"(?<=[.!])\s+", line))
    places = (("status", [document.status]), ("title", [document.title]), ("path", path), ("sentence", sentences))
    matches = (_PATTERNS[f"out in {place}"].search(text) for place, texts in places for text in texts)
    match = next(filter(None, matches), None)
    return next(filter(None, match.groupdict().values()), "").casefold() if match else ""


# Of a diary ------------------------------------------------------------------------------------------------------

ENTRIES = 2  # headings or lines beginning with a date that make a document a diary
LONGEST_DIARY = 500_000  # characters of a document that are searched for lines that do


class Entry(NamedTuple):
    """Part of a document that is about a day: where it begins, the day, and whether what is told there happened on it,
    as in a diary; the minutes of a meeting tell of other days."""

    start: int
    date: CalendarDate
    happened: bool = True


def diary_entries(document: Document) -> list[Entry]:
    """Where the entries of a diary begin, in order, with their dates; empty for other documents. Entries have headings
    that name a day, as minutes of several meetings have, else lines that begin with a date."""
    heads = [(mark.start, mark.text.split(BELOW)[-1]) for mark in document.headings]
    days = [(start, head, found_dates(head)) for start, head in heads]
    headed = [
        Entry(start, of[0].date, not content_words(blanked(head, asked_times(head))))
        for start, head, of in days
        if of and of[0].date.day
    ]
    entries = headed if len(headed) >= ENTRIES else [*starmap(Entry, lines_with_dates(document.text[:LONGEST_DIARY]))]
    return entries if len(entries) >= ENTRIES else []


def lines_with_dates(text: str) -> Iterator[tuple[int, CalendarDate]]:
    """Lines that begin with a date, such as diary entries: where they begin, and the date."""
    for one in found_dates(text):
        before = text[text.rfind("\n", 0, one.start) + 1 : one.start]
        if _OPENS.fullmatch(before):
            yield one.start - len(before), one.date


# Of a generation in the making -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class DateOrders:
    """How a library writes dates in numbers, and how each document that shows it does."""

    library: DateOrder
    documents: Mapping[str, DateOrder]

    def of(self, document: str) -> DateOrder:
        return self.documents.get(document, self.library)


def orders_in(database: sqlite3.Connection) -> DateOrders:
    """Reads all documents."""
    found = database.execute("SELECT id, text FROM main.documents")
    shown = {id_: order for id_, text in found if (order := order_of([text]))}
    orders = set(shown.values())
    return DateOrders(orders.pop() if len(orders) == 1 else "", shown)


def date_orders(database: sqlite3.Connection) -> DateOrders:
    """As `orders_in`. Dates of documents that were read day first, as nothing in them says, are read again where the
    library has the month first."""
    orders = orders_in(database)
    if orders.library != "month":
        return orders
    found = database.execute(f"SELECT {COLUMNS} FROM main.documents WHERE date != ''").fetchall()
    documents = [
        replace(document_of(row), date="")
        for row in found
        if row[0] not in orders.documents and any(map(_IN_NUMBERS.search, (*row[:2], row[2][: 4 * FIRST_CHARACTERS])))
    ]
    pairs = [(with_date(document, "month").date, document.id, with_date(document).date) for document in documents]
    database.executemany("UPDATE main.documents SET date = ? WHERE id = ? AND date = ?", pairs)
    return orders


def dated_texts(database: sqlite3.Connection, texts: Iterable[str], orders: DateOrders) -> Iterator[str]:
    """The texts of all chunks, in order, as they are searched: with every date in one way, and behind them that of
    their heading or their document where they have it not, and the names of its folders and its file."""
    found = database.execute(
        "SELECT c.document, c.heading, d.date, d.place, d.title"
        " FROM main.chunks c JOIN main.documents d ON d.id = c.document ORDER BY c.row"
    )
    own_text = cache(_own_text)
    for text, (document, heading, iso, place, title) in zip(texts, found, strict=True):
        order = orders.of(document)
        written, own = search_text(text, order), own_text(heading, iso, order)
        beside = names_in(document, place, title)
        yield " ".join(filter(None, (written, own if own not in written else "", beside)))


def _own_text(heading: str, iso: str, order: DateOrder) -> str:
    """The date of a heading, else of a document, as it is searched."""
    levels = reversed(heading.split(BELOW))
    entry = next((one.date for level in levels for one in found_dates(level, order)), date_of(iso))
    return search_text(entry.text, order)


def chunk_tokens(database: sqlite3.Connection, parameters: KeywordParameters, orders: DateOrders) -> Sequence[Tokens]:
    """Of each of `keywords.FIELDS` what all chunks are found by: dates are written in one way, and a chunk has that of
    its heading or its document."""
    found = list(titles_and_texts(database, CHUNKS))
    titles = [search_text(title, orders.library) for _, title, _ in found]
    texts = list(dated_texts(database, (text for *_, text in found), orders))
    return KeywordAnalyser(parameters).fields(titles, texts, about_documents(database))
