"""The tool `walk`: C-RAG's think, stitch and walk over the partitioned graph of the library (seed 004).

What a search by words and vectors finds and what the question names votes for partitions; the best of them are stitched
into a small graph; the walk lands on the best nodes of each and follows edges to better ones. All that were weighed on
the way are ranked by one learned mass, of the node and of what lies around it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from clew.memory.datatypes import Edge, Findings, Query, Subgraph
from clew.memory.knowledge.library_ports import Graph, Search
from clew.memory.knowledge.nodes import SHARED
from clew.memory.knowledge.question import LibraryQuestion, MatchParameters
from clew.memory.knowledge.walking.features import DIRECT, Looked, NodeScorer
from clew.memory.knowledge.walking.walk_paths import into, parents, path
from clew.memory.knowledge.walking.walker import Walked, Walker, WalkerParameters, hits_of
from clew.memory.parameters import Count
from clew.memory.vectors import softmax
from clew.tools.base import DEFAULTS, ToolSettings, passages_of

DIGITS = 6
"""Of scores that are shown: later ones depend on what else was looked at."""


@dataclass(frozen=True, slots=True)
class WalkParameters:
    """How many passages are returned, and how they are found."""

    k: Count = 5  # how many passages it returns unless a number is given
    match: MatchParameters = field(default_factory=MatchParameters)  # how the candidates are found
    walker: WalkerParameters = field(default_factory=WalkerParameters)  # how much of the graph is looked at
    part: tuple[int, ...] | None = None  # the partitions to search; None: the whole library


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

    @cached_property
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
    parts = softmax(walked.masses).tolist()
    ids, best = walked.question.graph.layers.chunk_ids, walked.nodes[:k].tolist()
    rows = sorted({*best, *(visit.node for visit in walked.visits)})
    chunks = dict(zip(rows, store.chunks([ids[row] for row in rows]), strict=True))
    by_node = dict(zip(walked.nodes.tolist(), parts, strict=True))
    walk = _subgraph(walked, {row: chunk.title or chunk.document for row, chunk in chunks.items()}, by_node)
    looked = Looked(walked.question, np.sort(walked.nodes[:k]))
    features = dict(zip(looked.nodes.tolist(), looked.direct.tolist(), strict=True))
    passages = passages_of([chunks[row] for row in best], tool)
    come_to = _come_to(walk)
    made = []
    for passage, row, share in zip(passages, best, parts, strict=False):
        scores = dict(zip(DIRECT, features[row], strict=True))
        why, steps = come_to.get(passage.id, (f"matches the question ({scores['cosine']:.2f})", ()))
        shown = {name: round(scores[name], DIGITS) for name in ("cosine", "sentence", "keyword")}
        made.append(replace(passage, score=share, why=why, scores=shown, path=steps))
    return Findings(tuple(made), (_note(walked),), walk=walk)


def _subgraph(walked: Walked, titles: Mapping[int, str], shares: Mapping[int, float]) -> Subgraph:
    """All that was visited. `titles` and `shares` (of the mass of all) are by node."""
    graph, partitioning, visits = walked.question.graph, walked.question.graph.partitioning, walked.visits
    ids, taken = graph.layers.chunk_ids, [visit for visit in visits if visit.edge >= 0]
    ends = [(int(graph.nodes.sources[one.edge]), int(graph.nodes.targets[one.edge])) for one in taken]
    return Subgraph(
        nodes=tuple(ids[visit.node] for visit in visits),
        edges=tuple(
            Edge(ids[source], ids[target], _relation(graph, visit.edge))
            for visit, (source, target) in zip(taken, ends, strict=True)
        ),
        titles=tuple(titles[visit.node] for visit in visits),
        scores=tuple(shares[visit.node] for visit in visits),
        partitions=tuple(partitioning.names[int(partitioning.of_node[visit.node])] for visit in visits),
        landings=len(visits) - len(taken),
        back=tuple(ids[visit.node] for visit in taken if visit.back),
    )


def _relation(graph: Graph, edge: int) -> str:
    """The relation of an edge; of a shared entity the name of the rarest that both ends have, dates last."""
    nodes, named_by = graph.nodes, graph.layers.named_by
    relation = nodes.relations[int(nodes.kinds[edge])]
    if relation != SHARED:
        return relation
    one, other = named_by(int(nodes.sources[edge])), named_by(int(nodes.targets[edge]))
    return next((entity.name for entity in one if entity in other), relation)


def _come_to(walk: Subgraph) -> dict[str, tuple[str, tuple[str, ...]]]:
    """For each node that was visited, by its id: how it was come to, and the steps to it."""
    before, told = parents(walk), {}
    for place, node in enumerate(walk.nodes):
        if place < walk.landings:
            why = f"landed on, in {walk.partitions[place]}"
        else:
            label, start = walk.edges[place - walk.landings].relation, walk.titles[before[place]]
            why = f"walked to by {label} from {start}{into(walk, before, place)}"
        told[node] = why, path(walk, before, place)
    return told


def _note(walked: Walked) -> str:
    """In how much it was walked."""
    stitched, partitioning = walked.stitched, walked.question.graph.partitioning
    chosen = "; ".join(partitioning.names[partition] for partition in stitched.partitions[:5].tolist())
    size = f"{len(stitched.nodes)} nodes and {len(stitched.edges)} edges of {len(stitched.partitions)} partitions"
    return f"{size}: {chosen}"


def make(store: Search, settings: ToolSettings) -> Walk:
    return Walk(store, settings.of(WalkParameters), settings)


PARAMETERS = WalkParameters
