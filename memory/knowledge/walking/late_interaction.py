"""Late interaction: a second scorer of the nodes that a walk weighed, by every token of the question against every
token of a node's text (ColBERT: Khattab and Zaharia 2020, arXiv 2004.12832; seed 004). Off unless it is asked for."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clew.memory.datatypes import Floats, Ints
from clew.memory.encoding import CachedEncoder
from clew.memory.knowledge.embedding import with_title
from clew.memory.knowledge.question import LibraryQuestion
from clew.memory.parameters import Count, Weight
from clew.memory.ports import Search


@dataclass(frozen=True, slots=True)
class LateParameters:
    """The `top` nodes by mass are scored, and `weight` times their standardised score is added to the log mass."""

    top: Count = 32
    weight: Weight = 0.25


@dataclass(frozen=True, slots=True)
class LateInteraction:
    """By the tokens of an encoder. What its cache does not have is encoded at the first question that comes by it, and
    takes seconds then."""

    encoder: CachedEncoder
    parameters: LateParameters = LateParameters()

    def reweigh(self, store: Search, question: LibraryQuestion, nodes: Ints, masses: Floats) -> tuple[Ints, Floats]:
        """Nodes and log masses, best first; the same, after the scores of the first ones are added."""
        scores = self.scores(store, question, nodes[: self.parameters.top])
        return added(nodes, masses, scores, self.parameters.weight)

    def scores(self, store: Search, question: LibraryQuestion, nodes: Ints) -> Floats:
        """MaxSim of the question's forms, added by weight; shape (nodes,)."""
        ids, forms = question.graph.layers.chunk_ids, question.query.forms
        chunks = store.chunks([ids[node] for node in nodes.tolist()])
        passages = self.encoder.passage_tokens([with_title(chunk.title, chunk.text) for chunk in chunks])
        questions = self.encoder.token_vectors([form.text for form in forms], "query")
        scores = np.zeros(len(nodes))
        for form, tokens in zip(forms, questions, strict=True):
            scores += form.weight * max_sim(tokens, passages)
        return scores


def added(nodes: Ints, masses: Floats, scores: Floats, weight: float) -> tuple[Ints, Floats]:
    """Nodes and masses, best first, with the scores of the first of them standardised and added."""
    changed = masses.copy()
    changed[: len(scores)] += weight * standardised(scores)
    order = np.argsort(-changed, kind="stable")
    return nodes[order], changed[order]


def max_sim(question: NDArray[np.float32], passages: Sequence[NDArray[np.floating]]) -> Floats:
    """Of each passage the mean over the question's tokens of the greatest cosine to a token of it (ColBERT's equation
    3, divided by the length of the question); 0 where either has no token.

    Shapes (question's tokens, d) and (tokens, d) of each to (passages,).
    """
    scores = np.zeros(len(passages))
    lengths = np.array([len(passage) for passage in passages], np.int64)
    full = np.flatnonzero(lengths)  # reduceat has no empty parts
    if not len(full) or not len(question):
        return scores
    tokens = np.concatenate([passages[place] for place in full.tolist()]).astype(np.float32)
    starts = np.cumsum(lengths[full]) - lengths[full]
    scores[full] = np.maximum.reduceat(tokens @ question.T, starts, axis=0).mean(axis=1)
    return scores


def standardised(scores: Floats) -> Floats:
    """Of mean 0 and deviation 1; all 0 where they do not differ."""
    apart = scores - scores.mean() if len(scores) else scores
    deviation = float(np.sqrt((apart**2).mean())) if len(scores) else 0.0
    return apart / deviation if deviation > 1e-9 else np.zeros(len(scores))
