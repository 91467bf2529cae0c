"""A generation opened: its database, and the arrays over its chunks, sentences and entities. Only reads.

A chunk's row is its place in the vectors, in the keyword indexes and in the layers: a node of the graph.
"""

import json
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from clew.memory.communities import Communities
from clew.memory.datatypes import Ints, Vectors, WordShares
from clew.memory.knowledge.communities.community_index import read_communities
from clew.memory.knowledge.disk import naming_damage
from clew.memory.knowledge.embedding import CHUNKS, NAMES, SENTENCES, check_rows, mapped, open_vectors
from clew.memory.knowledge.keywords import KeywordIndex
from clew.memory.knowledge.numbering import read_layers
from clew.memory.knowledge.partitioning.capsule import MappedCapsule, capsule_with_vectors
from clew.memory.knowledge.partitioning.node_graph import read_graph
from clew.memory.knowledge.walking.smoothing import FILE as SMOOTHED
from clew.memory.layers import Layers, Unit
from clew.memory.nodes import Cells, NodeGraph, Partitioning
from clew.memory.titles import TitleIndex, read_titles

Array = TypeVar("Array")


class LibraryDatabase:
    """The tables of a generation, read-only, one thread at a time."""

    def __init__(self, folder: Path) -> None:
        uri = f"{(folder / 'library.sqlite').resolve().as_uri()}?mode=ro&immutable=1"
        self._folder = folder
        self._lock = threading.RLock()
        self._connection = sqlite3.connect(uri, uri=True, check_same_thread=False)

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Raises `ClewError` where what is read is damaged."""
        with self._lock, naming_damage(self._folder):
            yield self._connection

    def select(self, sql: str, values: Sequence[str] | Sequence[int] | None = None) -> list[tuple[Any, ...]]:
        """All rows; `values` are the one parameter, as a JSON list."""
        with self.reading() as connection:
            return connection.execute(sql, () if values is None else (json.dumps(list(values)),)).fetchall()

    def close(self) -> None:
        self._connection.close()


class EmbeddedGraph:
    """All of a generation, whatever part is asked for. Raises `ClewError` where it finds the files damaged."""

    def __init__(self, folder: Path, database: LibraryDatabase, keywords: KeywordIndex) -> None:
        self._folder = folder
        self._database = database
        self._keywords = keywords
        self.vectors, self.sentence_vectors = (open_vectors(folder, what) for what in (CHUNKS, SENTENCES))
        self._names = mapped(folder / NAMES)
        with database.reading() as connection:
            check_rows(self.vectors, CHUNKS, connection)
            check_rows(self.sentence_vectors, SENTENCES, connection)

    def _once(self, name: str, read: Callable[[sqlite3.Connection], Array]) -> Array:
        """Read by one thread, while others wait; a failure leaves nothing behind."""
        with self._database.reading() as connection:
            if name not in self.__dict__:
                self.__dict__[name] = read(connection)
            found: Array = self.__dict__[name]
            return found

    @cached_property
    def layers(self) -> Layers:
        return self._once("layers", lambda connection: read_layers(connection, self._folder))

    @cached_property
    def communities(self) -> Communities:
        return self._once("communities", lambda connection: read_communities(connection, self._folder))

    @cached_property
    def nodes(self) -> NodeGraph:
        return self._once("nodes", lambda _: read_graph(self._folder))

    @cached_property
    def titles(self) -> TitleIndex:
        return self._once("titles", lambda _: read_titles(self._folder))

    @cached_property
    def smoothed(self) -> NDArray[np.float16]:
        return self._once("smoothed", lambda _: np.asarray(mapped(self._folder / SMOOTHED), np.float16))

    @cached_property
    def _capsule(self) -> MappedCapsule:
        return self._once("_capsule", lambda _: capsule_with_vectors(self._folder))

    @property
    def partitioning(self) -> Partitioning:
        return self._capsule.capsule.partitioning

    @property
    def cells(self) -> Cells:
        return self._capsule.capsule.cells

    def partition_vectors(self, partition: int) -> Vectors:
        starts = self.partitioning.members.starts
        return self._capsule.vectors[starts[partition] : starts[partition + 1]]

    def entity_vectors(self, entities: Ints) -> Vectors:
        joining, found = self.layers.joining, np.zeros((len(entities), self.vectors.shape[1]), np.float32)
        places = np.searchsorted(joining, entities).clip(max=max(0, len(joining) - 1))
        known = joining[places] == entities if len(joining) else np.zeros(len(entities), dtype=bool)
        with naming_damage(self._folder):
            found[known] = self._names[places[known]]
        return found

    def words(self, query: str, nodes: Ints) -> WordShares:
        return self._keywords.word_shares(query, nodes)

    def sentences(self, numbers: Sequence[int]) -> list[Unit]:
        found = {}
        of_rows = self._database.select(
            "SELECT s.row, s.document, c.id, s.start, s.end FROM sentences s JOIN chunks c ON c.row = s.chunk"
            " WHERE s.row IN (SELECT value FROM json_each(?))",
            [int(number) for number in numbers],
        )
        texts = dict(
            self._database.select(
                "SELECT id, text FROM documents WHERE id IN (SELECT value FROM json_each(?))",
                sorted({document for _, document, *_ in of_rows}),
            )
        )
        for row, document, chunk, start, end in of_rows:
            found[row] = Unit(document, chunk, texts[document][start:end], start, end)
        return [found[int(number)] for number in numbers]
