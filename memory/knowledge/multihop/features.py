"""What speaks for a chunk: the chunk itself, and the paths to it from better ones over the entities that both name.

Chunks, sentences and entities are numbers of `Layers`. A question may have several forms: their vectors are added by
weight, their words and the names in them count by weight.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from clew.memory.datatypes import Floats, Ints, Query, Vector, Vectors
from clew.memory.knowledge.matching import MatchParameters, match
from clew.memory.knowledge.multihop.index import HopIndex
from clew.memory.knowledge.multihop.names import named_entities
from clew.memory.ports import Store
from clew.memory.words import content_words

DIRECT = ("hybrid", "sentence", "titled", "named")
"""Of a chunk: its score by words and meaning; the best cosine of its sentences, at least 0; 1 / sqrt(chunks titled so),
where the question names its title; the rarity, 1 - `spread`, of the rarest entity in it that the question names."""

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


@dataclass(frozen=True, eq=False)
class Asked:
    """A question against a library: what its paths and chunks are weighed by, looked up once.

    `among` says which chunks are in the query's scope, shape (chunks,); None: all.
    """

    store: Store
    index: HopIndex
    query: Query
    match: MatchParameters
    among: NDArray[np.bool_] | None = None
    _direct: dict[int, Floats] = field(default_factory=dict)
    _held: dict[int, Floats] = field(default_factory=dict)

    @cached_property
    def vector(self) -> Vector:
        total = sum(form.weight * form.vector for form in self.query.forms)
        return np.asarray(total / np.linalg.norm(total), np.float32)

    @cached_property
    def named(self) -> Mapping[int, float]:
        """The entities that forms of the question name -> the weight of those forms."""
        numbers, titles = self.index.numbers, self.index.title_entities
        named: dict[int, float] = {}
        for form in self.query.forms:
            for entity in named_entities(form.text, numbers, titles):
                named[entity] = named.get(entity, 0.0) + form.weight
        return named

    @cached_property
    def in_title(self) -> dict[int, float]:
        """Chunk -> the feature `titled`."""
        found: dict[int, float] = {}
        for entity, weight in self.named.items():
            chunks, _ = self.index.titled.of(np.array([entity]))
            share = weight / max(1, len(chunks)) ** 0.5
            found.update({chunk: max(found.get(chunk, 0.0), share) for chunk in self.within(chunks).tolist()})
        return found

    def within(self, chunks: Ints) -> Ints:
        """Those of them that are in scope."""
        return chunks if self.among is None else chunks[self.among[chunks]]

    @cached_property
    def _named_in(self) -> dict[int, float]:
        """Chunk -> the feature `named`."""
        found: dict[int, float] = {}
        for entity, weight in self.named.items():
            pairs, _ = self.index.by_entity.of(np.array([entity]))
            rarity = weight * float(1 - self.index.spread[entity])
            found.update({chunk: max(found.get(chunk, 0.0), rarity) for chunk in self.index.chunks[pairs].tolist()})
        return found

    def direct(self, chunks: Ints) -> Floats:
        """Of each chunk what `DIRECT` names; shape (chunks, len(DIRECT))."""
        fresh = np.array([chunk for chunk in chunks.tolist() if chunk not in self._direct], np.int64)
        if len(fresh):
            weights = np.array([form.weight for form in self.query.forms])
            hybrid = weights @ match(self.store, self.query.forms, self._ids(fresh), self.match).scores
            parts = zip(fresh.tolist(), hybrid, self._best_sentences(fresh), strict=True)
            for chunk, score, cosine in parts:
                of_names = self.in_title.get(chunk, 0.0), self._named_in.get(chunk, 0.0)
                self._direct[chunk] = np.array([score, cosine, *of_names])
        return np.array([self._direct[chunk] for chunk in chunks.tolist()]).reshape(-1, len(DIRECT))

    def _best_sentences(self, chunks: Ints) -> Floats:
        rows, places = self.index.sentences_of_chunk.of(chunks)
        best = np.zeros(len(chunks))
        np.maximum.at(best, places, self.store.unit_vectors(rows) @ self.vector)
        return best

    def held(self, chunks: Ints) -> Floats:
        """How far each chunk has each of the question's words, 0 to 1; shape (chunks, words)."""
        fresh = np.array([chunk for chunk in chunks.tolist() if chunk not in self._held], np.int64)
        if len(fresh):
            found = [self.store.word_shares(form.text, self._ids(fresh)).shares for form in self.query.forms]
            self._held.update(zip(fresh.tolist(), np.concatenate(found, axis=1), strict=True))
        return np.array([self._held[chunk] for chunk in chunks.tolist()]).reshape(len(chunks), len(self.words[0]))

    @cached_property
    def words(self) -> tuple[list[str], Floats]:
        """The stems of the question's words that the library has, form by form, and their weights, which sum to 1."""
        found = [(form.weight, self.store.word_shares(form.text, [])) for form in self.query.forms]
        stems = [" ".join(content_words(word)) or word for _, shares in found for word in shares.words]
        return stems, np.concatenate([weight * shares.weights for weight, shares in found])

    def _ids(self, chunks: Ints) -> list[str]:
        return [self.index.layers.chunk_ids[chunk] for chunk in chunks.tolist()]


