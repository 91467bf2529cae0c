"""Seed 000 from the question to the answer, and the answer that paths give to a type of question (step 5)."""

import re
import string
from collections.abc import Sequence
from dataclasses import dataclass

from clew.memory.datatypes import Floats
from clew.memory.knowledge.clues.clue_index import ClueIndex, QuestionType
from clew.memory.knowledge.clues.question_clues import QuestionClues, extract_clues
from clew.memory.knowledge.clues.triple_beam import (
    ClueAnswer,
    ClueParameters,
    Mask,
    Path,
    beam_search,
    edge_scores,
    rerank,
    seeds_of,
)

_MONTH = "(?:january|february|march|april|may|june|july|august|september|october|november|december)"
_DATE = re.compile(rf"\b(?:\d{{3,4}}s?|\d+ (?:bc|bce|ad|ce)|{_MONTH} \d+|\d+ {_MONTH}|\w+ century|{_MONTH})\b")

FITS_THE_TYPE, NAMED, FITS_AND_NAMED = 2, 1, 3
"""How well an edge's relation fits a question: an edge that answers its type, one that it names, and both."""


@dataclass(frozen=True, slots=True)
class _Reading:
    """An edge, and its end that would be the answer."""

    edge: int
    node: int
    kind_fits: bool
    grade: int
    clue: int
    score: float

    @property
    def rank(self) -> tuple[bool, int, int, float]:
        """What names the relation that the question names first is preferred."""
        return self.kind_fits, self.grade, -self.clue, self.score


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
    graded = [reading for least in (enough, NAMED) for reading in best if reading.kind_fits and reading.grade >= least]
    fitting = next(iter(graded), best[0])
    unanswered = clues.type in ("where", "when") and not (fitting.kind_fits and fitting.grade >= FITS_THE_TYPE)
    if unanswered and not _names_all(paths[0], clues, index):
        return "", None
    if fitting.grade:
        return shown(index.graph.names[fitting.node], clues.type), fitting.edge
    edge = max(paths[0].edges, key=lambda edge: by_edge[edge])
    tail = _unnamed(edge, clues, index) or [int(index.graph.objects[edge])]
    return shown(index.graph.names[tail[-1]], clues.type), edge


def _readings(path: Path, clues: QuestionClues, by_edge: Floats, index: ClueIndex) -> list[_Reading]:
    readings = []
    for place, edge in enumerate(path.edges):
        node = asked_end(path, place, clues, index)
        grade, clue = _grade(edge, clues, index)
        kind_fits = _kind_fits(index.graph.entities[node], clues.type)
        readings.append(_Reading(edge, node, kind_fits, grade, clue, float(by_edge[edge])))
    return readings


def _grade(edge: int, clues: QuestionClues, index: ClueIndex) -> tuple[int, int]:
    """How well the relation fits, and the place of the first relation clue that it has (none: after the last). What the
    table does not know answers any type."""
    names = index.relation_names[index.graph.kinds[edge]]
    places = [place for place, clue in enumerate(clues.relations) if clue in names]
    answers = index.aliases.answers
    fits = any(clues.type in answers[name] if name in answers else bool(places) for name in names)
    return FITS_THE_TYPE * fits + NAMED * bool(places), min(places, default=len(clues.relations))


def _names_all(path: Path, clues: QuestionClues, index: ClueIndex) -> bool:
    """Whether its edges have every relation that the question names."""
    found = {name for edge in path.edges for name in index.relation_names[index.graph.kinds[edge]]}
    return found.issuperset(clues.relations)


def asked_end(path: Path, place: int, clues: QuestionClues, index: ClueIndex) -> int:
    """Which end of an edge answers: the one that the question does not name; where it names neither, that at which the
    path ends; else for `who` the subject, unless the relation is passive (`played by`), and for others the object."""
    graph, edge = index.graph, path.edges[place]
    unnamed = _unnamed(edge, clues, index)
    if len(unnamed) == 1:
        return unnamed[0]
    if unnamed and len(path.edges) > 1 and place in (0, len(path.edges) - 1):
        return path.nodes[0] if place == 0 else path.nodes[-1]
    active = clues.type == "who" and not graph.relations[graph.kinds[edge]].endswith(" by")
    return int((graph.subjects if active else graph.objects)[edge])


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
    scores = edge_scores(question, clues, index, parameters)
    walks = beam_search(index.graph, seeds, scores, among)
    paths = rerank(walks, clues, index, parameters)
    answer, edge = answer_of(paths, clues, scores.alone(index.graph), index)
    return ClueAnswer(clues, seeds, seeding, tuple(paths), answer, edge)
