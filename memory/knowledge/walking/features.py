"""The features of a node, by itself and by its neighbourhood, and its mass: a line and a small network over them.

A mass is a logarithm, learned from questions whose relevant documents are known; so is what a path adds to a node. Each
node of a walk is weighed once, when its mass is first needed.
"""

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from clew.memory.datatypes import Floats, Ints, Vector, Vectors
from clew.memory.knowledge.arrays import Ragged, distinct_pairs, looked_up, places
from clew.memory.knowledge.layers import Layers
from clew.memory.knowledge.question import LibraryQuestion
from clew.memory.text import content_words

DIRECT = (
    *("cosine", "sentence", "keyword", "exact", "named", "rivals", "place", "share", "at"),
    *("gap", "length", "names", "rest"),
)
"""Of a node: its cosine; the best cosine of its sentences (its own, where the library has none); its BM25 as a share of
the most; whether the question names it as its title writes it; the words of that name; log of the nodes of that name;
the place of the name in its title; the share of the question's words, by rarity, that are in the name; where in the
question it stands, 0 to 1; how much less its cosine is than the best of its rivals'; log of its text's words; the names
in its title; the question's other words that it holds, by rarity."""

AROUND = (
    *("degree", "mean", "mean gap", "smoothed", "smoothed gap", "nearest", "average", "said", "often", "called"),
    *("arrived", "pair words", "pair cosine", "pair arrived", "centroid", "centroid gap", "votes", "votes gap"),
)
"""Of a node with its neighbours: log of how many; the cosine of their mean vector over the kinds of edges, and of the
vector smoothed over the graph; their best and their mean cosine; the question's words beyond its name that any of them
holds, that they hold on average, and that are in the name of one; log of the mass that stands on them; the most of the
question that it and one neighbour hold together; the best cosine of the sum of the two; log of the most mass of a
neighbour times the strength of the edge. Of its partition: the cosine of the centroid; log of the mass of its other
nodes. A gap is how much less that is than the best of the node's rivals'."""

FLOOR = 1e-4
"""Mass that stands everywhere, as a share of the greatest: logarithms of less would say nothing."""


@dataclass(frozen=True, eq=False)
class Standing:
    """Nodes, ascending, and the mass that each has by itself, as a share of the greatest."""

    nodes: Ints
    shares: Floats

    @classmethod
    def of(cls, nodes: Ints, masses: Floats) -> "Standing":
        """Convert log masses of nodes to shares of the greatest."""
        return cls(nodes, np.exp(masses - masses.max(initial=-np.inf)))

    def shares_of(self, nodes: Ints) -> Floats:
        """Return the shares of these nodes; 0 for a node that is not among ours."""
        return looked_up(self.nodes, nodes, self.shares, 0)


