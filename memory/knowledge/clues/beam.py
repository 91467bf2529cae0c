"""Seeding, edge scores and the beam search (seed 000, steps 2 and 3)."""

from collections.abc import Sequence
from math import factorial

import numpy as np
from numpy.typing import NDArray

from memory.knowledge.clues.datatypes import ClueParameters, Clues, Walk
from memory.knowledge.clues.index import ClueIndex
from memory.knowledge.clues.texts import Floats
from memory.knowledge.triples import Ints, TripleGraph

Mask = NDArray[np.bool_]

DIGITS = 9
"""To which scores are rounded, so that equal ones are equal whatever the order in which they were summed."""


def seeds_of(question: str, clues: Clues, index: ClueIndex, parameters: ClueParameters) -> tuple[tuple[int, ...], str]:
    """The nodes to begin at, and why there: the entity clues; else the ends of edges that have a relation clue; else
    the `seed_top_k` entities nearest to the question, of those with a cosine of at least `seed_min_sim`."""
    if clues.entities:
        return clues.entities, "entities that the question names"
    edges = np.flatnonzero(index.edges_of_relations(clues.relations))
    if len(edges):
        ends = np.union1d(index.graph.subjects[edges], index.graph.objects[edges])
        return tuple(ends.tolist()), "entities of the relations that the question names"
    cosines = np.round(index.similarity.entities(question), DIGITS)
    nearest = np.argsort(-cosines, kind="stable")[: parameters.seed_top_k]
    return tuple(nearest[cosines[nearest] >= parameters.seed_min_sim].tolist()), "entities nearest to the question"


def edge_scores(question: str, clues: Clues, index: ClueIndex, parameters: ClueParameters) -> Floats:
    """Of every edge at once, shape (edges,):

    w_rel, where its relation is a relation clue, + w_ent, where one of its entities is an entity clue,
    + w_lex * Jaccard(edge tokens, query tokens) + w_emb * cosine(query, triple text).
    """
    p, graph = parameters, index.graph
    is_clue = np.zeros(len(graph.entities), dtype=bool)
    is_clue[list(clues.entities)] = True
    by_relation = p.w_rel * index.edges_of_relations(clues.relations)
    by_entity = p.w_ent * (is_clue[graph.subjects] | is_clue[graph.objects])
    by_words = p.w_lex * index.triple_texts.jaccards(clues.words) + p.w_emb * index.similarity.triples(question)
    return np.asarray(by_relation + by_entity + by_words, np.float64)


def beam_search(
    graph: TripleGraph,
    seeds: Sequence[int],
    by_edge: Floats,
    parameters: ClueParameters,
    among: Mask | None = None,
) -> list[Walk]:
    """The walks of every length that were among the `beam_width` best of their length, shorter ones first.

    Edges are walked either way, none twice; a walk that cannot go on stays as it is. `among` are the edges to walk
    (None: all).
    """
    beam = [Walk((), (seed,), 0.0) for seed in seeds]
    finished: list[Walk] = []
    for _ in range(parameters.max_depth):
        beam = _longer(graph, beam, by_edge, parameters.beam_width, among) if beam else []
        finished += beam
    return finished


def _longer(graph: TripleGraph, beam: Sequence[Walk], by_edge: Floats, width: int, among: Mask | None) -> list[Walk]:
    """The best walks by one more edge, of those with the same edges and the same end the best."""
    rows, edges, ends = graph.edges_of(np.array([walk.nodes[-1] for walk in beam], np.int64))
    walked = np.array([walk.edges for walk in beam], np.int64).reshape(len(beam), -1)
    fresh = ~(walked[rows] == edges[:, None]).any(axis=1)
    if among is not None:
        fresh &= among[edges]
    rows, edges, ends = rows[fresh], edges[fresh], ends[fresh]
    totals = np.round(np.array([walk.score for walk in beam])[rows] + by_edge[edges], DIGITS)
    # The same edges can be walked to the same end in so many orders, at most.
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
