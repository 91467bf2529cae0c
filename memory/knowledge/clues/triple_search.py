"""Seed 000 from the question to the answer (step 5), and over a store: the chunks that state the edges of its paths."""

import pathlib
import re
import string
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, pairwise, product
from math import factorial
from typing import Any, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from clew.memory.datatypes import Floats, Ints, Subgraph, Triple
from clew.memory.knowledge.clues.clue_index import (
    DIGITS,
    ClueIndex,
    NamedRelation,
    QuestionType,
    TripleGraph,
    arrow,
    clue_index,
    load_aliases,
    name_words,
    triple_graph,
    triple_lines,
)
from clew.memory.knowledge.library_ports import Search
from clew.memory.parameters import Cosine, Few, Share, Weight
from clew.memory.text import compiled_patterns, content_words, stemmed_words, stems_and_words, word_lists, words
from clew.memory.vectors import highest

PART_OF_NAME = 2
"""So many words in common make an entity a clue, where the question has not all of them."""
LONG_WORD = 4
"""Or one of so many letters."""

_LISTS = word_lists(pathlib.Path(__file__).with_name("question_clues.txt"))
_TYPES: Sequence[QuestionType] = get_args(QuestionType)
_QUESTION_WORDS = {word: type_ for type_ in _TYPES for word in _LISTS[type_]}
_ASKED_FOR = {noun: type_ for type_ in _TYPES for noun in _LISTS.get(f"what {type_}", ())}
"""What follows `what` or `which` where another type is meant."""

_PASSIVE = tuple(f" {word}" for word in _LISTS["passive"])


@dataclass(frozen=True, slots=True)
class QuestionClues:
    """What a question names: entities (node numbers) and relations in its order, its type, and the stems of its content
    words (`words`). `asked` is an entity that the question asks for by its kind, not by a name: the film in "what film
    was watched?"."""

    entities: tuple[int, ...]
    relations: tuple[str, ...]
    type: QuestionType
    words: tuple[str, ...]
    asked: int | None = None


_WORD = re.compile(r"[^\W_]+")


def question_type(question: str) -> QuestionType:
    """Return the type by the first question word of the text (seed 000, step 1); `what` if it has none."""
    words = _WORD.findall(question.lower())
    for word, following in pairwise([*words, ""]):
        if type_ := _QUESTION_WORDS.get(word):
            return _ASKED_FOR.get(following, type_) if type_ == "what" else type_
    return "what"


def extract_clues(question: str, index: ClueIndex, most: int) -> QuestionClues:
    """Find the entities and relations that a question names (seed 000, step 1). At most `most` entities may be named by
    a part of their name alone. Words of a name of several words are not read as a relation."""
    asked = name_words(question)

    def place(node: int) -> int:
        """Return the place of the first word of the question that belongs to this entity."""
        return min(map(asked.index, set(asked).intersection(name_words(index.graph.entities[node]))))

    whole = index.entity_names.covered(asked)
    in_names = {stem for node in whole if len(own := content_words(index.graph.entities[node])) > 1 for stem in own}
    relations = [relation for relation in index.aliases.mentions(question) if not in_names.issuperset(relation.words)]
    spent = {stem for relation in relations for stem in relation.words}
    entities = [*whole, *_named_in_part(question, whole, spent, index, most)]
    entities.sort(key=lambda node: (place(node), node))
    relations += _by_their_own_words(question, in_names, index)
    relations.sort(key=lambda relation: relation.place)
    return QuestionClues(
        entities=tuple(entities),
        relations=tuple(dict.fromkeys(relation.relation for relation in relations)),
        type=question_type(question),
        words=tuple(content_words(question)),
        asked=next((node for node in entities if _asked_for(question, index.graph.entities[node])), None),
    )


def _asked_for(question: str, entity: str) -> bool:
    """Return whether the entity follows `what` or `which` at the beginning of the question, in lower case there and in
    the graph: a kind of thing, not a name."""
    return re.match(rf"\W*(?i:{'|'.join(_LISTS['what'])})\s+{re.escape(entity)}\b", question) is not None


