"""A generation in the making, which the steps of `clew index` fill: its parameters, and the contract of a step."""

import hashlib
import json
import re
import secrets
import shlex
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, NamedTuple

from clew.memory.datatypes import Chunk, Document, Edge, Progress, Vectors
from clew.memory.encoding import embedded_text
from clew.memory.errors import BadInput, NotSetUp
from clew.memory.files import check_plain
from clew.memory.knowledge import disk
from clew.memory.knowledge.chunking import CHUNKERS, Chunker
from clew.memory.knowledge.disk import FORMAT, NO_LIBRARY, Manifest, TriplesFrom, naming_damage
from clew.memory.knowledge.embedding import CHUNKS, SENTENCES, Embedded, check_rows, open_vectors
from clew.memory.knowledge.extraction.extractors import RULES, Chosen, extractor_named
from clew.memory.knowledge.extraction.llm import Model
from clew.memory.knowledge.keywords import KeywordParameters
from clew.memory.knowledge.layers import DetectionParameters, Layers, Method
from clew.memory.knowledge.loaders.source import Pages
from clew.memory.knowledge.numbering import read_layers
from clew.memory.knowledge.proof import check_as_written
from clew.memory.knowledge.tables import TABLES, add_tables
from clew.memory.parameters import with_values
from clew.memory.ports import Encoder, Writer


@dataclass(frozen=True, slots=True)
class Parameters:
    """How a library is made. None: as it was made before, or the default for a new one. Another chunker needs a
    rebuild; other triples or another extractor extract everything anew."""

    chunker: Chunker | None = None  # by sentences in a new library
    triples: TriplesFrom | None = None  # `auto` in a new library
    extractor: str | None = None  # by rules in a new library (`extractor_named`)
    communities: Method | None = None  # by Leiden in a new library
    pages: Pages | None = None  # of Wikipedia dumps, all in a new library; other ones read the dumps again
    model: Model | None = None  # for the extractor `llm`
    summariser: Writer | None = None  # writes the reports of communities, which are extracts without one
    follow_links: bool = False  # also to links below the paths, in this run
    prune: bool = False  # remove all that is no longer there, however much that is, in this run
    quarantine: bool | None = None  # take out documents with orders to a language model
    allow: Sequence[str] = ()  # paths that quarantine does not apply to, now and in later runs
    values: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # of chunker, keywords, communities
    mine: Collection[str] | None = None  # recorded paths that may be read where none are given (None: any), in this run
    leave_out: Sequence[str] = ()  # paths that are taken out, now and in later runs, until they are named again
    empty: bool = False  # make a library even if there are no documents


class Choices(NamedTuple):
    """The parameters as given or as the library has them; `notes` names those that changed."""

    chunker: Chunker
    keywords: KeywordParameters
    triples: TriplesFrom
    extractor: Chosen
    communities: DetectionParameters
    pages: Pages
    writer: Writer | None
    same_layers: bool
    quarantine: bool
    allowed: tuple[str, ...]
    left_out: tuple[str, ...]
    prune: bool
    notes: list[str]


KNOWN_EXTRACTOR = re.compile(
    r"rules|llm(:.*)?|spacy(:[a-z]{2,3}_(core|dep|ent|sent)_[a-z]+_(sm|md|lg|trf))?", re.DOTALL
)
"""What a library may say of its own: a pipeline is a package or a folder, and its code runs."""


def choose(parameters: Parameters, library: Path, fresh: bool, named: Collection[str] = ()) -> Choices:
    """`fresh`: no generation is gone on from; `named`: the paths of this run, as text. Raises `BadInput` for another
    chunker than the library's, and with `NotSetUp` for an extractor that there is not, or that only the library names
    and that runs code."""
    had, values = disk.recorded(library), parameters.values
    chunker = _with_its_values(parameters.chunker or had.chunker, values)
    if not fresh and chunker != had.chunker:
        wrong = f"the library at {library} is cut by other parameters: all documents have to be read again"
        raise BadInput(wrong, f"add --rebuild, and --chunker {chunker.name}")
    triples = parameters.triples or had.triples
    if not parameters.extractor and not KNOWN_EXTRACTOR.fullmatch(had.extractor or RULES):
        raise NotSetUp(
            f"the library at {library} wants the extractor {had.extractor!r}, which is loaded where you name it",
            f"--extractor {shlex.quote(had.extractor)}, or --extractor {RULES}",
        )
    extractor = extractor_named(parameters.extractor or had.extractor or RULES, parameters.model)
    communities = replace(had.communities_by, method=parameters.communities or had.communities_by.method)
    made = Choices(
        chunker=chunker,
        keywords=with_values(had.keywords, values.get("keywords", {})),
        triples=triples,
        extractor=extractor,
        communities=with_values(communities, values.get("communities", {})),
        pages=had.pages if parameters.pages is None else parameters.pages,
        writer=parameters.summariser,
        same_layers=fresh or (triples == had.triples and extractor.name == had.extractor),
        quarantine=had.quarantine if parameters.quarantine is None else parameters.quarantine,
        allowed=tuple(dict.fromkeys((*had.allowed, *parameters.allow))),
        left_out=tuple(dict.fromkeys((*(one for one in had.left_out if one not in named), *parameters.leave_out))),
        prune=parameters.prune,
        notes=[],
    )
    return made if fresh else made._replace(notes=list(_others(made, had)))


