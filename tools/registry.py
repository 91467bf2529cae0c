"""The tools by name. To add one: its file, and a line here."""

from collections.abc import Callable, Mapping

from memory.errors import BadInput
from memory.ports import Reranker, Store
from tools.base import Tool
from tools.clues import Clues, CluesParameters
from tools.communities import CommunitySearch
from tools.graph import Graph
from tools.hybrid import Hybrid
from tools.local import Local

TOOLS: Mapping[str, Callable[[Store], Tool]] = {
    tool.name: tool for tool in (Hybrid, Graph, Clues, Local, CommunitySearch)
}
NAMES = tuple(TOOLS)


def names_in(text: str) -> list[str]:
    """Of one tool, or of several that search together: `local+communities`."""
    return text.split("+")


def check(text: str) -> None:
    """Raises `BadInput` where there is no tool of one of the names."""
    for name in names_in(text):
        if name not in TOOLS:
            raise BadInput(f"there is no tool '{name}'", f"one of {', '.join(NAMES)}; or several, as local+communities")


def make(name: str, store: Store, reranker: Reranker | None = None, clues: CluesParameters | None = None) -> Tool:
    """The tool of that name over a store, with its default parameters or for `clues` these, and with the reranker where
    it can use one. Raises `BadInput` for an unknown name."""
    check(name)
    if name == Clues.name:
        return Clues(store, clues, reranker)
    return TOOLS[name](store)
