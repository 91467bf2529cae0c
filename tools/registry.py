"""The tools by name. To add one: its file, and a line here."""

from collections.abc import Mapping

from clew.memory.errors import BadInput
from clew.memory.ports import Search
from clew.tools.base import DEFAULTS, Make, Tool, ToolSettings
from clew.tools.clues import Clues
from clew.tools.communities import CommunitySearch
from clew.tools.graph import GraphSearch
from clew.tools.hybrid import Hybrid
from clew.tools.local import Local
from clew.tools.walk import Walk

TOOLS: Mapping[str, Make] = {
    Hybrid.name: Hybrid.make,
    Walk.name: Walk.make,
    GraphSearch.name: GraphSearch.make,
    Clues.name: Clues.make,
    Local.name: Local.make,
    CommunitySearch.name: CommunitySearch.make,
}


def names_in(text: str) -> list[str]:
    """Of one tool, or of several that search together: `local+communities`."""
    return text.split("+")


def check(text: str) -> None:
    """Raises `BadInput` where there is no tool of one of the names."""
    for name in names_in(text):
        if name not in TOOLS:
            raise BadInput(f"there is no tool '{name}'", f"one of {', '.join(TOOLS)}; or several, as local+communities")


def make(name: str, store: Search, settings: ToolSettings = DEFAULTS) -> Tool:
    """The tool of that name over a library. Raises `BadInput` for an unknown name."""
    check(name)
    return TOOLS[name](store, settings)
