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
from clew.memory.encoding import CachedEncoder, with_title
from clew.memory.knowledge.aligners.scoring import Aligner, FoundNodes
from clew.memory.knowledge.arrays import looked_up
from clew.memory.knowledge.library_ports import Graph, Search
from clew.memory.knowledge.nodes import TITLE_LINK, Cells, NodeGraph, Partitioning
from clew.memory.knowledge.question import LibraryQuestion, MatchParameters, candidates
from clew.memory.knowledge.walking.features import Looked, NodeScorer, Weighing, load_scorer
from clew.memory.parameters import Cosine, Count, Depth, Few, Natural, Share, Weight
from clew.memory.vectors import softmax

Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class ThinkParameters:
    """How many partitions are chosen: `top` is the seed's K, `above` its tau of 0.5, adapted to shares of votes (a
    second partition that is meant has 0.15)."""

    top: Count = 5  # how many partitions are walked in at most
    above: Share = 0.15  # the share of votes a partition needs
    least: Natural = 500  # further partitions are taken until there are so many passages
    most: Count = 2000  # no further partition is taken once there would be more passages than this
    share: Share = 0.5  # the share of a small library's passages that is walked in

    def within(self, nodes: int) -> "ThinkParameters":
        """Return the parameters for a library of so many nodes."""
        if nodes >= self.least:
            return self
        some = max(1, ceil(self.share * nodes))
        return replace(self, least=some, most=min(some, self.most))


def votes(nodes: Ints, shares: Floats, partitioning: Partitioning) -> Floats:
    """Return the share of the mass in each partition, without hub nodes; shape (partitions,). `shares` are those of
    `nodes`."""
    counted = ~np.isin(nodes, partitioning.hub_nodes)
    return np.bincount(partitioning.of_node[nodes[counted]], shares[counted], partitioning.count).astype(np.float64)


def choose(
    scores: Floats,
    found: Ints,
    partitioning: Partitioning,
    parameters: ThinkParameters,
    allowed: Flags | None = None,
) -> Ints:
    """Return the partitions to walk, in the order of their choice: by score, then those of the nodes that were found,
    best first, then further ones by score. The first is taken whatever its size; only nodes that are `allowed`, shape
    (nodes,), count."""
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
    """Partitions put together to one graph: `nodes` are their rows, partition by partition in the order of choice, each
    from `starts[i]` on. `edges` are numbers of the graph's edges within the partitions and between them. The walk
    cannot land on node i if `hub_nodes[i]`."""

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
        """Return the places of these rows in `nodes`; -1 for rows that are not there."""
        return looked_up(self._rising, rows, self._order, -1)

    def ways_from(self, rows: Ints) -> "Ways":
        """Return the edges from these nodes to other stitched nodes, in either direction."""
        edges, of = self.graph.by_end.of(rows)
        sources, targets = self.graph.sources[edges], self.graph.targets[edges]
        others = np.where(sources == rows[of], targets, sources)
        inside = np.flatnonzero(self.place_of(others) >= 0)
        of, others, edges = of[inside], others[inside], edges[inside]
        links = self._links[self.graph.kinds[edges]] & (sources[inside] == rows[of])
        return Ways(of, others, edges, self.graph.weights[edges], links)

    @cached_property
    def _links(self) -> Flags:
        """Which relations of the graph are links by title; shape (relations,)."""
        return np.array([relation == TITLE_LINK for relation in self.graph.relations], dtype=bool)


@dataclass(frozen=True, eq=False)
class Ways:
    """Steps that a walk could take: step i goes from the place `of[i]` in the given rows to node `others[i]` by edge
    `edges[i]`. `links[i]` says whether it follows a link by title, from the node that names the other."""

    of: Ints
    others: Ints
    edges: Ints
    weights: Float32s
    links: Flags


