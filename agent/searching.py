"""`clew search`: what the tools find for a question, without a conversation."""

from collections.abc import Sequence

from agent.models import clues_for, encoder_for, reranker_for
from agent.settings import Settings
from memory.datatypes import Findings
from memory.errors import BadInput
from memory.knowledge.library import open_library
from tools import registry
from tools.base import encode_query


def search(settings: Settings, text: str, tools: Sequence[str], k: int) -> dict[str, Findings]:
    """The findings of each tool by its name. Raises `BadInput` for an empty question or a tool that there is not."""
    if not text.strip():
        raise BadInput("there is nothing to search for", "clew search 'some words'")
    for name in tools:
        registry.check(name)
    clues, encoder, reranker = clues_for(settings), encoder_for(settings), reranker_for(settings)
    store = open_library(settings.library, encoder).store
    try:
        query = encode_query(text, [], encoder)
        return {name: registry.make(name, store, reranker, clues).search(query, k) for name in tools}
    finally:
        store.close()
        encoder.close()