@dataclass(frozen=True, eq=False)
class Looked:
    """Some nodes, ascending, and what a question finds in each: computed when first needed."""

    question: LibraryQuestion
    nodes: Ints

    def taken_over(self, nodes: Ints) -> "Looked":
        """Return the same for other nodes, ascending, without computing again what is known of some of them."""
        here, known = places(self.nodes, nodes)
        fresh = np.ones(len(nodes), dtype=bool)
        fresh[known] = False
        others, taken = Looked(self.question, nodes[fresh]), Looked(self.question, nodes)
        for name in ("cosines", "held", "direct"):
            own, new = getattr(self, name), getattr(others, name)
            both = np.empty((len(nodes), *own.shape[1:]))
            both[known], both[fresh] = own[here], new
            taken.__dict__[name] = both
        return taken

    @cached_property
    def cosines(self) -> Floats:
        """Cosine of each node with the question; shape (nodes,)."""
        return self.question.cosines(self.nodes)

    @cached_property
    def held(self) -> Floats:
        """How much of each of the question's words each node has, 0 to 1; shape (nodes, words)."""
        return self.question.held(self.nodes)

    @cached_property
    def name_words(self) -> NDArray[np.bool_]:
        """Which of the question's words belong to the name of each node; shape (nodes, words)."""
        return self.question.name_words(self.nodes)

    @cached_property
    def _groups(self) -> tuple[Ints, Ints]:
        """The places of the nodes that the question names, and for each a number that nodes of the same name share."""
        groups = np.full(len(self.nodes), -1)
        for number, named in enumerate(self.question.named):
            at, known = places(self.nodes, named.nodes)
            groups[at] = (number << 40) + (named.starts[known] << 20) + named.ends[known]
        named_ones = np.flatnonzero(groups >= 0)
        return named_ones, np.unique(groups[named_ones], return_inverse=True)[1].reshape(-1)

    def gap(self, values: Floats) -> Floats:
        """Return how much lower each value is than the best of the nodes with the same name; 0 for nodes that the
        question does not name."""
        at, groups = self._groups
        best = np.full(len(at), -np.inf)
        np.maximum.at(best, groups, values[at])
        gaps = np.zeros(len(values))
        gaps[at] = values[at] - best[groups]
        return gaps

    @cached_property
    def direct(self) -> Floats:
        """The features of each node by itself; shape (nodes, len(DIRECT))."""
        question, titles = self.question, self.question.graph.titles
        columns: dict[str, Floats] = {name: np.zeros(len(self.nodes)) for name in DIRECT}
        for form, named, within in zip(question.query.forms, question.named, question.named_words, strict=True):
            at, known = places(self.nodes, named.nodes)
            last = max(1, int(named.ends.max(initial=1)) - 1)
            columns["exact"][at] += form.weight * named.exact[known]
            columns["named"][at] += form.weight * (named.ends - named.starts)[known]
            columns["rivals"][at] += form.weight * np.log(named.rivals[known])
            columns["place"][at] += form.weight * named.places[known]
            columns["share"][at] += within[known] @ question.weights
            columns["at"][at] += form.weight * named.starts[known] / last
        columns["cosine"], columns["sentence"] = self.cosines, self._sentences()
        columns["keyword"] = self.held @ question.weights
        columns["gap"] = self.gap(self.cosines)
        columns["length"] = np.log1p(titles.lengths[self.nodes])
        columns["names"] = titles.names[self.nodes].astype(np.float64)
        columns["rest"] = ((self.held > 0) & ~self.name_words) @ question.weights
        return np.stack([columns[name] for name in DIRECT], axis=1)

    def _sentences(self) -> Floats:
        best = self.question.sentence_cosines(self.nodes)
        return np.where(best > -1, best, self.cosines)

    def around(self, standing: Standing) -> Floats:
        """Return the features of each node's neighbourhood, given what its neighbours weigh by themselves; shape
        (nodes, len(AROUND))."""
        question, near, weights = self.question, self._near, self.question.weights
        beyond = (near.held > 0)[near.other] & ~self.name_words[near.of]
        called = near.named[near.other] & ~self.name_words[near.of]
        arriving = near.strength * standing.shares_of(near.nodes)[near.other]
        together = np.maximum(near.held[near.other], self.held[near.of]) @ weights
        summed = (near.cosines[near.other] + self.cosines[near.of]) / np.sqrt(2 + 2 * near.likeness)
        smoothed = question.graph.smoothed.take(self.nodes, axis=0).astype(np.float32)
        of_smoothed = (smoothed @ question.vector).astype(np.float64)
        centroid, votes = self._of_partitions(standing)
        columns = {
            "degree": np.log1p(question.graph.nodes.neighbours.degrees[self.nodes]),
            "mean": near.mean,
            "mean gap": self.gap(near.mean),
            "smoothed": of_smoothed,
            "smoothed gap": self.gap(of_smoothed),
            "nearest": near.most(near.cosines[near.other]),
            "average": near.sum(near.cosines[near.other]) / near.count,
            "said": near.most(beyond) @ weights,
            "often": near.sum(beyond @ weights) / near.count,
            "called": near.most(called @ weights),
            "arrived": np.log(near.sum(arriving) + FLOOR),
            "pair words": near.most(together),
            "pair cosine": near.most(summed),
            "pair arrived": np.log(near.most(arriving) + FLOOR),
            "centroid": centroid,
            "centroid gap": self.gap(centroid),
            "votes": votes,
            "votes gap": self.gap(votes),
        }
        return np.stack([columns[name] for name in AROUND], axis=1)

    def _of_partitions(self, standing: Standing) -> tuple[Floats, Floats]:
        partitioning = self.question.graph.partitioning
        partitions = partitioning.of_node[self.nodes]
        mass = np.bincount(partitioning.of_node[standing.nodes], standing.shares, partitioning.count)
        others = np.maximum(mass[partitions] - standing.shares_of(self.nodes), 0)
        centroid = (partitioning.centroids[partitions] @ self.question.vector).astype(np.float64)
        return centroid, np.log(others + FLOOR)

    @cached_property
    def _near(self) -> "_Near":
        question, neighbours = self.question, self.question.graph.nodes.neighbours
        pairs, of = neighbours.around(self.nodes)
        nodes, other = np.unique(neighbours.lists.values[pairs], return_inverse=True)
        other = other.reshape(-1)
        vectors = question.graph.vectors.take(nodes, axis=0)
        joined, own = vectors.take(other, axis=0), question.graph.vectors.take(self.nodes, axis=0).take(of, axis=0)
        return _Near(
            nodes=nodes,
            of=of,
            other=other,
            size=len(self.nodes),
            strength=neighbours.strengths[pairs].astype(np.float64),
            cosines=(vectors @ question.vector).astype(np.float64),
            held=question.held(nodes),
            named=question.name_words(nodes),
            likeness=np.maximum(np.einsum("ij,ij->i", own, joined), -0.99).astype(np.float64),
            mean=_mean_cosines(joined * neighbours.balance[pairs][:, None], question.vector, of, len(self.nodes)),
        )


