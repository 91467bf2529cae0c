"""The tool `graph`: from the passages that match a question, over the entities that they name, to what it needs beside.

For questions that no single passage answers. Passages that match by words and by meaning are the anchors; a walk over
sentences and entities leads from them to others (`clew.memory.knowledge.multihop`), and one learned model weighs both:
what matches, and what is reached.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from clew.memory.cache import Cached
from clew.memory.datatypes import Edge, Findings, Floats, Ints, Passage, Query, Subgraph
from clew.memory.knowledge.multihop.paths import DIRECT, HopQuestion, hop_index
from clew.memory.knowledge.multihop.rounds import Coefficients, HopParameters, Round, load_coefficients, walk
from clew.memory.knowledge.question import LibraryQuestion, MatchParameters, candidates
from clew.memory.layers import Layers
from clew.memory.ports import Search
from clew.tools.base import ToolSettings, nothing_named, passages_of

BESIDE = "passages are by words and meaning"

POOL = 100
"""Of the passages that match best, so many are weighed without a path."""

NAMES, NAMED_IN = "names", "named in"
"""What joins an anchor to an entity, where no relation of the library does, and an entity to a chunk."""


@dataclass(frozen=True, slots=True)
class Origin:
    """`path` are the steps in the form of seed 000, `(fritz lang) -[born in]-> (vienna)`; `edges` are the same."""

    why: str
    path: tuple[str, ...] = ()
    edges: tuple[Edge, ...] = ()


class GraphSearch:
    """The layers of the library are read and indexed at the first search, once."""

    name = "graph"
    description = (
        "Finds passages that match a question, and those that they lead to by the people, places and works they name. "
        "Use it when the answer joins facts from two documents, as in: where was the director of that film born?"
    )

    def __init__(self, store: Search) -> None:
        self._store = store
        self._match = MatchParameters()
        self._coefficients = load_coefficients()
        self._graph = store.part()
        self._index = Cached(lambda: hop_index(self._graph.layers))

    def search(self, query: Query, k: int = 5) -> Findings:
        """At most k passages. A passage's score is its share of the mass of all."""
        return self.found(LibraryQuestion(self._graph, query), k)

    def found(self, question: LibraryQuestion, k: int) -> Findings:
        """As `search`, for a question that there is already."""
        question.query.check()
        hops = self.hops(question)
        pool = self.pool(hops)
        if not len(pool):
            return Findings()
        rounds = walk(hops, pool, self._coefficients, HopParameters())
        masses = rounds[-1].masses(self._coefficients)
        best = np.argsort(-masses, kind="stable")[:k]
        shares = np.exp(masses - masses[best[0]])[best] / np.exp(masses - masses[best[0]]).sum() if k else masses[:0]
        layers = question.graph.layers
        found = origins(rounds, self._coefficients, rounds[-1].chunks[best], layers)
        passages = self._passages(question, rounds[-1], best, shares, found)
        notes = () if len(layers.entities) else (f"{nothing_named(layers)}; {BESIDE}",)
        return Findings(passages, notes, walk=_subgraph(found))

    def hops(self, question: LibraryQuestion) -> HopQuestion:
        return HopQuestion(self._store, self._index(), question, self._match)

    def pool(self, hops: HopQuestion) -> Ints:
        """The chunks that match best, rising."""
        ids = candidates(self._store, hops.question.query, POOL, self._match)
        chunks = np.array([self._graph.layers.chunk_numbers[id_] for id_ in ids], np.int64)
        scores = hops.direct(chunks)[:, DIRECT.index("hybrid")]
        return np.sort(chunks[np.argsort(-scores, kind="stable")[:POOL]])

    def _passages(
        self, question: LibraryQuestion, last: Round, best: Ints, shares: Floats, found: Sequence[Origin]
    ) -> tuple[Passage, ...]:
        chunks = last.chunks[best]
        words = self._graph.words(question.query.forms[0].text, chunks)
        features = [*last.direct[best].T, self._graph.vectors.take(chunks, axis=0) @ question.vector]
        scores = [dict(zip((*DIRECT, "cosine"), map(float, row), strict=True)) for row in zip(*features, strict=True)]
        ids = [self._graph.layers.chunk_ids[chunk] for chunk in chunks]
        return tuple(
            replace(
                passage,
                score=float(shares[place]),
                why=found[place].why,
                keywords=tuple(w for w, held in zip(words.words, words.shares[place] > 0, strict=True) if held),
                scores=scores[place],
                path=found[place].path,
            )
            for place, passage in enumerate(passages_of(self._store.chunks(ids), self.name))
        )


@dataclass(frozen=True, slots=True)
class _Hop:
    anchor: int
    entity: int
    sentence: int
    chunk: int


