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
from clew.memory.parameters import Cosine, Few, Share, Weight
from clew.memory.ports import Search
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
    """Entities (nodes) and relations in the order in which the question names them, and its type. `words` are the stems
    of its content words. `asked` is the entity that is asked for by its kind, no name: the film of "what film was
    watched?"."""

    entities: tuple[int, ...]
    relations: tuple[str, ...]
    type: QuestionType
    words: tuple[str, ...]
    asked: int | None = None


_WORD = re.compile(r"[^\W_]+")


def question_type(question: str) -> QuestionType:
    """Question type (step 1): by the first question word, whole words only; `what` where there is none."""
    words = _WORD.findall(question.lower())
    for word, following in pairwise([*words, ""]):
        if type_ := _QUESTION_WORDS.get(word):
            return _ASKED_FOR.get(following, type_) if type_ == "what" else type_
    return "what"


def extract_clues(question: str, index: ClueIndex, most: int) -> QuestionClues:
    """Clue extraction (step 1). At most `most` of the entities are those that the question has only in part. The words
    of a name of several words name no relation."""
    asked = name_words(question)

    def place(node: int) -> int:
        """Where the question first has a word of the entity."""
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
    """Whether it stands behind `what` or `which` at the beginning, in small letters there and in the graph."""
    return re.match(rf"\W*(?i:{'|'.join(_LISTS['what'])})\s+{re.escape(entity)}\b", question) is not None


def _named_in_part(question: str, whole: Sequence[int], spent: set[str], index: ClueIndex, most: int) -> list[int]:
    """By token overlap: the entities that share with the rest of the question two words or a long one, and with all of
    it half of their own. A word that more than `most` entities have names none of them."""
    texts = index.entity_names
    named = {word for node in whole for word in name_words(index.graph.entities[node])}
    left = set(name_words(" ".join(word for stem, word in stems_and_words(question) if stem not in spent))) - named
    rest = sorted(word for word in left if texts.count(word) <= most)
    overlapping = texts.shared(rest) >= PART_OF_NAME
    overlapping |= texts.shared([word for word in rest if len(word) >= LONG_WORD]) > 0
    part = np.flatnonzero(overlapping & (2 * texts.shared(name_words(question)) >= texts.sizes))
    return highest(index.entity_cosines(question), most, part)


def _by_their_own_words(question: str, in_names: set[str], index: ClueIndex) -> Iterator[NamedRelation]:
    """The graph's own relations that the table does not have, where the question has all their words."""
    stems = stemmed_words(question)
    for kind in index.relation_texts.covered([stem for stem in content_words(question) if stem not in in_names]):
        own = content_words(index.graph.relations[kind])
        for name in index.relation_names[kind]:
            if name not in index.aliases.answers:
                yield NamedRelation(name, tuple(own), min(stems.index(stem) for stem in own))


# Walks over triples --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ClueParameters:
    """Names and values of seed 000's configuration block, and `clues_once`: a path has w_rel for each relation clue and
    w_ent for each entity clue, at the first edge with it. Without, it has them for every edge with a clue, as the seed
    is written; paths then grow by more edges of the same relation, and find less."""

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
    """Edges, and the nodes that they lead through (one more). While it is walked they are in the order walked, and
    `score` is the sum of the edges' scores; of a finished one, in the order in which it is read, `score` is the sum of
    `scores`, its parts by name."""

    edges: tuple[int, ...]
    nodes: tuple[int, ...]
    score: float
    scores: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ClueAnswer:
    """The clues, the nodes that the search began at and why there, the paths, best first, and the answer (empty: none).

    `edge` is the one that the answer was read from.
    """

    clues: QuestionClues
    seeds: tuple[int, ...]
    seeding: str
    paths: tuple[Path, ...]
    answer: str = ""
    edge: int | None = None


@dataclass(frozen=True, slots=True)
class PathEvidence:
    """What a form of a question finds in a chunk: `score` is the sum of `scores`, its parts by name; `explain` returns
    the path to it, its steps as they are printed, and why, for a passage of the document that it is given."""

    score: float
    scores: Mapping[str, float]
    explain: Callable[[str], tuple[tuple[str, ...], str]]