@dataclass(frozen=True, eq=False)
class _Near:
    """Pairs of a node and a neighbour: `of` is the place of the node, ascending, `other` that of the neighbour in
    `nodes`. `strength` and `likeness` belong to pairs, `cosines` and `held` to neighbours, `mean` to nodes."""

    nodes: Ints
    of: Ints
    other: Ints
    size: int
    strength: Floats
    cosines: Floats
    held: Floats
    named: NDArray[np.bool_]
    likeness: Floats
    mean: Floats

    @cached_property
    def count(self) -> Ints:
        return np.maximum(np.bincount(self.of, minlength=self.size), 1)

    @cached_property
    def _groups(self) -> tuple[Ints, Ints]:
        starts = np.flatnonzero(np.diff(self.of, prepend=-1))
        return self.of[starts], starts

    def sum(self, values: Floats) -> Floats:
        return np.bincount(self.of, values, self.size).astype(np.float64)

    def most(self, values: NDArray[np.generic]) -> Floats:
        """Return for each node the greatest value of its pairs, at least 0."""
        nodes, starts = self._groups
        found = np.zeros((self.size, *values.shape[1:]))
        if len(nodes):
            found[nodes] = np.maximum.reduceat(values, starts, axis=0)
        return np.maximum(found, 0)


def _mean_cosines(vectors: Vectors, vector: Vector, of: Ints, size: int) -> Floats:
    """Return for each node the cosine of `vector` with the sum of the neighbours' weighted vectors; 0 without
    neighbours. `vectors` belong to pairs, in the order of their nodes `of`."""
    found = np.zeros(size)
    if len(of):
        starts = np.flatnonzero(np.diff(of, prepend=-1))
        sums = np.add.reduceat(vectors, starts, axis=0)
        found[of[starts]] = (sums @ vector) / np.maximum(np.linalg.norm(sums, axis=1), 1e-9)
    return found


SIMILARITY = (DIRECT.index("cosine"), DIRECT.index("sentence"))

SHIPPED = Path(__file__).with_name("scorer.json")
"""Fitted by `python -m tests.training.walk`."""


@dataclass(frozen=True, eq=False)
class MassLayer:
    """log mass = slope . x + output . relu(hidden x + bias), of x = (features - mean) / deviation.

    Shapes: (features,) of mean, deviation and slope, (units, features) of hidden, (units,) of bias and output.
    """

    mean: Floats
    deviation: Floats
    slope: Floats
    hidden: Floats
    bias: Floats
    output: Floats

    def __call__(self, features: Floats) -> Floats:
        """Return the log masses, shape (nodes,), of features of shape (nodes, features)."""
        x = (features - self.mean) / self.deviation
        return np.asarray(x @ self.slope + np.maximum(x @ self.hidden.T + self.bias, 0) @ self.output)


