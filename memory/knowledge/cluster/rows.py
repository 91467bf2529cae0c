"""What an index of a cluster holds of a generation: documents by kind, the same ones for the same generation; and how
the index is laid out for them.

    document    its text and marks, its triples and its edges
    chunk       title and text, the words that it is found by, its vector, its sentences' vectors
    entity      name, kind, the vector of its name
    community   name, report, members, vector
    capsule     the slice of a partition (`slices`)
    file        a piece of the word statistics
    manifest    the generation's, with how many of the others there are and the hash over all of them

Vectors are kept as float16 in `binary`; what is only searched (`IndexRow.indexed`) stands in no source. An id is
that of the content: two runs that make the same of it write the same.
"""

import hashlib
import json
import sqlite3
from base64 import b64decode, b64encode
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clew.memory.datatypes import Vectors
from clew.memory.files import within
from clew.memory.knowledge.arrays import mapped
from clew.memory.knowledge.cluster.slices import Cutter, packed
from clew.memory.knowledge.cluster.statistics import WordStatistics, statistics_of
from clew.memory.knowledge.communities.community_index import VECTORS as COMMUNITIES
from clew.memory.knowledge.disk import Manifest, open_database
from clew.memory.knowledge.document_dates import chunk_tokens, orders_in
from clew.memory.knowledge.embedding import CHUNKS, NAMES, titles_and_texts
from clew.memory.knowledge.store import EmbeddedStore

CLUSTER_FORMAT = 3
"""Of the mapping and of what stands in it."""

PIECE = 4_000_000
"""Bytes of a piece of a file."""

STATISTICS = "words"
"""The name of the file of the word statistics."""

REPLICAS = {"auto_expand_replicas": "0-1"}
"""A replica where there is another node."""

KEY_BYTES = 16

TOLD = 8191
"""Characters of what is only told, as a heading, up to which it is indexed: Elasticsearch takes 32,766 bytes."""


def index_mapping(manifest: Manifest, library: str) -> dict[str, Any]:
    """Return the mapping of a generation's index: its fields, and in `_meta` whose it is and in which format."""
    keyword, binary, number = {"type": "keyword"}, {"type": "binary"}, {"type": "integer"}
    words, unsearched = {"type": "text", "analyzer": "whitespace"}, {"type": "text", "index": False}
    told = {**keyword, "ignore_above": TOLD}
    return {
        "dynamic": "strict",
        "_meta": {"clew": {"library": library, "format": CLUSTER_FORMAT}},
        "_source": {"excludes": ["vector", "words", "metadata", "elser"]},
        "properties": {
            **dict.fromkeys(("kind", "hash", "document", "chunk", "entity", "named", "by", "targets"), keyword),
            **dict.fromkeys(("path", "type", "status", "date", "page", "heading"), told),
            **dict.fromkeys(("partition", "position", "number", "start", "end"), number),
            **dict.fromkeys(("title", "text", "report", "name", "place"), unsearched),
            **dict.fromkeys(("title_words", "text_words", "metadata_words"), unsearched),
            "author": {"type": "keyword", "index": False, "doc_values": False},
            **dict.fromkeys(("half", "sentences", "blob"), binary),
            **dict.fromkeys(("words", "metadata"), words),
            "rest": {"type": "object", "enabled": False},
            "elser": {"type": "sparse_vector"},
            "vector": {
                **{"type": "dense_vector", "dims": manifest.encoder.dimension, "similarity": "cosine", "index": True},
                "index_options": {"type": "int8_hnsw"},
            },
        },
    }  # fmt: skip


def index_settings(manifest: Manifest) -> dict[str, Any]:
    """Return the settings of a generation's index, with BM25's k1 and b of the library."""
    scoring = {"type": "BM25", "k1": manifest.keywords.k1, "b": manifest.keywords.b}
    return {**REPLICAS, "refresh_interval": "-1", "similarity": {"default": scoring}}


def mapping_faults(said: Mapping[str, Any], manifest: Manifest) -> list[str]:
    """Return how the mapping that the cluster describes differs from that which we would make, a line each."""
    wanted = index_mapping(manifest, "")["properties"]
    has, mark = said["mappings"].get("properties", {}), said["mappings"].get("_meta", {}).get("clew", {})
    scoring = said["settings"]["index"].get("similarity", {}).get("default", {})
    faults = [] if mark.get("format") == CLUSTER_FORMAT else ["format"]
    faults += [name for name in ("k1", "b") if float(scoring.get(name, -1)) != getattr(manifest.keywords, name)]
    for name, one in wanted.items():
        own = has.get(name, {})
        same = own.get("type", "object") == one["type"] and own.get("dims") == one.get("dims")
        faults += [] if same else [name]
    return faults


