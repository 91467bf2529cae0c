"""A library of a cluster made an embedded one again: its rows back into tables and arrays, nothing encoded or extracted
anew; what is numbered and indexed is numbered and indexed as it was, and proven by the hash over all rows."""

import json
import sqlite3
from base64 import b64decode
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError

from clew.memory.datatypes import Progress, Vectors
from clew.memory.errors import ClewError, LibraryMismatch
from clew.memory.files import naming_full_disk, new_array, new_file, new_folder, remove, within
from clew.memory.knowledge.cluster.cluster_store import ClusterStore
from clew.memory.knowledge.cluster.reading import document_of_row
from clew.memory.knowledge.cluster.rows import SOURCES, STATISTICS, RowsHash, decoded, rows_of
from clew.memory.knowledge.cluster.slices import unpacked
from clew.memory.knowledge.coarse import write_coarse
from clew.memory.knowledge.communities.community_index import VECTORS as COMMUNITIES
from clew.memory.knowledge.disk import (
    BROKEN,
    Manifest,
    add_document,
    damaged,
    harden,
    held,
    new_database,
    next_generation,
    order_chunks,
    switch_to,
    write_manifest,
)
from clew.memory.knowledge.document_dates import orders_in
from clew.memory.knowledge.embedding import CHUNKS, NAMES, SENTENCES, open_vectors
from clew.memory.knowledge.index.steps import parts_of
from clew.memory.knowledge.index.words import write_words
from clew.memory.knowledge.numbering import number_layers, read_layers
from clew.memory.knowledge.partitioning.capsule import FOLDER as CAPSULES
from clew.memory.knowledge.partitioning.capsule import capsules, read_capsule, write_vectors
from clew.memory.knowledge.partitioning.node_graph import write_graph
from clew.memory.knowledge.proof import of_partitions, write_hashes
from clew.memory.nodes import FILE as SMOOTHED

STAGE = "reading from the cluster"
PAGE = 500
"""Rows of one request."""

LAYERS = {
    "sentences": "INSERT INTO sentences VALUES (:document, :n, :a, :b, :c, NULL, NULL)",
    "names": "INSERT INTO names VALUES (:document, :n, :a, :b, :c, :d)",
    "relations": "INSERT INTO relations VALUES (:document, :n, :a, :b, :c, :d, :e)",
    "triples": "INSERT INTO triples VALUES (:document, :n, :a, :b, :c, :d)",
}


SPOOL = "reading.sqlite"
"""In the folder of a library: what was read so far; what is not yet in it lies beside it (`-wal`)."""

OURS = (("table", "read"), ("table", "rows"), ("index", "sqlite_autoindex_rows_1"))

READ = ("document", "chunk", "entity", "capsule")
"""Kinds of rows that are kept there; the others are few."""


class ReadRows:
    """The rows of a generation, read in the order of their hashes and kept on this disk as they come, so that after a
    run that was cut off, here or there, the next goes on behind the last one."""

    def __init__(self, store: ClusterStore, library: Path) -> None:
        self._store = store
        self._database = _opened(library)
        if self._database.execute("SELECT proof FROM read").fetchall() != [(store.proof[1],)]:
            self._database.close()
            _forget(library)
            self._database = _opened(library)
            self._database.execute("INSERT INTO read VALUES (?)", (store.proof[1],))
            self._database.commit()

    def all(self) -> Iterator[Progress]:
        """Read what is missing. Raises `ServiceUnreachable` where the cluster goes away."""
        done, last = self._database.execute("SELECT count(*), coalesce(max(hash), '') FROM rows").fetchone()
        store, total = self._store, max(self._store.proof[0], done)
        wanted: list[dict[str, Any]] = [{"terms": {"kind": READ}}, {"range": {"hash": {"gt": last}}}]
        found = store.cluster.scanned(store.index, {"bool": {"filter": wanted}}, size=PAGE, sort="hash")
        for hit in found:
            row = hit["_source"]
            self._database.execute("INSERT INTO rows VALUES (?, ?, ?)", (row["hash"], row["kind"], json.dumps(row)))
            done += 1
            if not done % PAGE:
                self._database.commit()
                yield Progress(STAGE, done, total)
        self._database.commit()
        yield Progress(STAGE, total, total)

    def of(self, kind: str) -> Iterator[dict[str, Any]]:
        """All of a kind."""
        found = self._database.execute("SELECT source FROM rows WHERE kind = ? ORDER BY hash", (kind,))
        return (json.loads(source) for (source,) in found)

    def close(self) -> None:
        self._database.close()