def stitch(
    partitions: Ints, partitioning: Partitioning, cells: Cells, graph: NodeGraph, allowed: Flags | None = None
) -> Stitched:
    """Put partitions together to one graph, of the `allowed` nodes alone (shape (nodes of the graph,); None: all)."""
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
    """How a walk goes on (seed 004, section 4.3). The score of a step is the mass of its target, plus `path` times that
    of its start, plus `edge` times the log of its edge's weight, plus `link` if it is a link by title to a node that
    the question names, minus `hub` times the log of the number of edges at its start.

    `edge` was chosen on MuSiQue, `link` on HotpotQA (docs/journal.md).
    """

    landings: Few = 3  # from how many passages of each partition it begins
    beam: Few = 3  # how many paths are kept at each step
    depth: Depth = 2  # how many steps it takes from where it begins
    path: Weight = 0.25  # how much the passage that a step begins at counts
    edge: Weight = 1.0  # how much the strength of a link counts
    link: Weight = 2.0  # how much more a link by title counts
    hub: Weight = 0.25  # what a step costs from a passage with many links


@dataclass(frozen=True, slots=True)
class Visit:
    """A node of a walk: its row and its log mass. `before` is the visit from which the graph's edge `edge` led to it;
    both are -1 for a landing. `back` says that the walk had left that visit for a better one before."""

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
    """How much of the graph a walk looks at. `answers` is the seed's 0.9, adapted to the encoder
    (`ObserveParameters.answers`)."""

    named: Natural = 400  # how many passages that the question names are weighed
    looked: Natural = 64  # how many of the best passages have their surroundings looked at
    answers: Cosine = 0.8  # how near a passage has to be to the question to end the walk
    think: ThinkParameters = field(default_factory=ThinkParameters)  # which partitions are walked in
    walk: StepParameters = field(default_factory=StepParameters)  # how far, and along how many ways


@dataclass(frozen=True, eq=False)
class Thought:
    """The candidates of a question with their log masses alone, and the score of every partition."""

    looked: Looked
    masses: Floats
    partitions: Floats

    @property
    def question(self) -> LibraryQuestion:
        return self.looked.question


@dataclass(frozen=True, eq=False)
class Walked:
    """A walk, and all `nodes` that it looked at, best first, with their log `masses`: exact for the best, estimated for
    others to which a step could have led."""

    question: LibraryQuestion
    stitched: Stitched
    nodes: Ints
    masses: Floats
    visits: tuple[Visit, ...]


@dataclass(frozen=True, slots=True)
class LateParameters:
    """The `top` nodes by mass are scored by late interaction; `weight` times their standardised score is added to the
    log mass."""

    top: Count = 32  # how many passages are compared word by word
    weight: Weight = 0.25  # how much that comparison counts


@dataclass(frozen=True, slots=True)
class LateInteraction:
    """A second scorer of the nodes that a walk weighed: it compares every token of the question with every token of a
    node's text (ColBERT: Khattab and Zaharia 2020, arXiv 2004.12832; seed 004). Texts that the encoder's cache lacks
    are encoded when first needed, which takes seconds."""

    encoder: CachedEncoder
    parameters: LateParameters = LateParameters()

    def reweigh(self, store: Search, question: LibraryQuestion, nodes: Ints, masses: Floats) -> tuple[Ints, Floats]:
        """Return the nodes and their log masses, best first, with the late scores of the best added."""
        scores, changed = self.scores(store, question, nodes[: self.parameters.top]), masses.copy()
        if len(scores) and (deviation := float(scores.std())) > 1e-9:
            changed[: len(scores)] += self.parameters.weight * (scores - scores.mean()) / deviation
        order = np.argsort(-changed, kind="stable")
        return nodes[order], changed[order]

    def scores(self, store: Search, question: LibraryQuestion, nodes: Ints) -> Floats:
        """Return the weighted sum of MaxSim over the question's wordings; shape (nodes,)."""
        ids, forms = question.graph.layers.chunk_ids, question.query.forms
        chunks = store.chunks([ids[node] for node in nodes.tolist()])
        passages = self.encoder.passage_tokens([with_title(chunk.title, chunk.text) for chunk in chunks])
        questions = self.encoder.token_vectors([form.text for form in forms], "query")
        scores = np.zeros(len(nodes))
        for form, tokens in zip(forms, questions, strict=True):
            scores += form.weight * max_sim(tokens, passages)
        return scores