def _named_in_part(question: str, whole: Sequence[int], spent: set[str], index: ClueIndex, most: int) -> list[int]:
    """Return the entities that the question names in part: they share two words, or a long one, with the words that are
    not `spent`, and half of their own words with the whole question. A word that more than `most` entities have counts
    for none of them."""
    texts = index.entity_names
    named = {word for node in whole for word in name_words(index.graph.entities[node])}
    left = set(name_words(" ".join(word for stem, word in stems_and_words(question) if stem not in spent))) - named
    rest = sorted(word for word in left if texts.count(word) <= most)
    overlapping = texts.shared(rest) >= PART_OF_NAME
    overlapping |= texts.shared([word for word in rest if len(word) >= LONG_WORD]) > 0
    part = np.flatnonzero(overlapping & (2 * texts.shared(name_words(question)) >= texts.sizes))
    return highest(index.entity_cosines(question), most, part)


def _by_their_own_words(question: str, in_names: set[str], index: ClueIndex) -> Iterator[NamedRelation]:
    """Yield the relations of the graph that the table of aliases lacks and all of whose words the question has."""
    stems = stemmed_words(question)
    for kind in index.relation_texts.covered([stem for stem in content_words(question) if stem not in in_names]):
        own = content_words(index.graph.relations[kind])
        for name in index.relation_names[kind]:
            if name not in index.aliases.answers:
                yield NamedRelation(name, tuple(own), min(stems.index(stem) for stem in own))


# Walks over triples --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ClueParameters:
    """The configuration of seed 000, by its names and with its values, and `clues_once`.

    With `clues_once` a path gets w_rel for each relation clue and w_ent for each entity clue at the first edge that has
    it. Without it every edge with a clue gets them, as the seed is written; paths then grow by edges of a relation that
    they have already, and find less.
    """

    w_rel: Weight = 2.0  # triples: the weight of a relation that the question names
    w_ent: Weight = 1.5  # triples: the weight of a thing that the question names
    w_lex: Weight = 1.0  # triples: the weight of words shared with the question
    w_emb: Weight = 0.5  # triples: the weight of likeness in meaning
    max_depth: Few = 3  # triples: how many edges a path may have
    beam_width: Few = 8  # triples: how many paths of each length are kept
    lambda_len: Weight = 0.3  # triples: what each further edge costs
    alpha_rel: Weight = 1.5  # triples: the weight of covering the question's relations
    alpha_ent: Weight = 1.0  # triples: the weight of covering the question's things
    beta_chain: Weight = 0.8  # triples: the weight of relations in the question's order
    gamma_type: Weight = 0.5  # triples: the weight of a relation that answers this kind of question
    mmr_lambda: Share = 0.7  # triples: how much a path's score counts against its likeness to paths already chosen
    topn: Few = 3  # triples: how many paths are returned
    seed_top_k: Few = 10  # triples: how many things it begins at where the question names none
    seed_min_sim: Cosine = 0.05  # triples: how alike these have to be to the question
    clues_once: bool = True  # triples: whether a named relation or thing counts once for a path, or for each edge


@dataclass(frozen=True, slots=True)
class Path:
    """A path in the graph: its edges, and the nodes that they join (one more than edges). During the search they are in
    the order walked and `score` is the sum of the edges' scores. After re-ranking they are in reading order and `score`
    is the sum of `scores`, its parts by name."""

    edges: tuple[int, ...]
    nodes: tuple[int, ...]
    score: float
    scores: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ClueAnswer:
    """The result of a search: the clues, the nodes at which it began and why, the paths, best first, and the answer
    (empty if there is none), which was read from `edge`."""

    clues: QuestionClues
    seeds: tuple[int, ...]
    seeding: str
    paths: tuple[Path, ...]
    answer: str = ""
    edge: int | None = None


@dataclass(frozen=True, slots=True)
class PathEvidence:
    """Why a chunk was found for one wording of a question: `score` is the sum of `scores`, its parts by name. `explain`
    takes a passage of the document and returns the path to it, as printed steps, and the reason."""

    score: float
    scores: Mapping[str, float]
    explain: Callable[[str], tuple[tuple[str, ...], str]]


