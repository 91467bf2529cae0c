"""Seed 000 from the question to the answer (step 5), and over a store: the chunks that state the edges of its paths."""

import re
import string
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from clew.memory.datatypes import Floats, Subgraph, Triple
from clew.memory.knowledge.clues.clue_index import (
    AliasTable,
    ClueIndex,
    QuestionType,
    TripleGraph,
    arrow,
    clue_index,
    load_aliases,
    triple_graph,
    triple_lines,
)
from clew.memory.knowledge.clues.triple_beam import (
    ClueAnswer,
    ClueParameters,
    EdgeScores,
    Mask,
    Path,
    PathEvidence,
    QuestionClues,
    beam_search,
    extract_clues,
    most_of,
    rerank,
    seeds_of,
)
from clew.memory.knowledge.extraction.lexicon import MONTHS
from clew.memory.ports import Search
from clew.memory.text import content_words, stems_and_words, words

_MONTH = f"(?:{'|'.join(sorted(MONTHS))})"
_DATE = re.compile(rf"\b(?:\d{{3,4}}s?|\d+ (?:bc|bce|ad|ce)|{_MONTH} \d+|\d+ {_MONTH}|\w+ century|{_MONTH})\b")

FITS_THE_TYPE, NAMED = 2, 1
"""How well an edge's relation fits a question: it answers its type, the question names it; the sum where both."""


class _Reading(NamedTuple):
    """An edge, and its end that would be the answer. `rank`: whether the end is of the kind asked for; the grade of the
    edge's relation; how early the question names that; the edge's score."""

    edge: int
    node: int
    rank: tuple[bool, int, int, float]


def answer_of(paths: Sequence[Path], clues: QuestionClues, by_edge: Floats, index: ClueIndex) -> tuple[str, int | None]:
    """Answer synthesis (step 5): the answer and the edge that it was read from; without paths there is none.

    By type, from the first path that has such an edge: the subject or object of an edge like `directed` (who), the
    object of one like `titled` (what), `reason` (why), `located in` (where) or `released` (when); the table of aliases
    says which relations are like these. A date answers `when`, and does not answer `where`. Else an end of an edge
    whose relation the question names, or the tail of the best edge. Where no edge answers a `where` or a `when`, and
    the best path lacks a relation that the question names, nothing does.
    """
    if not paths:
        return "", None
    best = [max(_readings(path, clues, by_edge, index), key=lambda reading: reading.rank) for path in paths]
    enough = NAMED if clues.type in ("who", "what") else FITS_THE_TYPE
    graded = [reading for least in (enough, NAMED) for reading in best if reading.rank[:2] >= (True, least)]
    fitting = next(iter(graded), best[0])
    unanswered = clues.type in ("where", "when") and fitting.rank[:2] < (True, FITS_THE_TYPE)
    if unanswered and not names_along(paths[0], index).issuperset(clues.relations):
        return "", None
    if fitting.rank[1]:
        return shown(index.graph.names[fitting.node], clues.type), fitting.edge
    edge = max(paths[0].edges, key=lambda edge: by_edge[edge])
    tail = _unnamed(edge, clues, index) or [int(index.graph.objects[edge])]
    return shown(index.graph.names[tail[-1]], clues.type), edge


def _readings(path: Path, clues: QuestionClues, by_edge: Floats, index: ClueIndex) -> list[_Reading]:
    readings = []
    for place, edge in enumerate(path.edges):
        node = _asked_end(path, place, clues, index)
        grade, clue = _grade(edge, clues, index)
        kind_fits = _kind_fits(index.graph.entities[node], clues.type)
        readings.append(_Reading(edge, node, (kind_fits, grade, -clue, float(by_edge[edge]))))
    return readings


def _grade(edge: int, clues: QuestionClues, index: ClueIndex) -> tuple[int, int]:
    """How well the relation fits, and the place of the first relation clue that it has (none: after the last). What the
    table does not know answers any type."""
    names = index.relation_names[index.graph.kinds[edge]]
    places = [place for place, clue in enumerate(clues.relations) if clue in names]
    answers = index.aliases.answers
    fits = any(clues.type in answers[name] if name in answers else bool(places) for name in names)
    return FITS_THE_TYPE * fits + NAMED * bool(places), min(places, default=len(clues.relations))