Mask = NDArray[np.bool_]

MOST_RELATION_CLUES = 60
"""Relation clues that the scores of edges can keep apart: the bits of a number."""


def seeds_of(
    question: str, clues: QuestionClues, index: ClueIndex, parameters: ClueParameters
) -> tuple[tuple[int, ...], str]:
    """Cosine similarity seeding (step 2): the nodes to begin at, and why there.

    The entity clues; else the ends of edges that have a relation clue; else the `seed_top_k` entities nearest to the
    question, of those with a cosine of at least `seed_min_sim`.
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
    """The score of an edge (step 3): w_rel and w_ent, for its clues, + `by_words`.

    `by_words` has for every edge w_lex * Jaccard(edge tokens, query tokens) + w_emb * cosine(query, triple text);
    `relation_clues` has a bit for each relation clue that an edge has, shape (edges,); `entity_clues` says which
    nodes are entity clues.
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
        """Of every edge: + w_rel, where its relation is a clue, + w_ent, where one of its entities is."""
        named = self.entity_clues[graph.subjects] | self.entity_clues[graph.objects]
        return self._sum(np.arange(len(named)), self.relation_clues != 0, named)

    def of(self, edges: Ints, ends: Ints, walked: Ints, visited: Ints) -> Floats:
        """Of edges that lead on to `ends` after the edges `walked` and the nodes `visited`, of shape (edges, steps)."""
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
    """Beam search (step 3): the walks of every length that were among the `beam_width` best of it, shorter ones first.

    Edges are walked either way, none twice; a walk that cannot go on stays as it is. `among` are the edges to walk
    (None: all).
    """
    parameters, finished = scores.parameters, list[Path]()
    at_seed = parameters.w_ent * parameters.clues_once * scores.entity_clues
    beam = [Path((), (seed,), float(at_seed[seed])) for seed in seeds]
    for _ in range(parameters.max_depth):
        beam = _longer(graph, beam, scores, among) if beam else []
        finished += beam
    return finished


def _longer(graph: TripleGraph, beam: Sequence[Path], scores: EdgeScores, among: Mask | None) -> list[Path]:
    """The best walks by one more edge, of those with the same edges and the same end the best."""
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
    """The places of the `count` highest and of those equal to the last of them, in order; ties go to the earlier row,
    then to the earlier edge."""
    places = np.arange(len(totals))
    if count < len(totals):
        places = np.flatnonzero(totals >= np.partition(totals, -count)[-count])
    return places[np.lexsort((edges[places], rows[places], -totals[places]))]


def in_reading_order(graph: TripleGraph, walk: Path) -> Path:
    """From the end from which more of its edges are read in their own direction; as walked where none is better."""
    forward = sum(int(graph.subjects[e]) == node for e, node in zip(walk.edges, walk.nodes, strict=False))
    backward = sum(int(graph.objects[e]) == node for e, node in zip(walk.edges, walk.nodes, strict=False))
    return walk if forward >= backward else Path(walk.edges[::-1], walk.nodes[::-1], walk.score)


def rerank(walks: Iterable[Path], clues: QuestionClues, index: ClueIndex, parameters: ClueParameters) -> list[Path]:
    """The `topn` paths by MMR. Of walks along the same edges the best counts."""
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
    """No path scores more for these clues: every clue met, and every term of its edges and of the re-ranking full."""
    p, length = parameters, parameters.max_depth
    relations, entities = len(clues.relations), min(len(clues.entities), length + 1)
    if not p.clues_once:
        relations, entities = length * bool(relations), length * bool(entities)
    edges = p.w_rel * relations + p.w_ent * entities + length * (p.w_lex + p.w_emb)
    coverage = (p.alpha_rel + p.beta_chain) * bool(relations) + p.alpha_ent * bool(entities)
    return edges + coverage + p.gamma_type


def jaccard(one: set[str] | set[int], other: set[str] | set[int]) -> float:
    """0 where both are empty: nothing is shared."""
    return len(one & other) / len(one | other) if one or other else 0.0