Mask = NDArray[np.bool_]

MOST_RELATION_CLUES = 60
"""Relation clues that the scores of edges can keep apart: the bits of a number."""


def seeds_of(
    question: str, clues: QuestionClues, index: ClueIndex, parameters: ClueParameters
) -> tuple[tuple[int, ...], str]:
    """Return the nodes at which the search begins, and why there (seed 000, step 2).

    These are the entity clues; if there are none, the ends of edges that have a relation clue; else the `seed_top_k`
    entities with the highest cosine to the question, of at least `seed_min_sim`.
    """
    if clues.entities:
        return clues.entities, "entities that the question names"
    edges = np.flatnonzero(index.edges_of_relations(clues.relations))
    if len(edges):
        ends = np.union1d(index.graph.subjects[edges], index.graph.objects[edges])
        return tuple(ends.tolist()), "entities of the relations that the question names"
    cosines = index.entity_cosines(question)
    near = np.flatnonzero(cosines >= parameters.seed_min_sim)
    return tuple(highest(cosines, parameters.seed_top_k, near)), "entities nearest to the question"


class EdgeScores:
    """Scores of edges (seed 000, step 3): w_rel and w_ent for clues, plus `by_words`, which is w_lex * Jaccard(edge's
    tokens, question's tokens) + w_emb * cosine(question, triple's text).

    `relation_clues` has a bit for each relation clue that an edge has, shape (edges,); `entity_clues` says for each
    node whether it is an entity clue.
    """

    def __init__(self, clues: QuestionClues, index: ClueIndex, parameters: ClueParameters) -> None:
        self.parameters = parameters
        self.by_words = parameters.w_lex * index.triple_texts.jaccards(clues.words)
        self.by_words += parameters.w_emb * index.triple_texts.cosines(clues.words)
        self.relation_clues = np.zeros(len(index.graph.kinds), np.int64)
        for place, clue in enumerate(clues.relations[:MOST_RELATION_CLUES]):
            self.relation_clues[index.edges_of_relations((clue,))] |= 1 << place
        self.entity_clues = np.zeros(len(index.graph.entities), dtype=bool)
        self.entity_clues[list(clues.entities)] = True

    def alone(self, graph: TripleGraph) -> Floats:
        """Return the score of each edge by itself, as if no path led to it; shape (edges,)."""
        named = self.entity_clues[graph.subjects] | self.entity_clues[graph.objects]
        return self._sum(np.arange(len(named)), self.relation_clues != 0, named)

    def of(self, edges: Ints, ends: Ints, walked: Ints, visited: Ints) -> Floats:
        """Return the scores of `edges` that lead to the nodes `ends`, each behind a path with the edges `walked` and
        the nodes `visited`, both of shape (edges, steps). A clue that the path has already counts no more."""
        relations, named = self.relation_clues[edges], self.entity_clues[ends]
        if not self.parameters.clues_once:
            return self._sum(edges, relations != 0, named | self.entity_clues[visited[:, -1]])
        known = np.bitwise_or.reduce(self.relation_clues[walked], axis=1)
        fresh = ~(visited == ends[:, None]).any(axis=1)
        return self._sum(edges, np.bitwise_count(relations & ~known), named & fresh)

    def _sum(self, edges: Ints, relations: NDArray[Any], entities: NDArray[Any]) -> Floats:
        p = self.parameters
        return np.asarray(self.by_words[edges] + p.w_rel * relations + p.w_ent * entities, np.float64)


def beam_search(graph: TripleGraph, seeds: Sequence[int], scores: EdgeScores, among: Mask | None = None) -> list[Path]:
    """Return the best `beam_width` walks of every length up to `max_depth` edges, shorter ones first (seed 000, step
    3).

    Edges are walked in both directions, and none twice in a walk; a walk that cannot go on stays as it is. `among` says
    which edges may be walked, shape (edges,); None means all.
    """
    parameters, finished = scores.parameters, list[Path]()
    at_seed = parameters.w_ent * parameters.clues_once * scores.entity_clues
    beam = [Path((), (seed,), float(at_seed[seed])) for seed in seeds]
    for _ in range(parameters.max_depth):
        beam = _longer(graph, beam, scores, among) if beam else []
        finished += beam
    return finished


