"""Which model a setting names: the one place that knows models by name; and how the settings have the tool `clues`."""

from pathlib import Path

from agent.settings import Settings
from memory.encoding import MINILM, CachedEncoder, load_encoder
from memory.knowledge.clues.aliases import load_aliases
from memory.knowledge.library import recorded_encoder
from memory.knowledge.walking.late_interaction import LateInteraction
from memory.ports import Reranker
from memory.reranking import load_reranker
from tools.clues import CluesParameters


def encoder_for(settings: Settings) -> CachedEncoder:
    """The encoder that the settings name; where they name none, the library's own; else the default.

    Raises `NoModel` where it is neither on this machine nor to be had.
    """
    return load_encoder(settings.encoder or recorded_encoder(settings.library) or MINILM, settings.cache)


def reranker_for(settings: Settings) -> Reranker | None:
    """The cross-encoder that the settings name, not loaded yet; none by default. Raises `NoModel`."""
    return load_reranker(settings.reranker) if settings.reranker else None


def late_for(settings: Settings, encoder: CachedEncoder) -> LateInteraction | None:
    """The second scorer of the tool `walk`, by the encoder's own tokens; none by default."""
    return LateInteraction(encoder.kept_tokens) if settings.late_interaction else None


def clues_for(settings: Settings) -> CluesParameters:
    """Raises `BadInput` for a file of aliases that is none."""
    aliases = load_aliases(Path(settings.aliases).expanduser()) if settings.aliases else None
    return CluesParameters(method=settings.clues, aliases=aliases)