def origins(rounds: Sequence[Round], coefficients: Coefficients, chunks: Ints, layers: Layers) -> list[Origin]:
    """Of each of the chunks, by the rounds of a walk."""
    steps = [_best_steps(one, coefficients, layers) for one in rounds]
    last = rounds[-1]
    found = []
    for chunk in chunks.tolist():
        taken = _taken(steps, chunk)
        features = last.direct[np.searchsorted(last.chunks, chunk)]
        found.append(_origin(taken, features[DIRECT.index("hybrid")], layers))
    return found


def _best_steps(one: Round, coefficients: Coefficients, layers: Layers) -> dict[int, _Hop]:
    """Chunk -> the path that brings it the most, where the paths together bring more than it has itself.

    A path over what the chunk's title names says more to a reader: it is told where it brings a third as much.
    """
    direct, brought = coefficients.of_direct(one.direct), coefficients.of_paths(one.paths.features)
    more = one.masses(coefficients) > direct + np.log(2)
    best: dict[int, _Hop] = {}
    titled = layers.titles[layers.chunk_documents[one.paths.chunks]] == one.paths.entities
    for path in np.argsort(-(brought + np.log(3) * titled), kind="stable").tolist():
        chunk = int(one.paths.chunks[path])
        if chunk not in best and more[one.ends[path]]:
            anchor, entity, sentence = (
                int(values[path]) for values in (one.paths.anchors, one.paths.entities, one.paths.sentences)
            )
            best[chunk] = _Hop(anchor, entity, sentence, chunk)
    return best


def _taken(steps: Sequence[dict[int, _Hop]], chunk: int) -> list[_Hop]:
    """The steps to a chunk, first to last: those of later rounds begin where earlier ones ended."""
    taken: list[_Hop] = []
    for of_round in reversed(steps):
        step = of_round.get(chunk)
        if step is None or any(step.anchor == other.chunk for other in taken):
            break
        taken.insert(0, step)
        chunk = step.anchor
    return taken


def _origin(taken: Sequence[_Hop], matches: float, layers: Layers) -> Origin:
    if not taken:
        return Origin(f"matches the question ({matches:.2f})")
    edges, path = [], []
    for step in taken:
        for edge, backwards in _edges(step, layers):
            edges.append(edge)
            arrow = f"<-[{edge.relation}]-" if backwards else f"-[{edge.relation}]->"
            ends = (edge.target, edge.source) if backwards else (edge.source, edge.target)
            path.append(f"({ends[0]}) {arrow} ({ends[1]})")
    return Origin(f"by {', then '.join(_through(step, layers) for step in taken)}", tuple(path), tuple(edges))


def _through(step: _Hop, layers: Layers) -> str:
    bridge, title = layers.entities[step.entity].name, _title(step.anchor, layers)
    return bridge if bridge == title else f"{bridge} in {title}"


def _edges(step: _Hop, layers: Layers) -> list[tuple[Edge, bool]]:
    """Each with whether it is walked backwards."""
    bridge, target = layers.entities[step.entity].name, layers.titles[layers.chunk_documents[step.chunk]]
    subject = int(layers.titles[layers.chunk_documents[step.anchor]])
    verb, backwards = _relation(subject, step.entity, layers.stated == step.sentence, layers)
    start = _title(step.anchor, layers)
    found = [(Edge(bridge, start, verb), True) if backwards else (Edge(start, bridge, verb), False)]
    if step.entity == layers.titles[layers.chunk_documents[step.anchor]]:
        found = []  # the anchor is about the entity: the step begins there
    if target != step.entity:
        verb, backwards = _relation(
            step.entity, int(target), layers.sentence_chunks[layers.stated] == step.chunk, layers
        )
        end, verb = _title(step.chunk, layers), NAMED_IN if verb == NAMES else verb
        found.append((Edge(end, bridge, verb), True) if backwards else (Edge(bridge, end, verb), False))
    return found


def _relation(one: int, other: int, stated: NDArray[np.bool_], layers: Layers) -> tuple[str, bool]:
    """The verb between two entities in one of the relations `stated`, and whether `other` is its subject."""
    for relation in np.flatnonzero(stated).tolist():
        ends = layers.subjects[relation], layers.objects[relation]
        if ends in ((one, other), (other, one)):
            return layers.verbs[layers.verb_numbers[relation]], bool(ends[0] == other and one != other)
    return NAMES, False


def _title(chunk: int, layers: Layers) -> str:
    document = int(layers.chunk_documents[chunk])
    title = int(layers.titles[document])
    return layers.entities[title].name if title >= 0 else layers.document_ids[document]


def _subgraph(found: Sequence[Origin]) -> Subgraph | None:
    """The steps to the passages, in the order of the passages."""
    edges = list(dict.fromkeys(edge for origin in found for edge in origin.edges))
    if not edges:
        return None
    return Subgraph(tuple(dict.fromkeys(end for edge in edges for end in (edge.source, edge.target))), tuple(edges))


def make(store: Search, settings: ToolSettings) -> GraphSearch:  # noqa: ARG001 no setting is for it
    return GraphSearch(store)