def _longer(graph: TripleGraph, beam: Sequence[Path], scores: EdgeScores, among: Mask | None) -> list[Path]:
    """Return the best walks that have one more edge. Of walks with the same edges and the same end only the best
    stays."""
    visited = np.array([walk.nodes for walk in beam], np.int64)
    walked = np.array([walk.edges for walk in beam], np.int64).reshape(len(beam), -1)
    rows, edges, ends = graph.edges_of(visited[:, -1])
    fresh = ~(walked[rows] == edges[:, None]).any(axis=1)
    if among is not None:
        fresh &= among[edges]
    rows, edges, ends = rows[fresh], edges[fresh], ends[fresh]
    added = scores.of(edges, ends, walked[rows], visited[rows])
    totals = np.round(np.array([walk.score for walk in beam])[rows] + added, DIGITS)
    # The same edges can be walked to the same end in so many orders, at most.
    width = scores.parameters.beam_width
    order = _best(totals, rows, edges, width * factorial(walked.shape[1] + 1))
    longer: dict[tuple[int, tuple[int, ...]], Path] = {}
    for place in order.tolist():
        if len(longer) == width:
            break
        walk, edge, end = beam[rows[place]], int(edges[place]), int(ends[place])
        state = end, tuple(sorted((*walk.edges, edge)))
        longer.setdefault(state, Path((*walk.edges, edge), (*walk.nodes, end), float(totals[place])))
    return list(longer.values())


def _best(totals: Floats, rows: Ints, edges: Ints, count: int) -> Ints:
    """Return the places of the `count` highest totals, and of those that equal the last of them, in descending order.
    Equal totals are in the order of their rows, then of their edges."""
    places = np.arange(len(totals))
    if count < len(totals):
        places = np.flatnonzero(totals >= np.partition(totals, -count)[-count])
    return places[np.lexsort((edges[places], rows[places], -totals[places]))]


def in_reading_order(graph: TripleGraph, walk: Path) -> Path:
    """Turn a walk so that more of its edges point forward; if both directions are equal it stays as walked."""
    forward = sum(int(graph.subjects[e]) == node for e, node in zip(walk.edges, walk.nodes, strict=False))
    backward = sum(int(graph.objects[e]) == node for e, node in zip(walk.edges, walk.nodes, strict=False))
    return walk if forward >= backward else Path(walk.edges[::-1], walk.nodes[::-1], walk.score)


def rerank(walks: Iterable[Path], clues: QuestionClues, index: ClueIndex, parameters: ClueParameters) -> list[Path]:
    """Score the walks and return the `topn` best by MMR (seed 000, step 4). Of walks along the same edges only the best
    counts."""
    best: dict[frozenset[int], Path] = {}
    paths = [scored(in_reading_order(index.graph, walk), clues, index, parameters) for walk in walks]
    for path in sorted(paths, key=lambda path: -path.score):
        best.setdefault(frozenset(path.edges), path)
    ordered = sorted(best.values(), key=lambda path: (-path.score, len(path.edges), path.edges))
    return diverse(ordered, parameters.topn, parameters.mmr_lambda)


def scored(walk: Path, clues: QuestionClues, index: ClueIndex, parameters: ClueParameters) -> Path:
    """Re-ranking (step 4): the sum of the edges' scores and the terms

    length penalty, -lambda_len * (path length - 1); relation coverage, alpha_rel * Jaccard(path relations, relation
    clues); entity coverage, alpha_ent * Jaccard(path entities, entity clues); chain alignment, beta_chain * relation
    n-gram overlap; type match, gamma_type where a relation of the path answers this type of question.
    """
    p = parameters
    names = list(map(index.names_of, walk.edges))
    relations = {name for own in names for name in own}
    answering = any(clues.type in index.aliases.answers.get(name, ()) for name in relations)
    scores = {
        "edges": walk.score,
        "length": p.lambda_len * (1 - len(walk.edges)),
        "relations": p.alpha_rel * jaccard(relations, set(clues.relations)),
        "entities": p.alpha_ent * jaccard(set(walk.nodes), set(clues.entities)),
        "chain": p.beta_chain * chain_overlap(names, clues.relations),
        "type": p.gamma_type * answering,
    }
    return Path(walk.edges, walk.nodes, round(sum(scores.values()), DIGITS), scores)


