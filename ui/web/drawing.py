"""A walk as boxes and lines: landings on the left, each step one column to the right of where it came from."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

from clew.agent.search.walk import back, depths, parents, relation
from clew.agent.state import Answer
from clew.memory.datatypes import Subgraph
from clew.ui.plain import cut, one_line

WIDTH = 600
GAP = 32
"""Between two columns, where the lines are."""

WIDEST = 210
ROW, BOX = 30, 23
"""Heights of a row, and of the box in it."""

CHARACTER = 6.4
"""Width of a character of a label, about."""

IDLE = 6
"""Landings that nothing was walked to from: of more, the best are drawn."""


@dataclass(frozen=True, slots=True)
class Box:
    """A node: where it is drawn, its number in the order of the walk, its title, how strongly it is coloured (0 to 1),
    what a pointer on it is shown, and the number of the source that it is (0: the answer does not have it)."""

    x: float
    y: float
    order: int
    label: str
    strength: float
    tooltip: str
    source: int


@dataclass(frozen=True, slots=True)
class Line:
    """A step: from the right edge of one box to the left edge of another; `back`: the walk had gone back to the one."""

    path: str
    tooltip: str
    back: bool


@dataclass(frozen=True, slots=True)
class Drawing:
    """`left_out` counts the landings that are not drawn."""

    width: float
    height: float
    box: tuple[float, float]
    boxes: tuple[Box, ...]
    lines: tuple[Line, ...]
    description: str
    left_out: int


def draw(walk: Subgraph, answer: Answer) -> Drawing:
    before = parents(walk)
    depth = depths(before)
    columns = max(depth, default=0) + 1
    width = min(WIDEST, (WIDTH - GAP * (columns - 1)) / columns)
    rows = _rows(before, _drawn(walk, before, answer))
    places = sorted(rows)
    at = {place: (depth[place] * (width + GAP) + 1, rows[place] * ROW + 1) for place in places}
    sources = {source.id: number for number, source in enumerate(answer.sources, 1)}
    letters = int(width / CHARACTER)  # less those of the number of the node, and of that of a source
    most = max(walk.scores, default=1.0) or 1.0
    boxes = tuple(
        Box(
            *at[place],
            order=place + 1,
            label=cut(one_line(walk.titles[place]), letters - (9 if walk.nodes[place] in sources else 5)),
            strength=round(sqrt(walk.scores[place] / most), 2),
            tooltip=_tooltip(walk, before, place),
            source=sources.get(walk.nodes[place], 0),
        )
        for place in places
    )
    lines = tuple(
        Line(_curve(at[before[place]], at[place], width), relation(walk, before, place), bool(back(walk, place)))
        for place in places
        if before[place] >= 0
    )
    height = (max(rows.values(), default=0) + 1) * ROW
    description = "; ".join(box.tooltip for box in boxes)
    drawn_width = columns * (width + GAP) - GAP + 2
    return Drawing(drawn_width, height, (width, BOX), boxes, lines, description, len(walk.nodes) - len(places))


def _drawn(walk: Subgraph, before: Sequence[int], answer: Answer) -> list[int]:
    """The landings that are drawn: those that the walk went on from or that the answer has, and the best of the
    others."""
    left, sources = set(before), {source.id for source in answer.sources}
    idle = [n for n in range(walk.landings) if n not in left and walk.nodes[n] not in sources]
    hidden = set(sorted(idle, key=lambda place: -walk.scores[place])[IDLE:])
    return [place for place in range(walk.landings) if place not in hidden]


def _rows(before: Sequence[int], landings: Sequence[int]) -> dict[int, float]:
    """Of each node its row: ends one below the other, every other node in the middle of what was walked to from it."""
    rows: dict[int, float] = {}
    ends = 0

    def place(node: int) -> float:
        nonlocal ends
        steps = [place(child) for child, parent in enumerate(before) if parent == node]
        if not steps:
            steps, ends = [float(ends)], ends + 1
        rows[node] = (steps[0] + steps[-1]) / 2
        return rows[node]

    for landing in landings:
        place(landing)
    return rows


def _curve(start: tuple[float, float], end: tuple[float, float], width: float) -> str:
    (x, y), (to_x, to_y) = (start[0] + width, start[1] + BOX / 2), (end[0], end[1] + BOX / 2)
    middle = (x + to_x) / 2
    return f"M{x:.1f} {y:.1f} C{middle:.1f} {y:.1f} {middle:.1f} {to_y:.1f} {to_x:.1f} {to_y:.1f}"


def _tooltip(walk: Subgraph, before: Sequence[int], place: int) -> str:
    how = relation(walk, before, place) if before[place] >= 0 else "landed on"
    title, partition = one_line(walk.titles[place]), one_line(walk.partitions[place])
    return f"{place + 1}. {title}: {how}, {walk.scores[place]:.2f}, in {partition}"