def _opened(library: Path) -> sqlite3.Connection:
    """The folder may be somebody else's. SQLite removes the files that a rollback journal names: ours has none, and
    one that is there goes unread."""
    remove(library, f"{SPOOL}-journal")
    path, _ = (within(library, f"{SPOOL}{end}") for end in ("", "-wal"))
    path = path if path.exists() else new_file(library, SPOOL)
    database = sqlite3.connect(path.resolve().as_uri(), uri=True)
    try:
        harden(database)
        database.execute("PRAGMA locking_mode = EXCLUSIVE")  # its memory is no file then
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("CREATE TABLE IF NOT EXISTS read (proof TEXT)")
        database.execute("CREATE TABLE IF NOT EXISTS rows (hash TEXT PRIMARY KEY, kind TEXT, source TEXT)")
        if set(database.execute("SELECT type, name FROM sqlite_master")) != set(OURS):
            raise sqlite3.DatabaseError("it has another schema")
        database.execute("SELECT hash, kind, source FROM rows LIMIT 1").fetchone()
    except sqlite3.DatabaseError:  # cut off or somebody else's: it is only a copy
        database.close()
        _forget(library)
        return _opened(library)
    return database


def _forget(library: Path) -> None:
    for end in ("", "-wal"):
        remove(library, f"{SPOOL}{end}")


def restore(store: ClusterStore, library: Path) -> Iterator[Progress]:
    """Bring a generation of a cluster into an embedded library, as its next generation; what a run that was cut off had
    read is not read again. Raises `LibraryMismatch` where what comes is not what was proven when it was sent."""
    parts = parts_of()
    with held(library), closing(ReadRows(store, library)) as read:
        yield from read.all()
        folder, whole, where = next_generation(library, parts), False, store.cluster.where
        try:
            with naming_full_disk(f"the library at {library} stays as it was"):
                _proven(store, read, folder)
            write_hashes(folder)
            whole = True
            switch_to(library, folder, parts)
            _forget(library)
        except (ClewError, SafetensorError, *BROKEN) as error:
            _forget(library)  # of what cannot be used nothing is kept
            if isinstance(error, ClewError) and error.message != damaged(library).message:
                raise
            wrong = f"the library at {where} is not as it was sent"
            raise LibraryMismatch(wrong, f"clew index YOUR-FOLDER --rebuild --library {where}") from error
        finally:
            if not whole:
                remove(library, folder.name)


def _proven(store: ClusterStore, read: "ReadRows", folder: Path) -> None:
    """Raises `ValueError` where what was filled in has another hash."""
    _fill(store, read, folder)
    found = RowsHash()
    for row in rows_of(folder, store.manifest):
        found.add(row.id, row.hash)
    if found.value != store.proof[1]:
        raise ValueError("its rows have another hash")


def _fill(store: ClusterStore, read: "ReadRows", folder: Path) -> None:
    manifest = store.manifest
    with closing(new_database(folder)) as database:
        _write_documents(store, read, database)
        vectors, sentences = _write_chunks(store, read, database)
        order_chunks(database)
        if len(vectors) != manifest.chunks:
            raise ValueError(f"{len(vectors)} chunks of {manifest.chunks}")
        for _ in write_words(database, folder, manifest.keywords, orders_in(database)):
            pass
        number_layers(database, folder)
        _write_vectors(database, folder, vectors, sentences, manifest)
        _write_entities(store, read, database, folder)
        _write_communities(store, database, folder)
        database.commit()
        write_graph(database, folder, read_layers(database, folder))
        _write_smoothed(store, read, folder)
        _write_capsules(store, folder)
        write_manifest(folder, manifest)


def _write_documents(store: ClusterStore, read: "ReadRows", database: sqlite3.Connection) -> None:
    said = json.loads(store.file(SOURCES))
    database.executemany("INSERT INTO sources VALUES (?, ?)", said["sources"])
    database.executemany("INSERT INTO edges VALUES (?, ?, ?, ?)", said["loose"])
    for row in read.of("document"):
        rest, id_ = row["rest"], row["document"]
        add_document(database, document_of_row(row), row["digest"], row["path"], row["position"])
        for table, sql in LAYERS.items():
            for n, part in enumerate(rest[table]):
                values = [*part[:2], bytes.fromhex(part[2])] if table == "sentences" else part
                named = dict(zip("abcde", values, strict=False))
                database.execute(sql, {**named, "document": id_, "n": n})
        database.executemany("INSERT INTO edges VALUES (?, ?, ?, ?)", ([id_, *edge] for edge in rest["edges"]))


