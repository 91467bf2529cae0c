"""A library opened for reading, embedded in a folder or on a cluster; its documents as plain text, as it is stored
(what a quotation's `start` and `end` count in), or as a graph folder: nodes and edges."""

import hashlib
import re
from collections.abc import Collection, Iterator
from contextlib import AbstractContextManager, suppress
from dataclasses import asdict, dataclass
from itertools import count
from pathlib import Path
from typing import Self

from clew.memory.datatypes import Chunk, Document
from clew.memory.errors import BadInput, ClewError, LibraryMismatch, NoLibrary
from clew.memory.files import file_digest, private_file, private_folder
from clew.memory.json_lines import as_line, replace_file, unwritten
from clew.memory.knowledge import disk
from clew.memory.knowledge.cluster.cluster_store import ClusterStore, open_cluster
from clew.memory.knowledge.cluster.connection import Cluster, ClusterAddress, Place
from clew.memory.knowledge.cluster.generations import Generations
from clew.memory.knowledge.disk import BROKEN, NO_LIBRARY, Manifest, naming_damage
from clew.memory.knowledge.library_ports import Search
from clew.memory.knowledge.proof import is_altered
from clew.memory.knowledge.store import EmbeddedStore, StoredSource
from clew.memory.ports import Encoder

LibraryStore = EmbeddedStore | ClusterStore
"""What a conversation asks of a library beside what tools do (`Search`)."""


@dataclass(frozen=True, slots=True)
class Library:
    """A library opened for reading, as it was when it was opened. Leaving it closes its store."""

    path: Place
    manifest: Manifest
    store: LibraryStore

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        self.store.close()
        if isinstance(error, BROKEN):
            with self.naming_altered():
                raise error

    def naming_altered(self) -> AbstractContextManager[None]:
        """What broken files raise is damage where they are not as they were written."""
        return naming_damage(self.store.folder if isinstance(self.store, EmbeddedStore) else None, is_altered)


def recorded_at(place: Place) -> Manifest:
    """As `disk.recorded`. Raises `ServiceUnreachable` and `NotSetUp` for a cluster that does not tell."""
    if isinstance(place, Path):
        return disk.recorded(place)
    try:
        return open_cluster(place).manifest
    except (NoLibrary, LibraryMismatch):
        return NO_LIBRARY


def current_state(library: Library) -> str:
    """The `LibraryStore.state` that is in use now; empty where the library is gone."""
    store = library.store
    return Generations(store.cluster).current() if isinstance(store, ClusterStore) else state_at(library.path)


def state_at(place: Place) -> str:
    """As `current_state`, of a library that is not opened."""
    if isinstance(place, ClusterAddress):
        return Generations(Cluster(place)).current()
    return str(disk.current_generation(place) or "")


def open_library(path: Place, encoder: Encoder | None) -> Library:
    """Open the current generation; with `encoder`, only if it was made by that one.

    Raises `NoLibrary`, `LibraryMismatch`, or `ClewError` where the folder is damaged; of a cluster also
    `ServiceUnreachable`, and `NotSetUp` where the key is wrong.
    """
    if isinstance(path, ClusterAddress):
        store = open_cluster(path)
        disk.check_encoder(path, store.manifest, encoder)
        return Library(path, store.manifest, store)
    while True:
        generation = disk.required_generation(path)
        try:
            manifest = disk.read_manifest(generation)
            disk.check_encoder(path, manifest, encoder)
            return Library(path, manifest, EmbeddedStore(generation, manifest.keywords, manifest.date_order))
        except ClewError:
            if disk.current_generation(path) == generation:
                raise
            # It was replaced between reading its name and opening it.


# Its documents, one after the other, and written out ----------------------------------------------------------------

INDEX = "documents.jsonl"
"""A line a document: `document` (its id), `source`, `title`, `file`."""

NODES, EDGES = "nodes.jsonl", "edges.jsonl"
"""Of a graph folder (seed 004); `clew index FOLDER` gives the same nodes and edges back."""

LONGEST_NAME = 120
"""Bytes of a file's name without its number and ending."""

AT_ONCE = 500
"""Documents or chunks that are read at once."""

_UNSAFE = re.compile(r"[^\w.()+=@,-]+")
_DEVICE = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)", re.IGNORECASE)
"""Names that Windows keeps for itself."""


