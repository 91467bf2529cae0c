"""`clew search`: what the tools find for a question, without a conversation."""

from collections.abc import Sequence
from contextlib import closing

from clew.agent.models import encoder_for
from clew.agent.settings import Settings
from clew.agent.toolbox import tools_for
from clew.memory.datatypes import Findings
from clew.memory.errors import BadInput
from clew.memory.knowledge.library import open_library
from clew.tools import registry
from clew.tools.base import encode_query


def search(settings: Settings, text: str, tools: Sequence[str], k: int) -> dict[str, Findings]:
    """The findings of each tool by its name. Raises `BadInput` for an empty question or a tool that there is not."""
    if not text.strip():
        raise BadInput("there is nothing to search for", "clew search 'some words'")
    for name in tools:
        registry.check(name)
    with closing(encoder_for(settings)) as encoder, open_library(settings.library, encoder) as library:
        made, query = tools_for(settings, library, encoder), encode_query(text, [], encoder)
        return {name: made[name].search(query, k) for name in tools}
