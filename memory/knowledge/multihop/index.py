"""What is computed once for a library's layers, so that the paths from a chunk over its entities are array lookups."""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from clew.memory.datatypes import Ints
from clew.memory.layers import Layers
from clew.memory.ragged import Ragged

MOST_CHUNKS = 50
"""Of an entity that leads from chunk to chunk: what more of them name says little."""


@dataclass(frozen=True, eq=False)
class HopIndex:
    """Pair p is chunk `chunks[p]` with entity `entities[p]` that it names; `sentences` has for each pair the sentences
    of the chunk that name the entity: all of them where its document's title does, as they are about it.

    `by_chunk` and `by_entity` have the pairs of each. Dates are left out. `spread[e]` is log df / log N: 0 for an
    entity of a single chunk, 1 for one of all.
    """

    layers: Layers
    chunks: Ints
    entities: Ints
    sentences: Ragged
    by_chunk: Ragged
    by_entity: Ragged
    spread: NDArray[np.float64]

    @cached_property
    def leads(self) -> NDArray[np.bool_]:
        """Which entities lead on: those of 2 to `MOST_CHUNKS` chunks; shape (entities,)."""
        df = np.diff(self.by_entity.starts)
        return np.asarray((df >= 2) & (df <= MOST_CHUNKS))

    @cached_property
    def numbers(self) -> dict[str, int]:
        """Entity id -> number, but for dates."""
        return {e.id: number for number, e in enumerate(self.layers.entities) if e.kind != "date"}

    @cached_property
    def title_entities(self) -> frozenset[int]:
        return frozenset(self.layers.titles[self.layers.titles >= 0].tolist())

    @cached_property
    def sentences_of_chunk(self) -> Ragged:
        return Ragged.grouped(self.layers.sentence_chunks, len(self.layers.chunk_ids))

    @cached_property
    def titled(self) -> Ragged:
        """Of each entity the chunks of the documents whose title names it."""
        titles = self.layers.titles[self.layers.chunk_documents]
        chunks = np.flatnonzero(titles >= 0)
        return Ragged.grouped(titles[chunks], len(self.layers.entities), chunks)


def hop_index(layers: Layers) -> HopIndex:
    """Pairs are those of the sentences: what a sentence names, and what its document's title does."""
    size, (sentences, entities) = max(1, len(layers.entities)), layers.naming
    dated = np.array([entity.kind == "date" for entity in layers.entities], dtype=bool)
    sentences, entities = (values[~dated[entities]] for values in (sentences, entities))
    keys = layers.sentence_chunks[sentences] * size + entities
    keys, sentences = np.unique(np.stack([keys, sentences]), axis=1)
    pairs, of_pair = np.unique(keys, return_inverse=True)
    by_entity = Ragged.grouped(pairs % size, len(layers.entities))
    df = np.diff(by_entity.starts)
    of_pair = of_pair.reshape(-1)
    return HopIndex(
        layers=layers,
        chunks=pairs // size,
        entities=pairs % size,
        sentences=Ragged.grouped(of_pair, len(pairs), sentences),
        by_chunk=Ragged.grouped(pairs // size, len(layers.chunk_ids)),
        by_entity=by_entity,
        spread=np.log(np.maximum(df, 1)) / math.log(max(2, len(layers.chunk_ids))),
    )
