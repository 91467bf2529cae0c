"""The tool `graph`: from the passages that match a question, over the entities that they name, to what it needs beside.

For questions that no single passage answers. Passages that match by words and by meaning are the anchors; a walk over
sentences and entities leads from them to others (`memory/knowledge/walking/features.py`), and the walk's scorer weighs
both: what matches, and what is reached.

The chunks that match best are the anchors of the first round, those with the most mass the anchors of the second; so a
path has two steps, and restarts are weighted by rank as in personalised PageRank. What a step is worth is learned. The
mass of a chunk is what it has itself, and what the paths to it bring (a conditional logit over both).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from clew.memory.datatypes import Edge, Findings, Floats, Ints, Passage, Query, Subgraph
from clew.memory.knowledge.layers import Layers
from clew.memory.knowledge.library_ports import Search
from clew.memory.knowledge.question import LibraryQuestion, MatchParameters
from clew.memory.knowledge.walking.features import (
    DIRECT,
    HopIndex,
    HopQuestion,
    Looked,
    NodeScorer,
    Paths,
    hop_index,
    load_scorer,
    paths_from,
)
from clew.memory.knowledge.walking.walker import Walker, hits_of
from clew.memory.parameters import Count, Few
from clew.memory.text import in_brackets
from clew.memory.vectors import softmax
from clew.tools.base import ToolSettings, nothing_named, passages_of


def log_masses(own: Floats, paths: Floats, ends: Ints) -> Floats:
    """log(exp(own) + the sum of exp(paths) that end there), shape (chunks,); path i ends at chunk `ends[i]`."""
    peak = own.copy()
    np.maximum.at(peak, ends, paths)
    total = np.exp(own - peak)
    np.add.at(total, ends, np.exp(paths - peak[ends]))
    return np.asarray(peak + np.log(total))


@dataclass(frozen=True, slots=True)
class HopParameters:
    """The size of a search in rounds; the shipped scorer was fitted with these values."""

    anchors: Few = 5  # from how many passages each round goes on
    rounds: Few = 2  # how many links it follows one after another


@dataclass(frozen=True, slots=True, eq=False)
class Round:
    """The chunks that one round weighed, the paths to them, and the place in `looked.nodes` where each path ends."""

    looked: Looked
    paths: Paths
    ends: Ints

    def masses(self, scorer: NodeScorer) -> Floats:
        """Log mass, shape (chunks,)."""
        return log_masses(scorer.before_paths(self.looked.direct), scorer.path(self.paths.features), self.ends)


def hop(looked: Looked, hops: HopQuestion, scorer: NodeScorer, parameters: HopParameters) -> list[Round]:
    """The rounds, the last of which ranks; they begin with what was looked at, at least one chunk."""
    masses = scorer.before_paths(looked.direct)
    rounds: list[Round] = []
    for _ in range(parameters.rounds):
        looked.question.query.check()
        best = np.argsort(-masses, kind="stable")[: parameters.anchors]
        paths = paths_from(hops, looked.nodes[best], masses[best] - masses[best[0]])
        looked = looked.taken_over(np.union1d(looked.nodes, paths.chunks))
        rounds.append(Round(looked, paths, np.searchsorted(looked.nodes, paths.chunks)))
        masses = rounds[-1].masses(scorer)
    return rounds


SHOWN = ("cosine", "sentence", "keyword")
"""Of what a passage's mass is made of."""

NAMES = "names"
"""What joins a chunk to an entity, where no relation of the library does."""


@dataclass(frozen=True, slots=True)
class Origin:
    """`path` are the steps in the form of seed 000, `(fritz lang) -[born in]-> (vienna)`; `edges` are the same."""

    why: str
    path: tuple[str, ...] = ()
    edges: tuple[Edge, ...] = ()


@dataclass(frozen=True, slots=True)
class GraphParameters:
    """What `match` finds and what the question names is scored without a path."""

    k: Count = 5  # how many passages it returns unless a number is given
    match: MatchParameters = field(default_factory=MatchParameters)  # how the first passages are found
    hops: HopParameters = field(default_factory=HopParameters)  # how far links are followed
    part: tuple[int, ...] | None = None  # the partitions to search; None: the whole library


