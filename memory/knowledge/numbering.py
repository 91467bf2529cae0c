"""The layers of the whole library: sentences and entities numbered, names of one thing joined, written as arrays."""

import json
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple

import numpy as np

from clew.memory.datatypes import Ints
from clew.memory.files import new_file, within
from clew.memory.knowledge.arrays import check_places, read_arrays
from clew.memory.knowledge.extraction.aliases import canonical, commonest, normalised
from clew.memory.knowledge.extraction.extractors import TITLE
from clew.memory.knowledge.extraction.lexicon import Mention
from clew.memory.knowledge.layers import Entity, Layers
from clew.memory.text import BELOW

ARRAYS = "layers.npz"

DOCUMENTS = "SELECT id FROM documents ORDER BY source, position"
CHUNK_SPANS = "SELECT document, row, start, end FROM main.chunks ORDER BY row"
_IN_ORDER = "documents d ON d.id = t.document ORDER BY d.source, d.position, t.n"
_VAGUE = ("name", "term")


def number_layers(database: sqlite3.Connection, folder: Path) -> None:
    """Number sentences, entities and verbs in the order of the library, and write what `read_layers` reads."""
    sentences = _number_sentences(database)
    found_names = database.execute("SELECT document, n, sentence, text, kind, given FROM main.names")
    names = list(map(_Name._make, found_names))
    keys = {text: normalised(text) for text in {name.text for name in names}}
    ids = _entity_ids(names, keys)
    entities = sorted({id_ for id_ in ids if id_})
    numbers = {id_: number for number, id_ in enumerate(entities)}
    found = [numbers.get(id_, -1) for id_ in ids]
    described = _described(names, ids, keys)
    database.executemany(
        "INSERT INTO main.entities VALUES (?, ?, ?, ?)",
        ((number, id_, *described[id_]) for number, id_ in enumerate(entities)),
    )
    mentions, titles, relations = _arrays(database, names, found, sentences)
    np.savez(new_file(folder, ARRAYS), mentions=mentions, titles=titles, relations=relations)
    database.commit()


class _Name(NamedTuple):
    document: str
    n: int
    sentence: int
    text: str
    kind: str
    given: bool


def _number_sentences(database: sqlite3.Connection) -> dict[tuple[str, int], int]:
    """Rows in reading order, by document and number; the chunk of a sentence is the first that has it whole, else the
    first with its start."""
    found = f"SELECT t.document, t.n, t.start, t.end FROM main.sentences t JOIN {_IN_ORDER}"
    by_document = groupby(database.execute(CHUNK_SPANS).fetchall(), key=itemgetter(0))
    chunks_of = {document: np.array([row[1:] for row in rows], np.int64) for document, rows in by_document}
    numbered: list[tuple[int, int, str, int]] = []
    for document, of_document in groupby(database.execute(found).fetchall(), key=itemgetter(0)):
        numbers, starts, ends = np.array([row[1:] for row in of_document], np.int64).T
        rows, chunk_starts, chunk_ends = chunks_of[document].T  # none of these lies wholly in another
        whole = np.searchsorted(chunk_ends, ends).clip(max=len(rows) - 1)
        begun = np.searchsorted(chunk_ends, starts, side="right").clip(max=len(rows) - 1)
        chunks = rows[np.where(chunk_starts[whole] <= starts, whole, begun)]
        for n, chunk in zip(numbers.tolist(), chunks.tolist(), strict=True):
            numbered.append((len(numbered), chunk, document, n))
    database.execute("DROP INDEX main.sentences_by_row")  # made at once it takes a fraction of the time
    database.executemany("UPDATE main.sentences SET row = ?, chunk = ? WHERE document = ? AND n = ?", numbered)
    database.execute("CREATE UNIQUE INDEX main.sentences_by_row ON sentences (row)")
    return {(document, n): row for row, _, document, n in numbered}


def _entity_ids(names: Sequence[_Name], keys: Mapping[str, str]) -> list[str]:
    """The entity id of each name: of a given name its own key, of others the key of their aliases. `keys` has what
    each text is when it is normalised."""
    mentions: dict[str, list[Mention]] = defaultdict(list)
    for name in names:
        if name.sentence != TITLE and not name.given:
            mentions[name.document].append(Mention(name.text, 0, 0, name.kind))  # type: ignore[arg-type]
    aliases, of_texts = canonical(mentions, keys.__getitem__), [keys[name.text] for name in names]
    pairs = zip(names, of_texts, strict=True)
    return [key if name.given else aliases.get((name.document, key), key) for name, key in pairs]


