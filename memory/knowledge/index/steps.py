"""The steps of `clew index`, which follow one another once the documents and chunks are there."""

import hashlib
import sqlite3
from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter

from clew.memory.datatypes import Document, Progress, Triple
from clew.memory.encoding import with_title
from clew.memory.files import new_folder
from clew.memory.knowledge import embedding, keywords
from clew.memory.knowledge.clues.clue_index import normalise
from clew.memory.knowledge.communities.community_index import VECTORS as COMMUNITIES
from clew.memory.knowledge.communities.community_index import build
from clew.memory.knowledge.disk import PARTS, TriplesFrom
from clew.memory.knowledge.document_dates import chunk_tokens, date_orders
from clew.memory.knowledge.embedding import CHUNKS, SENTENCES, titles_and_texts
from clew.memory.knowledge.extraction.extractors import Extraction, Extractor, extract_document
from clew.memory.knowledge.index.generation import Generation, IndexStep
from clew.memory.knowledge.layers import BY_EXTRACTION, DetectionParameters
from clew.memory.knowledge.nodes import FILE as SMOOTHED
from clew.memory.knowledge.nodes import write_smoothed
from clew.memory.knowledge.numbering import ARRAYS as LAYERS
from clew.memory.knowledge.numbering import number_layers
from clew.memory.knowledge.partitioning.capsule import FOLDER as CAPSULES
from clew.memory.knowledge.partitioning.capsule import write_capsule
from clew.memory.knowledge.partitioning.partitioner import FILE as NODES
from clew.memory.knowledge.partitioning.partitioner import build_capsule, plans_before, write_graph
from clew.memory.knowledge.titles import FILE as TITLES
from clew.memory.knowledge.titles import title_index, write_titles

USING_GIVEN = ("auto", "given", "both")

_COPIED = {"sentences": "t.document, t.n, t.start, t.end, t.digest, NULL, NULL", "names": "t.*", "relations": "t.*"}
_OUTSIDE_GRAPHS = " AND d.source NOT IN (SELECT origin FROM main.edges)"


def make_layers(generation: Generation) -> Iterator[Progress]:
    """Make the layers of a generation: copy what is unchanged, extract what is missing, number all of it. Yields
    progress."""
    database, choices = generation.database, generation.choices
    if choices.triples in USING_GIVEN:
        yield from place_triples(database)
    if generation.old and choices.same_layers:
        copy_layers(database, choices.triples)
    if choices.triples != "none":
        yield from extract_missing(database, choices.triples, choices.extractor.extract)
    number_layers(database, generation.folder)


def place_triples(database: sqlite3.Connection) -> Iterator[Progress]:
    """Find the chunk of every given triple."""
    found = "SELECT document, n, subject, relation, object FROM main.triples ORDER BY document, n"
    rows, done = database.execute(found).fetchall(), 0
    for document, of_document in groupby(rows, key=itemgetter(0)):
        chunks = list(_chunks(database, document))
        for _, n, *parts in of_document:
            placed = "UPDATE main.triples SET chunk = ? WHERE document = ? AND n = ?"
            database.execute(placed, (chunk_of(Triple(*parts), chunks), document, n))
            done += 1
        yield Progress("placing triples", done, len(rows))
    database.commit()


def chunk_of(triple: Triple, chunks: Sequence[tuple[str, str]]) -> str:
    """The id of the chunk that a triple belongs to, of ids with their normalised texts: the first that has both of its
    entities, else the first that has one, else the first."""
    ends = {normalise(triple.subject), normalise(triple.object)}
    held = [sum(end in text for end in ends) for _, text in chunks]
    return chunks[held.index(max(held))][0]


def _chunks(database: sqlite3.Connection, document: str) -> Iterator[tuple[str, str]]:
    (text,) = database.execute("SELECT text FROM main.documents WHERE id = ?", (document,)).fetchone()
    found = "SELECT id, start, end FROM main.chunks WHERE document = ? ORDER BY row"
    for id_, start, end in database.execute(found, (document,)):
        yield id_, normalise(text[start:end])


def copy_layers(database: sqlite3.Connection, triples: TriplesFrom) -> None:
    """Of the documents that are as the old generation has them, though others of their source may have changed."""
    for table, columns in _COPIED.items():
        database.execute(
            f"INSERT INTO main.{table} SELECT {columns}"
            f" FROM main.documents d JOIN old.documents o ON o.id = d.id JOIN old.{table} t ON t.document = d.id"
            f" WHERE o.source = d.source AND o.digest = d.digest {_OUTSIDE_GRAPHS if triples == 'auto' else ''}"
            " ORDER BY t.document, t.n"
        )


