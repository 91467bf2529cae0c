"""Think, stitch, walk for one question (seed 004, sections 4.1 to 4.3): what the tool `walk` and the agent's nodes of
these names call. A walk lands on the best nodes of each partition and follows edges to better ones."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from math import ceil

import numpy as np
from numpy.typing import NDArray

from clew.memory.datatypes import Float32s, Floats, Ints, Query
from clew.memory.encoding import CachedEncoder
from clew.memory.knowledge.aligners.scoring import Aligner, FoundNodes
from clew.memory.knowledge.arrays import looked_up
from clew.memory.knowledge.embedding import with_title
from clew.memory.knowledge.nodes import TITLE_LINK, Cells, NodeGraph, Partitioning
from clew.memory.knowledge.question import LibraryQuestion, MatchParameters, candidates
from clew.memory.knowledge.walking.features import Looked, NodeScorer, Weighing, load_scorer
from clew.memory.parameters import Cosine, Count, Depth, Few, Natural, Share, Weight
from clew.memory.ports import Graph, Search
from clew.memory.vectors import softmax

Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class ThinkParameters:
    """How partitions are chosen: `top` is the seed's K; `above` is its tau of 0.5, adapted to shares of votes, of which
    a second partition has 0.15 if two are meant."""

    top: Count = 5  # how many partitions are walked in at most
    above: Share = 0.15  # the share of votes a partition needs
    least: Natural = 500  # further partitions are taken until there are so many passages
    most: Count = 2000  # no further partition is taken once there would be more passages than this
    share: Share = 0.5  # the share of a small library's passages that is walked in

    def within(self, nodes: int) -> "ThinkParameters":
        """For a library of so many nodes."""
        if nodes >= self.least:
            return self
        some = max(1, ceil(self.share * nodes))
        return replace(self, least=some, most=min(some, self.most))


def votes(nodes: Ints, shares: Floats, partitioning: Partitioning) -> Floats:
    """The share of the mass that stands in each partition, hub nodes left out; shape (partitions,)."""
    counted = ~np.isin(nodes, partitioning.hub_nodes)
    return np.bincount(partitioning.of_node[nodes[counted]], shares[counted], partitioning.count).astype(np.float64)


def choose(
    scores: Floats,
    found: Ints,
    partitioning: Partitioning,
    parameters: ThinkParameters,
    allowed: Flags | None = None,
) -> Ints:
    """The partitions in the order of their choice: by score, then those of the nodes that were found, best first, then
    more by score. The first is taken whatever its size; only `allowed` nodes, shape (nodes,), count."""
    counted = partitioning.of_node if allowed is None else partitioning.of_node[allowed]
    sizes = np.bincount(counted, minlength=partitioning.count).tolist()
    order = np.argsort(-scores, kind="stable")
    above = int((scores[order] >= parameters.above).sum())  # the order falls, so these come first
    first = order[: max(parameters.top, above)]
    chosen: dict[int, None] = {}
    nodes = 0
    wanted = [*first.tolist(), *partitioning.of_node[found].tolist()]
    for place, partition in enumerate([*wanted, *order.tolist()]):
        if place >= len(wanted) and nodes >= parameters.least:
            break
        if partition not in chosen and (not chosen or nodes + sizes[partition] <= parameters.most):
            chosen[partition] = None
            nodes += sizes[partition]
    return np.array(list(chosen), np.int64)


@dataclass(frozen=True, eq=False)
class Stitched:
    """`nodes` are rows, partition after partition in the order of their choice; `starts` say where each begins. `edges`
    are numbers of the graph's edges, within the partitions and between them. Where `hub_nodes[i]`, nothing lands on
    node i."""

    partitions: Ints
    nodes: Ints
    starts: Ints
    edges: Ints
    hub_nodes: Flags
    graph: NodeGraph

    @cached_property
    def _order(self) -> Ints:
        return np.argsort(self.nodes, kind="stable")

    @cached_property
    def _rising(self) -> Ints:
        return self.nodes[self._order]

    def place_of(self, rows: Ints) -> Ints:
        """Where rows are in `nodes`; -1 where they are not."""
        return looked_up(self._rising, rows, self._order, -1)

    def ways_from(self, rows: Ints) -> "Ways":
        """The edges from these nodes to others that are stitched, forwards or backwards."""
        edges, of = self.graph.by_end.of(rows)
        sources, targets = self.graph.sources[edges], self.graph.targets[edges]
        others = np.where(sources == rows[of], targets, sources)
        inside = np.flatnonzero(self.place_of(others) >= 0)
        of, others, edges = of[inside], others[inside], edges[inside]
        links = self._links[self.graph.kinds[edges]] & (sources[inside] == rows[of])
        return Ways(of, others, edges, self.graph.weights[edges], links)

    @cached_property
    def _links(self) -> Flags:
        """Which relations of the graph are links by title."""
        return np.array([relation == TITLE_LINK for relation in self.graph.relations], dtype=bool)


@dataclass(frozen=True, eq=False)
class Ways:
    """Way i leads from the place `of[i]` in what was asked for to node `others[i]` by edge `edges[i]`; `links[i]`: it
    follows a link by title forwards, from the node that names the other."""

    of: Ints
    others: Ints
    edges: Ints
    weights: Float32s
    links: Flags


def stitch(
    partitions: Ints, partitioning: Partitioning, cells: Cells, graph: NodeGraph, allowed: Flags | None = None
) -> Stitched:
    """Of the `allowed` nodes, shape (nodes of the graph,), where not all are."""
    nodes, of = partitioning.members.of(partitions)
    edges = cells.among(partitions)
    if allowed is not None:
        nodes, of = nodes[allowed[nodes]], of[allowed[nodes]]
        edges = edges[allowed[graph.sources[edges]] & allowed[graph.targets[edges]]]
    starts = np.searchsorted(of, np.arange(len(partitions) + 1))
    return Stitched(partitions, nodes, starts, edges, np.isin(nodes, partitioning.hub_nodes), graph)


# The walk ------------------------------------------------------------------------------------------------------------

Weigh = Callable[[Ints], Floats]
"""Of rows their log mass."""


@dataclass(frozen=True, slots=True)
class StepParameters:
    """How a walk goes on, by the seed. A step is scored by the mass of its target, plus `path` times that of its start,
    `edge` times the log of its edge's weight, and `link` if it is a link by title to a named node, minus `hub` times
    the log of the number of edges at its start. `edge` was chosen on MuSiQue, `link` on HotpotQA (docs/journal.md)."""

    landings: Few = 3  # from how many passages of each partition it begins
    beam: Few = 3  # how many paths are kept at each step
    depth: Depth = 2  # how many steps it takes from where it begins
    path: Weight = 0.25  # how much the passage that a step begins at counts
    edge: Weight = 1.0  # how much the strength of a link counts
    link: Weight = 2.0  # how much more a link by title counts
    hub: Weight = 0.25  # what a step costs from a passage with many links


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


@dataclass(frozen=True, slots=True)
class WalkerParameters:
    """How much of the graph is looked at. `answers` is the seed's 0.9, adapted to the encoder
    (`ObserveParameters.answers`)."""

    named: Natural = 400  # how many passages that the question names are weighed
    looked: Natural = 64  # how many of the best passages have their surroundings looked at
    answers: Cosine = 0.8  # how near a passage has to be to the question to end the walk
    think: ThinkParameters = field(default_factory=ThinkParameters)  # which partitions are walked in
    walk: StepParameters = field(default_factory=StepParameters)  # how far, and along how many ways


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


@dataclass(frozen=True, slots=True)
class LateParameters:
    """The `top` nodes by mass are scored, and `weight` times their standardised score is added to the log mass."""

    top: Count = 32  # how many passages are compared word by word
    weight: Weight = 0.25  # how much that comparison counts


@dataclass(frozen=True, slots=True)
class LateInteraction:
    """A second scorer of the nodes that a walk weighed, by every token of the question against every token of a node's
    text (ColBERT: Khattab and Zaharia 2020, arXiv 2004.12832; seed 004). What the encoder's cache does not have is
    encoded at the first question that comes by it, and takes seconds then."""

    encoder: CachedEncoder
    parameters: LateParameters = LateParameters()

    def reweigh(self, store: Search, question: LibraryQuestion, nodes: Ints, masses: Floats) -> tuple[Ints, Floats]:
        """Nodes and log masses, best first; the same, after the scores of the first ones are added."""
        scores, changed = self.scores(store, question, nodes[: self.parameters.top]), masses.copy()
        if len(scores) and (deviation := float(scores.std())) > 1e-9:
            changed[: len(scores)] += self.parameters.weight * (scores - scores.mean()) / deviation
        order = np.argsort(-changed, kind="stable")
        return nodes[order], changed[order]

    def scores(self, store: Search, question: LibraryQuestion, nodes: Ints) -> Floats:
        """MaxSim of the question's forms, added by weight; shape (nodes,)."""
        ids, forms = question.graph.layers.chunk_ids, question.query.forms
        chunks = store.chunks([ids[node] for node in nodes.tolist()])
        passages = self.encoder.passage_tokens([with_title(chunk.title, chunk.text) for chunk in chunks])
        questions = self.encoder.token_vectors([form.text for form in forms], "query")
        scores = np.zeros(len(nodes))
        for form, tokens in zip(forms, questions, strict=True):
            scores += form.weight * max_sim(tokens, passages)
        return scores


