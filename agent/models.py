"""Which model a setting names: the one place that knows models by name."""

from agent.settings import Settings
from memory.encoding import MINILM, CachedEncoder, load_encoder
from memory.knowledge.library import recorded_encoder
from memory.ports import Reranker
from memory.reranking import load_reranker


def encoder_for(settings: Settings) -> CachedEncoder:
    """The encoder that the settings name; where they name none, the library's own; else the default.

    Raises `NoModel` where it is neither on this machine nor to be had.
    """
    return load_encoder(settings.encoder or recorded_encoder(settings.library) or MINILM, settings.cache)


def reranker_for(settings: Settings) -> Reranker | None:
    """The cross-encoder that the settings name, not loaded yet; none by default. Raises `NoModel`."""
    return load_reranker(settings.reranker) if settings.reranker else None