def chain_overlap(names: Sequence[Sequence[str]], clues: Sequence[str]) -> float:
    """Relation n-gram overlap (step 4): the share of the n-grams (n = 1 and 2) of the relation clues, in the order of
    the question, that the path has.

    A path can be read from both of its ends, so that a pair of neighbours counts in either order.
    """
    pairs = [pair for own, following in pairwise(names) for pair in product(own, following)]
    wanted = {tuple(sorted(gram)) for gram in [*zip(clues), *pairwise(clues)]}
    there = {tuple(sorted(gram)) for gram in [*zip(chain.from_iterable(names)), *pairs]}
    return len(wanted & there) / len(wanted) if wanted else 0.0


def diverse(paths: Sequence[Path], most: int, lambda_: float) -> list[Path]:
    """MMR diversity (step 4): one after the other the path with the highest mmr_lambda * score - (1 - mmr_lambda) * the
    greatest similarity to a chosen path, the Jaccard of their edges. Ties go to the earlier path."""
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
        dated = bool(_DATE.search(index.graph.entities[node]))
        kind_fits = {"when": dated, "where": not dated}.get(clues.type, True)
        readings.append(_Reading(edge, node, (kind_fits, grade, -clue, float(by_edge[edge]))))
    return readings


def _grade(edge: int, clues: QuestionClues, index: ClueIndex) -> tuple[int, int]:
    """How well the relation fits, and the place of the first relation clue that it has (none: after the last). What the
    table does not know answers any type."""
    names = index.names_of(edge)
    places = [place for place, clue in enumerate(clues.relations) if clue in names]
    answers = index.aliases.answers
    fits = any(clues.type in answers[name] if name in answers else bool(places) for name in names)
    return FITS_THE_TYPE * fits + NAMED * bool(places), min(places, default=len(clues.relations))


def names_along(path: Path, index: ClueIndex) -> set[str]:
    """The names of the relations along a path."""
    return {name for edge in path.edges for name in index.names_of(edge)}


def _asked_end(path: Path, place: int, clues: QuestionClues, index: ClueIndex) -> int:
    """Which end of an edge answers: the one that the question does not name; where it names neither, that at which the
    path ends; else for `who` the subject, unless the relation is passive (`played by`), and for others the object. Of
    an edge whose relation a `what` names and that answers `what`, the object does, also one that is asked for by its
    kind (`what film was watched?`): by its title where it has one. What is of that kind answers for it."""
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
    """The ends of an edge, subject first, that are no entity clues."""
    ends = dict.fromkeys((int(index.graph.subjects[edge]), int(index.graph.objects[edge])))
    return [node for node in ends if node not in clues.entities]


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
    scores = EdgeScores(clues, index, parameters)
    walks = beam_search(index.graph, seeds, scores, among)
    paths = rerank(walks, clues, index, parameters)
    answer, edge = answer_of(paths, clues, scores.alone(index.graph), index)
    return ClueAnswer(clues, seeds, seeding, tuple(paths), answer, edge)


class GivenTriples:
    """`triples` that came with documents, and the `stems` of their content words. `alone`: every document is a list of
    triples written out, as from a file of triples, so that there is no text to walk."""

    def __init__(self, store: Search) -> None:
        """Cheap beside an index of them (`TripleSearch`): each word is stemmed once."""
        given = store.part().layers.given.any()
        self.triples = [triple for triple in store.triples() if triple.given] if given else []
        used = {word for one in self.triples for word in words(f"{one.subject} {one.relation} {one.object}")}
        self.stems = frozenset(content_words(" ".join(sorted(used))))
        self.alone = bool(self.triples) and _alone(store, self.triples)
        self.aliases = load_aliases()

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

    def __init__(self, store: Search, triples: Sequence[Triple]) -> None:
        """Seconds for 100,000."""
        graph = triple_graph(triples)
        chunks = store.chunks(sorted({chunk for stating in graph.chunks for chunk in stating}))
        self.clues, self.documents = clue_index(graph), {chunk.id: chunk.document for chunk in chunks}

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
