"""A library on disk: generations side by side, one of them current, each with its manifest.

    DIR/clew-library.json        the format, and which generation is current; replaced in one step
    DIR/0000000003/              a generation: the database, the manifest and the files of the steps; never changed
    DIR/lock                     held while a generation is made

A reader keeps its generation by a lease; a writer makes the next beside it and switches. So a crash leaves the library
as it was. The tables of the database are in `schema.sql`.
"""

import fcntl
import json
import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence, Set
from contextlib import ExitStack, closing, contextmanager, suppress
from functools import cache
from pathlib import Path
from re import fullmatch
from typing import IO, Annotated, Any, Literal
from zipfile import BadZipFile

from filelock import FileLock, Timeout
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, TypeAdapter

from clew.memory import files
from clew.memory.datatypes import Document, Mark
from clew.memory.dates import DateOrder
from clew.memory.errors import BadInput, ClewError, LibraryBusy, LibraryMismatch, NoLibrary, library_flag
from clew.memory.files import new_file, within
from clew.memory.knowledge.chunking import Chunker, ChunkerParameters
from clew.memory.knowledge.keywords import KeywordParameters
from clew.memory.knowledge.layers import DetectionParameters, Method
from clew.memory.knowledge.loaders.source import ALL, Pages
from clew.memory.ports import Encoder

FORMAT = 7
"""Libraries of another one are made anew."""

DATABASE = "library.sqlite"
POINTER = "clew-library.json"
MANIFEST = "manifest.json"
HASHES = "hashes.json"
LOCK = "lock"
PARTS = frozenset({DATABASE, f"{DATABASE}-journal", MANIFEST, HASHES, f"{HASHES}.new", "coarse.npy", "named.json"})
"""What may be in a generation beside the files of its steps; the last two in one of an earlier version."""

NUMBER, LAST = "[0-9]" * 10, 10**10 - 1
BROKEN = (
    *(sqlite3.DatabaseError, FileNotFoundError, IsADirectoryError, NotADirectoryError, EOFError, BadZipFile),
    *(ValueError, LookupError, TypeError, AttributeError, OverflowError, RecursionError, MemoryError),
)
"""What SQLite, numpy, json and bm25s raise at files that are cut off, overwritten, missing or made to harm."""

# The database of a generation --------------------------------------------------------------------------------------

SCHEMA = Path(__file__).with_name("schema.sql").read_text("utf-8")

COLUMNS = "id, title, text, place, pages, headings, date, status, author, tags"
"""Of a document."""

TRIPLES = "SELECT subject, relation, object, chunk FROM triples WHERE chunk IS NOT NULL ORDER BY document, n"

DEFENSIVE = 1010
"""SQLITE_DBCONFIG_DEFENSIVE, which Python knows from 3.12 on."""

Statements = frozenset[tuple[str, str, str, str | None]]


def read_only(generation: Path) -> str:
    """The address of a generation's database."""
    return f"{within(generation, DATABASE).resolve().as_uri()}?mode=ro&immutable=1"


def new_database(generation: Path) -> sqlite3.Connection:
    """With the tables of `schema.sql`, empty."""
    connection = sqlite3.connect(new_file(generation, DATABASE).resolve().as_uri(), uri=True)
    connection.executescript(SCHEMA)
    harden(connection)
    return connection


def open_database(generation: Path, check_same_thread: bool = True) -> sqlite3.Connection:
    """Read-only, whoever made it. Raises one of `disk.BROKEN` for one with another schema than ours."""
    connection = sqlite3.connect(read_only(generation), uri=True, check_same_thread=check_same_thread)
    with ExitStack() as undone:
        undone.callback(connection.close)
        harden(connection)
        check_schema(connection)
        undone.pop_all()
    return connection


def harden(connection: sqlite3.Connection) -> None:
    """What SQLite advises for a file of somebody else (sqlite.org/security.html)."""
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")
    if hasattr(connection, "setconfig"):
        connection.setconfig(DEFENSIVE)


def check_schema(connection: sqlite3.Connection, name: str = "main") -> None:
    """Raises `ValueError` where the tables, indexes, views and triggers are not those of `schema.sql`."""
    if _statements(connection, name) != _ours():
        raise ValueError("its database has another schema")


