"""A walk in words and as a graph to draw: the path to each node, and all that was visited."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from clew.memory.datatypes import Edge, Ints, Subgraph
from clew.memory.knowledge.walking.walker import Walked
from clew.memory.knowledge.walking.wandering import Visit
from clew.memory.layers import Layers
from clew.memory.nodes import SHARED, NodeGraph


@dataclass(frozen=True, eq=False)
class Told:
    """`titles` are of the nodes that were visited and of those that are told of."""

    walked: Walked
    layers: Layers
    titles: Mapping[int, str]

    def path(self, node: int) -> tuple[str, ...]:
        """The steps to a node that was walked to, in the form of seed 000: `(fritz lang) -[directed]-> (metropolis)`;
        of others, none."""
        chain = self._chain(node)
        return tuple(self._step(before, visit) for before, visit in pairwise(chain) if visit.edge >= 0)

    def line(self, node: int) -> str:
        """The same in one line, `Hub -> A -> B` (seed 004, section 5)."""
        return " -> ".join(self.titles[visit.node] for visit in self._chain(node))

    def why(self, node: int, cosine: float) -> str:
        chain = self._chain(node)
        if not chain:
            return f"matches the question ({cosine:.2f})"
        if len(chain) == 1:
            return f"landed on, in {self._partition(node)}"
        back = ", after going back" if chain[-1].back else ""
        return f"walked to by {self._label(chain[-1])} from {self.titles[chain[-2].node]}{back}"

    def subgraph(self, shares: Mapping[int, float]) -> Subgraph:
        visits = self.walked.visits
        ids, graph = self.layers.chunk_ids, self._graph
        taken = [visit for visit in visits if visit.edge >= 0]
        return Subgraph(
            nodes=tuple(ids[visit.node] for visit in visits),
            edges=tuple(
                Edge(ids[graph.sources[visit.edge]], ids[graph.targets[visit.edge]], self._label(visit))
                for visit in taken
            ),
            titles=tuple(self.titles[visit.node] for visit in visits),
            scores=tuple(shares[visit.node] for visit in visits),
            partitions=tuple(self._partition(visit.node) for visit in visits),
            landings=len(visits) - len(taken),
            back=tuple(ids[visit.node] for visit in taken if visit.back),
        )

    @property
    def _graph(self) -> NodeGraph:
        return self.walked.asked.ground.graph

    def _chain(self, node: int) -> list[Visit]:
        """The visits that led to a node, itself the last."""
        visits = self.walked.visits
        found = next((visit for visit in visits if visit.node == node), None)
        chain: list[Visit] = []
        while found is not None:
            chain.insert(0, found)
            found = visits[found.before] if found.before >= 0 else None
        return chain

    def _step(self, before: Visit, visit: Visit) -> str:
        label, forwards = self._label(visit), self._graph.sources[visit.edge] == before.node
        arrow = f"-[{label}]->" if forwards else f"<-[{label}]-"
        return f"({self.titles[before.node]}) {arrow} ({self.titles[visit.node]})"

    def _label(self, visit: Visit) -> str:
        """The relation; of a shared entity, the rarest of those that both name, a date only for want of others."""
        graph = self._graph
        relation: str = graph.relations[int(graph.kinds[visit.edge])]
        if relation != SHARED:
            return relation
        shared = self._shared(int(graph.sources[visit.edge]), int(graph.targets[visit.edge]))
        if not len(shared):
            return relation
        entities, df = self.layers.entities, self.layers.chunks_of_entity
        telling = min(shared.tolist(), key=lambda entity: (entities[entity].kind == "date", df[entity]))
        name: str = entities[telling].name
        return name

    def _shared(self, one: int, other: int) -> Ints:
        named = self.layers.chunk_entities
        found = np.intersect1d(*(named.indices[named.indptr[c] : named.indptr[c + 1]] for c in (one, other)))
        return np.asarray(found, np.int64)

    def _partition(self, node: int) -> str:
        partitioning = self.walked.asked.ground.partitioning
        return partitioning.names[int(partitioning.of_node[node])]


def visited_lines(told: Told, visits: Sequence[Visit]) -> list[str]:
    """Of each walk its longest line: those that no other goes on from."""
    gone_on = {visit.before for visit in visits}
    ends = [visit for place, visit in enumerate(visits) if place not in gone_on and visit.before >= 0]
    return [told.line(visit.node) for visit in ends]
