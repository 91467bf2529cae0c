"""The words of a generation: what its titles call the nodes, and its keyword indexes."""

import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from clew.memory.datatypes import Progress
from clew.memory.dates import search_text
from clew.memory.files import new_folder
from clew.memory.knowledge import keywords
from clew.memory.knowledge.document_dates import DateOrders, dated_texts
from clew.memory.knowledge.embedding import CHUNKS, titles_and_texts
from clew.memory.titles import write_titles

_ABOUT = """SELECT d.id || ' ' || d.date || ' ' || d.status FROM main.chunks c
JOIN main.documents d ON d.id = c.document ORDER BY c.row"""
_BETWEEN = re.compile(r"[\W_]+")


def write_words(
    database: sqlite3.Connection, folder: Path, parameters: keywords.KeywordParameters, orders: DateOrders
) -> Iterator[Progress]:
    """In the indexes dates are written in one way, and a chunk has that of its heading or its document."""
    found = [(title, text) for _, title, text in titles_and_texts(database, CHUNKS)]
    write_titles(folder, found)
    yield Progress("indexing words", 0, len(keywords.INDEXES))
    indexes = new_folder(folder, keywords.FOLDER)
    titles = [search_text(title, orders.library) for title, _ in found]
    texts = list(dated_texts(database, (text for _, text in found), orders))
    about = [_BETWEEN.sub(" ", text) for (text,) in database.execute(_ABOUT)]
    for done, _ in enumerate(keywords.write(indexes, titles, texts, parameters, about), 1):
        yield Progress("indexing words", done, len(keywords.INDEXES))
