"""The tool `local`: passages near to the entities that the question is near to (seed 001, equation 4)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from clew.memory.datatypes import Findings, Form, Passage, Query, Vector, Vectors
from clew.memory.knowledge.communities.entity_graph import entity_vectors, named_in_sentences
from clew.memory.knowledge.layers import Layers, said_by
from clew.memory.knowledge.library_ports import Search
from clew.memory.parameters import Cosine, Count, Weight
from clew.tools.base import FormScores, ToolSettings, fused_passages, nothing_named


@dataclass(frozen=True, slots=True)
class LocalParameters:
    """`tau_e` and `tau_d` are the thresholds of equation 4: the seed's 0.6 and 0.5, the first adapted to MiniLM and to
    entities that are means of sentences (docs/figures.md). `history` is the weight of H beside Q in sim(v, Q + H)."""

    tau_e: Cosine = 0.4  # how near a thing has to be to the question to be looked at
    tau_d: Cosine = 0.5  # how near a passage about it has to be to the question
    history: Weight = 0.3  # how much the conversation counts where the question was not rewritten
    nearest: Count = 5  # how many things are taken where none is near enough
    most: Count = 200  # how many things are taken at most
    part: tuple[int, ...] | None = None  # the partitions to search; None: the whole library


class _Scope(NamedTuple):
    chunks: NDArray[np.bool_]
    entities: NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class _Index:
    """The unit vectors of entities, (entities, d), and of chunks, (chunks, d). An entity's is the mean of the sentences
    that name it: it finds more than the encoder's vector of the name, and costs no encoding."""

    layers: Layers
    entities: Vectors
    chunks: Vectors

    def within(self, scope: frozenset[str] | None) -> _Scope:
        """Whether the document of each chunk is in scope, and whether such a chunk names each entity."""
        chunks = self.layers.chunks_within(scope)
        named = np.asarray(self.layers.chunk_entities.T @ chunks.astype(np.float64))
        return _Scope(chunks, named > 0)


@dataclass(frozen=True, slots=True, eq=False)
class _Near:
    """What a form came to: sim(v, Q + H) of the `chosen` entities; for each chunk the best mean of both similarities
    (NaN: none), the place of its entity among the chosen, and sim(g, v). `above`: whether thresholds were kept."""

    chosen: NDArray[np.int64]
    similar: NDArray[np.float32]
    scores: NDArray[np.float64]
    by: NDArray[np.int64]
    tied: NDArray[np.float32]
    above: bool


class Local:
    """The vectors are made at the first search, once."""

    name = "local"
    description = (
        "Finds the people, places and things that a question names, and the passages about them. Use it to learn more "
        "about one particular person, place, work or thing. Returns passages, each with the thing by which it was "
        "found."
    )

    def __init__(self, store: Search, parameters: LocalParameters | None = None) -> None:
        self._store = store
        self._parameters = parameters or LocalParameters()

    @cached_property
    def _index(self) -> _Index:
        graph = self._store.part(self._parameters.part)
        layers = graph.layers
        sentences = graph.sentence_vectors.take(np.arange(len(layers.sentence_chunks)), axis=0)
        vectors = entity_vectors(named_in_sentences(layers), sentences)
        return _Index(layers, vectors, graph.vectors.take(np.arange(len(layers.chunk_ids)), axis=0))

    def search(self, query: Query, k: int = 5) -> Findings:
        """At most k passages. A chunk's score in a form is the mean of sim(v, Q + H) and sim(g, v), by the entity v for
        which that is best."""
        query.check()
        index = self._index
        scope = index.within(query.scope)
        if not scope.entities.any():
            return Findings(notes=(nothing_named(index.layers),))
        if not k:
            return Findings()
        near = []
        for form in query.forms:
            query.check()
            asked = _with_history(form, query, self._parameters.history)
            near.append(_near(asked, index, scope, self._parameters))
        notes = tuple(dict.fromkeys(_note(one, index.layers, self._parameters) for one in near if not one.above))
        return Findings(self._passages(query, near, index, k), notes)

    def _passages(self, query: Query, near: Sequence[_Near], index: _Index, k: int) -> tuple[Passage, ...]:
        scores = np.stack([one.scores for one in near])
        places = np.flatnonzero(~np.isnan(scores).all(axis=0))
        scored = FormScores([index.layers.chunk_ids[place] for place in places], scores[:, places])
        passages = fused_passages(self._store, query, scored, k, self.name)
        return tuple(_explained(passage, query, near, index) for passage in passages)


