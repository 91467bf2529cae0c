"""The tool `walk`: C-RAG's think, stitch and walk over the partitioned graph of the library (seed 004).

What a search by words and vectors finds and what the question names votes for partitions; the best of them are stitched
into a small graph; the walk lands on the best nodes of each and follows edges to better ones. All that were weighed on
the way are ranked by one learned mass, of the node and of what lies around it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise

import numpy as np

from clew.memory.cache import once
from clew.memory.datatypes import Edge, Findings, Passage, Query, Subgraph
from clew.memory.knowledge.question import LibraryQuestion, MatchParameters
from clew.memory.knowledge.walking.features import DIRECT, Looked, NodeScorer
from clew.memory.knowledge.walking.walker import Visit, Walked, Walker, WalkerParameters, hits_of, shares
from clew.memory.nodes import SHARED
from clew.memory.parameters import Count
from clew.memory.ports import Graph, Search
from clew.tools.base import DEFAULTS, ToolSettings, passages_of

DIGITS = 6
"""Of scores that are shown: later ones depend on what else was looked at."""


@dataclass(frozen=True, slots=True)
class WalkParameters:
    """`k` passages where no other number is asked for; `match` finds the candidates. `part` are the partitions that are
    walked in; None: it needs the whole library."""

    k: Count = 5
    match: MatchParameters = field(default_factory=MatchParameters)
    walker: WalkerParameters = field(default_factory=WalkerParameters)
    part: tuple[int, ...] | None = None


class Walk:
    """The graph of the library is read at the first search, once."""

    name = "walk"
    description = (
        "Chooses the topics that a question is about, and walks from their best passages along links to others. Use "
        "it to find how two things are connected. Returns passages, with the path to each."
    )

    def __init__(
        self,
        store: Search,
        parameters: WalkParameters | None = None,
        settings: ToolSettings = DEFAULTS,
        scorer: NodeScorer | None = None,
    ) -> None:
        self._store = store
        self._parameters = parameters or WalkParameters()
        self._settings = settings
        self._scorer = scorer

    @once
    def walker(self) -> Walker:
        p, given = self._parameters, self._settings
        return Walker(self._store, p.walker, self._scorer, late=given.late, aligner=given.aligner, part=p.part)

    def search(self, query: Query, k: int | None = None) -> Findings:
        """At most k passages, by default the parameters' own. A passage's score is its share of the mass of all."""
        query.check()
        return self.found(self.walker.question(query), k)

    def found(self, question: LibraryQuestion, k: int | None = None) -> Findings:
        """As `search`, for a question that there is already."""
        query, walker = question.query, self.walker
        hits = hits_of(self._store, query, self._parameters.match)
        query.check()
        thought = walker.think(question, hits)
        stitched = walker.stitch(thought)
        query.check()
        return findings(self._store, walker.walk(thought, stitched), self._parameters.k if k is None else k, self.name)


def findings(store: Search, walked: Walked, k: int, tool: str) -> Findings:
    """What a walk brings back: the k best nodes, what it went through, and notes on how much that is."""
    if not len(walked.nodes):
        return Findings(notes=("no passage to walk from",))
    parts = shares(walked.masses).tolist()
    ids, best = walked.question.graph.layers.chunk_ids, walked.nodes[:k].tolist()
    rows = sorted({*best, *(visit.node for visit in walked.visits)})
    chunks = dict(zip(rows, store.chunks([ids[row] for row in rows]), strict=True))
    described = DescribedWalk(walked, {row: chunk.title or chunk.document for row, chunk in chunks.items()})
    looked = Looked(walked.question, np.sort(walked.nodes[:k]))
    features = dict(zip(looked.nodes.tolist(), looked.direct.tolist(), strict=True))
    passages = passages_of([chunks[row] for row in best], tool)
    made = [
        _described(passage, described, row, share, features[row])
        for passage, row, share in zip(passages, best, parts, strict=False)
    ]
    by_node = dict(zip(walked.nodes.tolist(), parts, strict=True))
    return Findings(tuple(made), _notes(walked, described), walk=described.subgraph(by_node))


def _described(passage: Passage, walk: "DescribedWalk", row: int, share: float, features: Sequence[float]) -> Passage:
    scores = dict(zip(DIRECT, features, strict=True))
    shown = {name: round(scores[name], DIGITS) for name in ("cosine", "sentence", "keyword")}
    return replace(passage, score=share, why=walk.why(row, scores["cosine"]), scores=shown, path=walk.path(row))


def _notes(walked: Walked, walk: "DescribedWalk") -> tuple[str, ...]:
    stitched, names = walked.stitched, walked.question.graph.partitioning.names
    chosen = "; ".join(names[partition] for partition in stitched.partitions[:5].tolist())
    bridges = walked.question.graph.partitioning.bridges(stitched.graph, stitched.edges)
    edges = f"{len(stitched.edges)} edges" + (f" ({bridges} bridges)" if bridges else "")
    size = f"{len(stitched.nodes)} nodes and {edges} of {len(stitched.partitions)} partitions"
    return (f"{size}: {chosen}", *walk.lines())


@dataclass(frozen=True, eq=False)
class DescribedWalk:
    """A walk in words and as a graph to draw: the path to each node, and all that was visited. `titles` are of the
    nodes that were visited and of those that are shown."""

    walked: Walked
    titles: Mapping[int, str]

    def path(self, node: int) -> tuple[str, ...]:
        """The steps to a node that was walked to, in the form of seed 000: `(fritz lang) -[directed]-> (metropolis)`;
        of others, none."""
        chain = self._chain(node)
        return tuple(self._step(before, visit) for before, visit in pairwise(chain) if visit.edge >= 0)

    def line(self, node: int) -> str:
        """The same in one line, `Hub -> A -> B` (seed 004, section 5); behind a step over a bridge edge the partition
        that it led into."""
        chain = self._chain(node)
        steps = (f"{self.titles[visit.node]}{self._into(before, visit, ' ({})')}" for before, visit in pairwise(chain))
        return " -> ".join([self.titles[chain[0].node], *steps])

    def why(self, node: int, cosine: float) -> str:
        chain = self._chain(node)
        if not chain:
            return f"matches the question ({cosine:.2f})"
        if len(chain) == 1:
            return f"landed on, in {self._partition(node)}"
        how = self._into(chain[-2], chain[-1], ", {}") + (", after going back" if chain[-1].back else "")
        return f"walked to by {self._label(chain[-1])} from {self.titles[chain[-2].node]}{how}"

    def subgraph(self, shares: Mapping[int, float]) -> Subgraph:
        visits = self.walked.visits
        ids, graph = self._graph.layers.chunk_ids, self._graph.nodes
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

    def lines(self) -> list[str]:
        """Of each walk its longest line: those that no other goes on from."""
        gone_on = {visit.before for visit in self.walked.visits}
        ends = [visit for place, visit in enumerate(self.walked.visits) if place not in gone_on and visit.before >= 0]
        return [self.line(visit.node) for visit in ends]

    @property
    def _graph(self) -> Graph:
        return self.walked.question.graph

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
        label, forwards = self._label(visit), self._graph.nodes.sources[visit.edge] == before.node
        arrow = f"-[{label}]->" if forwards else f"<-[{label}]-"
        return f"({self.titles[before.node]}) {arrow} ({self.titles[visit.node]})"

    def _label(self, visit: Visit) -> str:
        return self._labels[visit.edge]

    @cached_property
    def _labels(self) -> dict[int, str]:
        """Of each edge taken its relation; of a shared entity, the rarest of those that both ends name, a date only for
        want of others."""
        return {visit.edge: self._relation(visit.edge) for visit in self.walked.visits if visit.edge >= 0}

    def _relation(self, edge: int) -> str:
        graph, named_by = self._graph.nodes, self._graph.layers.named_by
        relation = graph.relations[int(graph.kinds[edge])]
        if relation != SHARED:
            return relation
        one, other = named_by(int(graph.sources[edge])), named_by(int(graph.targets[edge]))
        return next((entity.name for entity in one if entity in other), relation)

    def _into(self, before: Visit, visit: Visit, form: str) -> str:
        """Of a step over a bridge edge the partition that it led into; nothing of others."""
        left, there = self._partition(before.node), self._partition(visit.node)
        return form.format(f"into {there}") if there != left else ""

    def _partition(self, node: int) -> str:
        partitioning = self._graph.partitioning
        return partitioning.names[int(partitioning.of_node[node])]


def make(store: Search, settings: ToolSettings) -> Walk:
    return Walk(store, settings.of(WalkParameters), settings)


PARAMETERS = WalkParameters