@dataclass(frozen=True, eq=False)
class PathLine:
    """A line: log mass of a path = slope . features + bias + own * (log mass of the chunk alone). `slope` has shape
    (len(PATH),)."""

    own: float
    bias: float
    slope: Floats

    def __call__(self, features: Floats) -> Floats:
        """Return slope . features + bias, shape (paths,), of features of shape (paths, len(PATH))."""
        return np.asarray(features @ self.slope + self.bias)


@dataclass(frozen=True, eq=False)
class NodeScorer:
    """What was learned: `alone` weighs the features `DIRECT` of a node, `within` those and `AROUND`, `path` the
    features `PATH` of a path."""

    alone: MassLayer
    within: MassLayer
    path: PathLine

    def before_paths(self, direct: Floats) -> Floats:
        """Return the log mass of nodes alone, shape (nodes,), on the scale of the masses of paths, of features of shape
        (nodes, len(DIRECT))."""
        return self.path.own * self.alone(direct)


@cache
def load_scorer(path: Path = SHIPPED) -> NodeScorer:
    """Read a scorer. Raises `ValueError` if the file was made for other features than these."""
    said = json.loads(path.read_text("utf-8"))
    if said["direct"] != list(DIRECT) or said["around"] != list(AROUND) or list(said["path"]["slope"]) != list(PATH):
        raise ValueError(f"{path} is for other features")
    alone, within = (
        MassLayer(**{part: np.array(values) for part, values in said[name].items()}) for name in ("alone", "within")
    )
    line = said["path"]
    return NodeScorer(alone, within, PathLine(line["own"], line["bias"], np.array(list(line["slope"].values()))))


class Weighing:
    """The log masses of nodes for one walk, each computed once. `alone` are the known log masses of the `looked` nodes
    by themselves; a neighbourhood is looked up among these."""

    def __init__(self, looked: Looked, alone: Floats, scorer: NodeScorer) -> None:
        self._looked = looked
        self._standing = Standing.of(looked.nodes, alone)
        self._scorer = scorer
        self._masses: dict[int, float] = {}
        self._expected: dict[int, float] = {}
        self._similar: dict[int, float] = {}
        self._more = 0.0

    def __call__(self, rows: Ints) -> Floats:
        """Return the log masses of these nodes with their neighbourhood; shape (rows,)."""
        fresh = _missing(rows, self._masses)
        if len(fresh):
            looked, alone = self._looked_at(fresh)
            masses = self._scorer.within(np.hstack([looked.direct, looked.around(self._standing)]))
            self._more = self._more or float(np.median(masses - alone))
            self._masses.update(zip(fresh.tolist(), masses.tolist(), strict=True))
            self._expected.update(self._masses)
        return np.array([self._masses[row] for row in rows.tolist()])

    def expected(self, rows: Ints) -> Floats:
        """Return estimates of the log masses, shape (rows,), without looking at further neighbourhoods: the exact mass
        if it is known, else the mass of the node alone plus the median that neighbourhoods added so far."""
        fresh = _missing(rows, self._expected)
        if len(fresh):
            _, alone = self._looked_at(fresh)
            self._expected.update(zip(fresh.tolist(), (alone + self._more).tolist(), strict=True))
        return np.array([self._expected[row] for row in rows.tolist()])

    def _looked_at(self, nodes: Ints) -> tuple[Looked, Floats]:
        """Return these nodes, looked at, and their log masses alone."""
        looked = self._looked.taken_over(nodes)
        similar = looked.direct[:, SIMILARITY].max(axis=1)
        self._similar.update(zip(nodes.tolist(), similar.tolist(), strict=True))
        return looked, self._scorer.alone(looked.direct)

    def ranked(self) -> tuple[Ints, Floats]:
        """Return all nodes that were looked at, best first, and their log masses, estimated where not computed."""
        nodes = np.array(sorted(self._expected), np.int64)
        masses = np.array([self._expected[node] for node in nodes.tolist()])
        order = np.argsort(-masses, kind="stable")
        return nodes[order], masses[order]

    def answers(self, least: float) -> Callable[[int], bool]:
        """Return a test of whether a node answers the question: its cosine, or that of one of its sentences, is at
        least `least`."""
        return lambda node: self._similar[node] >= least


def _missing(rows: Ints, known: Mapping[int, float]) -> Ints:
    return np.array(sorted({row for row in rows.tolist() if row not in known}), np.int64)