class GraphSearch:
    """The layers of the library are read and indexed at the first search, once."""

    name = "graph"
    description = (
        "Finds passages that match a question, and those that they lead to by the people, places and works they name. "
        "Use it when the answer joins facts from two documents, as in: where was the director of that film born?"
    )

    def __init__(
        self, store: Search, parameters: GraphParameters | None = None, scorer: NodeScorer | None = None
    ) -> None:
        self._store = store
        self._parameters = parameters or GraphParameters()
        self._scorer = scorer or load_scorer()
        self._walker = Walker(store, scorer=self._scorer, part=self._parameters.part)
        self._graph = self._walker.graph

    @cached_property
    def _index(self) -> HopIndex:
        return hop_index(self._graph.layers)

    def search(self, query: Query, k: int | None = None) -> Findings:
        """At most k passages, by default the parameters' own. A passage's score is its share of the mass of all."""
        return self.found(self._walker.question(query), k)

    def found(self, question: LibraryQuestion, k: int | None = None) -> Findings:
        """As `search`, for a question that there is already."""
        question.query.check()
        looked = self.look(question)
        if not len(looked.nodes):
            return Findings()
        rounds = hop(looked, self.hops(question), self._scorer, self._parameters.hops)
        masses = rounds[-1].masses(self._scorer)
        best = np.argsort(-masses, kind="stable")[: self._parameters.k if k is None else k]
        layers = question.graph.layers
        found = origins(rounds, self._scorer, best, layers)
        passages = self._passages(rounds[-1].looked, best, softmax(masses)[best], found)
        notes = () if len(layers.entities) else (nothing_named(layers),)
        return Findings(passages, notes, walk=_subgraph(found))

    def look(self, question: LibraryQuestion) -> Looked:
        """At what matches and at what the question names."""
        return self._walker.look(question, hits_of(self._store, question.query, self._parameters.match))

    def hops(self, question: LibraryQuestion) -> HopQuestion:
        return HopQuestion(self._index, question)

    def _passages(self, last: Looked, best: Ints, parts: Floats, found: Sequence[Origin]) -> tuple[Passage, ...]:
        """Of the places `best` in what was looked at last."""
        chunks = last.nodes[best]
        words = self._graph.words(last.question.query.forms[0].text, chunks)
        ids = [self._graph.layers.chunk_ids[chunk] for chunk in chunks]
        return tuple(
            replace(
                passage,
                score=float(parts[place]),
                why=found[place].why,
                keywords=tuple(w for w, held in zip(words.words, words.shares[place] > 0, strict=True) if held),
                scores={name: float(row[DIRECT.index(name)]) for name in SHOWN},
                path=found[place].path,
            )
            for place, (passage, row) in enumerate(
                zip(passages_of(self._store.chunks(ids), self.name), last.direct[best], strict=True)
            )
        )


@dataclass(frozen=True, slots=True)
class _Hop:
    anchor: int
    entity: int
    sentence: int
    chunk: int


def origins(rounds: Sequence[Round], scorer: NodeScorer, best: Ints, layers: Layers) -> list[Origin]:
    """Of each of the places `best` in the last round, by all rounds."""
    steps = [_best_steps(one, scorer, layers) for one in rounds]
    last = rounds[-1].looked
    return [
        _origin(_taken(steps, chunk), cosine, layers)
        for chunk, cosine in zip(last.nodes[best].tolist(), last.cosines[best].tolist(), strict=True)
    ]


def _best_steps(one: Round, scorer: NodeScorer, layers: Layers) -> dict[int, _Hop]:
    """Chunk -> the path that brings it the most, where the paths together bring more than it has itself.

    A path over what the chunk's title names says more to a reader: it is told where it brings a third as much.
    """
    own, brought = scorer.before_paths(one.looked.direct), scorer.path(one.paths.features)
    more = one.masses(scorer) > own + np.log(2)
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


def _origin(taken: Sequence[_Hop], cosine: float, layers: Layers) -> Origin:
    if not taken:
        return Origin(f"matches the question{in_brackets(cosine)}")
    edges, path = list[Edge](), list[str]()
    for step in taken:
        at = _title(step.anchor, layers)
        for edge in _edges(step, layers):
            forwards = edge.source == at
            to = edge.target if forwards else edge.source
            path.append(f"({at}) {f'-[{edge.relation}]->' if forwards else f'<-[{edge.relation}]-'} ({to})")
            edges.append(edge)
            at = to
    return Origin(f"by {', then '.join(_through(step, layers) for step in taken)}", tuple(path), tuple(edges))


def _through(step: _Hop, layers: Layers) -> str:
    bridge, title = layers.entities[step.entity].name, _title(step.anchor, layers)
    return bridge if bridge == title else f"{bridge} in {title}"


def _edges(step: _Hop, layers: Layers) -> list[Edge]:
    """From the anchor to the entity and from there to the chunk; one that is about the entity is the entity itself."""
    found = []
    for chunk, stated in (
        (step.anchor, layers.stated == step.sentence),
        (step.chunk, layers.sentence_chunks[layers.stated] == step.chunk),
    ):
        subject = int(layers.titles[layers.chunk_documents[chunk]])
        if subject != step.entity:
            found.append(_edge((subject, _title(chunk, layers)), step.entity, stated, layers))
    return found


def _edge(of_chunk: tuple[int, str], entity: int, stated: NDArray[np.bool_], layers: Layers) -> Edge:
    """Between what a chunk is about and an entity: by one of the relations `stated`, else by its name."""
    (subject, title), name = of_chunk, layers.entities[entity].name
    for relation in np.flatnonzero(stated).tolist():
        ends, verb = (layers.subjects[relation], layers.objects[relation]), layers.verb_numbers[relation]
        if ends == (subject, entity):
            return Edge(title, name, layers.verbs[verb])
        if ends == (entity, subject):
            return Edge(name, title, layers.verbs[verb])
    return Edge(title, name, NAMES)


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


def make(store: Search, settings: ToolSettings) -> GraphSearch:
    return GraphSearch(store, settings.of(GraphParameters))


PARAMETERS = GraphParameters
