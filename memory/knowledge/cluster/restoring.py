"""A library of a cluster made an embedded one again: its rows back into tables and arrays, nothing encoded or extracted
anew; what is numbered and indexed is numbered and indexed as it was, and proven by the hash over all rows."""

import hashlib
import json
import sqlite3
from base64 import b64decode
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from safetensors import SafetensorError

from clew.memory.datatypes import Progress, Vectors
from clew.memory.errors import ClewError, LibraryMismatch, NoLibrary
from clew.memory.files import naming_full_disk, new_array, new_file, new_folder, private_folder, remove, unread, within
from clew.memory.knowledge import disk
from clew.memory.knowledge.cluster.cluster_store import ClusterStore, document_of_row, open_generation
from clew.memory.knowledge.cluster.connection import Cluster, ClusterAddress, Place
from clew.memory.knowledge.cluster.generations import Generations
from clew.memory.knowledge.cluster.publishing import Published, Sending, publish
from clew.memory.knowledge.cluster.rows import SOURCES, STATISTICS, RowsHash, decoded, rows_of, stacked
from clew.memory.knowledge.cluster.searches import endpoint
from clew.memory.knowledge.cluster.slices import unpacked
from clew.memory.knowledge.communities.community_index import VECTORS as COMMUNITIES
from clew.memory.knowledge.disk import BROKEN, current_generation
from clew.memory.knowledge.document_dates import orders_in
from clew.memory.knowledge.embedding import CHUNKS, NAMES, SENTENCES, open_vectors
from clew.memory.knowledge.index.steps import parts_of, write_words
from clew.memory.knowledge.numbering import number_layers, read_layers
from clew.memory.knowledge.partitioning.capsule import FOLDER as CAPSULES
from clew.memory.knowledge.partitioning.capsule import capsules, read_capsule, write_vectors
from clew.memory.knowledge.partitioning.partitioner import write_graph
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


SPOOL = "reading.rows"
"""In the folder of a library, what was read so far: a line with the proof of the generation, then of each row its hash,
its kind and itself as JSON, with tabs between."""

READ = ("document", "chunk", "entity", "capsule")
"""Kinds of rows that are kept there; the others are few."""


class ReadRows:
    """The rows of a generation, read in the order of their hashes and kept on this disk as they come, so that after a
    run that was cut off, here or there, the next goes on behind the last one. The file may be somebody else's: what is
    made of it is proven by the hash over all rows."""

    def __init__(self, store: ClusterStore, library: Path) -> None:
        self.store, self._path = store, within(library, SPOOL)
        mark = f"{store.proof[1]}\n".encode()
        if self._path.exists():
            with self._path.open("rb") as file:
                if file.read(len(mark)) == mark:
                    return
        new_file(library, SPOOL).write_bytes(mark)

    def all(self) -> Iterator[Progress]:
        """Read what is missing. Raises `ServiceUnreachable` where the cluster goes away."""
        store, total, done, last, whole = self.store, self.store.proof[0], -1, b"", 0
        with self._path.open("r+b") as file:
            for line in file:
                if line.endswith(b"\n"):  # what comes behind the last one was torn off
                    done, last, whole = done + 1, line, whole + len(line)
            file.truncate(whole)
            file.seek(whole)
            behind = {"range": {"hash": {"gt": last.partition(b"\t")[0].decode(errors="replace") if done else ""}}}
            query = {"bool": {"filter": [{"terms": {"kind": READ}}, behind]}}
            for hit in store.cluster.scanned(store.index, query, size=PAGE, sort="hash"):
                row = hit["_source"]
                file.write(f"{row['hash']}\t{row['kind']}\t{json.dumps(row)}\n".encode(errors="replace"))
                done += 1
                if not done % PAGE:
                    file.flush()
                    yield Progress(STAGE, done, max(done, total))
        yield Progress(STAGE, total, total)

    def of(self, kind: str) -> Iterator[dict[str, Any]]:
        """All of a kind."""
        with self._path.open("rb") as file:
            for line in file:
                _, own, row = (*line.split(b"\t", 2), b"", b"")[:3]
                if own == kind.encode():
                    yield json.loads(row)


def restore(store: ClusterStore, library: Path) -> Iterator[Progress]:
    """Bring a generation of a cluster into an embedded library, as its next generation; what a run that was cut off had
    read is not read again. Raises `LibraryMismatch` where what comes is not what was proven when it was sent."""
    parts, where, stays = parts_of(), store.cluster.where, f"the library at {library} stays as it was"
    with disk.held(library):
        read = ReadRows(store, library)
        with naming_full_disk(stays):
            yield from read.all()
        folder, whole = disk.next_generation(library, parts), False
        try:
            with naming_full_disk(stays):
                _fill(read, folder)
                if RowsHash((row.id, row.hash) for row in rows_of(folder, store.manifest)).value != store.proof[1]:
                    raise ValueError("its rows have another hash")
            write_hashes(folder)
            whole = True
            disk.switch_to(library, folder, parts)
            remove(library, SPOOL)
        except (ClewError, SafetensorError, *BROKEN) as error:
            remove(library, SPOOL)  # of what cannot be used nothing is kept
            if isinstance(error, ClewError) and error.message != disk.damaged(library).message:
                raise
            wrong = f"the library at {where} is not as it was sent"
            raise LibraryMismatch(wrong, f"clew index YOUR-FOLDER --rebuild --library {where}") from error
        finally:
            if not whole:
                remove(library, folder.name)