def _described(names: Sequence[_Name], ids: Sequence[str], keys: Mapping[str, str]) -> Mapping[str, tuple[str, str]]:
    """Id -> how it is written most often, and its kind: the commonest of those that say something."""
    texts: dict[str, Counter[str]] = defaultdict(Counter)
    kinds: dict[str, Counter[str]] = defaultdict(Counter)
    for name, id_ in zip(names, ids, strict=True):
        texts[id_][name.text] += keys[name.text] == id_
        kinds[id_][name.kind] += 1
    telling = {id_: {kind: count[kind] for kind in count if kind not in _VAGUE} for id_, count in kinds.items()}
    return {id_: (commonest(texts[id_]), commonest(telling[id_] or kinds[id_])) for id_ in texts}


def _arrays(
    database: sqlite3.Connection, names: Sequence[_Name], found: Sequence[int], rows: Mapping[tuple[str, int], int]
) -> tuple[Ints, Ints, Ints]:
    """Of shapes (2, mentions), (documents,) and (5, relations). `found` is the entity of each name, -1: none; `rows`
    are the sentences'."""
    places = {id_: place for place, (id_,) in enumerate(database.execute(DOCUMENTS))}
    titles = np.full(len(places), -1, np.int64)
    mentions = []
    for name, entity in zip(names, found, strict=True):
        if name.sentence == TITLE:
            titles[places[name.document]] = entity
        elif entity >= 0:
            mentions.append((rows[name.document, name.sentence], entity))
    columns = "t.document, t.sentence, t.subject, t.verb, t.object, t.given"
    stated = f"SELECT {columns} FROM main.relations t JOIN {_IN_ORDER}"
    numbers = {(name.document, name.n): entity for name, entity in zip(names, found, strict=True)}
    verbs: dict[str, int] = {}
    relations = []
    for document, sentence, named, verb, other, given in database.execute(stated):
        subject, object_ = numbers[document, named], numbers[document, other]
        if subject >= 0 <= object_ and (given or subject != object_):
            row = rows[document, sentence]
            relations.append((subject, verbs.setdefault(verb, len(verbs)), object_, row, given))
    database.executemany("INSERT INTO main.verbs VALUES (?, ?)", ((number, verb) for verb, number in verbs.items()))
    mentioned = np.unique(np.array(mentions, np.int64).reshape(-1, 2), axis=0).T.copy()
    return mentioned, titles, np.array(relations, np.int64).reshape(-1, 5).T


def read_layers(database: sqlite3.Connection, folder: Path) -> Layers:
    """Raises what a broken file raises (`disk.BROKEN`)."""
    arrays = read_arrays(within(folder, ARRAYS))
    mentions, titles, relations = (arrays[name] for name in ("mentions", "titles", "relations"))
    documents = [id_ for (id_,) in database.execute(DOCUMENTS)]
    places = {id_: place for place, id_ in enumerate(documents)}
    chunks = database.execute("SELECT id, document FROM chunks ORDER BY row").fetchall()
    contained = database.execute("SELECT chunk FROM sentences ORDER BY row").fetchall()
    entities = tuple(Entity(*row) for row in database.execute("SELECT id, name, kind FROM entities ORDER BY number"))
    verbs = tuple(text for (text,) in database.execute("SELECT text FROM verbs ORDER BY number"))
    sentence_chunks = np.array([chunk for (chunk,) in contained], np.int64)
    check_places(len(chunks), sentence_chunks)
    check_places(len(contained), mentions[0], relations[3])
    check_places(len(entities), mentions[1], relations[0], relations[2])
    check_places(len(entities), titles, least=-1)
    check_places(len(verbs), relations[1])
    if len(titles) != len(documents):
        raise ValueError(f"{len(titles)} titles of {len(documents)} documents")
    return Layers(
        chunk_ids=tuple(id_ for id_, _ in chunks),
        document_ids=tuple(documents),
        chunk_documents=np.array([places[document] for _, document in chunks], np.int64),
        sentence_chunks=sentence_chunks,
        mentions=mentions,
        entities=entities,
        titles=titles,
        subjects=relations[0],
        verb_numbers=relations[1],
        objects=relations[2],
        stated=relations[3],
        given=relations[4].astype(bool),
        verbs=verbs,
        headings=np.array(sorted(_headings(database)), np.int64),
    )


def _headings(database: sqlite3.Connection) -> Iterator[int]:
    """The rows of the sentences that are no more than a heading that begins there."""
    marked = database.execute("SELECT id, headings FROM documents WHERE headings != '[]'")
    marks = {id_: dict(json.loads(headings)) for id_, headings in marked}
    sentences = (
        "SELECT s.document, s.row, s.start, s.end FROM documents d JOIN sentences s ON s.document = d.id"
        " WHERE d.headings != '[]'"
    )
    for id_, row, start, end in database.execute(sentences):
        if end - start <= len(marks[id_].get(start, "").rpartition(BELOW)[2]):
            yield row