def max_sim(question: NDArray[np.float32], passages: Sequence[NDArray[np.floating]]) -> Floats:
    """For each passage the mean over the question's tokens of the greatest cosine to a token of it (ColBERT's equation
    3, divided by the length of the question); 0 where either has no token. Shapes (question's tokens, d) and (tokens,
    d) of each to (passages,)."""
    if not len(question):
        return np.zeros(len(passages))
    cosines = (passage.astype(np.float32) @ question.T for passage in passages)
    return np.array([of_tokens.max(axis=0).mean() if len(of_tokens) else 0.0 for of_tokens in cosines], np.float64)


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
        think = self._parameters.think.within(len(self.graph.partitioning.of_node))
        self._think = think if aligner is None else replace(think, above=np.inf)

    def question(self, query: Query) -> LibraryQuestion:
        return LibraryQuestion(self.graph, query)

    def look(self, question: LibraryQuestion, hits: Ints) -> Looked:
        """At what tools found (`hits`, nodes), and at what the question names."""
        return Looked(question, np.union1d(hits, self._named(question)))

    def think(self, question: LibraryQuestion, hits: Ints) -> Thought:
        """Weigh what tools found (`hits`, nodes) and what the question names, and with that the partitions."""
        looked = self.look(question, hits)
        masses = self._scorer.alone(looked.direct)
        return Thought(looked, masses, self._scores(looked, softmax(masses)))

    def _scores(self, looked: Looked, found: Floats) -> Floats:
        """The scores of all partitions: by votes, or by the aligner."""
        if self._aligner is None:
            return votes(looked.nodes, found, self.graph.partitioning)
        return self._aligner.scores(FoundNodes(looked.question, looked.nodes, found)).astype(np.float64)

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
        """For each partition the nodes to land on by their cosine alone: all of its nodes are looked at."""
        cosines = np.where(stitched.hub_nodes, -np.inf, self._cosines(question, stitched))
        best = [
            start + np.argsort(-cosines[start:end])[: self._parameters.walk.landings]
            for start, end in pairwise(stitched.starts.tolist())
        ]
        places = np.concatenate([*best, np.zeros(0, np.int64)])
        return np.asarray(stitched.nodes[places[np.isfinite(cosines[places])]], np.int64)

    def _cosines(self, question: LibraryQuestion, stitched: Stitched) -> Floats:
        """The cosines of all nodes that are stitched; whole partitions are read in one piece each."""
        if question.query.scope is not None:
            return question.cosines(stitched.nodes)
        vectors = map(self.graph.partition_vectors, stitched.partitions.tolist())
        return np.concatenate([*(its @ question.vector for its in vectors), np.zeros(0)])


def hits_of(store: Search, query: Query, parameters: MatchParameters) -> Ints:
    """The rows that a search by words and by vectors finds, rising; those of the part alone."""
    numbers = store.part().layers.chunk_numbers
    found = candidates(store, query, 0, parameters)
    return np.array(sorted(numbers[id_] for id_ in found if id_ in numbers), np.int64)


def landings(stitched: Stitched, rows: Ints, masses: Floats, most: int) -> Ints:
    """For each partition the `most` rows of the greatest mass that are no hub nodes; best first over all. `rows` are
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