def _fill(read: ReadRows, folder: Path) -> None:
    manifest, dimension = read.store.manifest, read.store.dimension
    with closing(disk.new_database(folder)) as database:
        _write_documents(read, database)
        vectors, sentences = _write_chunks(read, database)
        disk.order_chunks(database)
        if len(vectors) != manifest.chunks:
            raise ValueError(f"{len(vectors)} chunks of {manifest.chunks}")
        for _ in write_words(database, folder, manifest.keywords, orders_in(database)):
            pass
        number_layers(database, folder)
        ids = [id_ for (id_,) in database.execute("SELECT id FROM chunks ORDER BY row")]
        np.save(new_file(folder, CHUNKS.file), stacked([vectors[id_] for id_ in ids], dimension))
        of_chunk = stacked([sentences[id_] for id_ in ids], dimension)
        chunks = [chunk for (chunk,) in database.execute("SELECT chunk FROM sentences ORDER BY row")]
        ordered = np.empty((len(chunks), dimension), np.float32)
        ordered[np.argsort(np.array(chunks, np.int64), kind="stable")] = of_chunk
        np.save(new_file(folder, SENTENCES.file), ordered)
        layers = read_layers(database, folder)
        halves = {row["entity"]: row["half"] for row in read.of("entity") if "half" in row}
        named = [decoded(halves[layers.entities[number].id], dimension) for number in layers.joining.tolist()]
        np.save(new_file(folder, NAMES), stacked(named, dimension))
        _write_communities(read.store, database, folder)
        database.commit()
        write_graph(database, folder, layers)
        _write_partitions(read, folder)
        disk.write_manifest(folder, manifest)


def _write_documents(read: ReadRows, database: sqlite3.Connection) -> None:
    said = json.loads(read.store.file(SOURCES))
    database.executemany("INSERT INTO sources VALUES (?, ?)", said["sources"])
    database.executemany("INSERT INTO edges VALUES (?, ?, ?, ?)", said["loose"])
    for row in read.of("document"):
        rest, id_ = row["rest"], row["document"]
        disk.add_document(database, document_of_row(row), row["digest"], row["path"], row["position"])
        for table, sql in LAYERS.items():
            for n, part in enumerate(rest[table]):
                values = [*part[:2], bytes.fromhex(part[2])] if table == "sentences" else part
                named = dict(zip("abcde", values, strict=False))
                database.execute(sql, {**named, "document": id_, "n": n})
        database.executemany("INSERT INTO edges VALUES (?, ?, ?, ?)", ([id_, *edge] for edge in rest["edges"]))


def _write_chunks(read: ReadRows, database: sqlite3.Connection) -> tuple[dict[str, Vectors], dict[str, Vectors]]:
    """The vectors of each chunk, and of its sentences."""
    vectors, sentences = dict[str, Vectors](), dict[str, Vectors]()
    for row in read.of("chunk"):
        place = row["page"], row["heading"], bytes.fromhex(row["digest"])
        own = row["chunk"], row["document"], row["start"], row["start"], row["end"]  # starts rise within a document
        database.execute(f"INSERT INTO staged VALUES ({', '.join('?' * 8)})", (*own, *place))
        vectors[row["chunk"]] = decoded(row["half"], read.store.dimension)
        sentences[row["chunk"]] = decoded(row["sentences"], read.store.dimension)
    return vectors, sentences


def _write_communities(store: ClusterStore, database: sqlite3.Connection, folder: Path) -> None:
    for row in store.communities:
        first, last, parent, entities, digest = row["rest"]["row"]
        told = row["name"], row["report"], row["author"], first, last, parent, json.dumps(entities)
        values = (row["number"], *told, bytes.fromhex(digest))
        database.execute(f"INSERT INTO communities VALUES ({', '.join('?' * 9)})", values)
    vectors = [decoded(row["half"], store.dimension) for row in store.communities]
    np.save(new_file(folder, COMMUNITIES), stacked(vectors, store.dimension))


