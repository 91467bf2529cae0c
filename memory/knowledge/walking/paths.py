"""Paths to a chunk from better ones over the entities that both name, and what speaks for each path.

Chunks, sentences and entities are numbers of `Layers`.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from clew.memory.datatypes import Floats, Ints, Vectors
from clew.memory.knowledge.question import LibraryQuestion
from clew.memory.layers import Layers
from clew.memory.text import content_words
from clew.memory.vectors import Ragged, distinct_pairs

PATH = ("mass", "spread", "tells", "gap", "onward", "rest", "gain", "words", "likeness", "asked")
"""Of a path anchor - entity - chunk: the anchor's log mass, 0 for the best; the entity's `spread`; the best cosine of
the anchor's sentences that name the entity, and how much less that is than the best of all its sentences; the best
cosine of the chunk's sentences that name it with the question from there on, q - b e(sentence) + g e(entity); the share
of the question's words that the anchor lacks and the chunk has, as far as it has them, and by how much it has more of
them; the share that the anchor's sentences have; the cosine of entity and question; 1 where the question names it."""

FROM_SENTENCE, TO_ENTITY = 0.5, 0.5
"""b and g of the question from there on; ClueRAG's running query (arXiv 2507.08445) is b = 1, g = 0."""


@dataclass(frozen=True, slots=True, eq=False)
class Paths:
    """`features` of shape (paths, len(PATH)); of each path its anchor, entity and chunk, and the anchor's sentence that
    names the entity and is nearest to the question."""

    features: Floats
    anchors: Ints
    entities: Ints
    chunks: Ints
    sentences: Ints


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


def hop_index(layers: Layers) -> HopIndex:
    """Pairs are those of the sentences: what a sentence names, and what its document's title does."""
    size, (sentences, entities) = max(1, len(layers.entities)), layers.naming
    dated = np.array([entity.kind == "date" for entity in layers.entities], dtype=bool)
    sentences, entities = (values[~dated[entities]] for values in (sentences, entities))
    keys = layers.sentence_chunks[sentences] * size + entities
    keys, sentences = distinct_pairs(np.stack([keys, sentences]))
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


class HopQuestion:
    """The paths of one question: what they are weighed by, looked up once."""

    def __init__(self, index: HopIndex, question: LibraryQuestion) -> None:
        self.index = index
        self.question = question
        self._held: dict[int, Floats] = {}

    def held(self, chunks: Ints) -> Floats:
        """How far each chunk has each of the question's words, 0 to 1; shape (chunks, words)."""
        fresh = np.array([chunk for chunk in chunks.tolist() if chunk not in self._held], np.int64)
        if len(fresh):
            self._held.update(zip(fresh.tolist(), self.question.held(fresh), strict=True))
        return np.array([self._held[chunk] for chunk in chunks.tolist()]).reshape(len(chunks), len(self.stems))

    @cached_property
    def stems(self) -> list[str]:
        """Of the question's words."""
        return [" ".join(content_words(word)) or word for _, word in self.question.words]


def paths_from(hops: HopQuestion, anchors: Ints, mass: Floats) -> Paths:
    """All paths from the anchors, whose log mass is `mass`, over entities that lead on."""
    index, question = hops.index, hops.question
    pairs, of_anchor = index.by_chunk.of(anchors)
    leading = index.leads[index.entities[pairs]]
    pairs, of_anchor = pairs[leading], of_anchor[leading]
    bridges = _bridges(hops, pairs, of_anchor, anchors)
    targets, of_pair = index.by_entity.of(index.entities[pairs])
    other = index.chunks[targets] != anchors[of_anchor[of_pair]]
    if question.allowed is not None:
        other &= question.allowed[index.chunks[targets]]
    targets, of_pair = targets[other], of_pair[other]
    entities, chunks = index.entities[pairs][of_pair], index.chunks[targets]
    features = np.empty((len(targets), len(PATH)))
    columns = dict(zip(PATH, features.T, strict=True))
    columns["mass"][:] = mass[of_anchor[of_pair]]
    columns["spread"][:] = index.spread[entities]
    for name in ("tells", "gap", "words", "likeness", "asked"):
        columns[name][:] = bridges.features[name][of_pair]
    columns["onward"][:] = _onward(hops, targets, bridges.onward[of_pair])
    there, here, weights = hops.held(chunks), hops.held(anchors)[of_anchor[of_pair]], question.weights
    columns["rest"][:] = (there * (1 - here)) @ weights
    columns["gain"][:] = np.maximum(there - here, 0) @ weights
    return Paths(features, anchors[of_anchor[of_pair]], entities, chunks, bridges.sentences[of_pair])


@dataclass(frozen=True, slots=True, eq=False)
class _Bridges:
    """Of pairs anchor - entity: features, the question from there on (pairs, d), and the nearest sentence."""

    features: Mapping[str, Floats]
    onward: Vectors
    sentences: Ints


def _bridges(hops: HopQuestion, pairs: Ints, of_anchor: Ints, anchors: Ints) -> _Bridges:
    question = hops.question
    rows, of_pair = hops.index.sentences.of(pairs)
    vectors = question.graph.sentence_vectors.take(rows, axis=0)
    cosines = vectors @ question.vector
    nearest = _nearest(cosines, of_pair, len(pairs))
    entities = hops.index.entities[pairs]
    names = question.graph.entity_vectors(entities)
    onward = question.vector - FROM_SENTENCE * vectors[nearest] + TO_ENTITY * names
    tells = cosines[nearest].astype(np.float64)
    features = {
        "tells": tells,
        "gap": tells - np.maximum(question.sentence_cosines(anchors), 0)[of_anchor],
        "words": _sentence_words(hops, rows, of_pair, len(pairs)),
        "likeness": names @ question.vector,
        "asked": np.array([question.entities.get(entity, 0.0) for entity in entities.tolist()]),
    }
    return _Bridges(features, onward / np.linalg.norm(onward, axis=1, keepdims=True), rows[nearest])


def _sentence_words(hops: HopQuestion, rows: Ints, of_pair: Ints, pairs: int) -> Floats:
    """The weight of the question's words that the sentences of each pair have."""
    stems, units = hops.stems, sorted(set(rows.tolist()))
    texts = [unit.text for unit in hops.question.graph.sentences(units)]
    found = {row: set(content_words(text)) for row, text in zip(units, texts, strict=True)}
    held = np.zeros((pairs, len(stems)), dtype=bool)
    for row, pair in zip(rows, of_pair, strict=True):
        held[pair] |= np.array([stem in found[row] for stem in stems], dtype=bool)
    return np.asarray(held @ hops.question.weights)


def _nearest(cosines: NDArray[np.float32], groups: Ints, count: int) -> Ints:
    """Of each group the place of its highest value; every group has one, and they come in order."""
    order = np.lexsort((-cosines, groups))
    return order[np.searchsorted(groups[order], np.arange(count))]


def _onward(hops: HopQuestion, targets: Ints, onward: Vectors) -> Floats:
    rows, places = hops.index.sentences.of(targets)
    vectors = hops.question.graph.sentence_vectors.take(rows, axis=0)
    best = np.full(len(targets), -1.0)
    np.maximum.at(best, places, np.einsum("ij,ij->i", vectors, onward[places]))
    return best
