"""The chunkers, by name: each is parameters and a function of a document, the encoder and those parameters."""

from collections.abc import Mapping

from clew.memory.datatypes import Chunk, Document
from clew.memory.knowledge.chunking import ChunkerParameters, chunk
from clew.memory.knowledge.semantic_chunking import SemanticParameters, chunk_by_meaning
from clew.memory.ports import Encoder

Chunker = ChunkerParameters | SemanticParameters
"""A chunker with its parameters, as a library records it."""

CHUNKERS: Mapping[str, type[Chunker]] = {"sentences": ChunkerParameters, "semantic": SemanticParameters}


def chunks_of(document: Document, encoder: Encoder, chunker: Chunker) -> list[Chunk]:
    """In order; none where there is no text."""
    if isinstance(chunker, SemanticParameters):
        return chunk_by_meaning(document, encoder, chunker)
    return chunk(document, encoder, chunker)