def _with_its_values(chunker: Chunker, values: Mapping[str, Mapping[str, Any]]) -> Chunker:
    """Raises `BadInput` for a value of another chunker."""
    for other in {*CHUNKERS} - {chunker.name}:
        if name := next(iter(values.get(other, ())), ""):
            wrong = f"index.{other}.{name} is of the chunker {other}, and this library's is {chunker.name}"
            raise BadInput(wrong, f"add --chunker {other}, or leave it out")
    return with_values(chunker, values.get(chunker.name, {}))


def _others(made: Choices, had: Manifest) -> Iterator[str]:
    """In words, what is other than the library had."""
    if made.keywords != had.keywords:
        yield "the words are indexed anew, with other parameters"
    if not made.same_layers:
        anew = f"entities are told anew, with --triples {made.triples} and the extractor '{made.extractor.name}'"
        yield "entities and triples are left out now" if made.triples == "none" else anew
    if made.communities != had.communities_by:
        yield f"communities are found anew, by {made.communities.method}"
    if made.writer is not None and made.writer.name != had.reports:
        yield f"community reports are written by {made.writer.name}"
    if made.pages != had.pages:
        yield f"the pages of Wikipedia dumps are chosen by {made.pages or 'nothing'} now"


_ALTERED = """SELECT 1 FROM old.documents WHERE NOT (json_valid(pages) AND json_valid(headings))
OR 'blob' IN (
    typeof(id), typeof(title), typeof(text), typeof(place), typeof(date), typeof(status), typeof(author), typeof(tags))
UNION ALL SELECT 1 FROM old.chunks WHERE document NOT IN (SELECT id FROM old.documents) LIMIT 1"""
"""Of tables that were not written by `clew index`."""

EDGES = "SELECT DISTINCT source, target, relation FROM edges"
_COPIED_CHUNKS = "INSERT INTO staged SELECT c.id, c.document, c.row, c.start, c.end, c.page, c.heading, c.digest FROM"