def paths_from(asked: Asked, anchors: Ints, mass: Floats) -> Paths:
    """All paths from the anchors, whose log mass is `mass`, over entities that lead on."""
    index, store = asked.index, asked.store
    pairs, of_anchor = index.by_chunk.of(anchors)
    leading = index.leads[index.entities[pairs]]
    pairs, of_anchor = pairs[leading], of_anchor[leading]
    bridges = _bridges(asked, pairs, of_anchor, anchors)
    targets, of_pair = index.by_entity.of(index.entities[pairs])
    other = index.chunks[targets] != anchors[of_anchor[of_pair]]
    if asked.among is not None:
        other &= asked.among[index.chunks[targets]]
    targets, of_pair = targets[other], of_pair[other]
    entities, chunks = index.entities[pairs][of_pair], index.chunks[targets]
    features = np.empty((len(targets), len(PATH)))
    columns = dict(zip(PATH, features.T, strict=True))
    columns["mass"][:] = mass[of_anchor[of_pair]]
    columns["spread"][:] = index.spread[entities]
    for name in ("tells", "gap", "words", "likeness", "asked"):
        columns[name][:] = bridges.features[name][of_pair]
    columns["onward"][:] = _onward(index, store, targets, bridges.onward[of_pair])
    _, weights = asked.words
    there, here = asked.held(chunks), asked.held(anchors)[of_anchor[of_pair]]
    columns["rest"][:] = (there * (1 - here)) @ weights
    columns["gain"][:] = np.maximum(there - here, 0) @ weights
    return Paths(features, anchors[of_anchor[of_pair]], entities, chunks, bridges.sentences[of_pair])


@dataclass(frozen=True, slots=True, eq=False)
class _Bridges:
    """Of pairs anchor - entity: features, the question from there on (pairs, d), and the nearest sentence."""

    features: Mapping[str, Floats]
    onward: Vectors
    sentences: Ints


def _bridges(asked: Asked, pairs: Ints, of_anchor: Ints, anchors: Ints) -> _Bridges:
    rows, of_pair = asked.index.sentences.of(pairs)
    vectors = asked.store.unit_vectors(rows)
    cosines = vectors @ asked.vector
    nearest = _nearest(cosines, of_pair, len(pairs))
    entities = asked.index.entities[pairs]
    names = asked.store.entity_vectors(entities)
    onward = asked.vector - FROM_SENTENCE * vectors[nearest] + TO_ENTITY * names
    tells = cosines[nearest].astype(np.float64)
    features = {
        "tells": tells,
        "gap": tells - asked.direct(anchors)[of_anchor, DIRECT.index("sentence")],
        "words": _words_said(asked, rows, of_pair, len(pairs)),
        "likeness": names @ asked.vector,
        "asked": np.array([asked.named.get(entity, 0.0) for entity in entities.tolist()]),
    }
    return _Bridges(features, onward / np.linalg.norm(onward, axis=1, keepdims=True), rows[nearest])


def _words_said(asked: Asked, rows: Ints, of_pair: Ints, pairs: int) -> Floats:
    """The weight of the question's words that the sentences of each pair have."""
    stems, weights = asked.words
    units = sorted(set(rows.tolist()))
    said = {row: set(content_words(unit.text)) for row, unit in zip(units, asked.store.units(units), strict=True)}
    held = np.zeros((pairs, len(stems)), dtype=bool)
    for row, pair in zip(rows, of_pair, strict=True):
        held[pair] |= np.array([stem in said[row] for stem in stems], dtype=bool)
    return np.asarray(held @ weights)


def _nearest(cosines: NDArray[np.float32], groups: Ints, count: int) -> Ints:
    """Of each group the place of its highest value; every group has one, and they come in order."""
    order = np.lexsort((-cosines, groups))
    return order[np.searchsorted(groups[order], np.arange(count))]


def _onward(index: HopIndex, store: Store, targets: Ints, onward: Vectors) -> Floats:
    rows, places = index.sentences.of(targets)
    best = np.full(len(targets), -1.0)
    np.maximum.at(best, places, np.einsum("ij,ij->i", store.unit_vectors(rows), onward[places]))
    return best
