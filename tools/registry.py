"""The tools by name. To add one: its file, and a line here."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from clew.memory.errors import BadInput
from clew.memory.knowledge.aligners.scoring import Aligner
from clew.memory.knowledge.walking.late_interaction import LateInteraction
from clew.memory.ports import Reranker, Store
from clew.tools.base import Tool
from clew.tools.clues import Clues, CluesParameters
from clew.tools.communities import CommunitySearch
from clew.tools.graph import Graph
from clew.tools.hybrid import Hybrid
from clew.tools.local import Local
from clew.tools.walk import Walk

TOOLS: Mapping[str, Callable[[Store], Tool]] = {
    tool.name: tool for tool in (Hybrid, Walk, Graph, Clues, Local, CommunitySearch)
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


@dataclass(frozen=True, slots=True)
class Extras:
    """What settings give to some of the tools: a cross-encoder and parameters to `clues`; to `walk` late interaction,
    and an aligner in the place of votes."""

    reranker: Reranker | None = None
    clues: CluesParameters | None = None
    late: LateInteraction | None = None
    aligner: Aligner | None = None


def make(name: str, store: Store, extras: Extras = Extras()) -> Tool:
    """The tool of that name over a store, with its default parameters. Raises `BadInput` for an unknown name."""
    check(name)
    if name == Clues.name:
        return Clues(store, extras.clues, extras.reranker)
    if name == Walk.name:
        return Walk(store, late=extras.late, aligner=extras.aligner)
    return TOOLS[name](store)