class IndexRow(NamedTuple):
    """One document of the index: `source` is what can be read again, `indexed` what can only be searched."""

    id: str
    source: dict[str, Any]
    indexed: Mapping[str, Any] = {}

    @property
    def hash(self) -> str:
        return hash_of(self.source)


def key(kind: str, id_: str) -> str:
    """Return the id of a row in the index: its kind and a hash, as a document's own id may be longer than Elasticsearch
    allows."""
    return f"{kind}:{hashlib.blake2b(id_.encode(errors='surrogatepass'), digest_size=KEY_BYTES).hexdigest()}"


def hash_of(source: Mapping[str, Any]) -> str:
    """Return SHA-256 (hex) of a source, without the hash in it and the endpoint that made its tokens."""
    own = {name: value for name, value in source.items() if name not in ("hash", "by")}
    return hashlib.sha256(json.dumps(own, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def proof_of(hashes: Mapping[str, str]) -> str:
    """Return SHA-256 (hex) over the hashes of all rows, in the order of their ids."""
    whole = hashlib.sha256()
    for id_ in sorted(hashes):
        whole.update(f"{id_}\0{hashes[id_]}\n".encode())
    return whole.hexdigest()


def halves(vectors: NDArray[Any]) -> str:
    """Return vectors as they are stored: float16, row by row, in base64."""
    return b64encode(np.ascontiguousarray(vectors, np.float16).tobytes()).decode()


def decoded(text: str, dimension: int) -> Vectors:
    """What `halves` wrote, shape (rows, dimension)."""
    return np.frombuffer(b64decode(text), np.float16).reshape(-1, dimension).astype(np.float32)


def stacked(parts: Sequence[Vectors], dimension: int) -> Vectors:
    """Join vectors to one array of shape (rows, dimension), which may have no rows."""
    return np.concatenate([*parts, np.zeros((0, dimension), np.float32)])


def rows_of(generation: Path, manifest: Manifest) -> Generator[IndexRow, None, None]:
    """Yield all rows of a generation except the manifest's. Damaged files raise `ClewError`."""
    store = EmbeddedStore(generation, manifest.keywords, manifest.date_order)
    with closing(store), closing(open_database(generation)) as database:
        tokens = list(zip(*chunk_tokens(database, manifest.keywords, orders_in(database)), strict=True))
        statistics = statistics_of(tokens, manifest.keywords, manifest.date_order)
        spans = database.execute("SELECT start, end FROM sentences WHERE row IS NOT NULL ORDER BY row").fetchall()
        cutter = Cutter(store.part(), np.array(spans, np.int64).reshape(-1, 2), tokens, statistics)
        yield from _documents(database)
        yield from _chunks(database, store, cutter)
        yield from _entities(generation, store)
        yield from _communities(generation, database)
        for partition, data in cutter.slices():
            yield IndexRow(f"capsule:{partition}", {"kind": "capsule", "number": partition, "blob": _base64(data)})
        yield from _statistics(statistics)


def facts_of(generation: Path, manifest: Manifest) -> dict[str, Any]:
    """Return what the manifest's row says about the generation beside the manifest itself."""
    store = EmbeddedStore(generation, manifest.keywords, manifest.date_order)
    with closing(store):
        partitioning = store.part().partitioning
        plan = [partitioning.method, partitioning.size]
        sizes = np.diff(partitioning.members.starts).tolist()
        return {"of_triples": store.of_triples, "plan": plan, "sizes": sizes}


def _documents(database: sqlite3.Connection) -> Iterator[IndexRow]:
    columns = "id, title, text, place, pages, headings, author, tags, date, status, source, position"
    triples = "SELECT subject, relation, object, chunk FROM triples WHERE document = ? ORDER BY n"
    edges = "SELECT target, relation, origin FROM edges WHERE source = ? ORDER BY 1, 2, 3"
    found = database.execute(f"SELECT {columns} FROM documents ORDER BY source, position")
    for id_, title, text, place, pages, headings, author, tags, date, status, source, position in found:
        rest: dict[str, Any] = {"pages": json.loads(pages), "headings": json.loads(headings)}
        rest |= {name: list(map(list, database.execute(sql, (id_,)))) for name, sql in
                 (("triples", triples), ("edges", edges))}  # fmt: skip
        rest |= {name: one for name, one in (("author", author), ("tags", tags)) if one}
        told = {"title": title, "text": text, "place": place, "date": date, "status": status, "path": source}
        targets = sorted({target for target, *_ in rest["edges"]})
        own = {"kind": "document", "document": id_, "position": position, "targets": targets}
        yield IndexRow(key("document", id_), {**own, **told, "rest": rest})


def _chunks(database: sqlite3.Connection, store: EmbeddedStore, cutter: Cutter) -> Iterator[IndexRow]:
    graph, layers = store.part(), store.part().layers
    weight, partitions = cutter.statistics.parameters.title_weight, graph.partitioning.of_node
    columns = "c.row, c.id, c.document, c.start, c.end, c.page, c.heading, d.title, d.place, d.date"
    found = database.execute(f"SELECT {columns} FROM chunks c JOIN documents d ON d.id = c.document ORDER BY c.row")
    texts = titles_and_texts(database, CHUNKS)
    by_node = [[] for _ in layers.chunk_ids] if len(layers.chunk_ids) else []  # type: list[list[str]]
    for stem, node in zip(graph.titles.stems.tolist(), graph.titles.nodes.tolist(), strict=True):
        by_node[node].append(f"{stem:016x}")
    for row, id_, document, start, end, page, heading, title, place, date in found:
        _, _, text = next(texts)
        of_title, of_text, about = cutter.tokens[row]
        vector = np.asarray(graph.vectors[row], np.float16)
        sentences = graph.sentence_vectors.take(layers.sentences_of.of(np.array([row]))[0], axis=0)
        source = {
            "kind": "chunk",
            **{"chunk": id_, "document": document, "start": start, "end": end, "page": page, "heading": heading},
            **{"title": title, "text": text, "place": place, "date": date},
            "partition": int(partitions[row]),
            "named": sorted(set(by_node[row])),
            "title_words": " ".join(of_title),
            "text_words": " ".join(of_text),
            "metadata_words": " ".join(about),
            "half": halves(vector),
            "sentences": halves(sentences),
        }
        words = {"words": " ".join([*(weight * list(of_title)), *of_text]), "metadata": " ".join(about)}
        indexed = {"vector": vector.astype(float).tolist(), **words}
        yield IndexRow(key("chunk", id_), source, indexed)


def _entities(generation: Path, store: EmbeddedStore) -> Iterator[IndexRow]:
    layers = store.part().layers
    at = {number: place for place, number in enumerate(layers.joining.tolist())}
    vectors: NDArray[Any] = mapped(within(generation, NAMES))
    for number, entity in enumerate(layers.entities):
        vector = {"half": halves(vectors[at[number]])} if number in at else {}
        own = {"kind": "entity", "entity": entity.id, "name": entity.name, "type": entity.kind}
        yield IndexRow(key("entity", entity.id), {**own, **vector})


def _communities(generation: Path, database: sqlite3.Connection) -> Iterator[IndexRow]:
    vectors: NDArray[Any] = mapped(within(generation, COMMUNITIES))
    columns = "number, name, report, author, first, last, parent, entities"
    found = database.execute(f"SELECT {columns} FROM communities ORDER BY number")
    for number, name, report, author, *rest, entities in found:
        own = {"kind": "community", "number": number, "name": name, "report": report, "author": author}
        told = {"rest": {"row": [*rest, json.loads(entities)]}, "half": halves(vectors[number])}
        yield IndexRow(f"community:{number}", {**own, **told})


def _statistics(statistics: WordStatistics) -> Iterator[IndexRow]:
    said = {"tokens": list(statistics.known_tokens), "lengths": list(statistics.lengths), "size": statistics.size}
    data = packed({"held": statistics.held.astype(np.int32)}, said)
    for number, start in enumerate(range(0, len(data), PIECE)):
        own = {"kind": "file", "name": STATISTICS, "number": number, "blob": _base64(data[start : start + PIECE])}
        yield IndexRow(f"file:{number}:{STATISTICS}", own)


def _base64(data: bytes) -> str:
    return b64encode(data).decode()
