"""A library of a cluster made an embedded one again: its rows back into tables and arrays, nothing encoded or extracted
anew; what is numbered and indexed is numbered and indexed as it was, and proven by the hash over all rows."""

import json
import sqlite3
from base64 import b64decode
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np

from clew.memory.datatypes import Progress, Vectors
from clew.memory.errors import ClewError
from clew.memory.files import new_array, new_file, new_folder, remove, within
from clew.memory.knowledge.cluster.cluster_store import ClusterStore
from clew.memory.knowledge.cluster.graph import decoded
from clew.memory.knowledge.cluster.rows import SOURCES, STATISTICS, RowsHash, rows_of
from clew.memory.knowledge.cluster.slices import unpacked
from clew.memory.knowledge.communities.community_index import VECTORS as COMMUNITIES
from clew.memory.knowledge.disk import (
    DATABASE,
    MANIFEST,
    PARTS,
    SCHEMA,
    Manifest,
    harden,
    held,
    next_generation,
    order_chunks,
    switch_to,
)
from clew.memory.knowledge.document_dates import orders_in
from clew.memory.knowledge.embedding import CHUNKS, NAMES, SENTENCES, open_vectors
from clew.memory.knowledge.index.steps import STEPS
from clew.memory.knowledge.index.words import write_words
from clew.memory.knowledge.numbering import number_layers, read_layers
from clew.memory.knowledge.partitioning.capsule import FOLDER as CAPSULES
from clew.memory.knowledge.partitioning.capsule import capsules, read_capsule, write_vectors
from clew.memory.knowledge.partitioning.node_graph import write_graph
from clew.memory.knowledge.proof import write_hashes
from clew.memory.nodes import FILE as SMOOTHED

STAGE = "reading from the cluster"
LAYERS = {
    "sentences": "INSERT INTO sentences VALUES (:document, :n, :a, :b, :c, NULL, NULL)",
    "names": "INSERT INTO names VALUES (:document, :n, :a, :b, :c, :d)",
    "relations": "INSERT INTO relations VALUES (:document, :n, :a, :b, :c, :d, :e)",
    "triples": "INSERT INTO triples VALUES (:document, :n, :a, :b, :c, :d)",
}


def restore(store: ClusterStore, library: Path) -> Iterator[Progress]:
    """Bring a generation of a cluster into an embedded library, as its next generation. Raises `ClewError` where what
    comes is not what was proven when it was sent."""
    parts = PARTS.union(*(step.files for step in STEPS))
    with held(library):
        folder, whole = next_generation(library, parts), False
        try:
            yield from _filled(store, folder)
            found = RowsHash()
            for row in rows_of(folder, store.manifest):
                found.add(row.id, row.hash)
            if found.value != store.proof[1]:
                where = store.cluster.where
                raise ClewError(f"the library at {where} is not as it was sent", f"clew doctor --library {where}")
            write_hashes(folder)
            whole = True
            switch_to(library, folder, parts)
        finally:
            if not whole:
                remove(library, folder.name)


def _filled(store: ClusterStore, folder: Path) -> Iterator[Progress]:
    manifest = store.manifest
    with closing(sqlite3.connect(new_file(folder, DATABASE).resolve().as_uri(), uri=True)) as database:
        database.executescript(SCHEMA)
        harden(database)
        yield from _documents(store, database)
        vectors, sentences = yield from _chunks(store, database)
        order_chunks(database)
        yield from write_words(database, folder, manifest.keywords, orders_in(database))
        number_layers(database, folder)
        _write_vectors(database, folder, vectors, sentences, manifest)
        _write_entities(store, database, folder)
        _write_communities(store, database, folder)
        database.commit()
        write_graph(database, folder, read_layers(database, folder))
        _write_smoothed(store, folder)
        _write_capsules(store, folder)
        new_file(folder, MANIFEST).write_text(manifest.model_dump_json(indent=2) + "\n", "utf-8")


