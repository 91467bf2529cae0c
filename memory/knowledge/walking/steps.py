"""Land and walk (seed 004, section 4.2 and 4.3): from the best nodes of each partition along edges to better ones."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from clew.memory.datatypes import Floats, Ints
from clew.memory.knowledge.walking.subgraph import Stitched

Weigh = Callable[[Ints], Floats]
"""Of rows their log mass."""


@dataclass(frozen=True, slots=True)
class StepParameters:
    """The seed's: `landings` of each partition, a beam of `beam`, `depth` steps. A step is weighed by the mass of where
    it leads, `path` times the mass of where it begins, `edge` times the log of its edge's weight, `link` more where
    it follows a link by title to what a node names, and less `hub` times the log of the edges that it begins among.
    `edge` was chosen on MuSiQue and `link` on HotpotQA (docs/journal.md)."""

    landings: int = 3
    beam: int = 3
    depth: int = 2
    path: float = 0.25
    edge: float = 1.0
    link: float = 2.0
    hub: float = 0.25


@dataclass(frozen=True, slots=True)
class Visit:
    """A node in the order of the walk: its row and log mass. `before` is the visit that it came from, by the graph's
    edge `edge`; both are -1 where it is a landing. `back`: it goes on from a visit that was left for a better one."""

    node: int
    mass: float
    before: int = -1
    edge: int = -1
    depth: int = 0
    back: bool = False


@dataclass(frozen=True, slots=True)
class _Step:
    score: float
    target: int
    before: int
    edge: int


def landings(stitched: Stitched, rows: Ints, masses: Floats, most: int) -> Ints:
    """Of each partition the `most` rows of the greatest mass that are no hub nodes; best first over all. `rows` are
    those that were weighed."""
    places = stitched.place_of(rows)
    inside = np.flatnonzero(places >= 0)
    free = inside[~stitched.hub_nodes[places[inside]]]
    order = free[np.argsort(-masses[free], kind="stable")]
    partition = np.searchsorted(stitched.starts, places[order], side="right") - 1
    by_partition = np.argsort(partition, kind="stable")
    rank = np.arange(len(order)) - np.searchsorted(partition[by_partition], partition[by_partition])
    kept = np.sort(by_partition[rank < most])
    return rows[order[kept]]


def wander(
    stitched: Stitched, landed: Ints, weigh: Weigh, answers: Callable[[int], bool], parameters: StepParameters
) -> list[Visit]:
    """The landings, then step by step where the walk leads; never twice to a node.

    In every round the best `beam` steps are taken of all that are open: those from the nodes of the last round, and
    those that were left before, so that a walk whose masses drop goes back. It ends with a step to a node that
    `answers`; no landing ends it, for what has all words of a question often names the answer and does not say it.
    """
    masses = weigh(landed)
    visits = [Visit(int(node), float(mass)) for node, mass in zip(landed, masses, strict=True)]
    seen = {visit.node for visit in visits}
    front = sorted(range(len(visits)), key=lambda place: -visits[place].mass)[: parameters.beam]
    opened: dict[int, _Step] = {}
    for depth in range(1, parameters.depth + 1):
        for step in _steps(stitched, visits, front, seen, weigh, parameters):
            if step.target not in opened or opened[step.target].score < step.score:
                opened[step.target] = step
        taken = sorted(opened.values(), key=lambda step: -step.score)[: parameters.beam]
        last, front = set(front), list(range(len(visits), len(visits) + len(taken)))
        for step in taken:
            del opened[step.target]
            seen.add(step.target)
            mass = float(weigh(np.array([step.target]))[0])
            visits.append(Visit(step.target, mass, step.before, step.edge, depth, step.before not in last))
        if any(answers(visits[place].node) for place in front):
            break
    return visits


def _steps(
    stitched: Stitched, visits: list[Visit], front: list[int], seen: set[int], weigh: Weigh, parameters: StepParameters
) -> Iterator[_Step]:
    """All that lead from the front to nodes that were not visited."""
    begun = np.array([visits[place].mass for place in front])
    rows = np.array([visits[place].node for place in front], np.int64)
    ways = stitched.ways_from(rows)
    fresh = np.array([node not in seen for node in ways.others.tolist()], dtype=bool)
    if not fresh.any():
        return
    of, targets, edges = ways.of[fresh], ways.others[fresh], ways.edges[fresh]
    scores = (
        weigh(targets)
        + parameters.path * (begun - begun.max())[of]
        + parameters.edge * np.log(ways.weights[fresh])
        + parameters.link * ways.links[fresh]
        - parameters.hub * np.log1p(np.bincount(ways.of, minlength=len(front)))[of]
    )
    for score, target, place, edge in zip(*(a.tolist() for a in (scores, targets, of, edges)), strict=True):
        yield _Step(score, target, front[place], edge)