# Paths to a chunk from better ones over the entities that both name: the tool `graph` ---------------------------------

PATH = ("mass", "spread", "tells", "gap", "onward", "rest", "gain", "words", "likeness", "asked")
"""Of a path anchor - entity - chunk: the anchor's log mass, 0 for the best; the entity's `spread`; the best cosine of
the anchor's sentences that name the entity, and how much less that is than the best of all its sentences; the best
cosine of the chunk's sentences that name it with the question from there on, q - b e(sentence) + g e(entity); the share
of the question's words that the anchor lacks and the chunk has, as far as it has them, and by how much it has more of
them; the share that the anchor's sentences have; the cosine of entity and question; 1 where the question names it."""

FROM_SENTENCE, TO_ENTITY = 0.5, 0.5
"""b and g of the question from there on; ClueRAG's running query (arXiv 2507.08445) is b = 1, g = 0."""


@dataclass(frozen=True, slots=True, eq=False)
class Paths:
    """Paths anchor - entity - chunk: their `features`, shape (paths, len(PATH)), and of each the anchor, the entity,
    the chunk, and that sentence of the anchor which names the entity and is nearest to the question."""

    features: Floats
    anchors: Ints
    entities: Ints
    chunks: Ints
    sentences: Ints


MOST_CHUNKS = 50
"""Of an entity that leads from chunk to chunk: what more of them name says little."""


@dataclass(frozen=True, eq=False)
class HopIndex:
    """Pairs of a chunk and an entity that it names: pair p is `chunks[p]` and `entities[p]`, in the chunk's sentences
    `sentences.row(p)`. If the document's title names the entity, all sentences count.

    `by_chunk` and `by_entity` have the pairs of each. Dates are left out. `spread[e]` is log df / log N: 0 for an
    entity of a single chunk, 1 for one of all.
    """

    layers: Layers
    chunks: Ints
    entities: Ints
    sentences: Ragged
    by_chunk: Ragged
    by_entity: Ragged
    spread: NDArray[np.float64]

    @cached_property
    def leads(self) -> NDArray[np.bool_]:
        """For each entity whether paths go through it: it stands in 2 to `MOST_CHUNKS` chunks; shape (entities,)."""
        df = np.diff(self.by_entity.starts)
        return np.asarray((df >= 2) & (df <= MOST_CHUNKS))