def _write_partitions(read: ReadRows, folder: Path) -> None:
    """The smoothed vectors as they were, as made of vectors in half precision others would come out; the capsules."""
    store = read.store
    smoothed = new_array(folder, SMOOTHED, np.float16, (store.manifest.chunks, store.dimension))
    for row in read.of("capsule"):
        arrays = unpacked(b64decode(row["blob"])).arrays
        smoothed[arrays["rows"]] = arrays["smoothed"]
    smoothed.flush()
    for name in store.files():
        if name not in (SOURCES, STATISTICS):
            if not of_partitions(name):
                raise ValueError(f"{name} is no file of partitions")
            *folders, file = name.split("/")
            for place in range(1, len(folders) + 1):
                if not within(folder, *folders[:place]).exists():
                    new_folder(folder, *folders[:place])
            new_file(folder, *folders, file).write_bytes(store.file(name))
    vectors = open_vectors(folder, CHUNKS)
    for name in capsules(folder):
        write_vectors(within(folder, CAPSULES, name), read_capsule(folder, name).partitioning, vectors)


# A copy on this machine, which is worked on and sent -----------------------------------------------------------------

FOLDER, SENT = "clusters", "sent.json"

Worked = TypeVar("Worked")


def worked_on(
    place: Place, cache: Path, work: Callable[[Path], Iterator[Worked]], sending: Sending | None = None
) -> Generator[Worked | Progress | Published, None, None]:
    """What `work` yields on the folder of a library; of one on a cluster on the copy, which is then sent: `Published`
    comes before the last event. Raises what `work` raises, and `ServiceUnreachable`, before any work `NotAllowed` for a
    key that may not index, and `LibraryBusy`: another machine has indexed it meanwhile, and the next run reads it from
    there."""
    if isinstance(place, Path):
        yield from work(place)
        return
    cluster = Cluster(place)
    Generations(cluster).may_index()
    folder = _folder(place, cache)
    of = yield from _brought(cluster, folder, bool(sending and sending.rebuild))
    last: list[Worked] = []
    try:
        for event in work(folder):
            yield from last
            last = [event]
    except ClewError as error:
        error.message, error.hint = (text.replace(str(folder), str(place)) for text in (error.message, error.hint))
        raise
    if (generation := current_generation(folder)) is None:  # nothing was indexed, and nothing is sent
        yield from last
        return
    sending = sending or Sending()
    mark, files = _mark(folder), _files(generation)
    known = mark.get("files") == files and endpoint() in ("", mark.get("elser", ""))
    generations = Generations(cluster)
    known = known and sending.shards in (None, generations.shards())
    if known and not (sending.rebuild or sending.again):
        with generations.held():
            generations.clear()
            if sending.replicas is not None:
                generations.replicate(sending.replicas)
    else:
        for sent in publish(cluster, generation, sending, of):
            if isinstance(sent, Published):
                _note(folder, files, sent.hash, sent.tokens_by)
            yield sent
    yield from last


def on_this_machine(place: Place, cache: Path) -> Path:
    """A folder with the library as it is now. Raises what reading it from a cluster raises."""
    if isinstance(place, Path):
        return place
    cluster, folder = Cluster(place), _folder(place, cache)
    Generations(cluster).required()
    for _ in _brought(cluster, folder):
        pass
    return folder


def _folder(where: ClusterAddress, cache: Path) -> Path:
    name = hashlib.blake2b(f"{sorted(where.urls)} {where.name}".encode(), digest_size=8).hexdigest()
    return private_folder(private_folder(cache / FOLDER) / f"{where.name}-{name}")


def _brought(cluster: Cluster, folder: Path, rebuild: bool = False) -> Generator[Progress, None, str | None]:
    """Where the copy is not what was sent last, or has never been made, it is read from the cluster. What a run has
    made and not sent yet is kept. Returns the proof of what is there: None where it is ours and cannot be read, which
    is no error with `rebuild`."""
    mark = _mark(folder)
    try:
        store = open_generation(cluster)
        if mark.get("hash") != store.proof[1] or current_generation(folder) is None:
            _clear(folder)
            yield from restore(store, folder)
            tokens_by = "" if store.without_tokens else store.tokens_by
            _note(folder, _files(disk.required_generation(folder)), store.proof[1], tokens_by)
        return store.proof[1]
    except NoLibrary:
        if mark:  # it was there, and was removed
            _clear(folder)
        return ""
    except LibraryMismatch:
        generations = Generations(cluster)
        if not rebuild or generations.current() not in generations.ours():
            raise
        return None


def _mark(folder: Path) -> dict[str, str]:
    """What was sent last: the hashes of its files, the hash over its rows."""
    try:
        found = json.loads((folder / SENT).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _note(folder: Path, files: str, proof: str, tokens_by: str) -> None:
    said = {"files": files, "hash": proof, "elser": tokens_by}
    new_file(folder, SENT).write_text(json.dumps(said) + "\n", "utf-8")


def _files(generation: Path) -> str:
    return hashlib.sha256((generation / disk.HASHES).read_bytes()).hexdigest()


def _clear(folder: Path) -> None:
    """All but what a run that was cut off had read, and generations that somebody reads. Raises `LibraryBusy`."""
    with disk.held(folder):
        for entry in folder.iterdir():
            with unread(entry) as free:
                if free and entry.name != disk.LOCK and not entry.name.startswith(SPOOL):
                    remove(folder, entry.name)