def _write_chunks(
    store: ClusterStore, read: "ReadRows", database: sqlite3.Connection
) -> tuple[dict[str, Vectors], dict[str, Vectors]]:
    """The vectors of each chunk, and of its sentences."""
    vectors, sentences = dict[str, Vectors](), dict[str, Vectors]()
    for row in read.of("chunk"):
        place = row["page"], row["heading"], bytes.fromhex(row["digest"])
        own = row["chunk"], row["document"], row["start"], row["start"], row["end"]  # starts rise within a document
        database.execute(f"INSERT INTO staged VALUES ({', '.join('?' * 8)})", (*own, *place))
        vectors[row["chunk"]] = decoded(row["half"], store.dimension)
        sentences[row["chunk"]] = decoded(row["sentences"], store.dimension)
    return vectors, sentences


def _write_vectors(
    database: sqlite3.Connection,
    folder: Path,
    vectors: Mapping[str, Vectors],
    sentences: Mapping[str, Vectors],
    manifest: Manifest,
) -> None:
    ids = [id_ for (id_,) in database.execute("SELECT id FROM chunks ORDER BY row")]
    none = np.zeros((0, manifest.encoder.dimension), np.float32)
    in_order = np.concatenate([*(vectors[id_] for id_ in ids), none])
    np.save(new_file(folder, CHUNKS.file), in_order)
    write_coarse(folder, in_order)
    chunks = np.array(database.execute("SELECT chunk FROM sentences ORDER BY row").fetchall(), np.int64).reshape(-1)
    ordered = np.empty((len(chunks), manifest.encoder.dimension), np.float32)
    of_chunk = np.concatenate([*(sentences[id_] for id_ in ids), none])
    ordered[np.argsort(chunks, kind="stable")] = of_chunk
    np.save(new_file(folder, SENTENCES.file), ordered)


def _write_entities(store: ClusterStore, read: "ReadRows", database: sqlite3.Connection, folder: Path) -> None:
    layers = read_layers(database, folder)
    found = {row["entity"]: row["half"] for row in read.of("entity") if "half" in row}
    named = [decoded(found[layers.entities[number].id], store.dimension) for number in layers.joining.tolist()]
    np.save(new_file(folder, NAMES), np.concatenate([*named, np.zeros((0, store.dimension), np.float32)]))


def _write_communities(store: ClusterStore, database: sqlite3.Connection, folder: Path) -> None:
    vectors: list[Vectors] = []
    for number, row in store.communities:
        first, last, parent, entities, digest = row["rest"]["row"]
        told = row["name"], row["report"], row["author"], first, last, parent, json.dumps(entities)
        values = (number, *told, bytes.fromhex(digest))
        database.execute(f"INSERT INTO communities VALUES ({', '.join('?' * 9)})", values)
        vectors.append(decoded(row["half"], store.dimension))
    np.save(new_file(folder, COMMUNITIES), np.concatenate([*vectors, np.zeros((0, store.dimension), np.float32)]))


def _write_smoothed(store: ClusterStore, read: "ReadRows", folder: Path) -> None:
    """As they were: made of vectors in half precision others would come out."""
    shape = store.manifest.chunks, store.dimension
    smoothed = new_array(folder, SMOOTHED, np.float16, shape)
    for row in read.of("capsule"):
        arrays = unpacked(b64decode(row["blob"])).arrays
        smoothed[arrays["rows"]] = arrays["smoothed"]
    smoothed.flush()


def _write_capsules(store: ClusterStore, folder: Path) -> None:
    for name in store.files():
        if name not in (SOURCES, STATISTICS):
            if not of_partitions(name):
                raise ValueError(f"{name} is no file of partitions")
            _write_file(folder, name.split("/"), store.file(name))
    vectors = open_vectors(folder, CHUNKS)
    for name in capsules(folder):
        write_vectors(within(folder, CAPSULES, name), read_capsule(folder, name).partitioning, vectors)


def _write_file(folder: Path, names: Sequence[str], data: bytes) -> None:
    for place in range(1, len(names)):
        if not within(folder, *names[:place]).exists():
            new_folder(folder, *names[:place])
    new_file(folder, *names).write_bytes(data)
