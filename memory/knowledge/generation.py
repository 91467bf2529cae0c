"""Writing one generation of a library: rows copied or added in any order, then put in order, embedded and indexed."""

import hashlib
import json
import sqlite3
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from clew.memory.communities import Method
from clew.memory.datatypes import Chunk, Document, Edge, Mark, Vectors
from clew.memory.knowledge import keywords
from clew.memory.knowledge.chunkers import Chunker
from clew.memory.knowledge.chunking import embedded_text
from clew.memory.knowledge.communities.community_index import author_of_all, build
from clew.memory.knowledge.communities.detection import DetectionParameters
from clew.memory.knowledge.damage import naming_damage
from clew.memory.knowledge.embedding import (
    CHUNKS,
    SENTENCES,
    Embedded,
    check_rows,
    embed,
    embed_names,
    open_vectors,
    titles_and_texts,
)
from clew.memory.knowledge.extraction.documents import Extractor
from clew.memory.knowledge.keywords import KeywordParameters
from clew.memory.knowledge.layering import Triples, copy_layers, extract_missing
from clew.memory.knowledge.library import FORMAT, MANIFEST, EncoderRecord, Manifest
from clew.memory.knowledge.loaders.source import Pages
from clew.memory.knowledge.numbering import number_layers, read_layers
from clew.memory.knowledge.partitioning.capsule import FOLDER as CAPSULES
from clew.memory.knowledge.partitioning.capsule import keep_trained, write_capsule
from clew.memory.knowledge.partitioning.node_graph import write_graph
from clew.memory.knowledge.partitioning.partitioner import build_capsule, plans_before
from clew.memory.knowledge.tables import SCHEMA, document_of
from clew.memory.knowledge.telling import add_triples, copy_triples, place_triples
from clew.memory.knowledge.walking.smoothing import write_smoothed
from clew.memory.ports import Encoder, Writer
from clew.memory.progress import Progress
from clew.memory.titles import write_titles

EDGES = "SELECT DISTINCT source, target, relation FROM edges"
STAGED = """
CREATE TABLE staged (
    id TEXT NOT NULL UNIQUE, document TEXT NOT NULL, n INTEGER NOT NULL, start INTEGER NOT NULL, end INTEGER NOT NULL,
    page TEXT NOT NULL, heading TEXT NOT NULL, digest BLOB NOT NULL);
"""


