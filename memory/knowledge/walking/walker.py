"""Think, stitch, walk for one question: what the tool `walk` and the agent's nodes of these names call."""

from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from clew.memory.datatypes import Floats, Ints, Query
from clew.memory.knowledge.aligners.scoring import Aligner
from clew.memory.knowledge.aligners.scoring import Asked as AlignedQuestion
from clew.memory.knowledge.matching import MatchParameters, candidates
from clew.memory.knowledge.walking.asked import Asked
from clew.memory.knowledge.walking.choosing import ThinkParameters, choose, votes
from clew.memory.knowledge.walking.features import Looked
from clew.memory.knowledge.walking.ground import ground_of
from clew.memory.knowledge.walking.late_interaction import LateInteraction
from clew.memory.knowledge.walking.scorer import Scorer, load_scorer
from clew.memory.knowledge.walking.stitching import Stitched, stitch
from clew.memory.knowledge.walking.wandering import Visit, WalkParameters, landings, wander
from clew.memory.knowledge.walking.weighing import Weighing
from clew.memory.ports import Store


@dataclass(frozen=True, slots=True)
class WalkerParameters:
    """`named`: nodes that the question names and that are weighed, long and rare names first; `looked`: those of the
    most mass whose surroundings are looked at; `answers`: the similarity at which a node answers and the walk ends, the
    seed's 0.9 calibrated for the encoder (`ObserveParameters.answers`)."""

    named: int = 400
    looked: int = 64
    answers: float = 0.8
    think: ThinkParameters = field(default_factory=ThinkParameters)
    walk: WalkParameters = field(default_factory=WalkParameters)


@dataclass(frozen=True, eq=False)
class Thought:
    """What a question's candidates weigh by themselves, as logarithms, and the score of every partition."""

    looked: Looked
    masses: Floats
    partitions: Floats


@dataclass(frozen=True, eq=False)
class Walked:
    """`nodes` are all that were looked at, best first, and `masses` theirs: of the best of them with what lies around
    each, of others that a step might have led to as far as it is known."""

    asked: Asked
    stitched: Stitched
    nodes: Ints
    masses: Floats
    visits: tuple[Visit, ...]


class Walker:
    """Over one library; safe from several threads. `aligner` scores the partitions, in the place of votes; `late` the
    best nodes of a walk a second time."""

    def __init__(
        self,
        store: Store,
        parameters: WalkerParameters | None = None,
        scorer: Scorer | None = None,
        late: LateInteraction | None = None,
        aligner: Aligner | None = None,
    ) -> None:
        self._store = store
        self._parameters = parameters or WalkerParameters()
        self._scorer = scorer or load_scorer()
        self._late = late
        self._aligner = aligner
        # Shares of votes have a threshold; the scores of an aligner have a scale of their own.
        self._think = self._parameters.think if aligner is None else replace(self._parameters.think, above=np.inf)
        self.ground = ground_of(store)
        self._cells = store.cells()
        self._last: tuple[object, Thought] | None = None

    def think(self, query: Query, hits: Ints) -> Thought:
        """Weigh what tools found (`hits`, rows) and what the question names, and with that the partitions."""
        looked = self.look(query, hits)
        masses = self._scorer.alone(looked.direct)
        return Thought(looked, masses, self._scores(looked, shares(masses)))

    def thought(self, query: Query, hits: Ints) -> Thought:
        """What `think` says; the last is kept, for the nodes of a turn that hand each other plain values only."""
        forms = tuple((form.text, form.weight, form.vector.tobytes()) for form in query.forms)
        asked, last = (forms, query.scope, hits.tobytes()), self._last
        if last is None or last[0] != asked:
            last = self._last = asked, self.think(query, hits)
        return last[1]

    def _scores(self, looked: Looked, found: Floats) -> Floats:
        """Of all partitions: by votes, or by the aligner, form by form."""
        if self._aligner is None:
            return votes(looked.nodes, found, self.ground.partitioning)
        asked = looked.asked
        each = [
            form.weight * self._aligner.scores(AlignedQuestion(form.text, form.vector, looked.nodes, found))
            for form in asked.query.forms
        ]
        return np.asarray(np.sum(each, axis=0), np.float64)

    def look(self, query: Query, hits: Ints) -> Looked:
        """At what tools found, and at what the question names."""
        asked = Asked(self._store, self.ground, query)
        return Looked(asked, np.union1d(hits, self._named(asked)))

    def stitch(self, thought: Thought) -> Stitched:
        found = thought.looked.nodes[np.argsort(-thought.masses, kind="stable")]
        allowed = self._allowed(thought.looked.asked.query)
        chosen = choose(thought.partitions, found, self.ground.partitioning, self._think, allowed)
        return stitch(chosen, self.ground.partitioning, self._cells, self.ground.graph, allowed)

    def walk(self, thought: Thought, stitched: Stitched) -> Walked:
        parameters = self._parameters
        best = np.argsort(-thought.masses, kind="stable")[: parameters.looked]
        weighing = Weighing(thought.looked, thought.masses, self._scorer)
        weighing(np.union1d(thought.looked.nodes[best], self._nearest(thought.looked.asked, stitched)))
        landed = landings(stitched, *weighing.ranked(), parameters.walk.landings)
        visits = wander(stitched, landed, weighing.expected, weighing.answers(parameters.answers), parameters.walk)
        nodes, masses = weighing.ranked()
        if self._late is not None:
            nodes, masses = self._late.reweigh(self._store, thought.looked.asked.query, nodes, masses)
        return Walked(thought.looked.asked, stitched, nodes, masses, tuple(visits))

    def _named(self, asked: Asked) -> Ints:
        allowed = self._allowed(asked.query)
        found = [named.nodes[np.lexsort((named.rivals, named.starts - named.ends))] for named in asked.named]
        most = self._parameters.named // len(found)
        return np.unique(np.concatenate([(some if allowed is None else some[allowed[some]])[:most] for some in found]))

    def _nearest(self, asked: Asked, stitched: Stitched) -> Ints:
        """Of each partition the nodes to land on by their cosine alone: all of its nodes are looked at."""
        cosines = np.where(stitched.hub_nodes, -np.inf, self._cosines(asked, stitched))
        best = [
            start + np.argsort(-cosines[start:end])[: self._parameters.walk.landings]
            for start, end in pairwise(stitched.starts.tolist())
        ]
        places = np.concatenate([*best, np.zeros(0, np.int64)])
        return np.asarray(stitched.nodes[places[np.isfinite(cosines[places])]], np.int64)

    def _cosines(self, asked: Asked, stitched: Stitched) -> Floats:
        """Of all nodes that are stitched; whole partitions are read in one piece each."""
        if asked.query.scope is not None:
            return asked.cosines(stitched.nodes)
        whole = [self._store.partition_vectors(partition) @ asked.vector for partition in stitched.partitions.tolist()]
        return np.concatenate([*whole, np.zeros(0)])

    def _allowed(self, query: Query) -> NDArray[np.bool_] | None:
        return None if query.scope is None else self._store.layers().chunks_within(query.scope)


def shares(masses: Floats) -> Floats:
    """Of log masses the shares of them all."""
    parts = np.exp(masses - masses.max(initial=-np.inf))
    return np.asarray(parts / parts.sum())


def hits_of(store: Store, query: Query, parameters: MatchParameters) -> Ints:
    """The rows that a search by words and by vectors finds, rising."""
    numbers = store.layers().chunk_numbers
    return np.array(sorted(numbers[id_] for id_ in candidates(store, query, 0, parameters)), np.int64)