def extract_missing(database: sqlite3.Connection, triples: TriplesFrom, extractor: Extractor) -> Iterator[Progress]:
    """The layers of the documents that have none yet."""
    missing = "SELECT id FROM main.documents d WHERE id NOT IN (SELECT document FROM main.sentences)"
    if triples == "auto":
        missing += _OUTSIDE_GRAPHS
    ids = [id_ for (id_,) in database.execute(missing)]
    for done, id_ in enumerate(ids, 1):
        title, text = database.execute("SELECT title, text FROM main.documents WHERE id = ?", (id_,)).fetchone()
        found = "SELECT subject, relation, object FROM main.triples WHERE document = ? ORDER BY n"
        given = database.execute(found, (id_,)).fetchall() if triples != "extract" else []
        extracted = triples in ("extract", "both") or (triples == "auto" and not given)
        document = Document(id_, title, text)
        _add(database, document, extract_document(document, given, extractor if extracted else None))
        yield Progress("extracting entities", done, len(ids))


def _add(database: sqlite3.Connection, document: Document, found: Extraction) -> None:
    texts = [with_title(document.title, document.text[start:end]) for start, end in found.sentences]
    digests = [hashlib.sha256(text.encode()).digest() for text in texts]
    sentences = [(*span, digest, None, None) for span, digest in zip(found.sentences, digests, strict=True)]
    for table, rows in (("sentences", sentences), ("names", found.names), ("relations", found.relations)):
        values = [(document.id, n, *row) for n, row in enumerate(rows)]
        if values:
            database.executemany(f"INSERT INTO main.{table} VALUES ({', '.join('?' * len(values[0]))})", values)


def index_words(generation: Generation) -> Iterator[Progress]:
    """Beside the titles, and how the library writes dates."""
    database, folder, parameters = generation.database, generation.folder, generation.choices.keywords
    yield Progress("indexing words", 0, len(keywords.INDEXES))
    orders = date_orders(database)
    generation.facts["date_order"] = orders.library
    write_titles(folder, title_index((title, text) for _, title, text in titles_and_texts(database, CHUNKS)))
    fields = chunk_tokens(database, parameters, orders)
    for done, _ in enumerate(keywords.write(new_folder(folder, keywords.FOLDER), fields, parameters), 1):
        yield Progress("indexing words", done, len(keywords.INDEXES))


# The steps -----------------------------------------------------------------------------------------------------------


def embed_all(generation: Generation) -> Iterator[Progress]:
    """The vectors of chunks, of sentences, and of the names of the entities that join chunks."""
    database, folder, encoder, layers = generation.database, generation.folder, generation.encoder, generation.layers
    for what in (CHUNKS, SENTENCES):
        yield from embedding.embed(database, what, folder, generation.old_vectors.get(what), encoder)
    joining = [layers.entities[entity].name for entity in layers.joining]
    yield from embedding.embed_names(joining, folder, encoder)


def find_communities(generation: Generation) -> Iterator[Progress]:
    """Of what the sentences name together, with their reports."""
    generation.notes += yield from build(
        generation.database,
        generation.folder,
        generation.old,
        generation.encoder,
        generation.layers,
        generation.choices.communities,
        generation.choices.writer,
    )
    authors = [one for (one,) in generation.database.execute("SELECT DISTINCT author FROM main.communities")]
    generation.facts["reports"] = authors[0] if len(authors) == 1 else BY_EXTRACTION


def partition(generation: Generation) -> Iterator[Progress]:
    """The graph of the nodes, their vectors smoothed over it, and the capsules that the library had, else the default
    one."""
    graph = write_graph(generation.database, generation.folder, generation.layers)
    write_smoothed(generation.folder, graph, embedding.open_vectors(generation.folder, CHUNKS))
    for plan in plans_before(generation.old):
        capsule = yield from build_capsule(generation.database, generation.folder, graph, plan)
        write_capsule(generation.folder, capsule, generation.old)


def _communities(parameters: DetectionParameters) -> dict[str, object]:
    """The method alone where nothing else was chosen, as libraries have it that were made before more could be."""
    usual = parameters == DetectionParameters(parameters.method)
    return {"communities": parameters.method} | ({} if usual else {"detection": parameters})


STEPS: tuple[IndexStep, ...] = (
    IndexStep(
        "indexing words",
        index_words,
        files=(keywords.FOLDER, TITLES),
        recorded=lambda choices: {"keywords": choices.keywords},
    ),
    IndexStep(
        "extracting entities",
        make_layers,
        files=(LAYERS,),
        recorded=lambda choices: {"triples": choices.triples, "extractor": choices.extractor.name},
    ),
    IndexStep("embedding", embed_all, files=(CHUNKS.file, SENTENCES.file, embedding.NAMES)),
    IndexStep(
        "finding communities",
        find_communities,
        files=(COMMUNITIES,),
        recorded=lambda choices: _communities(choices.communities),
    ),
    IndexStep("partitioning", partition, files=(NODES, SMOOTHED, CAPSULES)),
)


def parts_of(steps: Sequence[IndexStep] = STEPS) -> frozenset[str]:
    """The names of all that a generation made by these steps may hold."""
    return PARTS.union(*(step.files for step in steps))
