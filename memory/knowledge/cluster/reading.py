"""What stands in the index of one generation of a library on a cluster, by id, and what of it is read whole."""

import threading
from base64 import b64decode
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any

import numpy as np

from clew.memory.datatypes import Chunk, Document, Edge, Mark, Triple, Vectors
from clew.memory.errors import ClewError
from clew.memory.knowledge.catalogue import Catalogue, Listed
from clew.memory.knowledge.cluster.connection import AT_ONCE, Cluster
from clew.memory.knowledge.cluster.rows import STATISTICS, decoded, key
from clew.memory.knowledge.cluster.searches import parts_of
from clew.memory.knowledge.cluster.slices import unpacked
from clew.memory.knowledge.cluster.statistics import WordStatistics
from clew.memory.knowledge.disk import BROKEN, Manifest
from clew.memory.knowledge.tables import Tables

KEPT_BYTES = 400_000_000
"""Of what was read of one generation."""


JustRead = Iterable[tuple[str, Any, int]]
"""Ids, each with its value and about how many bytes that takes."""


class RecentlyRead:
    """What was read last, by kind and id, up to `KEPT_BYTES`; safe from several threads. A generation does not change,
    and nor does what is read of it, or found in it."""

    def __init__(self) -> None:
        self.size = 0
        self._held: OrderedDict[tuple[str, str], tuple[Any, int]] = OrderedDict()
        self._lock = threading.Lock()

    def values(self, kind: str, ids: Sequence[str], read: Callable[[list[str]], JustRead]) -> dict[str, Any]:
        """By id; those that are not held are `read`, all at once, and held from then on."""
        found = {}
        with self._lock:
            for id_ in ids:
                if held := self._held.get((kind, id_)):
                    self._held.move_to_end((kind, id_))
                    found[id_] = held[0]
        missing = [id_ for id_ in dict.fromkeys(ids) if id_ not in found]
        for id_, value, size in read(missing) if missing else ():
            found[id_] = value
            with self._lock:
                self.size += size - self._held.pop((kind, id_), (None, 0))[1]
                self._held[kind, id_] = value, size
                while self.size > KEPT_BYTES and len(self._held) > 1:
                    self.size -= self._held.popitem(last=False)[1][1]
        return found


