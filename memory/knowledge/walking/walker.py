"""Think, stitch, walk for one question: what the tool `walk` and the agent's nodes of these names call."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np

from clew.memory.datatypes import Floats, Ints, Query
from clew.memory.knowledge.aligners.scoring import Aligner, Found
from clew.memory.knowledge.matching import MatchParameters, candidates
from clew.memory.knowledge.question import LibraryQuestion
from clew.memory.knowledge.walking.features import Looked
from clew.memory.knowledge.walking.late_interaction import LateInteraction
from clew.memory.knowledge.walking.masses import NodeScorer, Weighing, load_scorer
from clew.memory.knowledge.walking.steps import StepParameters, Visit, landings, wander
from clew.memory.knowledge.walking.subgraph import Stitched, ThinkParameters, choose, stitch, votes
from clew.memory.ports import Graph, Search


@dataclass(frozen=True, slots=True)
class WalkerParameters:
    """`named`: nodes that the question names and that are weighed, long and rare names first; `looked`: those of the
    most mass whose surroundings are looked at; `answers`: the similarity at which a node answers and the walk ends, the
    seed's 0.9 calibrated for the encoder (`ObserveParameters.answers`)."""

    named: int = 400
    looked: int = 64
    answers: float = 0.8
    think: ThinkParameters = field(default_factory=ThinkParameters)
    walk: StepParameters = field(default_factory=StepParameters)


@dataclass(frozen=True, eq=False)
class Thought:
    """What a question's candidates weigh by themselves, as logarithms, and the score of every partition."""

    looked: Looked
    masses: Floats
    partitions: Floats

    @property
    def question(self) -> LibraryQuestion:
        return self.looked.question


@dataclass(frozen=True, eq=False)
class Walked:
    """`nodes` are all that were looked at, best first, and `masses` theirs: of the best of them with what lies around
    each, of others that a step might have led to as far as it is known."""

    question: LibraryQuestion
    stitched: Stitched
    nodes: Ints
    masses: Floats
    visits: tuple[Visit, ...]


class Walker:
    """Over the graph of one library; keeps nothing of a question, and is safe from several threads. `aligner` scores
    the partitions, in the place of votes; `late` the best nodes of a walk a second time."""

    def __init__(
        self,
        store: Search,
        parameters: WalkerParameters | None = None,
        scorer: NodeScorer | None = None,
        late: LateInteraction | None = None,
        aligner: Aligner | None = None,
        part: Sequence[int] | None = None,
    ) -> None:
        self._store = store
        self.graph: Graph = store.part(part)
        self._parameters = parameters or WalkerParameters()
        self._scorer = scorer or load_scorer()
        self._late = late
        self._aligner = aligner
        # Shares of votes have a threshold; the scores of an aligner have a scale of their own.
        self._think = self._parameters.think if aligner is None else replace(self._parameters.think, above=np.inf)

    def question(self, query: Query) -> LibraryQuestion:
        return LibraryQuestion(self.graph, query)

    def look(self, question: LibraryQuestion, hits: Ints) -> Looked:
        """At what tools found (`hits`, nodes), and at what the question names."""
        return Looked(question, np.union1d(hits, self._named(question)))

    def think(self, question: LibraryQuestion, hits: Ints) -> Thought:
        """Weigh what tools found (`hits`, nodes) and what the question names, and with that the partitions."""
        looked = self.look(question, hits)
        masses = self._scorer.alone(looked.direct)
        return Thought(looked, masses, self._scores(looked, shares(masses)))

    def _scores(self, looked: Looked, found: Floats) -> Floats:
        """Of all partitions: by votes, or by the aligner."""
        if self._aligner is None:
            return votes(looked.nodes, found, self.graph.partitioning)
        return self._aligner.scores(Found(looked.question, looked.nodes, found)).astype(np.float64)

    def stitch(self, thought: Thought) -> Stitched:
        """The partitions that the thought chooses, as one graph."""
        found = thought.looked.nodes[np.argsort(-thought.masses, kind="stable")]
        chosen = choose(thought.partitions, found, self.graph.partitioning, self._think, thought.question.allowed)
        graph = self.graph
        return stitch(chosen, graph.partitioning, graph.cells, graph.nodes, thought.question.allowed)

    def walk(self, thought: Thought, stitched: Stitched) -> Walked:
        parameters, question = self._parameters, thought.question
        best = np.argsort(-thought.masses, kind="stable")[: parameters.looked]
        weighing = Weighing(thought.looked, thought.masses, self._scorer)
        weighing(np.union1d(thought.looked.nodes[best], self._nearest(question, stitched)))
        landed = landings(stitched, *weighing.ranked(), parameters.walk.landings)
        visits = wander(stitched, landed, weighing.expected, weighing.answers(parameters.answers), parameters.walk)
        nodes, masses = weighing.ranked()
        if self._late is not None:
            nodes, masses = self._late.reweigh(self._store, question, nodes, masses)
        return Walked(question, stitched, nodes, masses, tuple(visits))

    def _named(self, question: LibraryQuestion) -> Ints:
        found = [named.nodes[np.lexsort((named.rivals, named.starts - named.ends))] for named in question.named]
        most = self._parameters.named // len(found)
        return np.unique(np.concatenate([question.within(some)[:most] for some in found]))

    def _nearest(self, question: LibraryQuestion, stitched: Stitched) -> Ints:
        """Of each partition the nodes to land on by their cosine alone: all of its nodes are looked at."""
        cosines = np.where(stitched.hub_nodes, -np.inf, self._cosines(question, stitched))
        best = [
            start + np.argsort(-cosines[start:end])[: self._parameters.walk.landings]
            for start, end in pairwise(stitched.starts.tolist())
        ]
        places = np.concatenate([*best, np.zeros(0, np.int64)])
        return np.asarray(stitched.nodes[places[np.isfinite(cosines[places])]], np.int64)

    def _cosines(self, question: LibraryQuestion, stitched: Stitched) -> Floats:
        """Of all nodes that are stitched; whole partitions are read in one piece each."""
        if question.query.scope is not None:
            return question.cosines(stitched.nodes)
        vectors = map(self.graph.partition_vectors, stitched.partitions.tolist())
        return np.concatenate([*(its @ question.vector for its in vectors), np.zeros(0)])


def shares(masses: Floats) -> Floats:
    """Of log masses the shares of them all."""
    parts = np.exp(masses - masses.max(initial=-np.inf))
    return np.asarray(parts / parts.sum())


def hits_of(store: Search, query: Query, parameters: MatchParameters) -> Ints:
    """The rows that a search by words and by vectors finds, rising."""
    numbers = store.part().layers.chunk_numbers
    return np.array(sorted(numbers[id_] for id_ in candidates(store, query, 0, parameters)), np.int64)