def names_along(path: Path, index: ClueIndex) -> set[str]:
    """Of the relations of its edges."""
    return {name for edge in path.edges for name in index.relation_names[index.graph.kinds[edge]]}


def _asked_end(path: Path, place: int, clues: QuestionClues, index: ClueIndex) -> int:
    """Which end of an edge answers: the one that the question does not name; where it names neither, that at which the
    path ends; else for `who` the subject, unless the relation is passive (`played by`), and for others the object. Of
    an edge whose relation a `what` names and that answers `what`, the object does, also one that is asked for by its
    kind (`what film was watched?`): by its title where it has one. What is of that kind answers for it."""
    graph, edge = index.graph, path.edges[place]
    if clues.type == "what" and clues.asked == int(graph.objects[edge]):
        if "is a" in index.relation_names[graph.kinds[edge]]:
            return int(graph.subjects[edge])
        titled = [other for other in np.flatnonzero(graph.subjects == clues.asked) if _titled(int(other), index)]
        return int(graph.objects[titled[0]]) if titled else clues.asked
    unnamed = _unnamed(edge, clues, index)
    if len(unnamed) == 1:
        return unnamed[0]
    if unnamed and clues.type == "what" and _grade(edge, clues, index)[0] == FITS_THE_TYPE + NAMED:
        return int(graph.objects[edge])
    if unnamed and len(path.edges) > 1 and place in (0, len(path.edges) - 1):
        return path.nodes[0] if place == 0 else path.nodes[-1]
    active = clues.type == "who" and not graph.relations[graph.kinds[edge]].endswith(" by")
    return int((graph.subjects if active else graph.objects)[edge])


def _titled(edge: int, index: ClueIndex) -> bool:
    return "titled" in index.relation_names[index.graph.kinds[edge]]


def _unnamed(edge: int, clues: QuestionClues, index: ClueIndex) -> list[int]:
    """The ends of an edge, subject first, that are no entity clues."""
    ends = dict.fromkeys((int(index.graph.subjects[edge]), int(index.graph.objects[edge])))
    return [node for node in ends if node not in clues.entities]


def _kind_fits(entity: str, type_: QuestionType) -> bool:
    dated = bool(_DATE.search(entity))
    return {"when": dated, "where": not dated}.get(type_, True)


def shown(name: str, type_: QuestionType) -> str:
    """A name that has no capitals gets them: all its words, or of a reason or a time the first."""
    if name != name.lower():
        return name
    return string.capwords(name) if type_ in ("who", "what", "where") else name[:1].upper() + name[1:]


def search_paths(
    question: str, index: ClueIndex, parameters: ClueParameters | None = None, among: Mask | None = None
) -> ClueAnswer:
    """At most `topn` paths, best first, along the edges of `among` (shape (edges,); None: all). The order depends on
    the question, the triples and the parameters alone."""
    parameters = parameters or ClueParameters()
    clues = extract_clues(question, index, parameters.seed_top_k)
    seeds, seeding = seeds_of(question, clues, index, parameters)
    scores = EdgeScores(question, clues, index, parameters)
    walks = beam_search(index.graph, seeds, scores, among)
    paths = rerank(walks, clues, index, parameters)
    answer, edge = answer_of(paths, clues, scores.alone(index.graph), index)
    return ClueAnswer(clues, seeds, seeding, tuple(paths), answer, edge)


class GivenTriples:
    """`triples` that came with documents, and the `stems` of their content words. `alone`: every document is a list of
    triples written out, as from a file of triples, so that there is no text to walk."""

    def __init__(self, store: Search, aliases: AliasTable | None = None) -> None:
        """Cheap beside an index of them (`TripleSearch`): each word is stemmed once."""
        given = store.part().layers.given.any()
        self.triples = [triple for triple in store.triples() if triple.given] if given else []
        used = {word for one in self.triples for word in words(f"{one.subject} {one.relation} {one.object}")}
        self.stems = frozenset(content_words(" ".join(sorted(used))))
        self.alone = bool(self.triples) and _alone(store, self.triples)
        self.aliases = aliases or load_aliases()

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
    return all(texts[id_].split("\n") == triple_lines(listed) for id_, listed in rows.items())


