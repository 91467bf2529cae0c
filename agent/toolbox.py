"""The tools, and all else that turns are given, as the settings have them, over one open library."""

from clew.agent.models import clues_for, late_for, reranker_for, writers_for
from clew.agent.services import Services
from clew.agent.settings import Settings
from clew.memory.dialogue.threads import Threads
from clew.memory.encoding import CachedEncoder
from clew.memory.knowledge.aligners.open_capsule import aligner_for
from clew.memory.knowledge.library import Library
from clew.tools import registry
from clew.tools.base import Tool


def services_for(settings: Settings, library: Library, encoder: CachedEncoder, threads: Threads) -> Services:
    """Raises what `tools_for` and `writers_for` raise."""
    return Services(
        encoder,
        library,
        threads,
        tools_for(settings, library, encoder),
        settings.tool,
        settings.names_tool,
        writers=writers_for(settings),
        unsupported=settings.unsupported,
    )


def tools_for(settings: Settings, library: Library, encoder: CachedEncoder) -> dict[str, Tool]:
    """By name. Raises `BadInput` for a setting that names what there is not, `NoModel` for a reranker that is not to be
    had."""
    registry.check(settings.tool)
    extras = registry.Extras(
        reranker_for(settings), clues_for(settings), late_for(settings, encoder), aligner_for(library, settings.aligner)
    )
    return {name: registry.make(name, library.store, extras) for name in registry.NAMES}
