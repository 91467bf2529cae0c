"""Seed 000 from the question to the answer: clues, seeds, beam search, re-ranking, answer."""

from clew.memory.knowledge.clues.answers import answer_of
from clew.memory.knowledge.clues.beam import Mask, beam_search, edge_scores, seeds_of
from clew.memory.knowledge.clues.datatypes import ClueAnswer, ClueParameters
from clew.memory.knowledge.clues.extraction import extract_clues
from clew.memory.knowledge.clues.index import ClueIndex
from clew.memory.knowledge.clues.reranking import rerank


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
