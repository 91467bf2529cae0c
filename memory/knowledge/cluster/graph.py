"""The arrays over some partitions of a library on a cluster, from their slices; what else is needed is read by id when
it is first asked for, and kept."""

import threading
from base64 import b64decode
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from clew.memory.datatypes import Chunk, Ints, Vectors, WordShares
from clew.memory.errors import ClewError
from clew.memory.knowledge.cluster.slices import Joined, Slice
from clew.memory.layers import Communities, Community, Layers, Unit
from clew.memory.nodes import Cells, NodeGraph, Partitioning, cells_of
from clew.memory.titles import TitleIndex
from clew.memory.vectors import places

KEPT_BYTES = 400_000_000
"""Of what was read of one generation."""


WHOLE_AT = 2
"""Which request for vectors, of sentences or of names, reads those of the whole part: so there are few requests. What
was read of a partition for one question is not asked for again for the next."""


class RowSource(Protocol):
    """What a graph asks of its store beside the slices."""

    @property
    def dimension(self) -> int: ...

    @property
    def read_whole(self) -> set[tuple[str, int]]:
        """Of which partitions what was read as a whole: kind and number."""

    @property
    def communities(self) -> list[tuple[int, dict[str, Any]]]:
        """Number and row of each, rising."""

    def sentences_of(self, ids: Sequence[str]) -> list[Vectors]:
        """Of each chunk the vectors of its sentences, in their order."""

    def entities(self, ids: Sequence[str]) -> list[dict[str, Any]]: ...

    def chunks(self, ids: Sequence[str]) -> list[Chunk]: ...


class RecentlyRead:
    """What was read last, by id, up to so many bytes; safe from several threads."""

    def __init__(self, most: int = KEPT_BYTES) -> None:
        self._most, self._size = most, 0
        self._held: OrderedDict[str, tuple[Any, int]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, id_: str) -> Any:
        """None where it is not there."""
        with self._lock:
            if id_ not in self._held:
                return None
            self._held.move_to_end(id_)
            return self._held[id_][0]

    def get_all(self, ids: Iterable[str]) -> dict[str, Any]:
        """Those that are there."""
        found = {}
        with self._lock:
            for id_ in ids:
                if held := self._held.get(id_):
                    self._held.move_to_end(id_)
                    found[id_] = held[0]
        return found

    def put(self, id_: str, value: Any, size: int) -> None:
        with self._lock:
            self._size += size - self._held.pop(id_, (None, 0))[1]
            self._held[id_] = value, size
            while self._size > self._most and len(self._held) > 1:
                self._size -= self._held.popitem(last=False)[1][1]


def decoded(text: str, dimension: int) -> Vectors:
    """What `rows.halves` wrote, shape (rows, dimension)."""
    return np.frombuffer(b64decode(text), np.float16).reshape(-1, dimension).astype(np.float32)


class SentenceVectors:
    """Of the sentences of a part, read with the chunks that they are in when they are first needed, and the second time
    those of the whole part; what NumPy does with the rows of an array."""

    def __init__(self, store: RowSource, layers: Layers, unread: Callable[[], list[str]]) -> None:
        self._store, self._layers, self._unread = store, layers, unread
        self.shape = len(layers.sentence_chunks), store.dimension
        self._takes = 0

    def __len__(self) -> int:
        return self.shape[0]

    def take(self, rows: Ints, axis: int = 0) -> Vectors:  # noqa: ARG002 as NumPy has it
        rows = np.asarray(rows, np.int64)
        chunks, of = np.unique(self._layers.sentence_chunks[rows], return_inverse=True)
        self._takes += 1
        if self._takes == WHOLE_AT:
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

    @cached_property
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


class ClusterGraph:
    """Of some partitions of a generation, or of all."""

    def __init__(self, store: RowSource, joined: Joined) -> None:
        self._store, self._joined = store, joined
        self._lock = threading.RLock()
        self._asked = 0

    def _once(self, name: str) -> Any:
        with self._lock:
            return getattr(self._joined, name)

    @property
    def layers(self) -> Layers:
        found: Layers = self._once("layers")
        return found

    @property
    def nodes(self) -> NodeGraph:
        found: NodeGraph = self._once("nodes")
        return found

    @property
    def partitioning(self) -> Partitioning:
        found: Partitioning = self._once("partitioning")
        return found

    @cached_property
    def cells(self) -> Cells:
        return cells_of(self.nodes, self.partitioning)

    @property
    def titles(self) -> TitleIndex:
        found: TitleIndex = self._once("titles")
        return found

    @property
    def vectors(self) -> Vectors:
        found: Vectors = self._once("vectors")
        return found

    @property
    def smoothed(self) -> NDArray[np.float16]:
        found: NDArray[np.float16] = self._once("smoothed")
        return found

    @cached_property
    def sentence_vectors(self) -> Any:
        return SentenceVectors(self._store, self.layers, self._unread_chunks)

    def _unread(self, kind: str) -> list[Slice]:
        """The slices of which this has not been read as a whole, which is done now."""
        read = self._store.read_whole
        found = [one for one in self._joined.slices if (kind, one.texts["partition"]) not in read]
        read.update((kind, one.texts["partition"]) for one in found)
        return found

    def _unread_chunks(self) -> list[str]:
        return [id_ for one in self._unread("chunk") for id_ in one.texts["chunks"]]

    @cached_property
    def communities(self) -> Communities:
        """With those of their entities that are of this part; those that have none are left out."""
        numbers = self._once("entity_numbers")
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
        self._asked += 1
        if self._asked == WHOLE_AT:
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

    def words(self, query: str, nodes: Ints) -> WordShares:
        with self._lock:
            return self._joined.words(query, nodes)

    def sentences(self, numbers: Sequence[int]) -> list[Unit]:
        layers, spans = self.layers, self._once("spans")
        if any(not 0 <= int(number) < len(spans) for number in numbers):
            raise KeyError(numbers)
        chunks = [int(layers.sentence_chunks[int(number)]) for number in numbers]
        read = self._store.chunks([layers.chunk_ids[chunk] for chunk in chunks])
        return [
            Unit(one.document, one.id, one.text[start - one.start : end - one.start], start, end)
            for one, (start, end) in zip(read, (spans[int(n)].tolist() for n in numbers), strict=True)
        ]