def _documents(store: ClusterStore, database: sqlite3.Connection) -> Iterator[Progress]:
    said = json.loads(store.file(SOURCES))
    database.executemany("INSERT INTO sources VALUES (?, ?)", said["sources"])
    database.executemany("INSERT INTO edges VALUES (?, ?, ?, ?)", said["loose"])
    for done, row in enumerate(store.rows("document"), 1):
        rest, id_ = row["rest"], row["document"]
        marks = (json.dumps(rest[name], ensure_ascii=False) for name in ("pages", "headings"))
        told = row["date"], row["status"], row["digest"], row["path"], row["position"]
        database.execute(
            f"INSERT INTO documents VALUES ({', '.join('?' * 11)})",
            (id_, row["title"], row["text"], row["place"], *marks, *told),
        )
        for table, sql in LAYERS.items():
            for n, row_of in enumerate(rest[table]):
                values = [*row_of[:2], bytes.fromhex(row_of[2])] if table == "sentences" else row_of
                named = dict(zip("abcde", values, strict=False))
                database.execute(sql, {**named, "document": id_, "n": n})
        database.executemany("INSERT INTO edges VALUES (?, ?, ?, ?)", ([id_, *edge] for edge in rest["edges"]))
        if not done % 500 or done == store.manifest.documents:
            yield Progress(STAGE, done, store.manifest.documents)


def _chunks(
    store: ClusterStore, database: sqlite3.Connection
) -> Generator[Progress, None, tuple[dict[str, Vectors], dict[str, Vectors]]]:
    """The vectors of each chunk, and of its sentences."""
    vectors, sentences = dict[str, Vectors](), dict[str, Vectors]()
    for done, row in enumerate(store.rows("chunk"), 1):
        place = row["page"], row["heading"], bytes.fromhex(row["digest"])
        own = row["chunk"], row["document"], row["start"], row["start"], row["end"]  # starts rise within a document
        database.execute(f"INSERT INTO staged VALUES ({', '.join('?' * 8)})", (*own, *place))
        vectors[row["chunk"]] = decoded(row["half"], store.dimension)
        sentences[row["chunk"]] = decoded(row["sentences"], store.dimension)
        if not done % 500 or done == store.manifest.chunks:
            yield Progress(STAGE, done, store.manifest.chunks)
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
    np.save(new_file(folder, CHUNKS.file), np.concatenate([*(vectors[id_] for id_ in ids), none]))
    chunks = np.array(database.execute("SELECT chunk FROM sentences ORDER BY row").fetchall(), np.int64).reshape(-1)
    ordered = np.empty((len(chunks), manifest.encoder.dimension), np.float32)
    of_chunk = np.concatenate([*(sentences[id_] for id_ in ids), none])
    ordered[np.argsort(chunks, kind="stable")] = of_chunk
    np.save(new_file(folder, SENTENCES.file), ordered)


def _write_entities(store: ClusterStore, database: sqlite3.Connection, folder: Path) -> None:
    layers = read_layers(database, folder)
    found = {row["entity"]: row["half"] for row in store.rows("entity") if "half" in row}
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


def _write_smoothed(store: ClusterStore, folder: Path) -> None:
    """As they were: made of vectors in half precision others would come out."""
    shape = store.manifest.chunks, store.dimension
    smoothed = new_array(folder, SMOOTHED, np.float16, shape)
    for row in store.rows("capsule"):
        arrays = unpacked(b64decode(row["blob"])).arrays
        smoothed[arrays["rows"]] = arrays["smoothed"]
    smoothed.flush()


def _write_capsules(store: ClusterStore, folder: Path) -> None:
    for name in store.files():
        if name not in (SOURCES, STATISTICS):
            _write_file(folder, name.split("/"), store.file(name))
    vectors = open_vectors(folder, CHUNKS)
    for name in capsules(folder):
        write_vectors(within(folder, CAPSULES, name), read_capsule(folder, name).partitioning, vectors)


def _write_file(folder: Path, names: Sequence[str], data: bytes) -> None:
    for place in range(1, len(names)):
        if not within(folder, *names[:place]).exists():
            new_folder(folder, *names[:place])
    new_file(folder, *names).write_bytes(data)
