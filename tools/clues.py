"""The tool `clues`: paths through the library's triples (seed 000, ClueRAG), and the chunks that tell of them."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from memory.datatypes import Edge, Findings, Form, Passage, Query, Subgraph
from memory.knowledge.clues.datatypes import ClueAnswer, ClueParameters, Path
from memory.knowledge.clues.index import ClueIndex, clue_index
from memory.knowledge.clues.reranking import most_of
from memory.knowledge.clues.search import search_paths
from memory.knowledge.triples import TripleGraph, triple_graph
from memory.ports import Store
from tools.base import FormScores, fuse, passages_of, ranks_by_form

NO_TRIPLES = "no triples in this library: index documents that carry triples, or a list of triples as JSON"


@dataclass(frozen=True, slots=True)
class CluesParameters:
    """`k` passages where no other number is asked for; `search` is seed 000's configuration block."""

    k: int = 5
    search: ClueParameters = field(default_factory=ClueParameters)


@dataclass(frozen=True, slots=True, eq=False)
class _Index:
    """The triples of a store, and which document each chunk that tells of one is of: edge `edges[i]` is told by a chunk
    of `owners[numbers[i]]`."""

    clues: ClueIndex
    documents: dict[str, str]
    owners: NDArray[np.str_]
    numbers: NDArray[np.int64]
    edges: NDArray[np.int64]

    def within(self, scope: frozenset[str] | None) -> NDArray[np.bool_] | None:
        """Which edges a document of the scope tells of, of shape (edges,); None for all."""
        if scope is None:
            return None
        told = np.zeros(len(self.clues.graph.kinds), dtype=bool)
        told[self.edges[np.array([owner in scope for owner in self.owners], dtype=bool)[self.numbers]]] = True
        return told


@dataclass(frozen=True, slots=True)
class _Told:
    """The best path by which a form of the question came to a chunk; `most` is what `most_of` says for that form."""

    form: Form
    found: ClueAnswer
    path: Path
    most: float

    @property
    def score(self) -> float:
        return self.path.score / self.most


class Clues:
    """The triples are read and indexed at the first search, once."""

    name = "clues"
    description = (
        "Follows facts (subject, relation, object) from the names and relations in a question to what they are "
        "connected with. Good for questions that join several facts. Returns the passages that state them."
    )

    def __init__(self, store: Store, parameters: CluesParameters | None = None) -> None:
        self._store = store
        self._parameters = parameters or CluesParameters()
        self._made: _Index | None = None
        self._making = threading.Lock()

    def search(self, query: Query, k: int | None = None) -> Findings:
        """At most k passages, by default the parameters' own, with the answer and the walk of the question as asked.

        A chunk's score in a form is that of the best path that it tells of, as a share of the most that a path could
        have with this form's clues (`most_of`), so that forms with many clues and with few compare.
        """
        query.check()
        k = self._parameters.k if k is None else k
        index = self._index()
        if not len(index.clues.graph.kinds):
            return Findings(notes=(NO_TRIPLES,))
        parameters = replace(self._parameters.search, topn=max(self._parameters.search.topn, k))
        among, answers = index.within(query.scope), list[ClueAnswer]()
        for form in query.forms:
            query.check()
            answers.append(search_paths(form.text, index.clues, parameters, among))
        query.check()
        by_form = list(zip(query.forms, answers, strict=True))
        told = [_told(form, found, index, query.scope, parameters) for form, found in by_form]
        passages = self._passages(query, told, index.clues.graph, k)
        own = next((found for form, found in by_form if form.text == query.text), answers[0])
        notes = () if passages or not k else ("no triple has to do with the question",)
        return Findings(passages, notes, own.answer, _walk(own, index.clues.graph))

    def _index(self) -> _Index:
        with self._making:
            if self._made is None:
                self._made = _index_of(self._store)
            return self._made

    def _passages(
        self, query: Query, told: Sequence[dict[str, _Told]], graph: TripleGraph, k: int
    ) -> tuple[Passage, ...]:
        ids = list(dict.fromkeys(id_ for of_form in told for id_ in of_form))
        rows = [[of_form[id_].score if id_ in of_form else np.nan for id_ in ids] for of_form in told]
        scored = FormScores(ids, np.array(rows))
        ranked = fuse(query.forms, scored)
        return tuple(
            replace(
                _explained(passage, told, graph),
                score=ranked[passage.id],
                ranks=ranks_by_form(query.forms, scored, passage.id),
            )
            for passage in passages_of(self._store.chunks(list(ranked)[:k]), self.name)
        )


def _index_of(store: Store) -> _Index:
    graph = triple_graph(store.triples())
    chunks = store.chunks(sorted({chunk for told in graph.chunks for chunk in told}))
    documents = {chunk.id: chunk.document for chunk in chunks}
    pairs = [(edge, documents[chunk]) for edge, told in enumerate(graph.chunks) for chunk in told]
    owners, numbers = np.unique(np.array([owner for _, owner in pairs], np.str_), return_inverse=True)
    edges = np.array([edge for edge, _ in pairs], np.int64)
    return _Index(clue_index(graph), documents, owners, numbers.reshape(-1), edges)


def _told(
    form: Form, found: ClueAnswer, index: _Index, scope: frozenset[str] | None, parameters: ClueParameters
) -> dict[str, _Told]:
    """By chunk, in the order of the paths and of the edges along them."""
    most, told = most_of(found.clues, parameters), dict[str, _Told]()
    for path in sorted(found.paths, key=lambda path: -path.score):
        for edge in path.edges:
            for chunk in index.clues.graph.chunks[edge]:
                if scope is None or index.documents[chunk] in scope:
                    told.setdefault(chunk, _Told(form, found, path, most))
    return told


def _explained(passage: Passage, told: Sequence[dict[str, _Told]], graph: TripleGraph) -> Passage:
    """By the form that came to it with the best score: its clues, where it began, and the path."""
    best = max((of_form[passage.id] for of_form in told if passage.id in of_form), key=lambda one: one.score)
    clues = best.found.clues
    names = ", ".join(dict.fromkeys([*clues.relations, *(graph.entities[node] for node in clues.entities)]))
    form = "" if len(told) == 1 else f" (as {best.form.name})"
    return replace(
        passage,
        why=f"{f'clues {names}' if names else 'no clues'}; from {best.found.seeding}{form}",
        scores={name: part / best.most for name, part in best.path.scores.items()},
        path=tuple(map(graph.written, best.path.edges)),
    )


def _walk(found: ClueAnswer, graph: TripleGraph) -> Subgraph | None:
    """The best path: its entities in the order of the walk, its edges in their own direction."""
    if not found.paths:
        return None
    path = found.paths[0]
    edges = [
        Edge(graph.entities[graph.subjects[e]], graph.entities[graph.objects[e]], graph.relations[graph.kinds[e]])
        for e in path.edges
    ]
    return Subgraph(tuple(graph.entities[node] for node in path.nodes), tuple(edges))
