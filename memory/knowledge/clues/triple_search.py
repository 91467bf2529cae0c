"""Seed 000 over the triples of a store: the chunks that state the edges of its paths, and the answer."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from clew.memory.datatypes import Edge, Subgraph, Triple
from clew.memory.knowledge.clues.clue_index import AliasTable, ClueIndex, clue_index, load_aliases
from clew.memory.knowledge.clues.triple_answer import search_paths
from clew.memory.knowledge.clues.triple_beam import ClueAnswer, ClueParameters, Evidence, Path, most_of
from clew.memory.knowledge.clues.triple_graph import TripleGraph, triple_graph, written_out
from clew.memory.ports import Search
from clew.memory.text import content_words, words


@dataclass(frozen=True, slots=True, eq=False)
class GivenTriples:
    """`triples` that came with documents, and the `stems` of their content words. `alone`: every document is a list of
    triples written out, as from a file of triples, so that there is no text to walk."""

    triples: tuple[Triple, ...]
    stems: frozenset[str]
    alone: bool
    aliases: AliasTable

    @staticmethod
    def of(store: Search, aliases: AliasTable | None = None) -> "GivenTriples":
        """Cheap beside an index of them (`TripleSearch`): each word is stemmed once."""
        layers = store.part().layers
        triples = tuple(triple for triple in store.triples() if triple.given) if layers.given.any() else ()
        said = {word for one in triples for word in words(f"{one.subject} {one.relation} {one.object}")}
        stems = frozenset(content_words(" ".join(sorted(said))))
        return GivenTriples(triples, stems, bool(triples) and _alone(store, triples), aliases or load_aliases())

    def may_answer(self, text: str) -> bool:
        """Whether each content word of a question is one of theirs, or may stand for a relation."""
        named = {word for mention in self.aliases.mentions(text) for word in mention.words}
        return bool(self.stems) and set(content_words(text)) <= self.stems | named


def _alone(store: Search, triples: Sequence[Triple]) -> bool:
    """By document, and by its lines: sentences are cut at `Dr.`, and a triple that is given twice is written once."""
    layers, rows = store.part().layers, defaultdict[str, list[tuple[str, ...]]](list)
    documents = [layers.document_ids[number] for number in layers.chunk_documents.tolist()]
    of_chunk = dict(zip(layers.chunk_ids, documents, strict=True))
    for triple in triples:
        if triple.chunk:
            rows[of_chunk[triple.chunk]].append((triple.subject, triple.relation, triple.object))
    if not rows.keys() >= set(documents):
        return False
    texts = {document.id: document.text for document in store.documents(list(rows))}
    return all(texts[id_].split("\n") == written_out(listed) for id_, listed in rows.items())


@dataclass(frozen=True, slots=True, eq=False)
class TripleSearch:
    """The triples of a store, and which document each chunk that tells of one is of: edge `edges[i]` is told by a chunk
    of `owners[numbers[i]]`."""

    clues: ClueIndex
    documents: Mapping[str, str]
    owners: NDArray[np.str_]
    numbers: NDArray[np.int64]
    edges: NDArray[np.int64]

    @staticmethod
    def over(store: Search, triples: Sequence[Triple], aliases: AliasTable | None = None) -> "TripleSearch":
        """Of these triples of the store. Seconds for 100,000."""
        graph = triple_graph(triples)
        chunks = store.chunks(sorted({chunk for told in graph.chunks for chunk in told}))
        documents = {chunk.id: chunk.document for chunk in chunks}
        pairs = [(edge, documents[chunk]) for edge, told in enumerate(graph.chunks) for chunk in told]
        owners, numbers = np.unique(np.array([owner for _, owner in pairs], np.str_), return_inverse=True)
        edges = np.array([edge for edge, _ in pairs], np.int64)
        return TripleSearch(clue_index(graph, aliases), documents, owners, numbers.reshape(-1), edges)

    @property
    def empty(self) -> bool:
        return not len(self.clues.graph.kinds)

    def within(self, scope: frozenset[str] | None) -> NDArray[np.bool_] | None:
        """Which edges a document of the scope tells of, of shape (edges,); None for all."""
        if scope is None:
            return None
        told = np.zeros(len(self.clues.graph.kinds), dtype=bool)
        told[self.edges[np.array([owner in scope for owner in self.owners], dtype=bool)[self.numbers]]] = True
        return told

    def answer(self, text: str, scope: frozenset[str] | None, parameters: ClueParameters, paths: int = 0) -> ClueAnswer:
        """At least so many `paths` are looked for."""
        wanted = replace(parameters, topn=max(parameters.topn, paths))
        return search_paths(text, self.clues, wanted, self.within(scope))

    def meets(self, text: str, answer: ClueAnswer) -> bool:
        """Whether the best path has every content word of the question, or the relation that it stands for."""
        if not answer.paths:
            return False
        graph, edges = self.clues.graph, answer.paths[0].edges
        names = {name for edge in edges for name in self.clues.relation_names[graph.kinds[edge]]}
        told = {word for edge in edges for word in content_words(graph.written(edge))}
        told |= {word for one in self.clues.aliases.mentions(text) if one.relation in names for word in one.words}
        return set(answer.clues.words) <= told

    def leading(self, text: str, scope: frozenset[str] | None, parameters: ClueParameters) -> ClueAnswer | None:
        """The answer with its best path alone, where that has all that the question names."""
        answer = self.answer(text, scope, parameters)
        return replace(answer, paths=answer.paths[:1]) if self.meets(text, answer) else None

    def found(
        self, answer: ClueAnswer, scope: frozenset[str] | None, parameters: ClueParameters
    ) -> dict[str, Evidence]:
        """By chunk, in the order of the paths and of the edges along them.

        A chunk's score is that of the best path that it tells of, as a share of the most that a path could have with
        these clues (`most_of`), so that forms with many clues and with few compare.
        """
        most, told = most_of(answer.clues, parameters), dict[str, Evidence]()
        for path in sorted(answer.paths, key=lambda path: -path.score):
            scores = {name: part / most for name, part in path.scores.items()}
            evidence = Evidence(path.score / most, scores, partial(_explained, answer, path, self.clues.graph))
            for edge in path.edges:
                for chunk in self.clues.graph.chunks[edge]:
                    if scope is None or self.documents[chunk] in scope:
                        told.setdefault(chunk, evidence)
        return told

    def walk(self, answer: ClueAnswer) -> Subgraph | None:
        """The best path: its entities in the order of the walk, its edges in their own direction."""
        if not answer.paths:
            return None
        graph, path = self.clues.graph, answer.paths[0]
        edges = [
            Edge(graph.entities[graph.subjects[e]], graph.entities[graph.objects[e]], graph.relations[graph.kinds[e]])
            for e in path.edges
        ]
        return Subgraph(tuple(graph.entities[node] for node in path.nodes), tuple(edges))


def _explained(answer: ClueAnswer, path: Path, graph: TripleGraph) -> tuple[tuple[str, ...], str]:
    """The path, and the clues of the question with where the search began."""
    clues = answer.clues
    names = ", ".join(dict.fromkeys([*clues.relations, *(graph.entities[node] for node in clues.entities)]))
    return tuple(map(graph.written, path.edges)), f"{f'clues {names}' if names else 'no clues'}; from {answer.seeding}"
