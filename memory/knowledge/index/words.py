"""The words of a generation: what its titles call the nodes, and its keyword indexes.

What an old generation has of a chunk that is still there is taken over: its text is not looked at again.
"""

import json
import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from clew.memory.datatypes import Progress
from clew.memory.dates import search_text
from clew.memory.files import new_file, new_folder, within
from clew.memory.knowledge import keywords
from clew.memory.knowledge.disk import BROKEN, naming_damage, read_manifest
from clew.memory.knowledge.document_dates import DateOrders, date_orders, dated_texts
from clew.memory.knowledge.embedding import CHUNKS, titles_and_texts
from clew.memory.knowledge.index.generation import Generation
from clew.memory.knowledge.tokens import TOKENS, KeywordParameters
from clew.memory.titles import read_titles, taken_over, title_index, write_titles

ORDERS = "orders.json"
"""In the folder of the indexes: by document how it shows that it writes dates in numbers."""

_ABOUT = """SELECT d.id || ' ' || d.date || ' ' || d.status || ' ' || d.author || ' ' || d.tags FROM main.chunks c
JOIN main.documents d ON d.id = c.document ORDER BY c.row"""
_BETWEEN = re.compile(r"[\W_]+")
_STILL_THERE = """SELECT o.row, n.row FROM main.chunks n
JOIN old.chunks o ON o.id = n.id AND (o.document, o.start, o.end, o.heading) = (n.document, n.start, n.end, n.heading)
JOIN main.documents d ON d.id = n.document
JOIN old.documents e ON e.id = d.id AND (e.digest, e.date, e.status) = (d.digest, d.date, d.status)"""


def about_documents(database: sqlite3.Connection) -> list[str]:
    """The metadata of each chunk, in their order: what is known of its document beside its words."""
    return [_BETWEEN.sub(" ", text) for (text,) in database.execute(_ABOUT)]


def index_words(generation: Generation) -> Iterator[Progress]:
    """As `write_words`, with how the library writes dates."""
    orders, before = _before(generation)
    generation.facts |= {"date_order": orders.library, "tokens": TOKENS}
    written = generation.database, generation.folder, generation.choices.keywords, orders
    if before is None:
        yield from write_words(*written)
        return
    with naming_damage(before):
        yield from write_words(*written, _still_there(generation, before))


def _before(generation: Generation) -> tuple[DateOrders, Path | None]:
    """How the library writes dates, and the folder of the old generation whose indexes were written by the same."""
    old, database, choices = generation.old, generation.database, generation.choices
    try:
        shown = json.loads(within(old, keywords.FOLDER, ORDERS).read_text("utf-8")) if old else None
        manifest = read_manifest(old) if old else None
        orders = date_orders(database, shown)
    except BROKEN:  # or made by a version that kept no orders
        return date_orders(database), None
    now = choices.keywords, orders.library, TOKENS
    same = manifest and (manifest.keywords, manifest.date_order, manifest.tokens) == now
    return orders, old if same and choices.same_chunker else None


def _still_there(generation: Generation, old: Path) -> keywords.WordsBefore:
    found = np.array(generation.database.execute(_STILL_THERE).fetchall(), np.int64).reshape(-1, 2)
    rows = np.full(len(generation.old_vectors[CHUNKS]), -1, np.int64)
    rows[found[:, 0]] = found[:, 1]
    return keywords.WordsBefore(within(old, keywords.FOLDER), rows)


def write_words(
    database: sqlite3.Connection,
    folder: Path,
    parameters: KeywordParameters,
    orders: DateOrders,
    before: keywords.WordsBefore | None = None,
) -> Iterator[Progress]:
    """In the indexes dates are written in one way, and a chunk has that of its heading or its document."""
    yield Progress("indexing words", 0, len(keywords.INDEXES))
    about = about_documents(database)
    fresh = np.ones(len(about), bool)
    fresh[before.rows[before.rows >= 0] if before else []] = False
    titles, texts = [""] * len(about), [""] * len(about)
    chosen = json.dumps(np.flatnonzero(fresh).tolist())
    for row, title, text in titles_and_texts(database, CHUNKS, "WHERE row IN (SELECT value FROM json_each(?))", chosen):
        titles[row], texts[row] = title, text
    named = title_index(zip(titles, texts, strict=True))
    if before:
        named = taken_over(read_titles(before.folder.parent), before.rows, named)
    write_titles(folder, named)
    indexes = new_folder(folder, keywords.FOLDER)
    new_file(indexes, ORDERS).write_text(json.dumps(orders.documents, sort_keys=True), "utf-8")
    texts = list(dated_texts(database, texts, orders))
    about = [known if is_fresh else "" for known, is_fresh in zip(about, fresh.tolist(), strict=True)]
    titles = [search_text(title, orders.library) for title in titles]
    for done, _ in enumerate(keywords.write(indexes, titles, texts, parameters, about, before), 1):
        yield Progress("indexing words", done, len(keywords.INDEXES))