def max_sim(question: NDArray[np.float32], passages: Sequence[NDArray[np.floating]]) -> Floats:
    """Return for each passage the mean over the question's tokens of the greatest cosine to a token of the passage
    (ColBERT's equation 3, divided by the number of the question's tokens); 0 if either has no token. `question` has
    shape (tokens, d), each passage (tokens, d); the result (passages,)."""
    if not len(question):
        return np.zeros(len(passages))
    cosines = (passage.astype(np.float32) @ question.T for passage in passages)
    return np.array([of_tokens.max(axis=0).mean() if len(of_tokens) else 0.0 for of_tokens in cosines], np.float64)


class Walker:
    """Walks the graph of one library; keeps nothing of a question and is safe from several threads. `aligner` scores
    the partitions instead of votes; `late` scores the best nodes of a walk a second time."""

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
        """Look at the nodes that tools found (`hits`) and those that the question names."""
        return Looked(question, np.union1d(hits, self._named(question)))

    def think(self, question: LibraryQuestion, hits: Ints) -> Thought:
        """Weigh the nodes that tools found (`hits`) and those that the question names, and from these the
        partitions."""
        looked = self.look(question, hits)
        masses = self._scorer.alone(looked.direct)
        return Thought(looked, masses, self._scores(looked, softmax(masses)))

    def _scores(self, looked: Looked, found: Floats) -> Floats:
        """Return the scores of all partitions, by votes or by the aligner; shape (partitions,)."""
        if self._aligner is None:
            return votes(looked.nodes, found, self.graph.partitioning)
        return self._aligner.scores(FoundNodes(looked.question, looked.nodes, found)).astype(np.float64)

    def stitch(self, thought: Thought) -> Stitched:
        """Choose partitions by their scores and put them together to one graph."""
        found = thought.looked.nodes[np.argsort(-thought.masses, kind="stable")]
        chosen = choose(thought.partitions, found, self.graph.partitioning, self._think, thought.question.allowed)
        graph = self.graph
        return stitch(chosen, graph.partitioning, graph.cells, graph.nodes, thought.question.allowed)

    def walk(self, thought: Thought, stitched: Stitched) -> Walked:
        """Land on the best nodes of each stitched partition and follow edges to better ones (seed 004, section 4.3)."""
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
        """Return for each partition the nodes with the highest cosine, of all its nodes."""
        cosines = np.where(stitched.hub_nodes, -np.inf, self._cosines(question, stitched))
        best = [
            start + np.argsort(-cosines[start:end])[: self._parameters.walk.landings]
            for start, end in pairwise(stitched.starts.tolist())
        ]
        places = np.concatenate([*best, np.zeros(0, np.int64)])
        return np.asarray(stitched.nodes[places[np.isfinite(cosines[places])]], np.int64)

    def _cosines(self, question: LibraryQuestion, stitched: Stitched) -> Floats:
        """Return the cosines of all stitched nodes with the question; a whole partition is read in one piece."""
        if question.query.scope is not None:
            return question.cosines(stitched.nodes)
        vectors = map(self.graph.partition_vectors, stitched.partitions.tolist())
        return np.concatenate([*(its @ question.vector for its in vectors), np.zeros(0)])


def hits_of(store: Search, query: Query, parameters: MatchParameters) -> Ints:
    """Return the rows of this part that a search by words and by vectors finds, ascending."""
    numbers = store.part().layers.chunk_numbers
    found = candidates(store, query, 0, parameters)
    return np.array(sorted(numbers[id_] for id_ in found if id_ in numbers), np.int64)


def landings(stitched: Stitched, rows: Ints, masses: Floats, most: int) -> Ints:
    """Return for each partition the `most` rows of greatest mass that are no hub nodes; all of them ordered by mass.
    `masses` are those of `rows`."""
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
    """Return the visits of a walk, the landings first; no node is visited twice.

    In each round the best `beam` steps are taken of all that are open: those from the nodes of the last round and those
    that were left before, so that a walk whose masses drop goes back. It ends with a step to a node that `answers`. A
    landing does not end it: a node with all words of a question often names the answer without stating it.
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
    """Return all steps from the front to nodes that were not visited, with their scores."""
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
