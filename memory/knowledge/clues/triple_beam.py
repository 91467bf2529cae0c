"""Beam search through triples and re-ranking of the paths (seed 000, steps 2 to 4)."""

import pathlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise, product
from math import factorial
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from clew.memory.datatypes import Floats, Ints
from clew.memory.knowledge.clues.clue_index import (
    DIGITS,
    ClueIndex,
    NamedRelation,
    QuestionType,
    TripleGraph,
    name_words,
)
from clew.memory.parameters import Cosine, Few, Share, Weight
from clew.memory.text import content_words, stemmed_words, stems_and_words, word_lists

PART_OF_NAME = 2
"""So many words in common make an entity a clue, where the question has not all of them."""
LONG_WORD = 4
"""Or one of so many letters."""

_LISTS = word_lists(pathlib.Path(__file__).with_name("question_clues.txt"))
_TYPES: Sequence[QuestionType] = get_args(QuestionType)
_QUESTION_WORDS = {word: type_ for type_ in _TYPES for word in _LISTS[type_]}
_ASKED_FOR = {noun: type_ for type_ in _TYPES for noun in _LISTS.get(f"what {type_}", ())}
"""What follows `what` or `which` where another type is meant."""


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
    whole = _named(question, index)
    in_names = {stem for node in whole if len(own := content_words(index.graph.entities[node])) > 1 for stem in own}
    relations = [relation for relation in index.aliases.mentions(question) if not in_names.issuperset(relation.words)]
    spent = {stem for relation in relations for stem in relation.words}
    entities = [*whole, *_named_in_part(question, whole, spent, index, most)]
    entities.sort(key=lambda node: (_place(question, node, index), node))
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
    return re.match(rf"\W*(?:[Ww]hat|[Ww]hich)\s+{re.escape(entity)}\b", question) is not None


def _named(question: str, index: ClueIndex) -> list[int]:
    """By token overlap: the entities of which the question has all words."""
    texts = index.entity_names
    shared = texts.shared(name_words(question))
    return [int(node) for node in np.flatnonzero((shared == texts.sizes) & (shared > 0))]


def _named_in_part(question: str, whole: Sequence[int], spent: set[str], index: ClueIndex, most: int) -> list[int]:
    """By token overlap too: those that share with the rest of the question two words or a long one, and with all of it
    half of their own. A word that more than `most` entities have names none of them."""
    texts = index.entity_names
    named = {word for node in whole for word in name_words(index.graph.entities[node])}
    left = set(name_words(" ".join(word for stem, word in stems_and_words(question) if stem not in spent))) - named
    rest = sorted(word for word in left if texts.count(word) <= most)
    overlapping = texts.shared(rest) >= PART_OF_NAME
    overlapping |= texts.shared([word for word in rest if len(word) >= LONG_WORD]) > 0
    part = np.flatnonzero(overlapping & (2 * texts.shared(name_words(question)) >= texts.sizes))
    cosines = np.round(index.entity_cosines(question)[part], DIGITS)
    return [int(node) for node in part[np.argsort(-cosines, kind="stable")][:most]]


def _place(question: str, node: int, index: ClueIndex) -> int:
    """Where the question first has a word of the entity."""
    own = set(name_words(index.graph.entities[node]))
    return next(place for place, word in enumerate(name_words(question)) if word in own)


def _by_their_own_words(question: str, in_names: set[str], index: ClueIndex) -> Iterator[NamedRelation]:
    """The graph's own relations that the table does not have, where the question has all their words."""
    texts, stems = index.relation_texts, stemmed_words(question)
    shared = texts.shared([stem for stem in content_words(question) if stem not in in_names])
    for kind in np.flatnonzero((shared == texts.sizes) & (shared > 0)).tolist():
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

    w_rel: Weight = 2.0
    w_ent: Weight = 1.5
    w_lex: Weight = 1.0
    w_emb: Weight = 0.5
    max_depth: Few = 3
    beam_width: Few = 8
    lambda_len: Weight = 0.3
    alpha_rel: Weight = 1.5
    alpha_ent: Weight = 1.0
    beta_chain: Weight = 0.8
    gamma_type: Weight = 0.5
    mmr_lambda: Share = 0.7
    topn: Few = 3
    seed_top_k: Few = 10
    seed_min_sim: Cosine = 0.05
    clues_once: bool = True


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
    cosines = np.round(index.entity_cosines(question), DIGITS)
    nearest = np.argsort(-cosines, kind="stable")[: parameters.seed_top_k]
    return tuple(nearest[cosines[nearest] >= parameters.seed_min_sim].tolist()), "entities nearest to the question"


class EdgeScores:
    """The score of an edge (step 3): w_rel and w_ent, for its clues, + `by_words`.

    `by_words` has for every edge w_lex * Jaccard(edge tokens, query tokens) + w_emb * cosine(query, triple text);
    `relation_clues` has a bit for each relation clue that an edge has, shape (edges,); `entity_clues` says which
    nodes are entity clues.
    """

    def __init__(self, question: str, clues: QuestionClues, index: ClueIndex, parameters: ClueParameters) -> None:
        self.parameters = parameters
        self.by_words = parameters.w_lex * index.triple_texts.jaccards(clues.words)
        self.by_words += parameters.w_emb * index.triple_cosines(question)
        self.relation_clues = np.zeros(len(index.graph.kinds), np.int64)
        for place, clue in enumerate(clues.relations[:MOST_RELATION_CLUES]):
            self.relation_clues[index.edges_of_relations((clue,))] |= 1 << place
        self.entity_clues = np.zeros(len(index.graph.entities), dtype=bool)
        self.entity_clues[list(clues.entities)] = True

    def alone(self, graph: TripleGraph) -> Floats:
        """Of every edge: + w_rel, where its relation is a clue, + w_ent, where one of its entities is."""
        named = self.entity_clues[graph.subjects] | self.entity_clues[graph.objects]
        return self._sum(np.arange(len(named)), self.relation_clues != 0, named)

    def of_seed(self, seed: int) -> float:
        once = self.parameters.clues_once and self.entity_clues[seed]
        return self.parameters.w_ent if once else 0.0

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
    beam = [Path((), (seed,), scores.of_seed(seed)) for seed in seeds]
    finished: list[Path] = []
    for _ in range(scores.parameters.max_depth):
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
    names = [index.relation_names[index.graph.kinds[edge]] for edge in walk.edges]
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


def jaccard(one: set[str] | set[int] | frozenset[int], other: set[str] | set[int] | frozenset[int]) -> float:
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
    while rest and len(chosen) < most:
        best = max(rest, key=lambda path: round(lambda_ * path.score - (1 - lambda_) * _nearness(path, chosen), DIGITS))
        rest.remove(best)
        chosen.append(best)
    return chosen


def _nearness(path: Path, chosen: Sequence[Path]) -> float:
    return max((jaccard(frozenset(path.edges), frozenset(other.edges)) for other in chosen), default=0.0)