class TripleSearch:
    """Some triples of a store; `documents` has for each chunk that states one its document."""

    def __init__(self, store: Search, triples: Sequence[Triple], aliases: AliasTable | None = None) -> None:
        """Seconds for 100,000."""
        graph = triple_graph(triples)
        chunks = store.chunks(sorted({chunk for stating in graph.chunks for chunk in stating}))
        self.clues, self.documents = clue_index(graph, aliases), {chunk.id: chunk.document for chunk in chunks}

    @property
    def empty(self) -> bool:
        return not len(self.clues.graph.kinds)

    def within(self, scope: frozenset[str] | None) -> Mask | None:
        """Which edges a document of the scope states, of shape (edges,); None for all."""
        if scope is None:
            return None
        chunks = {chunk for chunk, document in self.documents.items() if document in scope}
        return np.array([not chunks.isdisjoint(stating) for stating in self.clues.graph.chunks], dtype=bool)

    def answer(self, text: str, scope: frozenset[str] | None, parameters: ClueParameters, paths: int = 0) -> ClueAnswer:
        """At least so many `paths` are looked for."""
        wanted = replace(parameters, topn=max(parameters.topn, paths))
        return search_paths(text, self.clues, wanted, self.within(scope))

    def _unmet(self, text: str, answer: ClueAnswer) -> set[str]:
        """The content words of the question that its best path neither has nor has the relation that they stand for."""
        words = set(answer.clues.words)
        if not answer.paths:
            return words
        names, edges = names_along(answer.paths[0], self.clues), answer.paths[0].edges
        words -= {word for edge in edges for word in content_words(arrow(self.clues.graph.edge(edge)))}
        return words - {
            word for one in self.clues.aliases.mentions(text) if one.relation in names for word in one.words
        }

    def tells(self, text: str, answer: ClueAnswer) -> bool:
        """Whether its best path has all that the question names; a relation that it has may be asked for with a noun of
        no name: `Who directed the movie Coolie?` where there is a film."""
        unmet = self._unmet(text, answer)
        names = {stem for stem, word in stems_and_words(text) if not (word.islower() or text.startswith(word))}
        relations = set(answer.clues.relations)
        met = bool(relations and answer.paths) and relations <= names_along(answer.paths[0], self.clues)
        return not unmet or (met and bool(names) and not unmet & names)

    def leading(self, text: str, scope: frozenset[str] | None, parameters: ClueParameters) -> ClueAnswer | None:
        """The answer with its best path alone, where that has all that the question names."""
        answer = self.answer(text, scope, parameters)
        return replace(answer, paths=answer.paths[:1]) if not self._unmet(text, answer) else None

    def found(
        self, answer: ClueAnswer, scope: frozenset[str] | None, parameters: ClueParameters
    ) -> dict[str, PathEvidence]:
        """By chunk, in the order of the paths and of the edges along them.

        A chunk's score is that of the best path of which it states an edge, as a share of the most that a path could
        have with these clues (`most_of`), so that forms with many clues and with few compare.
        """
        most, found = most_of(answer.clues, parameters), dict[str, PathEvidence]()
        for path in sorted(answer.paths, key=lambda path: -path.score):
            scores = {name: part / most for name, part in path.scores.items()}
            evidence = PathEvidence(path.score / most, scores, partial(_explained, answer, path, self.clues.graph))
            for edge in path.edges:
                for chunk in self.clues.graph.chunks[edge]:
                    if scope is None or self.documents[chunk] in scope:
                        found.setdefault(chunk, evidence)
        return found

    def walk(self, answer: ClueAnswer) -> Subgraph | None:
        """The best path: its entities in the order of the walk, its edges in their own direction."""
        if not answer.paths:
            return None
        graph, path = self.clues.graph, answer.paths[0]
        return Subgraph(tuple(graph.entities[node] for node in path.nodes), tuple(map(graph.edge, path.edges)))


def _explained(answer: ClueAnswer, path: Path, graph: TripleGraph, _: str) -> tuple[tuple[str, ...], str]:
    """The path, and the clues of the question with where the search began."""
    clues = answer.clues
    names = ", ".join(dict.fromkeys([*clues.relations, *(graph.entities[node] for node in clues.entities)]))
    why = f"{f'clues {names}' if names else 'no clues'}; from {answer.seeding}"
    return tuple(arrow(graph.edge(edge)) for edge in path.edges), why