class IndexReader:
    """One generation of a library: `index` is its name. `said` is what the manifest's row tells of it.

    Every method raises `ServiceUnreachable` where the cluster, or a part of its shards, does not answer.
    """

    def __init__(self, cluster: Cluster, index: str, manifest: Manifest, said: Mapping[str, Any]) -> None:
        self.cluster, self.index, self.manifest = cluster, index, manifest
        self._said = said
        self._kept = RecentlyRead()

    @property
    def dimension(self) -> int:
        """Of the vectors."""
        return self.manifest.encoder.dimension

    @property
    def state(self) -> str:
        """Which generation this is."""
        return self.index

    def close(self) -> None:
        """The client is shared by the generations of a library, and is closed with the process."""

    # What is read whole ------------------------------------------------------------------------------------------

    @cached_property
    def statistics(self) -> WordStatistics:
        with self._reading():
            read = unpacked(self.file(STATISTICS))
        held, said = read.arrays["held"].astype(np.int64), read.texts
        tokens, lengths = tuple(said["tokens"]), tuple(said["lengths"])
        return WordStatistics(tokens, held, lengths, said["size"], self.manifest.keywords, self.manifest.date_order)

    def file(self, name: str) -> bytes:
        """A file that is kept in pieces. Raises `KeyError` where there is none."""
        pieces = []
        for number in range(AT_ONCE):
            id_ = f"file:{number}:{name}"
            found = self.cluster.found(self.index, [id_], ["blob"])
            if id_ not in found:
                break
            pieces.append(b64decode(found[id_]["blob"]))
        if not pieces:
            raise KeyError(name)
        return b"".join(pieces)

    @property
    def unread(self) -> tuple[str, ...]:
        return tuple(self._said["unread"])

    @property
    def of_triples(self) -> bool:
        return bool(self._said["of_triples"])

    def files(self) -> list[str]:
        """The names of all that are kept."""
        query = {"bool": {"filter": [{"term": {"kind": "file"}}, {"term": {"number": 0}}]}}
        return sorted(hit["_source"]["name"] for hit in self.cluster.scanned(self.index, query, ["name"]))

    @property
    def proof(self) -> tuple[int, str]:
        """How many rows were sent, and the hash over them."""
        return int(self._said["rows"]), str(self._said["hash"])

    @cached_property
    def communities(self) -> list[tuple[int, dict[str, Any]]]:
        found = self.cluster.scanned(self.index, {"term": {"kind": "community"}})
        return sorted(((hit["_source"]["number"], hit["_source"]) for hit in found), key=lambda one: one[0])

    @cached_property
    def tables(self) -> Tables:
        return Tables(lambda *_: [])

    @cached_property
    def catalogue(self) -> Catalogue:
        columns = ["document", "title", "place", "date", "path", "position"]
        found = self.cluster.scanned(self.index, {"term": {"kind": "document"}}, columns, AT_ONCE)
        rows = sorted((hit["_source"] for hit in found), key=lambda one: (one["path"], one["position"]))
        listed = [Listed(one["document"], one["title"], one["place"], one["date"]) for one in rows]
        return Catalogue(listed, self.manifest.date_order)

    def titles(self, limit: int) -> list[str]:
        return list(dict.fromkeys(one.title for one in self.catalogue.documents))[:limit]

    # By id -------------------------------------------------------------------------------------------------------

    def _rows(self, ids: Sequence[str]) -> dict[str, dict[str, Any]]:
        """The sources of rows, by id; those that there are."""

        def read(missing: list[str]) -> JustRead:
            for id_, source in self.cluster.found(self.index, missing, excludes=("sentences",)).items():
                yield id_, source, 1000 + sum(len(v) for v in source.values() if isinstance(v, str))

        return self._kept.values("row", ids, read)

    def _of(self, kind: str, ids: Sequence[str]) -> list[dict[str, Any]]:
        """In the order asked. Raises `KeyError` for one that there is not."""
        keys = [key(kind, id_) for id_ in ids]
        found = self._rows(keys)
        return [found[one] for one in keys]

    def copies(self, path: str) -> tuple[str, ...]:  # noqa: ARG002 a cluster keeps no files
        return ()

    def documents(self, ids: Sequence[str]) -> list[Document]:
        return [document_of_row(source) for source in self._of("document", ids)]

    def chunks(self, ids: Sequence[str]) -> list[Chunk]:
        names = ("chunk", "document", "title", "text", "start", "end", "page", "heading", "place", "date")
        return [Chunk(*(source[name] for name in names)) for source in self._of("chunk", ids)]

    def vectors(self, ids: Sequence[str]) -> Vectors:
        dimension = self.dimension
        found = [decoded(source["half"], dimension) for source in self._of("chunk", ids)]
        return np.concatenate([*found, np.zeros((0, dimension), np.float32)])

    def sentences_of(self, ids: Sequence[str]) -> list[Vectors]:
        """Of each chunk the vectors of its sentences, in their order."""

        def read(missing: list[str]) -> JustRead:
            found = self.cluster.found(self.index, missing, ["sentences"])
            made = ((one, decoded(found[one]["sentences"], self.dimension)) for one in missing)
            return ((one, vectors, vectors.nbytes) for one, vectors in made)

        keys = [key("chunk", id_) for id_ in ids]
        held = self._kept.values("sentences", keys, read)
        return [held[one] for one in keys]

    def entities(self, ids: Sequence[str]) -> list[dict[str, Any]]:
        return self._of("entity", ids)

    def neighbours(self, ids: Sequence[str]) -> list[list[Edge]]:
        wanted = list(dict.fromkeys(ids))
        there = self._rows([key("document", id_) for id_ in wanted])
        leaving = {one["document"]: _edges(one) for one in there.values()}
        entering: dict[str, list[Edge]] = {}
        for part in parts_of(wanted):
            for hit in self.cluster.scanned(self.index, {"terms": {"targets": part}}, ["document", "rest.edges"]):
                for edge in _edges(hit["_source"]):
                    entering.setdefault(edge.target, []).append(edge)
        ends = {edge.target for edges in leaving.values() for edge in edges}
        known = {one["document"] for one in self._rows([key("document", end) for end in ends]).values()}
        found = []
        for id_ in ids:
            out = [edge for edge in leaving.get(id_, []) if edge.target in known]
            into = [edge for edge in entering.get(id_, []) if edge.source != id_] if id_ in leaving else []
            found.append([*out, *into])
        return found

    def given(self, documents: Sequence[str]) -> list[Triple]:
        """The triples that came with these."""
        return [triple for row in self._of("document", documents) for triple in stated(row)]

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """What broken bytes raise, as a `ClewError`."""
        from safetensors import SafetensorError

        try:
            yield
        except (SafetensorError, *BROKEN) as error:
            where = self.cluster.where
            raise ClewError(f"the library at {where} is damaged", f"clew doctor --repair --library {where}") from error


def document_of_row(source: Mapping[str, Any]) -> Document:
    told = source["rest"]
    pages, headings = (tuple(Mark(*mark) for mark in told[name]) for name in ("pages", "headings"))
    id_, title, text, place = (source[name] for name in ("document", "title", "text", "place"))
    about = source["date"], source["status"], told.get("author", ""), told.get("tags", "")
    return Document(id_, title, text, place, pages, headings, (), *about)


def stated(source: Mapping[str, Any]) -> list[Triple]:
    """The triples that a document came with, of its row."""
    return [Triple(*one) for one in source.get("rest", {}).get("triples", ()) if one[3] is not None]


def _edges(source: Mapping[str, Any]) -> list[Edge]:
    """Those that leave a document, each once, whatever it came from."""
    told = source.get("rest", {}).get("edges", ())
    return list(dict.fromkeys(Edge(source["document"], target, relation) for target, relation, _ in told))