class Generation:
    """A generation in `folder`, made by `choices`; `old` is the one that unchanged rows and vectors are copied from,
    attached to `database` as `old`. The rows of documents come in any order and are then put in order.

    Steps add to `notes`, which a person reads, and to `facts`, which the manifest keeps and no fingerprint counts.
    """

    def __init__(self, folder: Path, old: Path | None, encoder: Encoder, choices: Choices) -> None:
        self.folder = folder
        self.old = old
        self.encoder = encoder
        self.choices = choices
        self.notes: list[str] = []
        self.facts: dict[str, object] = {}
        self.old_vectors: dict[Embedded, Vectors] = {}
        self.database = disk.new_database(folder)
        if old:
            with naming_damage(old), ExitStack() as opened:
                opened.callback(self.database.close)
                check_plain(old)
                check_as_written(old, disk.DATABASE)
                self.database.execute("ATTACH ? AS old", (disk.read_only(old),))
                disk.check_schema(self.database, "old")
                if self.database.execute(_ALTERED).fetchone():
                    raise ValueError("its tables do not go together")
                for what in (CHUNKS, SENTENCES):
                    self.old_vectors[what] = open_vectors(old, what)
                    check_rows(self.old_vectors[what], what, self.database, "old")
                opened.pop_all()

    def close(self) -> None:
        self.database.close()

    @cached_property
    def before(self) -> Manifest:
        """The manifest of the old generation; `NO_LIBRARY` where there is none."""
        return disk.read_manifest(self.old) if self.old else NO_LIBRARY

    @cached_property
    def layers(self) -> Layers:
        """Once they are numbered."""
        return read_layers(self.database, self.folder)

    def sources(self, of: Literal["main", "old"] = "main") -> dict[str, str]:
        """Path -> digest of what was read; an empty digest is one to read again."""
        return dict(self.database.execute(f"SELECT path, digest FROM {of}.sources"))

    def old_documents(self, source: str) -> dict[str, str]:
        """Id -> digest."""
        if not self.old:
            return {}
        return dict(self.database.execute("SELECT id, digest FROM old.documents WHERE source = ?", (source,)))

    def size(self) -> tuple[int, int]:
        """Documents and chunks."""
        return self._count("documents"), self._count("chunks")

    def copy_source(self, path: str) -> int:
        """Take over a source as the old generation has it; returns how many documents that are. One whose id another
        source has by now is left out."""
        there = "INSERT OR IGNORE INTO documents SELECT * FROM old.documents WHERE source = ?"
        copied = self.database.execute(there, (path,))
        its = "main.documents d JOIN old.chunks c ON c.document = d.id WHERE d.source = ?"
        self.database.execute(f"{_COPIED_CHUNKS} {its}", (path,))
        copied_columns = dict.fromkeys(TABLES, "t.*")
        copied_columns["triples"] = "t.document, t.n, t.subject, t.relation, t.object, NULL"
        for table, columns in copied_columns.items():
            its = f"main.documents d JOIN old.{table} t ON t.document = d.id WHERE d.source = ?"
            self.database.execute(f"INSERT INTO main.{table} SELECT {columns} FROM {its}", (path,))
        self.database.execute("INSERT OR IGNORE INTO edges SELECT * FROM old.edges WHERE origin = ?", (path,))
        self.database.execute("INSERT INTO sources SELECT * FROM old.sources WHERE path = ?", (path,))
        return copied.rowcount

    def add_source(self, path: str, digest: str) -> None:
        self.database.execute("INSERT INTO sources VALUES (?, ?)", (path, digest))

    def has_document(self, id_: str) -> bool:
        return self.database.execute("SELECT 1 FROM main.documents WHERE id = ?", (id_,)).fetchone() is not None

    def old_source_of(self, id_: str) -> str:
        """The source of a document of the old generation; empty where it had none of that id."""
        if not self.old:
            return ""
        found = self.database.execute("SELECT source FROM old.documents WHERE id = ?", (id_,)).fetchone()
        return str(found[0]) if found else ""

    def add_document(
        self, document: Document, chunks: Sequence[Chunk] | None, digest: str, source: str, position: int
    ) -> int:
        """`chunks` None: those of the old generation, of the same digest. Returns how many of its triples were
        skipped: they do not have three parts."""
        disk.add_document(self.database, document, digest, source, position)
        if chunks is None:
            self.database.execute(f"{_COPIED_CHUNKS} old.chunks c WHERE c.document = ?", (document.id,))
        for n, chunk in enumerate(chunks or ()):
            hashed = hashlib.sha256(embedded_text(chunk).encode()).digest()
            row = chunk.id, chunk.document, n, chunk.start, chunk.end, chunk.page, chunk.heading, hashed
            self.database.execute("INSERT INTO staged VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
        add_tables(self.database, document.id, f"{document.title} {document.id}", document.tables)
        given = [parts for parts in document.triples if parts]
        rows = ((document.id, n, *parts) for n, parts in enumerate(given))
        self.database.executemany("INSERT INTO triples VALUES (?, ?, ?, ?, ?, NULL)", rows)
        return len(document.triples) - len(given)

    def add_edge(self, edge: Edge, origin: str) -> bool:
        """Whether it is new: an edge that the same origin has already is merged."""
        row = edge.source, edge.target, edge.relation, origin
        return self.database.execute("INSERT OR IGNORE INTO edges VALUES (?, ?, ?, ?)", row).rowcount > 0

    def loose_edges(self) -> int:
        """Edges to or from documents that the library does not have (yet): they are kept until it has."""
        known = "SELECT id FROM documents"
        loose = f"SELECT count(*) FROM ({EDGES}) WHERE source NOT IN ({known}) OR target NOT IN ({known})"
        return int(self.database.execute(loose).fetchone()[0])

    def write_manifest(self, recorded: Mapping[str, object], roots: Sequence[str]) -> None:
        """`recorded` is what the steps record, in their order."""
        encoder, chunker = self.encoder, self.choices.chunker
        with_what = json.dumps([FORMAT, encoder.hash, chunker, *recorded.values()], sort_keys=True, default=asdict)
        manifest = Manifest.model_validate(
            {
                **recorded,
                **self.facts,
                "format": FORMAT,
                "encoder": disk.EncoderRecord(name=encoder.name, hash=encoder.hash, dimension=encoder.dimension),
                "chunker": chunker,
                "pages": self.choices.pages,
                "quarantine": self.choices.quarantine,
                "allowed": self.choices.allowed,
                "left_out": self.choices.left_out,
                "roots": tuple(roots),
                "documents": self._count("documents"),
                "chunks": self._count("chunks"),
                "edges": self._count(f"({EDGES})"),
                "fingerprint": self._fingerprint(with_what),
                "created": datetime.now(UTC).isoformat(timespec="seconds"),
                "id": disk.recorded(self.folder.parent).id or secrets.token_hex(16),
            }
        )
        disk.write_manifest(self.folder, manifest)

    def _fingerprint(self, with_what: str) -> str:
        whole = hashlib.sha256(with_what.encode())
        for row in self.database.execute("SELECT id, digest FROM documents ORDER BY id"):
            whole.update("\0".join(row).encode())
        for row in self.database.execute(f"{EDGES} ORDER BY 1, 2, 3"):
            whole.update("\0".join(row).encode())
        return whole.hexdigest()

    def _count(self, table: str) -> int:
        return int(self.database.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


@dataclass(frozen=True, slots=True)
class IndexStep:
    """A step of `clew index`. To add one: a file with what it does, and a line in `steps.STEPS`.

    `run` works on a generation whose documents and chunks are there, and what the steps before it wrote: it writes
    tables or the `files` of its own in the generation's folder. `title` is what its time is reported under; steps of
    one title share it. `recorded` are the parameters that its result depends on, by name: the manifest keeps them, and
    the fingerprint counts their values.
    """

    title: str
    run: Callable[[Generation], Iterator[Progress]]
    files: tuple[str, ...] = ()
    recorded: Callable[[Choices], Mapping[str, object]] = lambda _: {}