def most_of(clues: QuestionClues, parameters: ClueParameters) -> float:
    """Return the highest score that a path can have for these clues: with every clue met, and every term of its edges
    and of the re-ranking at its greatest."""
    p, length = parameters, parameters.max_depth
    relations, entities = len(clues.relations), min(len(clues.entities), length + 1)
    if not p.clues_once:
        relations, entities = length * bool(relations), length * bool(entities)
    edges = p.w_rel * relations + p.w_ent * entities + length * (p.w_lex + p.w_emb)
    coverage = (p.alpha_rel + p.beta_chain) * bool(relations) + p.alpha_ent * bool(entities)
    return edges + coverage + p.gamma_type


def jaccard(one: set[str] | set[int], other: set[str] | set[int]) -> float:
    """Return the size of the intersection divided by that of the union; 0 if both sets are empty."""
    return len(one & other) / len(one | other) if one or other else 0.0


def chain_overlap(names: Sequence[Sequence[str]], clues: Sequence[str]) -> float:
    """Return the share of the n-grams (n = 1 and 2) of the question's relation clues, in their order there, that a path
    has (seed 000, step 4). A path may be read from either end, so that the order within a pair does not matter."""
    pairs = [pair for own, following in pairwise(names) for pair in product(own, following)]
    wanted = {tuple(sorted(gram)) for gram in [*zip(clues), *pairwise(clues)]}
    there = {tuple(sorted(gram)) for gram in [*zip(chain.from_iterable(names)), *pairs]}
    return len(wanted & there) / len(wanted) if wanted else 0.0


def diverse(paths: Sequence[Path], most: int, lambda_: float) -> list[Path]:
    """Choose at most `most` paths by MMR (seed 000, step 4): each time the path with the highest mmr_lambda * score -
    (1 - mmr_lambda) * similarity, where similarity is the greatest Jaccard of its edges with those of a chosen path. Of
    equals the earlier path is chosen."""
    rest, chosen = list(paths), list[Path]()

    def worth(path: Path) -> float:
        nearness = max((jaccard(set(path.edges), set(other.edges)) for other in chosen), default=0.0)
        return round(lambda_ * path.score - (1 - lambda_) * nearness, DIGITS)

    while rest and len(chosen) < most:
        chosen.append(max(rest, key=worth))
        rest.remove(chosen[-1])
    return chosen


# From the question to the answer (step 5) ----------------------------------------------------------------------------

_DATE = compiled_patterns(pathlib.Path(__file__).with_suffix(".txt"))["date"]

FITS_THE_TYPE, NAMED = 2, 1
"""How well an edge's relation fits a question: it answers its type, the question names it; the sum where both."""


class _Reading(NamedTuple):
    """An edge and the end of it that could be the answer. `rank` compares readings: whether the end is of the kind
    asked for, the grade of the edge's relation, how early the question names that relation, the edge's score."""

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
        dated = bool(_DATE.search(index.graph.entities[node]))
        kind_fits = {"when": dated, "where": not dated}.get(clues.type, True)
        readings.append(_Reading(edge, node, (kind_fits, grade, -clue, float(by_edge[edge]))))
    return readings


def _grade(edge: int, clues: QuestionClues, index: ClueIndex) -> tuple[int, int]:
    """Return how well the edge's relation fits the type of the question, and the place of the first relation clue that
    it has (after the last clue if it has none). A relation that the table lacks fits if the question names it."""
    names = index.names_of(edge)
    places = [place for place, clue in enumerate(clues.relations) if clue in names]
    answers = index.aliases.answers
    fits = any(clues.type in answers[name] if name in answers else bool(places) for name in names)
    return FITS_THE_TYPE * fits + NAMED * bool(places), min(places, default=len(clues.relations))