def hop_index(layers: Layers) -> HopIndex:
    """Collect the pairs from the sentences: the entities that a sentence names, and those that its document's title
    names."""
    size, (sentences, entities) = max(1, len(layers.entities)), layers.naming
    dated = np.array([entity.kind == "date" for entity in layers.entities], dtype=bool)
    sentences, entities = (values[~dated[entities]] for values in (sentences, entities))
    keys = layers.sentence_chunks[sentences] * size + entities
    keys, sentences = distinct_pairs(np.stack([keys, sentences]))
    pairs, of_pair = np.unique(keys, return_inverse=True)
    by_entity = Ragged.grouped(pairs % size, len(layers.entities))
    df = np.diff(by_entity.starts)
    of_pair = of_pair.reshape(-1)
    return HopIndex(
        layers=layers,
        chunks=pairs // size,
        entities=pairs % size,
        sentences=Ragged.grouped(of_pair, len(pairs), sentences),
        by_chunk=Ragged.grouped(pairs // size, len(layers.chunk_ids)),
        by_entity=by_entity,
        spread=np.log(np.maximum(df, 1)) / math.log(max(2, len(layers.chunk_ids))),
    )


class HopQuestion:
    """A question with what its paths are weighed by, computed once."""

    def __init__(self, index: HopIndex, question: LibraryQuestion) -> None:
        self.index = index
        self.question = question

    def held(self, chunks: Ints) -> Floats:
        """Return how much of each of the question's words each chunk has, 0 to 1; shape (chunks, words)."""
        different, where = np.unique(chunks, return_inverse=True)
        return self.question.held(different)[where.reshape(-1)]

    @cached_property
    def stems(self) -> list[str]:
        """The stems of the question's words."""
        return [" ".join(content_words(word)) or word for _, word in self.question.words]


def paths_from(hops: HopQuestion, anchors: Ints, mass: Floats) -> Paths:
    """Return all paths from the anchors, whose log masses are `mass`, through entities that lead on."""
    index, question = hops.index, hops.question
    pairs, of_anchor = index.by_chunk.of(anchors)
    leading = index.leads[index.entities[pairs]]
    pairs, of_anchor = pairs[leading], of_anchor[leading]
    bridges = _bridges(hops, pairs, of_anchor, anchors)
    targets, of_pair = index.by_entity.of(index.entities[pairs])
    other = index.chunks[targets] != anchors[of_anchor[of_pair]]
    if question.allowed is not None:
        other &= question.allowed[index.chunks[targets]]
    targets, of_pair = targets[other], of_pair[other]
    entities, chunks = index.entities[pairs][of_pair], index.chunks[targets]
    features = np.empty((len(targets), len(PATH)))
    columns = dict(zip(PATH, features.T, strict=True))
    columns["mass"][:] = mass[of_anchor[of_pair]]
    columns["spread"][:] = index.spread[entities]
    for name in ("tells", "gap", "words", "likeness", "asked"):
        columns[name][:] = bridges.features[name][of_pair]
    columns["onward"][:] = _onward(hops, targets, bridges.onward[of_pair])
    there, here, weights = hops.held(chunks), hops.held(anchors)[of_anchor[of_pair]], question.weights
    columns["rest"][:] = (there * (1 - here)) @ weights
    columns["gain"][:] = np.maximum(there - here, 0) @ weights
    return Paths(features, anchors[of_anchor[of_pair]], entities, chunks, bridges.sentences[of_pair])


@dataclass(frozen=True, slots=True, eq=False)
class _Bridges:
    """For pairs of an anchor and an entity: their features, the question as it is after that step, shape (pairs, d),
    and the nearest sentence."""

    features: Mapping[str, Floats]
    onward: Vectors
    sentences: Ints


def _bridges(hops: HopQuestion, pairs: Ints, of_anchor: Ints, anchors: Ints) -> _Bridges:
    question = hops.question
    rows, of_pair = hops.index.sentences.of(pairs)
    vectors = question.graph.sentence_vectors.take(rows, axis=0)
    cosines = vectors @ question.vector
    nearest = _nearest(cosines, of_pair, len(pairs))
    entities = hops.index.entities[pairs]
    names = question.graph.entity_vectors(entities)
    onward = question.vector - FROM_SENTENCE * vectors[nearest] + TO_ENTITY * names
    tells = cosines[nearest].astype(np.float64)
    features = {
        "tells": tells,
        "gap": tells - np.maximum(question.sentence_cosines(anchors), 0)[of_anchor],
        "words": _sentence_words(hops, rows, of_pair, len(pairs)),
        "likeness": names @ question.vector,
        "asked": np.array([question.entities.get(entity, 0.0) for entity in entities.tolist()]),
    }
    return _Bridges(features, onward / np.linalg.norm(onward, axis=1, keepdims=True), rows[nearest])


def _sentence_words(hops: HopQuestion, rows: Ints, of_pair: Ints, pairs: int) -> Floats:
    """Return for each pair the total weight of the question's words that its sentences have."""
    stems, units = hops.stems, sorted(set(rows.tolist()))
    texts = [unit.text for unit in hops.question.graph.sentences(units)]
    found = {row: set(content_words(text)) for row, text in zip(units, texts, strict=True)}
    held = np.zeros((pairs, len(stems)), dtype=bool)
    for row, pair in zip(rows, of_pair, strict=True):
        held[pair] |= np.array([stem in found[row] for stem in stems], dtype=bool)
    return np.asarray(held @ hops.question.weights)


def _nearest(cosines: NDArray[np.float32], groups: Ints, count: int) -> Ints:
    """Return for each group the place of its highest value. Every group must have one; `groups` are ascending."""
    order = np.lexsort((-cosines, groups))
    return order[np.searchsorted(groups[order], np.arange(count))]


def _onward(hops: HopQuestion, targets: Ints, onward: Vectors) -> Floats:
    rows, places = hops.index.sentences.of(targets)
    vectors = hops.question.graph.sentence_vectors.take(rows, axis=0)
    best = np.full(len(targets), -1.0)
    np.maximum.at(best, places, np.einsum("ij,ij->i", vectors, onward[places]))
    return best
