"""Similarity by an encoder instead of TF-IDF: measured (tests/benchmarks/clue_paths.py), and not what Clew takes."""

from dataclasses import dataclass

import numpy as np

from clew.memory.datatypes import Floats, Vectors
from clew.memory.knowledge.clues.triple_graph import TripleGraph
from clew.memory.ports import Encoder


@dataclass(frozen=True, slots=True, eq=False)
class EncoderSimilarity:
    """By the vectors of the entities (entities, d) and of the triples (edges, d), as `encoded` makes them."""

    encoder: Encoder
    entity_vectors: Vectors
    triple_vectors: Vectors

    @staticmethod
    def encoded(graph: TripleGraph, encoder: Encoder) -> "EncoderSimilarity":
        """Encodes all entities and triples: seconds for thousands."""
        parts = zip(graph.subjects, graph.kinds, graph.objects, strict=True)
        triples = [f"{graph.entities[s]} {graph.relations[r]} {graph.entities[o]}" for s, r, o in parts]
        vectors = encoder.encode(graph.entities, "passage"), encoder.encode(triples, "passage")
        return EncoderSimilarity(encoder, *vectors)

    def entities(self, question: str) -> Floats:
        return self._cosines(self.entity_vectors, question)

    def triples(self, question: str) -> Floats:
        return self._cosines(self.triple_vectors, question)

    def _cosines(self, vectors: Vectors, question: str) -> Floats:
        return np.asarray(vectors @ self.encoder.encode([question], "query")[0], np.float64)