def names_along(path: Path, index: ClueIndex) -> set[str]:
    """Return the names of all relations along a path."""
    return {name for edge in path.edges for name in index.names_of(edge)}


def _asked_end(path: Path, place: int, clues: QuestionClues, index: ClueIndex) -> int:
    """Return the end of an edge (a node) that answers the question: the one that the question does not name.

    If it names neither, the end of the path; else the subject for `who`, unless the relation is passive (`played by`),
    and the object for other types. A `what` question that names the relation, which answers `what`, gets the object,
    also if that is asked for by its kind (`what film was watched?`); by the object's title, if it has one.
    """
    graph, edge = index.graph, path.edges[place]
    if clues.type == "what" and clues.asked == int(graph.objects[edge]):
        if "is a" in index.names_of(edge):
            return int(graph.subjects[edge])
        titled = [other for other in graph.outgoing.row(clues.asked) if "titled" in index.names_of(other)]
        return int(graph.objects[titled[0]]) if titled else clues.asked
    unnamed = _unnamed(edge, clues, index)
    if len(unnamed) == 1:
        return unnamed[0]
    if unnamed and clues.type == "what" and _grade(edge, clues, index)[0] == FITS_THE_TYPE + NAMED:
        return int(graph.objects[edge])
    if unnamed and len(path.edges) > 1 and place in (0, len(path.edges) - 1):
        return path.nodes[0] if place == 0 else path.nodes[-1]
    active = clues.type == "who" and not graph.relations[graph.kinds[edge]].endswith(_PASSIVE)
    return int((graph.subjects if active else graph.objects)[edge])


def _unnamed(edge: int, clues: QuestionClues, index: ClueIndex) -> list[int]:
    """Return the ends of an edge, subject first, that the question does not name."""
    ends = dict.fromkeys((int(index.graph.subjects[edge]), int(index.graph.objects[edge])))
    return [node for node in ends if node not in clues.entities]


def shown(name: str, type_: QuestionType) -> str:
    """Return the name with capitals if it has none: for every word, or for the first one of a reason or a time."""
    if name != name.lower():
        return name
    return string.capwords(name) if type_ in ("who", "what", "where") else name[:1].upper() + name[1:]


def search_paths(
    question: str, index: ClueIndex, parameters: ClueParameters | None = None, among: Mask | None = None
) -> ClueAnswer:
    """Find at most `topn` paths, best first, along the edges of `among` (shape (edges,); None: all). The result depends
    on the question, the triples and the parameters alone."""
    parameters = parameters or ClueParameters()
    clues = extract_clues(question, index, parameters.seed_top_k)
    seeds, seeding = seeds_of(question, clues, index, parameters)
    scores = EdgeScores(clues, index, parameters)
    walks = beam_search(index.graph, seeds, scores, among)
    paths = rerank(walks, clues, index, parameters)
    answer, edge = answer_of(paths, clues, scores.alone(index.graph), index)
    return ClueAnswer(clues, seeds, seeding, tuple(paths), answer, edge)


class GivenTriples:
    """The `triples` that came with the documents of a library, and the `stems` of their content words. `alone` says
    whether every document is nothing but a list of triples, so that there is no text to walk through."""

    def __init__(self, store: Search) -> None:
        """Read the triples and stem each word once: cheap, compared with an index of them (`TripleSearch`)."""
        given = store.part().layers.given.any()
        self.triples = [triple for triple in store.triples() if triple.given] if given else []
        used = {word for one in self.triples for word in words(f"{one.subject} {one.relation} {one.object}")}
        self.stems = frozenset(content_words(" ".join(sorted(used))))
        self.alone = bool(self.triples) and _alone(store, self.triples)
        self.aliases = load_aliases()

    def may_answer(self, text: str) -> bool:
        """Return whether each content word of a question is a word of these triples, or may stand for a relation."""
        named = {word for mention in self.aliases.mentions(text) for word in mention.words}
        return bool(self.stems) and set(content_words(text)) <= self.stems | named