def _statements(connection: sqlite3.Connection, name: str) -> Statements:
    return frozenset(connection.execute(f"SELECT type, name, tbl_name, sql FROM {name}.sqlite_master"))


@cache
def _ours() -> Statements:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(f"{SCHEMA}; DROP TABLE staged")
        return _statements(connection, "main")


def order_chunks(database: sqlite3.Connection) -> None:
    """Number the chunks that are `staged` by source, position and place, so that a library does not depend on its
    history."""
    database.execute(
        "INSERT INTO chunks SELECT row_number() OVER (ORDER BY d.source, d.position, s.n) - 1, s.id, s.document,"
        " s.start, s.end, s.page, s.heading, s.digest FROM staged s JOIN documents d ON d.id = s.document"
    )
    database.execute("DROP TABLE staged")
    database.commit()


def document_of(row: Sequence[str]) -> Document:
    """Of `COLUMNS`."""
    id_, title, text, place, pages, headings, date, status, author, tags = row
    of_pages, of_headings = (tuple(Mark(*mark) for mark in json.loads(column)) for column in (pages, headings))
    return Document(id_, title, text, place, of_pages, of_headings, (), date, status, author, tags)


def add_document(database: sqlite3.Connection, document: Document, digest: str, source: str, position: int) -> None:
    """Its row, without its chunks and triples; `source` is the path that it was read from, `position` where in that."""
    marks = (json.dumps(its, ensure_ascii=False) for its in (document.pages, document.headings))
    told = document.date, document.status, document.author, document.tags
    row = (document.id, document.title, document.text, document.source, *marks, *told, digest, source, position)
    columns = f"{COLUMNS}, digest, source, position"
    database.execute(f"INSERT INTO documents ({columns}) VALUES ({', '.join('?' * len(row))})", row)


# The manifest of a generation --------------------------------------------------------------------------------------

TriplesFrom = Literal["auto", "given", "extract", "both", "none"]
"""Where entities and relations come from: the triples that the documents carry, the extractor, both, or nothing.
`auto`: given where a document carries triples, none in a graph folder, else extracted."""


LibraryId = Annotated[str, StringConstraints(pattern=r"^([0-9a-f]{32})?$")]


class EncoderRecord(BaseModel):
    model_config = ConfigDict(frozen=True)

    name: str
    hash: str
    dimension: int


class Manifest(BaseModel):
    """What a generation was built from and with. `reports` is who wrote all reports of communities, `extraction` where
    nobody did; `date_order` is how the documents write dates in numbers. `hidden_text` (`unseen` on disk) has, by the
    ids of documents, how the text begins that they hold and do not show; `quarantined`, by paths, the order for which a
    document was taken out (`Parameters`); `unread`, by paths, why a file was not read; `left_out` are paths that a
    person took out. What a step records beside these fields is kept too.

    `fingerprint` is SHA-256 over the format, the encoder, what the steps record, the documents' digests (triples are in
    them) and the edges, so that it is the same wherever the documents lie. `id` is a random name, kept over re-runs,
    rebuilds and moves; empty: from before there were any, the next new generation gets one."""

    model_config = ConfigDict(frozen=True, extra="allow")

    format: int
    encoder: EncoderRecord
    chunker: Chunker
    keywords: KeywordParameters
    triples: TriplesFrom
    extractor: str
    communities: Method
    detection: DetectionParameters | None = None
    pages: Pages = ALL
    reports: str
    date_order: DateOrder = ""
    roots: tuple[str, ...]
    documents: int
    chunks: int
    edges: int
    hidden_text: dict[str, str] = Field(default={}, alias="unseen")
    quarantine: bool = False
    allowed: tuple[str, ...] = ()
    quarantined: dict[str, str] = {}
    left_out: tuple[str, ...] = ()
    unread: dict[str, str] = {}
    fingerprint: str
    created: str
    id: LibraryId = ""

    @property
    def made_with(self) -> dict[str, object]:
        """The dataclasses of its parameters by the names that settings have for them, `index.` left out."""
        return {
            self.chunker.name: self.chunker,
            "keywords": self.keywords,
            "communities": self.communities_by,
        }

    @property
    def communities_by(self) -> DetectionParameters:
        return self.detection or DetectionParameters(self.communities)