def export_text(store: LibraryStore, folder: Path) -> int:
    """Writes each document to a file of its own, UTF-8, its characters as they are stored, and `INDEX` last; returns
    how many. Raises `BadInput` for a folder that holds other files, or where one cannot be written."""
    taken, lines = set[str](), list[str]()
    try:
        _own_folder(folder, INDEX)
        for document in stored_documents(store):
            name = safe_name(document.id, taken)
            taken.add(name.casefold())
            (folder / name).unlink(missing_ok=True)  # one that is a link would lead elsewhere
            private_file(folder / name).write_bytes(document.text.encode())
            row = {"document": document.id, "source": document.source, "title": document.title, "file": name}
            lines.append(as_line(row))
    except OSError as error:
        raise unwritten(folder, error) from error
    replace_file(folder / INDEX, "".join(lines))
    return len(lines)


def export_graph(store: LibraryStore, folder: Path) -> tuple[int, int]:
    """Writes a line for each document with its id, title, text and, where it has them, date, status, author and tags;
    and one for each edge between documents; returns how many. Raises `BadInput` as `export_text`."""
    nodes, edges = list[str](), list[str]()
    try:
        _own_folder(folder, NODES)
        for document in stored_documents(store):
            said = {name: getattr(document, name) for name in ("date", "status", "author", "tags")}
            row = {"id": document.id, "title": document.title, "text": document.text}
            nodes.append(as_line(row | {name: value for name, value in said.items() if value}))
        ids = [one.id for one in store.catalogue.documents]
        known = set(ids)
        for first in range(0, len(ids), AT_ONCE):
            part = ids[first : first + AT_ONCE]
            for id_, around in zip(part, store.neighbours(part), strict=True):
                edges += [as_line(asdict(edge)) for edge in around if edge.source == id_ and edge.target in known]
    except OSError as error:
        raise unwritten(folder, error) from error
    replace_file(folder / NODES, "".join(nodes))
    replace_file(folder / EDGES, "".join(edges))
    return len(nodes), len(edges)


def _own_folder(folder: Path, written: str) -> None:
    """Made, or empty, or with the file `written` of an export before. Raises `BadInput`, `OSError`."""
    private_folder(folder)
    if not (folder / written).exists() and any(folder.iterdir()):
        raise BadInput(f"{folder} holds other files", "give --out an empty folder")


def stored_documents(store: LibraryStore) -> Iterator[Document]:
    """Yield all documents of a library, in the order of its catalogue."""
    ids = [one.id for one in store.catalogue.documents]
    for first in range(0, len(ids), AT_ONCE):
        yield from store.documents(ids[first : first + AT_ONCE])


def stored_sources(store: LibraryStore) -> list[StoredSource]:
    """The files that were read; of a cluster the places of its documents."""
    if isinstance(store, EmbeddedStore):
        return store.sources
    found: dict[str, StoredSource] = {}
    for one in store.catalogue.documents:
        known = found.get(one.place, StoredSource(one.place, "", 0, one.id, one.title))
        found[one.place] = known._replace(documents=known.documents + 1)
    return [found[path] for path in sorted(found)]


def file_of(library: Library, document: str, mine: Collection[str] = ()) -> Path | None:
    """The file that a document was read from, if its bytes are those that were read; None for a part of a file, and on
    a cluster. What the library says of files may be somebody else's word: a file that was not read whole, and has no
    digest, has to be below what the person named (`mine`)."""
    store = library.store
    known = store.source_of(document) if isinstance(store, EmbeddedStore) else None
    if known is None:
        return None
    file = Path(known.path)
    with suppress(OSError):
        if known.digest:
            found = hashlib.sha256(file_digest(file).encode()).hexdigest()
            return file if known.digest.startswith(found) else None
        if file.is_file() and not {known.path, *map(str, file.parents)}.isdisjoint(mine):
            return file
    return None


def stored_chunks(store: Search) -> Iterator[Chunk]:
    """All, in the order of the library."""
    ids = store.part().layers.chunk_ids
    for first in range(0, len(ids), AT_ONCE):
        yield from store.chunks(ids[first : first + AT_ONCE])


def safe_name(id_: str, taken: set[str]) -> str:
    """`films/metropolis.md`: films_metropolis.md.txt; any file system takes it, and none is `taken`, whatever the
    case."""
    plain = _UNSAFE.sub("_", id_).strip("._ -") or "document"
    plain = f"_{plain}" if _DEVICE.match(plain) else plain
    plain = plain.encode()[:LONGEST_NAME].decode("utf-8", "ignore")
    names = (f"{plain}{f'~{number}' if number else ''}.txt" for number in count())
    return next(name for name in names if name.casefold() not in taken)