def _alone(store: Search, triples: Sequence[Triple]) -> bool:
    """Return whether the text of every document is its triples, line by line. (Sentences are no help: they are cut at
    `Dr.`.)"""
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
    """Seed 000's search through some triples of a store; `documents` maps each chunk that states one to its
    document."""

    def __init__(self, store: Search, triples: Sequence[Triple]) -> None:
        """Build the index of these triples, which takes seconds for 100,000."""
        graph = triple_graph(triples)
        chunks = store.chunks(sorted({chunk for stating in graph.chunks for chunk in stating}))
        self.clues, self.documents = clue_index(graph), {chunk.id: chunk.document for chunk in chunks}

    @property
    def empty(self) -> bool:
        return not len(self.clues.graph.kinds)

    def within(self, scope: frozenset[str] | None) -> Mask | None:
        """Return for each edge whether a document of the scope states it, shape (edges,); None if all documents are
        meant."""
        if scope is None:
            return None
        chunks = {chunk for chunk, document in self.documents.items() if document in scope}
        return np.array([not chunks.isdisjoint(stating) for stating in self.clues.graph.chunks], dtype=bool)

    def answer(self, text: str, scope: frozenset[str] | None, parameters: ClueParameters, paths: int = 0) -> ClueAnswer:
        """Search the triples for a question's answer; return it with at least `paths` paths, as far as there are so
        many."""
        wanted = replace(parameters, topn=max(parameters.topn, paths))
        return search_paths(text, self.clues, wanted, self.within(scope))

    def _unmet(self, text: str, answer: ClueAnswer) -> set[str]:
        """Return the content words of the question that neither stand in its best path nor name a relation of it."""
        words = set(answer.clues.words)
        if not answer.paths:
            return words
        names, edges = names_along(answer.paths[0], self.clues), answer.paths[0].edges
        words -= {word for edge in edges for word in content_words(arrow(self.clues.graph.edge(edge)))}
        return words - {
            word for one in self.clues.aliases.mentions(text) if one.relation in names for word in one.words
        }

    def tells(self, text: str, answer: ClueAnswer) -> bool:
        """Return whether the best path has all that the question names. If it has all relations that are asked for,
        words that are no names may be missing: `Who directed the movie Coolie?`, and the path has a film."""
        unmet = self._unmet(text, answer)
        names = {stem for stem, word in stems_and_words(text) if not (word.islower() or text.startswith(word))}
        relations = set(answer.clues.relations)
        met = bool(relations and answer.paths) and relations <= names_along(answer.paths[0], self.clues)
        return not unmet or (met and bool(names) and not unmet & names)

    def leading(self, text: str, scope: frozenset[str] | None, parameters: ClueParameters) -> ClueAnswer | None:
        """Return the answer with its best path alone; None if that path lacks something that the question names."""
        answer = self.answer(text, scope, parameters)
        return replace(answer, paths=answer.paths[:1]) if not self._unmet(text, answer) else None

    def found(
        self, answer: ClueAnswer, scope: frozenset[str] | None, parameters: ClueParameters
    ) -> dict[str, PathEvidence]:
        """Return the evidence by chunk, in the order of the paths and of the edges along them.

        The score of a chunk is that of the best path with an edge that the chunk states, divided by the highest score
        possible for these clues (`most_of`), so that wordings with many and with few clues can be compared.
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
        """Return the best path as a graph: its entities in the order of the walk, its edges in their own direction;
        None without a path."""
        if not answer.paths:
            return None
        graph, path = self.clues.graph, answer.paths[0]
        return Subgraph(tuple(graph.entities[node] for node in path.nodes), tuple(map(graph.edge, path.edges)))


def _explained(answer: ClueAnswer, path: Path, graph: TripleGraph, _: str) -> tuple[tuple[str, ...], str]:
    """Return the steps of a path, and a sentence with the question's clues and where the search began."""
    clues = answer.clues
    names = ", ".join(dict.fromkeys([*clues.relations, *(graph.entities[node] for node in clues.entities)]))
    why = f"{f'clues {names}' if names else 'no clues'}; from {answer.seeding}"
    return tuple(arrow(graph.edge(edge)) for edge in path.edges), why