def _with_history(form: Form, query: Query, weight: float) -> Vector:
    """Q + H: the direction of the form's vector and so much of the selected context's. Where the question was rewritten
    its forms have the history in words or vectors: with H on top they find less."""
    if query.history is None or not weight or len(query.forms) > 1 or form.text != query.text:
        return form.vector
    both = form.vector + weight * query.history
    return np.asarray(both / np.linalg.norm(both), np.float32)


def _near(asked: Vector, index: _Index, scope: _Scope, parameters: LocalParameters) -> _Near:
    """Equation 4: {v in V, g in G | sim(v, Q + H) > tau_e and sim(g, v) > tau_d}. Where that is empty, the nearest
    entities and what is nearest to them."""
    similar = np.where(scope.entities, index.entities @ asked, -np.inf)
    order = np.argsort(-similar, kind="stable")
    chosen = np.sort(order[: parameters.most][similar[order[: parameters.most]] > parameters.tau_e])
    if len(chosen):
        found = _pairs(chosen, similar, index, scope, parameters.tau_d, above=True)
        if not np.isnan(found.scores).all():
            return found
    nearest = np.sort(order[: parameters.nearest][scope.entities[order[: parameters.nearest]]])
    return _pairs(nearest, similar, index, scope, -1.0, above=False)


def _pairs(
    chosen: NDArray[np.int64],
    similar: NDArray[np.float32],
    index: _Index,
    scope: _Scope,
    tau_d: float,
    above: bool,
) -> _Near:
    """The chunks in scope that are nearer than tau_d to a chosen entity, each by its best one."""
    tied = index.chunks @ index.entities[chosen].T
    both = np.where((tied > tau_d) & scope.chunks[:, None], (tied + similar[chosen]) / 2, -np.inf)
    by, rows = both.argmax(axis=1), np.arange(len(both))
    best = both[rows, by].astype(np.float64)
    scores = np.where(np.isinf(best), np.nan, best)
    return _Near(chosen, similar[chosen], scores, by, tied[rows, by], above)


def _note(near: _Near, layers: Layers, parameters: LocalParameters) -> str:
    best = int(near.similar.argmax())
    name, similar = _name(int(near.chosen[best]), layers), float(near.similar[best])
    what, threshold = ("entity", parameters.tau_e) if similar <= parameters.tau_e else ("passage", parameters.tau_d)
    return f"no {what} above the threshold {threshold:.2f}: took the nearest ({name}, {similar:.2f})"


def _name(entity: int, layers: Layers, beside: str = "") -> str:
    """With the document that alone has it, where that is another than the one that it is shown beside."""
    return said_by(" ".join(layers.entities[entity].name.split()), layers.sole_document(entity), beside)


def _explained(passage: Passage, query: Query, near: Sequence[_Near], index: _Index) -> Passage:
    """By the form in which it was found with the best score: the entity and both similarities."""
    place = index.layers.chunk_numbers[passage.id]
    which = int(np.nanargmax([one.scores[place] for one in near]))
    one = near[which]
    entity, tied = one.by[place], float(one.tied[place])
    similar = float(one.similar[entity])
    name = _name(int(one.chosen[entity]), index.layers, passage.document)
    form = "" if len(near) == 1 else f" (as {query.forms[which].name})"
    cosine = float(index.chunks[place] @ query.forms[which].vector)
    return replace(
        passage,
        why=f"entity {name} ({similar:.2f}); the passage is near to it ({tied:.2f}){form}",
        scores={"entity": similar, "chunk": tied, "cosine": cosine},
    )


def make(store: Search, settings: ToolSettings) -> Local:
    return Local(store, settings.of(LocalParameters))


PARAMETERS = LocalParameters