NO_LIBRARY = Manifest(
    format=0,
    encoder=EncoderRecord(name="", hash="", dimension=0),
    chunker=ChunkerParameters(),
    keywords=KeywordParameters(),
    triples="auto",
    extractor="",
    communities="leiden",
    reports="",
    roots=(),
    documents=0,
    chunks=0,
    edges=0,
    fingerprint="",
    created="",
)
"""The manifest where there is none: a new library is made with these parameters where no others are given."""


# Leases --------------------------------------------------------------------------------------------------------------
# Who reads a generation holds a shared lock on its manifest, and a generation with readers is not removed. The lock is
# the system's (`flock`): it ends with the process that holds it, killed or not. Where there are none (some network file
# systems) a reader reads without.


@contextmanager
def leased(generation: Path) -> Iterator[None]:
    """Keeps a generation from being deleted meanwhile. Raises `FileNotFoundError` if it is gone, or is being
    deleted."""
    path = generation / MANIFEST
    with open(path, "rb", opener=files.no_follow) as file:
        _lock(file, fcntl.LOCK_SH)
        if not os.path.samestat(path.stat(), os.fstat(file.fileno())):
            raise FileNotFoundError(str(path))
        yield


@contextmanager
def unread(generation: Path) -> Iterator[bool]:
    """Whether nobody reads a generation; meanwhile nobody can begin to."""
    with ExitStack() as opened:
        try:
            file = opened.enter_context(open(generation / MANIFEST, "rb", opener=files.no_follow))
        except OSError:  # it is not whole: there is nothing to read
            yield True
        else:
            yield _lock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _lock(file: IO[bytes], how: int) -> bool:
    """Whether the lock was taken; false if others hold it. Without support for locks it always is."""
    try:
        fcntl.flock(file, how)
    except OSError as error:
        return not isinstance(error, BlockingIOError)
    return True


# Generations and the pointer to the current one ----------------------------------------------------------------------


def current_generation(path: Path) -> Path | None:
    """The folder of the current generation; None where there is no library. Raises `LibraryMismatch` for another
    format."""
    try:
        pointer = json.loads(within(path, POINTER).read_text("utf-8"))
        format_, name = int(pointer["format"]), str(pointer["generation"])
    except (FileNotFoundError, NotADirectoryError):
        return None
    except BROKEN as error:
        raise damaged(path) from error
    if format_ != FORMAT:
        raise LibraryMismatch(
            f"the library at {path} has format {format_}, this version of clew reads format {FORMAT}",
            rebuild_command(path),
        )
    if not fullmatch(NUMBER, name):
        raise damaged(path)
    return within(path, name)


def required_generation(path: Path) -> Path:
    """As `current_generation`. Raises `NoLibrary` where there is none."""
    if generation := current_generation(path):
        return generation
    raise NoLibrary(f"there is no library at {path}", f"clew index YOUR-FOLDER {library_flag(path)}")


def read_manifest(generation: Path) -> Manifest:
    """Read the manifest of a generation. A damaged one raises `ClewError`."""
    with naming_damage(generation):  # pydantic's errors are ValueErrors
        return Manifest.model_validate_json(within(generation, MANIFEST).read_text("utf-8"))


def write_manifest(generation: Path, manifest: Manifest) -> None:
    """Write the manifest of a generation that has none yet."""
    new_file(generation, MANIFEST).write_text(manifest.model_dump_json(indent=2, by_alias=True) + "\n", "utf-8")


def check_encoder(path: object, manifest: Manifest, encoder: Encoder | None) -> None:
    """Raises `LibraryMismatch` for another encoder than the library's; None is any."""
    if encoder is not None and encoder.hash != manifest.encoder.hash:
        raise LibraryMismatch(
            f"the library at {path} was made with the encoder {manifest.encoder.name}"
            f" ({manifest.encoder.hash[:8]}), not with {encoder.name} ({encoder.hash[:8]})",
            f"clew index --rebuild {library_flag(path)} --encoder {encoder.name}",
        )


