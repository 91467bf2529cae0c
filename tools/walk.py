"""The tool `walk`: C-RAG's think, stitch and walk over the partitioned graph of the library (seed 004).

What a search by words and vectors finds and what the question names votes for partitions; the best of them are stitched
into a small graph; the walk lands on the best nodes of each and follows edges to better ones. All that were weighed on
the way are ranked by one learned mass, of the node and of what lies around it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from clew.memory.cached import Cached
from clew.memory.datatypes import Findings, Ints, Passage, Query
from clew.memory.knowledge.aligning.scoring import Scorer
from clew.memory.knowledge.matching import MatchParameters
from clew.memory.knowledge.walking.features import DIRECT, Looked
from clew.memory.knowledge.walking.late_interaction import LateInteraction
from clew.memory.knowledge.walking.telling import Told, visited_lines
from clew.memory.knowledge.walking.walker import Walked, Walker, WalkerParameters, hits_of, shares
from clew.memory.ports import Store
from clew.tools.base import passages_of

DIGITS = 6
"""Of scores that are told: later ones depend on what else was looked at."""


@dataclass(frozen=True, slots=True)
class WalkParameters:
    """`k` passages where no other number is asked for; `match` finds the candidates."""

    k: int = 5
    match: MatchParameters = field(default_factory=MatchParameters)
    walker: WalkerParameters = field(default_factory=WalkerParameters)


class Walk:
    """The graph of the library is read at the first search, once."""

    name = "walk"
    description = (
        "Chooses the topics that a question is about, and walks from their best passages along links to others. Use "
        "it to find how two things are connected. Returns passages, with the path to each."
    )

    def __init__(
        self,
        store: Store,
        parameters: WalkParameters | None = None,
        late: LateInteraction | None = None,
        aligner: Scorer | None = None,
    ) -> None:
        self._store = store
        self._parameters = parameters or WalkParameters()
        self.walker = Cached(lambda: Walker(store, self._parameters.walker, late=late, aligner=aligner))

    def search(self, query: Query, k: int | None = None) -> Findings:
        """At most k passages, by default the parameters' own. A passage's score is its share of the mass of all."""
        query.check()
        k = self._parameters.k if k is None else k
        hits = hits_of(self._store, query, self._parameters.match)
        query.check()
        thought = self.walker().think(query, hits)
        stitched = self.walker().stitch(thought)
        query.check()
        return findings(self._store, self.walker().walk(thought, stitched), k, self.name)


def findings(store: Store, walked: Walked, k: int, tool: str) -> Findings:
    """What a walk brings back: the k best nodes, what it went through, and notes on how much that is."""
    if not len(walked.nodes):
        return Findings(notes=("no passage to walk from",))
    parts = shares(walked.masses)
    layers, best = store.layers(), walked.nodes[:k]
    visited = np.array([visit.node for visit in walked.visits], np.int64)
    rows = np.union1d(best, visited)
    chunks = dict(zip(rows.tolist(), store.chunks(_ids(layers.chunk_ids, rows)), strict=True))
    told = Told(walked, layers, {row: chunk.title or chunk.document for row, chunk in chunks.items()})
    looked = Looked(walked.asked, np.sort(best))
    features = dict(zip(looked.nodes.tolist(), looked.direct.tolist(), strict=True))
    passages = [
        _told(passage, told, row, share, features[row])
        for passage, row, share in zip(
            passages_of([chunks[row] for row in best.tolist()], tool), best.tolist(), parts.tolist(), strict=False
        )
    ]
    by_node = dict(zip(walked.nodes.tolist(), parts.tolist(), strict=True))
    return Findings(tuple(passages), _notes(walked, told), walk=told.subgraph(by_node))


def _told(passage: Passage, told: Told, row: int, share: float, features: Sequence[float]) -> Passage:
    scores = dict(zip(DIRECT, features, strict=True))
    shown = {name: round(scores[name], DIGITS) for name in ("cosine", "sentence", "keyword")}
    return replace(passage, score=share, why=told.why(row, scores["cosine"]), scores=shown, path=told.path(row))


def _notes(walked: Walked, told: Told) -> tuple[str, ...]:
    stitched, names = walked.stitched, walked.asked.ground.partitioning.names
    chosen = "; ".join(names[partition] for partition in stitched.partitions[:5].tolist())
    size = f"{len(stitched.nodes)} nodes and {len(stitched.edges)} edges of {len(stitched.partitions)} partitions"
    return (f"{size}: {chosen}", *visited_lines(told, walked.visits))


def _ids(ids: Sequence[str], rows: Ints) -> list[str]:
    return [ids[row] for row in rows.tolist()]