class Generation:
    """A generation in the making, in `folder`; `old` is the one that unchanged rows and vectors are copied from, chunks
    among them only with `same_chunker`, layers, by document, only with `same_layers`."""

    def __init__(self, folder: Path, old: Path | None, same_chunker: bool = True, same_layers: bool = True) -> None:
        self._folder = folder
        self._old = old
        self._same_chunker = same_chunker
        self._same_layers = same_layers
        self._old_vectors: dict[Embedded, Vectors] = {}
        self._database = sqlite3.connect((folder / "library.sqlite").resolve().as_uri(), uri=True)
        self._database.executescript(SCHEMA + STAGED)
        if old:
            uri = f"{(old / 'library.sqlite').resolve().as_uri()}?mode=ro&immutable=1"
            with naming_damage(old), ExitStack() as opened:
                opened.callback(self._database.close)
                self._database.execute("ATTACH ? AS old", (uri,))
                for what in (CHUNKS, SENTENCES):
                    self._old_vectors[what] = open_vectors(old, what)
                    check_rows(self._old_vectors[what], what, self._database, "old")
                opened.pop_all()

    def close(self) -> None:
        self._database.close()

    def old_sources(self) -> dict[str, str]:
        """Path -> digest of what the old generation was read from; an empty digest is one to read again."""
        return dict(self._database.execute("SELECT path, digest FROM old.sources")) if self._old else {}

    def old_documents(self, source: str) -> dict[str, str]:
        """Id -> digest."""
        if not self._old:
            return {}
        return dict(self._database.execute("SELECT id, digest FROM old.documents WHERE source = ?", (source,)))

    def size(self) -> tuple[int, int]:
        """Documents and chunks."""
        return self._count("documents"), self._count("chunks")

    def copy_source(self, path: str) -> int:
        """Take over a source as the old generation has it; returns how many documents that are. One whose id another
        source has by now is left out."""
        copied = self._database.execute(
            "INSERT OR IGNORE INTO documents SELECT * FROM old.documents WHERE source = ?", (path,)
        )
        if self._same_chunker:
            self._database.execute(
                "INSERT INTO staged SELECT c.id, c.document, c.row, c.start, c.end, c.page, c.heading, c.digest"
                " FROM main.documents d JOIN old.chunks c ON c.document = d.id WHERE d.source = ?",
                (path,),
            )
        copy_triples(self._database, path)
        self._database.execute("INSERT OR IGNORE INTO edges SELECT * FROM old.edges WHERE origin = ?", (path,))
        self._database.execute("INSERT INTO sources SELECT * FROM old.sources WHERE path = ?", (path,))
        return copied.rowcount

    def add_source(self, path: str, digest: str) -> None:
        self._database.execute("INSERT INTO sources VALUES (?, ?)", (path, digest))

    def has_document(self, id_: str) -> bool:
        return self._database.execute("SELECT 1 FROM main.documents WHERE id = ?", (id_,)).fetchone() is not None

    def old_source_of(self, id_: str) -> str:
        """The source of a document of the old generation; empty where it had none of that id."""
        if not self._old:
            return ""
        found = self._database.execute("SELECT source FROM old.documents WHERE id = ?", (id_,)).fetchone()
        return str(found[0]) if found else ""

    def add_document(self, document: Document, chunks: Sequence[Chunk], digest: str, source: str, position: int) -> int:
        """Returns how many of its triples were skipped: they do not have three parts."""
        self._database.execute(
            "INSERT INTO documents VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (*_row(document), digest, source, position),
        )
        self.add_chunks(chunks)
        return add_triples(self._database, document)

    def add_chunks(self, chunks: Sequence[Chunk]) -> None:
        """Of one document, in order."""
        self._database.executemany(
            "INSERT INTO staged VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [
                (chunk.id, chunk.document, n, chunk.start, chunk.end, chunk.page, chunk.heading, _digest(chunk))
                for n, chunk in enumerate(chunks)
            ],
        )

    def without_chunks(self) -> list[str]:
        """Ids of the documents that were taken over without their chunks."""
        if self._same_chunker:
            return []
        missing = "SELECT id FROM main.documents WHERE id NOT IN (SELECT document FROM staged)"
        return [id_ for (id_,) in self._database.execute(missing)]

    def document(self, id_: str) -> Document:
        found = "SELECT id, title, text, place, pages, headings FROM main.documents WHERE id = ?"
        return document_of(self._database.execute(found, (id_,)).fetchone())

    def add_edges(self, edges: Iterable[Edge], origin: str) -> int:
        """Returns how many were new: an edge that the same origin has already is merged."""
        before = self._database.total_changes
        self._database.executemany(
            "INSERT OR IGNORE INTO edges VALUES (?, ?, ?, ?)",
            ((edge.source, edge.target, edge.relation, origin) for edge in edges),
        )
        return self._database.total_changes - before

    def loose_edges(self) -> int:
        """Edges to or from documents that the library does not have (yet): they are kept until it has."""
        known = "SELECT id FROM documents"
        loose = f"SELECT count(*) FROM ({EDGES}) WHERE source NOT IN ({known}) OR target NOT IN ({known})"
        return int(self._database.execute(loose).fetchone()[0])

    def put_in_order(self) -> None:
        """Number the chunks by source, position and place, so that a library does not depend on its history."""
        self._database.execute(
            "INSERT INTO chunks SELECT row_number() OVER (ORDER BY d.source, d.position, s.n) - 1, s.id, s.document,"
            " s.start, s.end, s.page, s.heading, s.digest FROM staged s JOIN documents d ON d.id = s.document"
        )
        self._database.execute("DROP TABLE staged")
        self._database.commit()

    def place_triples(self) -> Generator[Progress, None, int]:
        """Give every triple its chunk; returns how many are repeated."""
        return place_triples(self._database)

    def extract_layers(self, triples: Triples, extractor: Extractor) -> Iterator[Progress]:
        """Of documents that are new or changed; then numbered as the chunks are."""
        if self._old and self._same_layers:
            copy_layers(self._database, triples)
        if triples != "none":
            yield from extract_missing(self._database, triples, extractor)
        number_layers(self._database, self._folder)

    def embed(self, encoder: Encoder) -> Iterator[Progress]:
        """Write the vectors of chunks, of sentences, and of the names of the entities that join chunks."""
        for what in (CHUNKS, SENTENCES):
            yield from embed(self._database, what, self._folder, self._old_vectors.get(what), encoder)
        layers = read_layers(self._database, self._folder)
        yield from embed_names([layers.entities[entity].name for entity in layers.joining], self._folder, encoder)

    def find_communities(
        self, encoder: Encoder, method: Method, writer: Writer | None
    ) -> Generator[Progress, None, list[str]]:
        """Of what the sentences name together, with their reports; returns notes."""
        parameters = DetectionParameters(method)
        return build(self._database, self._folder, self._old, encoder, parameters, writer)

    def partition(self) -> Iterator[Progress]:
        """Write the graph of the nodes, their vectors smoothed over it, and the capsules that the library had, else the
        default one."""
        graph = write_graph(self._database, self._folder)
        write_smoothed(self._folder, graph, open_vectors(self._folder, CHUNKS))
        for plan in plans_before(self._old):
            capsule = yield from build_capsule(self._database, self._folder, graph, plan)
            folder = write_capsule(self._folder, capsule, durable=False)
            if self._old:
                keep_trained(self._old / CAPSULES / plan.name, folder, capsule.partitioning)

    def index_titles(self) -> None:
        """What the titles call the nodes."""
        titled = ((title, text) for _, title, text in titles_and_texts(self._database, CHUNKS))
        write_titles(self._folder, titled)

    def index_keywords(self, parameters: KeywordParameters) -> Iterator[Progress]:
        total = len(keywords.WRITTEN)
        yield Progress("indexing words", 0, total)
        titles, texts = [], []
        for _, title, text in titles_and_texts(self._database, CHUNKS):
            titles.append(title)
            texts.append(text)
        folder = self._folder / "keywords"
        folder.mkdir()
        for done, _ in enumerate(keywords.write(folder, titles, texts, parameters), 1):
            yield Progress("indexing words", done, total)

    def write_manifest(
        self,
        encoder: Encoder,
        chunker: Chunker,
        parameters: KeywordParameters,
        triples: Triples,
        extractor: str,
        communities: Method,
        pages: Pages,
        roots: Sequence[Path],
    ) -> Manifest:
        record = EncoderRecord(name=encoder.name, hash=encoder.hash, dimension=encoder.dimension)
        with_what = [FORMAT, encoder.hash, asdict(chunker), asdict(parameters), triples, extractor, communities]
        manifest = Manifest(
            format=FORMAT,
            encoder=record,
            chunker=chunker,
            keywords=parameters,
            triples=triples,
            extractor=extractor,
            communities=communities,
            pages=pages,
            reports=author_of_all(self._database),
            roots=tuple(str(root) for root in roots),
            documents=self._count("documents"),
            chunks=self._count("chunks"),
            edges=self._count(f"({EDGES})"),
            fingerprint=self._fingerprint(json.dumps(with_what, sort_keys=True)),
            created=datetime.now(UTC).isoformat(timespec="seconds"),
        )
        (self._folder / MANIFEST).write_text(manifest.model_dump_json(indent=2) + "\n", "utf-8")
        return manifest

    def _fingerprint(self, with_what: str) -> str:
        whole = hashlib.sha256(with_what.encode())
        for row in self._database.execute("SELECT id, digest FROM documents ORDER BY id"):
            whole.update("\0".join(row).encode())
        for row in self._database.execute(f"{EDGES} ORDER BY 1, 2, 3"):
            whole.update("\0".join(row).encode())
        return whole.hexdigest()

    def _count(self, table: str) -> int:
        return int(self._database.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


def _row(document: Document) -> tuple[str, ...]:
    marks = (_dumped(document.pages), _dumped(document.headings))
    return document.id, document.title, document.text, document.source, *marks


def _digest(chunk: Chunk) -> bytes:
    return hashlib.sha256(embedded_text(chunk).encode()).digest()


def _dumped(marks: Sequence[Mark]) -> str:
    return json.dumps([(mark.start, mark.text) for mark in marks], ensure_ascii=False)
