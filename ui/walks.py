"""A walk as a small tree of text, for the terminal and for files."""

from collections.abc import Iterator

from rich.text import Text

from clew.agent.paths import arrow, back, parents
from clew.agent.state import Turn
from clew.memory.datatypes import Subgraph
from clew.ui.plain import one_line
from clew.ui.rendering import BOLD, CITATION, DIM

BRANCH, LAST, STEM, NONE = "├─ ", "└─ ", "│  ", "   "


def walk_lines(turn: Turn) -> list[Text]:
    """The landings, and below each what was walked to from it; nothing where there was no walk. Numbers are the order
    of the walk, `[1]` the source of the answer that a node is."""
    if turn.walk is None:
        return []
    before = parents(turn.walk)
    sources = {source.id: number for number, source in enumerate(turn.answer.sources, 1)}
    return [
        line
        for landing in range(turn.walk.landings)
        for line in _tree(turn.walk, before, landing, sources, Text("  "), Text("    "))
    ]


def _tree(
    walk: Subgraph, before: tuple[int, ...], place: int, sources: dict[str, int], lead: Text, below: Text
) -> Iterator[Text]:
    line = lead.copy().append(f"{place + 1} ", DIM).append(one_line(walk.titles[place]), BOLD)
    if source := sources.get(walk.nodes[place]):
        line.append(f" [{source}]", CITATION)
    where = f", {one_line(walk.partitions[place])}" if before[place] < 0 else back(walk, place)
    yield line.append(f" {walk.scores[place]:.2f}{where}", DIM)
    steps = [child for child, parent in enumerate(before) if parent == place]
    for child in steps:
        branch, stem = (LAST, NONE) if child == steps[-1] else (BRANCH, STEM)
        by = Text.assemble(below, (f"{branch}{one_line(arrow(walk, before, child))} ", DIM))
        yield from _tree(walk, before, child, sources, by, Text.assemble(below, (stem, DIM)))
