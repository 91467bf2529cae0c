"""The arrays over some partitions of a library on a cluster, from their slices; what else is needed is read by id when
it is first asked for, and kept."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.memory.cache import once
from clew.memory.datatypes import Ints, Vectors
from clew.memory.errors import ClewError
from clew.memory.knowledge.cluster.reading import IndexReader
from clew.memory.knowledge.cluster.rows import decoded
from clew.memory.knowledge.cluster.slices import Joined, Slice
from clew.memory.layers import Communities, Community, Layers, Unit
from clew.memory.nodes import Cells, cells_of
from clew.memory.vectors import places


class SentenceVectors:
    """Of the sentences of a part, all read when one is first needed, so that there is one request; what NumPy does with
    the rows of an array."""

    def __init__(self, store: IndexReader, layers: Layers, unread: Callable[[], list[str]]) -> None:
        self._store, self._layers, self._unread = store, layers, unread
        self.shape = len(layers.sentence_chunks), store.dimension

    def __len__(self) -> int:
        return self.shape[0]

    def take(self, rows: Ints, axis: int = 0) -> Vectors:  # noqa: ARG002 as NumPy has it
        rows = np.asarray(rows, np.int64)
        chunks, of = np.unique(self._layers.sentence_chunks[rows], return_inverse=True)
        self._store.sentences_of(self._unread())
        found = self._store.sentences_of([self._layers.chunk_ids[chunk] for chunk in chunks.tolist()])
        starts = self._layers.sentences_of.starts[chunks]
        counts = np.diff(self._layers.sentences_of.starts)[chunks]
        if [len(one) for one in found] != counts.tolist():
            raise ClewError("the library's sentences are damaged", "clew doctor, with --repair")
        whole = np.concatenate([*found, np.zeros((0, self.shape[1]), np.float32)])
        begun = np.cumsum(counts) - counts
        at = self._place_of[rows] - starts[of.reshape(-1)] + begun[of.reshape(-1)]
        return np.asarray(whole[at], np.float32)

    @once
    def _place_of(self) -> Ints:
        """Of each sentence its place in `layers.sentences_of`."""
        made = np.empty(self.shape[0], np.int64)
        made[self._layers.sentences_of.values] = np.arange(self.shape[0])
        return made

    def __getitem__(self, rows: Any) -> Vectors:
        found = self.take(np.arange(self.shape[0])[rows].reshape(-1))
        return found if np.ndim(rows) or isinstance(rows, slice) else found[0]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.asarray(self.take(np.arange(self.shape[0])), dtype)

    @property
    def T(self) -> Vectors:  # noqa: N802 NumPy's name
        return np.asarray(self).T

    def __matmul__(self, other: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(np.asarray(self) @ other)


class ClusterGraph(Joined):
    """The slices of some partitions of a generation, or of all, and what its store has beside them."""

    def __init__(self, store: IndexReader, slices: Sequence[Slice], method: str, size: int) -> None:
        super().__init__(slices, method, size, store.statistics, store.dimension)
        self._store = store

    @once
    def cells(self) -> Cells:
        return cells_of(self.nodes, self.partitioning)

    @once
    def sentence_vectors(self) -> Any:
        return SentenceVectors(self._store, self.layers, self._unread_chunks)

    def _unread(self, kind: str) -> list[Slice]:
        """The slices of which this has not been read as a whole, which is done now; for another question it is not
        asked for again."""
        read = self._store.read_whole
        found = [one for one in self.slices if (kind, one.texts["partition"]) not in read]
        read.update((kind, one.texts["partition"]) for one in found)
        return found

    def _unread_chunks(self) -> list[str]:
        return [id_ for one in self._unread("chunk") for id_ in one.texts["chunks"]]

    @once
    def communities(self) -> Communities:
        """With those of their entities that are of this part; those that have none are left out."""
        numbers = self.entity_numbers
        items, vectors, renumbered = list[Community](), list[Vectors](), {-1: -1}
        for number, source in self._store.communities:
            name, report, by = source["name"], source["report"], source["author"]
            first, last, parent, entities, _ = source["rest"]["row"]
            at, known = places(numbers, np.array(entities, np.int64))
            if len(known) or len(numbers) == 0:
                renumbered[number] = len(items)
                own = tuple(at[np.argsort(known, kind="stable")].tolist())
                items.append(Community(name, report, by, first, last, renumbered.get(parent, -1), own))
                vectors.append(decoded(source["half"], self._store.dimension)[0])
        none = np.zeros((0, self._store.dimension), np.float32)
        return Communities(tuple(items), np.stack(vectors) if vectors else none)

    def entity_vectors(self, entities: Ints) -> Vectors:
        layers = self.layers
        self._store.entities([name for one in self._unread("entity") for name in one.joining])
        names = [layers.entities[entity].id for entity in entities.tolist()]
        found = np.zeros((len(entities), self._store.dimension), np.float32)
        for place, source in enumerate(self._store.entities(names)):
            if half := source.get("half"):
                found[place] = decoded(half, found.shape[1])[0]
        return found

    def partition_vectors(self, partition: int) -> Vectors:
        members = self.partitioning.members
        return self.vectors.take(members.values[members.starts[partition] : members.starts[partition + 1]], axis=0)

    def sentences(self, numbers: Sequence[int]) -> list[Unit]:
        layers, spans = self.layers, self.spans
        if any(not 0 <= int(number) < len(spans) for number in numbers):
            raise KeyError(numbers)
        chunks = [int(layers.sentence_chunks[int(number)]) for number in numbers]
        read = self._store.chunks([layers.chunk_ids[chunk] for chunk in chunks])
        return [
            Unit(one.document, one.id, one.text[start - one.start : end - one.start], start, end)
            for one, (start, end) in zip(read, (spans[int(n)].tolist() for n in numbers), strict=True)
        ]
