"""Seeding, edge scores and the beam search (seed 000, steps 2 and 3)."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import factorial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.memory.datatypes import Floats, Ints
from clew.memory.knowledge.clues.datatypes import ClueParameters, Clues, Walk
from clew.memory.knowledge.clues.index import ClueIndex
from clew.memory.knowledge.clues.texts import DIGITS
from clew.memory.knowledge.triples import TripleGraph

Mask = NDArray[np.bool_]

MOST_RELATION_CLUES = 60
"""That are told apart in the scores of edges: the bits of a number."""


def seeds_of(question: str, clues: Clues, index: ClueIndex, parameters: ClueParameters) -> tuple[tuple[int, ...], str]:
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
    cosines = np.round(index.similarity.entities(question), DIGITS)
    nearest = np.argsort(-cosines, kind="stable")[: parameters.seed_top_k]
    return tuple(nearest[cosines[nearest] >= parameters.seed_min_sim].tolist()), "entities nearest to the question"


@dataclass(frozen=True, slots=True, eq=False)
class EdgeScores:
    """The score of an edge (step 3): w_rel and w_ent, for its clues, + `by_words`.

    `by_words` has for every edge w_lex * Jaccard(edge tokens, query tokens) + w_emb * cosine(query, triple text);
    `relation_clues` has a bit for each relation clue that an edge has, shape (edges,); `entity_clues` says which
    nodes are entity clues.
    """

    by_words: Floats
    relation_clues: Ints
    entity_clues: Mask
    parameters: ClueParameters

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


def edge_scores(question: str, clues: Clues, index: ClueIndex, parameters: ClueParameters) -> EdgeScores:
    """What the score of an edge (step 3) is made of, for all edges at once."""
    by_words = parameters.w_lex * index.triple_texts.jaccards(clues.words)
    by_words += parameters.w_emb * index.similarity.triples(question)
    relation_clues = np.zeros(len(index.graph.kinds), np.int64)
    for place, clue in enumerate(clues.relations[:MOST_RELATION_CLUES]):
        relation_clues[index.edges_of_relations((clue,))] |= 1 << place
    entity_clues = np.zeros(len(index.graph.entities), dtype=bool)
    entity_clues[list(clues.entities)] = True
    return EdgeScores(by_words, relation_clues, entity_clues, parameters)


def beam_search(graph: TripleGraph, seeds: Sequence[int], scores: EdgeScores, among: Mask | None = None) -> list[Walk]:
    """Beam search (step 3): the walks of every length that were among the `beam_width` best of it, shorter ones first.

    Edges are walked either way, none twice; a walk that cannot go on stays as it is. `among` are the edges to walk
    (None: all).
    """
    beam = [Walk((), (seed,), scores.of_seed(seed)) for seed in seeds]
    finished: list[Walk] = []
    for _ in range(scores.parameters.max_depth):
        beam = _longer(graph, beam, scores, among) if beam else []
        finished += beam
    return finished


def _longer(graph: TripleGraph, beam: Sequence[Walk], scores: EdgeScores, among: Mask | None) -> list[Walk]:
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
    longer: dict[tuple[int, tuple[int, ...]], Walk] = {}
    for place in order.tolist():
        if len(longer) == width:
            break
        walk, edge, end = beam[rows[place]], int(edges[place]), int(ends[place])
        state = end, tuple(sorted((*walk.edges, edge)))
        longer.setdefault(state, Walk((*walk.edges, edge), (*walk.nodes, end), float(totals[place])))
    return list(longer.values())


def _best(totals: Floats, rows: Ints, edges: Ints, count: int) -> Ints:
    """The places of the `count` highest and of those equal to the last of them, in order; ties go to the earlier row,
    then to the earlier edge."""
    places = np.arange(len(totals))
    if count < len(totals):
        places = np.flatnonzero(totals >= np.partition(totals, -count)[-count])
    return places[np.lexsort((edges[places], rows[places], -totals[places]))]


def in_reading_order(graph: TripleGraph, walk: Walk) -> Walk:
    """From the end from which more of its edges are read in their own direction; as walked where none is better."""
    forward = sum(int(graph.subjects[e]) == node for e, node in zip(walk.edges, walk.nodes, strict=False))
    backward = sum(int(graph.objects[e]) == node for e, node in zip(walk.edges, walk.nodes, strict=False))
    return walk if forward >= backward else Walk(walk.edges[::-1], walk.nodes[::-1], walk.score)