def recorded(path: Path) -> Manifest:
    """The manifest of a library of any format, as far as this version understands it; what it does not is as in
    `NO_LIBRARY`. A rebuild takes from it what is not given."""
    found = {}
    try:
        content = json.loads(within(path, _current_name(path), MANIFEST).read_text("utf-8"))
        for name, field in Manifest.model_fields.items():
            with suppress(KeyError, ValueError, BadInput):
                kind: TypeAdapter[Any] = TypeAdapter(field.rebuild_annotation())
                found[name] = kind.validate_python(content[field.alias or name])
    except (OSError, ClewError, *BROKEN):
        return NO_LIBRARY
    return NO_LIBRARY.model_copy(update=found)


def next_generation(path: Path, parts: Set[str]) -> Path:
    """An empty folder for the generation after all that there are; unfinished ones of these `parts` are removed."""
    taken = {int(entry.name) for entry in path.glob(NUMBER)}
    number = max(taken, default=0) + 1
    if number > LAST:  # somebody has named one so: the first that is free
        number = min({*range(1, len(taken) + 2)} - taken)
    _remove_generations(path, parts, keep=_current_name(path))
    return files.new_folder(path, f"{number:010}")


def switch_to(path: Path, generation: Path, parts: Set[str]) -> None:
    """Make `generation` the current one: durably on disk before it is named, named in one step. Removes the others."""
    files.sync_all(generation)
    name_current(path, generation)
    _remove_generations(path, parts, keep=generation.name)


def name_current(path: Path, generation: Path) -> None:
    """Make a generation the one in use, by one durable write of the library's pointer."""
    pointer = json.dumps({"format": FORMAT, "generation": generation.name})
    files.write_durably(within(path, POINTER), f"{pointer}\n".encode())


def _remove_generations(path: Path, parts: Set[str], keep: str) -> None:
    """All that nobody reads. A folder with anything but `parts` in it is not ours to remove, whatever its name."""
    for folder in path.glob(NUMBER):
        ours = folder.is_dir() and not folder.is_symlink() and folder.name != keep
        if ours and parts >= {entry.name for entry in folder.iterdir()}:
            with unread(folder) as free:
                if free:
                    files.remove(path, folder.name)


def clear(path: Path, parts: Set[str]) -> list[str]:
    """Remove the generations of these `parts` that are not current and that nobody reads; returns their names."""
    before = sorted(folder.name for folder in path.glob(NUMBER))
    _remove_generations(path, parts, keep=_current_name(path))
    return [name for name in before if not within(path, name).exists()]


def read_now(path: Path) -> list[Path]:
    """The generations that somebody reads."""
    found = []
    for folder in sorted(path.glob(NUMBER)):
        with unread(folder) as free:
            found += [] if free else [folder]
    return found


def _current_name(path: Path) -> str:
    try:
        name = str(json.loads(within(path, POINTER).read_text("utf-8"))["generation"])
        return name if fullmatch(NUMBER, name) else ""
    except (OSError, *BROKEN):
        return ""


@contextmanager
def held(library: Path) -> Iterator[None]:
    """Hold the lock of a library: one process at a time changes it. Raises `LibraryBusy` where another has it."""
    files.lasting_folder(library, 0o700)
    lock = FileLock(within(library, LOCK), mode=0o600)
    try:
        with lock.acquire(timeout=0):
            yield
            if (library / POINTER).exists():  # it may have been made when libraries were open to others
                files.close_to_others(library, (library / POINTER, library / LOCK, *library.glob(NUMBER)))
    except Timeout:
        raise LibraryBusy(f"another clew index is running on {library}", "wait until it has ended") from None


@contextmanager
def naming_damage(
    generation: Path | None, is_damage: Callable[[Path, Exception], bool] = lambda _, __: True
) -> Iterator[None]:
    """What broken files raise becomes a `ClewError` with the command that makes the library anew, where it `is_damage`
    (as `proof.is_altered` says). Without a generation nothing does."""
    try:
        yield
    except sqlite3.ProgrammingError:  # it has been closed
        raise
    except BROKEN as error:
        if generation is None or not is_damage(generation, error):
            raise
        raise damaged(generation.parent) from error


def damaged(library: Path) -> ClewError:
    """Return the error for a library whose files cannot be read, with the command that rebuilds it."""
    return ClewError(f"the library at {library} is damaged", rebuild_command(library))


def rebuild_command(library: Path) -> str:
    """Its folders are to be named where it does not say them any more."""
    return f"clew index {'' if recorded(library).roots else 'YOUR-FOLDER '}--rebuild {library_flag(library)}"
