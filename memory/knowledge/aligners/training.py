"""Training an aligner: AdamW, stopped early by the loss on a part of the training queries, the best weights kept.

Two losses of seed 004, with all positives. Logits and positives (1 or 0) have the shape (questions, partitions); logits
are divided by the temperature already.
"""

import copy
import json
import math
import re
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property, partial
from pathlib import Path
from string import Template
from typing import Any, Literal, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits, normalize
from torch.optim import Optimizer

from clew.memory.datatypes import Float32s, Ints, Progress, Vectors
from clew.memory.errors import ClewError, required
from clew.memory.json_lines import as_line, replace_file
from clew.memory.knowledge.aligners.scoring import Loss, PartitionWords, TrainingRecord, fingerprint_of
from clew.memory.knowledge.arrays import Ragged
from clew.memory.knowledge.nodes import Cells, NodeGraph, Partitioning
from clew.memory.knowledge.partitioning.methods import optimised

TEMPERATURE = 0.07
TEMPERATURES = (0.01, 1.0)
"""Where the learned one is kept."""

HIDDEN = 256
DROPOUT = 0.1
GROWTH = 0.3

Layer = Callable[[int, int], nn.Module]

RELATIONS = 12
"""How many relations have weights of their own; the rarer ones share one."""


@dataclass(frozen=True, eq=False)
class PartitionGraph:
    """The partitions as a graph. `edges` joins those that bridge edges join, both ways, shape (2, e), and `counts` says
    how many do; `typed` is the same by relation, shape (2, t), with `kinds` below `relations`. Each pair (of a
    relation) is there once each way."""

    partitioning: Partitioning
    edges: Ints
    counts: Float32s
    typed: Ints
    kinds: Ints
    relations: int

    @property
    def width(self) -> int:
        """Of a vector."""
        return int(self.partitioning.centroids.shape[1])


def partition_graph(graph: NodeGraph, partitioning: Partitioning, cells: Cells) -> PartitionGraph:
    """The commonest relations of bridge edges have numbers of their own."""
    pairs, counts = cells.bridge_pairs()
    both = np.concatenate([pairs, pairs[::-1]], axis=1)
    weights = np.tile(counts, 2).astype(np.float32)
    sources, targets = partitioning.of_node[graph.sources], partitioning.of_node[graph.targets]
    between = sources != targets
    times = np.bincount(graph.kinds[between], minlength=len(graph.relations))
    kind_of = np.argsort(np.argsort(-times, kind="stable")).clip(max=RELATIONS - 1)
    kinds = np.tile(kind_of[graph.kinds[between]], 2)
    starts = np.concatenate([sources[between], targets[between]])
    ends = np.concatenate([targets[between], sources[between]])
    count = partitioning.count
    keys = np.unique((kinds * count + starts) * count + ends)
    typed, relations = np.stack([keys // count % count, keys % count]), min(RELATIONS, len(graph.relations))
    return PartitionGraph(partitioning, both, weights, typed, keys // count**2, relations)


class TwoTowers(nn.Module):
    """A query tower, (q, d) to (q, d), and a partition tower, from the centroids to what it adds to them, (p, d)."""

    def __init__(self, graph: PartitionGraph, query: nn.Module, tower: nn.Module) -> None:
        super().__init__()
        self.centroids: Tensor
        self.register_buffer("centroids", torch.from_numpy(graph.partitioning.centroids.copy()))
        self.query, self.tower = query, tower
        self.growths = nn.Parameter(torch.full((2,), GROWTH))
        self.mix = nn.Parameter(torch.tensor([1.0, 1.0, 0.5, 0.25]))
        self.log_temperature = nn.Parameter(torch.tensor(math.log(TEMPERATURE)))
        self.bias = nn.Parameter(torch.tensor(-math.log(max(2, graph.partitioning.count))))

    @property
    def temperature(self) -> Tensor:
        low, high = (math.log(end) for end in TEMPERATURES)
        return self.log_temperature.clamp(low, high).exp()

    def partitions(self) -> Tensor:
        """Unit rows, shape (partitions, d)."""
        return normalize(self.centroids + self.growths[1] * self.tower(self.centroids), dim=1)

    def questions(self, vectors: Tensor) -> Tensor:
        """Unit rows, shape (q, d)."""
        return normalize(vectors + self.growths[0] * self.query(vectors), dim=1)

    def forward(self, vectors: Tensor, words: Tensor) -> Tensor:
        """Logits, shape (q, partitions), of questions with vectors (q, d) and word scores (q, 3, partitions)."""
        meaning = self.mix[0] * self.questions(vectors) @ self.partitions().T
        by_words = torch.einsum("f,qfp->qp", self.mix[1:], words)
        return (meaning + by_words) / self.temperature + self.bias

    def arrays(self) -> dict[str, Float32s]:
        """What `TrainedAligner` needs to score without torch, by name."""
        linear = [layer for layer in self.query.children() if isinstance(layer, nn.Linear)]
        with torch.no_grad():
            tensors = {"partitions": self.partitions(), "mix": self.mix, "growth": self.growths[:1]}
            tensors |= {"bias": self.bias.reshape(1), "temperature": self.temperature.reshape(1)}
            for place, layer in enumerate(linear):
                tensors |= {f"query.{place}.weights": layer.weight, f"query.{place}.biases": layer.bias}
            return {name: value.detach().numpy() for name, value in tensors.items()}


class Convolutions(nn.Module):
    """Two convolutions over the graph of partitions. `layer` makes one of two widths; it takes `inputs` too."""

    def __init__(self, layer: Layer, width: int, *inputs: Ints | Float32s) -> None:
        super().__init__()
        self.first, self.second = layer(width, HIDDEN), layer(HIDDEN, width)
        self.between = nn.Sequential(nn.ReLU(), nn.Dropout(DROPOUT))
        for place, values in enumerate(inputs):
            self.register_buffer(f"input{place}", torch.from_numpy(values.copy()))

    def forward(self, values: Tensor) -> Tensor:
        inputs = list(self.buffers(recurse=False))
        found: Tensor = self.second(self.between(self.first(values, *inputs)), *inputs)
        return found


def perceptron(width: int) -> nn.Sequential:
    """Make the tower for questions: one hidden layer, with as many outputs as inputs."""
    return nn.Sequential(nn.Linear(width, HIDDEN), nn.ReLU(), nn.Dropout(DROPOUT), nn.Linear(HIDDEN, width))


def graph_layer(name: str) -> Callable[..., nn.Module]:
    """A layer of torch-geometric. Raises `NotSetUp` without that package."""
    layer: Callable[..., nn.Module] = getattr(required("torch_geometric.nn", "a graph convolution", "train"), name)
    return layer


def convolutional(graph: PartitionGraph, layer: Layer, *inputs: Ints | Float32s) -> TwoTowers:
    """Make an aligner whose tower for partitions is a graph convolution (`layer`) over the bridges between them."""
    return TwoTowers(graph, perceptron(graph.width), Convolutions(layer, graph.width, *inputs))


def bi_encoder(graph: PartitionGraph) -> TwoTowers:
    """Make an aligner of two linear towers, one for questions and one for partitions."""
    width = graph.width
    return TwoTowers(graph, nn.Sequential(nn.Linear(width, width)), nn.Linear(width, width))


def gin(graph: PartitionGraph) -> TwoTowers:
    """Xu et al. 2019: the sum of the neighbours through a perceptron; normalised, as partitions have many."""

    def layer(inner: int, outer: int) -> nn.Module:
        inside = nn.Sequential(nn.LayerNorm(inner), nn.Linear(inner, outer), nn.ReLU(), nn.Linear(outer, outer))
        return graph_layer("GINConv")(inside, train_eps=True)

    return convolutional(graph, layer, graph.edges)


def rgcn(graph: PartitionGraph) -> TwoTowers:
    """Schlichtkrull et al. 2018: each relation has its own weights, made of four bases (seed 004, section 8.2)."""
    relations = max(1, graph.relations)
    layer = partial(graph_layer("RGCNConv"), num_relations=relations, num_bases=min(4, relations))
    return convolutional(graph, layer, graph.typed, graph.kinds)


MODELS: Mapping[str, Callable[[PartitionGraph], TwoTowers]] = {
    "bi": bi_encoder,
    "mlp": lambda graph: TwoTowers(graph, perceptron(graph.width), perceptron(graph.width)),
    # Kipf and Welling 2017; an edge weighs as many bridge edges as it stands for.
    "gcn": lambda graph: convolutional(graph, graph_layer("GCNConv"), graph.edges, graph.counts),
    # Hamilton et al. 2017: the mean of the neighbours beside the partition itself.
    "sage": lambda graph: convolutional(graph, graph_layer("SAGEConv"), graph.edges),
    "gin": gin,
    "rgcn": rgcn,
}
CONVOLUTIONAL = ("gcn", "sage", "gin", "rgcn")


# Training ------------------------------------------------------------------------------------------------------------

HELD_OUT_NODES = 0.15
"""The share of the nodes that training never names."""


class SampledNodes(NamedTuple):
    """`within` are nodes, shape (n,); `across` the ends of bridge edges, shape (2, n)."""

    within: Ints
    across: Ints


def held_out_nodes(graph: NodeGraph, partitioning: Partitioning, seed: int) -> NDArray[np.bool_]:
    """Whether each node is held out, shape (nodes,). Half of these are ends of bridge edges drawn at random: of edges
    between nodes drawn one by one hardly any would have both ends held out."""
    rng = np.random.default_rng(seed)
    wanted = max(2, round(HELD_OUT_NODES * graph.count))
    bridges = rng.permutation(_bridges(graph, partitioning))
    ends = np.stack([graph.sources[bridges], graph.targets[bridges]], axis=1).reshape(-1)
    ordered = np.concatenate([_first(ends)[: wanted // 4 * 2], rng.permutation(graph.count)])
    held = np.zeros(graph.count, dtype=bool)
    held[_first(ordered)[:wanted]] = True
    return held


def sample(
    graph: NodeGraph, partitioning: Partitioning, topics: Ints, allowed: NDArray[np.bool_], size: int, seed: int
) -> SampledNodes:
    """`size` times one or two of the allowed nodes, without hub nodes, half of each kind; a kind that there is none of
    (no bridge edge in the split) leaves its half to the other."""
    rng = np.random.default_rng(seed)
    kept = allowed.copy()
    kept[partitioning.hub_nodes] = False
    nodes, bridges = np.flatnonzero(kept), _bridges(graph, partitioning)
    edges = bridges[kept[graph.sources[bridges]] & kept[graph.targets[bridges]]]
    of_edges = size // 2 if len(nodes) else size
    of_edges = of_edges if len(edges) else 0
    of_nodes = size - of_edges if len(nodes) else 0
    chosen = _draw_edges(graph, partitioning, topics, edges, of_edges, rng)
    return SampledNodes(
        _draw_nodes(partitioning, nodes, of_nodes, rng), np.stack([graph.sources[chosen], graph.targets[chosen]])
    )


def topics_of(cells: Cells) -> Ints:
    """The topic of each partition, from 0: Leiden over the graph of partitions, joined by their bridge edges."""
    ends, counts = cells.bridge_pairs()
    return optimised(cells.count, ends, counts)


def _bridges(graph: NodeGraph, partitioning: Partitioning) -> Ints:
    of = partitioning.of_node
    return np.flatnonzero(of[graph.sources] != of[graph.targets])


def _draw_nodes(partitioning: Partitioning, nodes: Ints, size: int, rng: np.random.Generator) -> Ints:
    """A partition first, then one of its nodes."""
    _, groups = np.unique(partitioning.of_node[nodes], return_inverse=True)
    by_partition = Ragged.grouped(groups.reshape(-1), int(groups.max(initial=-1)) + 1, nodes)
    return _one_of_each(by_partition, rng.integers(0, max(1, len(by_partition.starts) - 1), size), rng)


def _draw_edges(
    graph: NodeGraph, partitioning: Partitioning, topics: Ints, edges: Ints, size: int, rng: np.random.Generator
) -> Ints:
    if not size:
        return np.zeros(0, np.int64)
    ends = partitioning.of_node[np.stack([graph.sources[edges], graph.targets[edges]])]
    pairs, of_edge = np.unique(_key(ends, partitioning.count), return_inverse=True)
    its_topics = topics[np.stack([pairs // partitioning.count, pairs % partitioning.count])]
    kinds, of_pair = np.unique(_key(its_topics, partitioning.count), return_inverse=True)
    by_topics = Ragged.grouped(of_pair.reshape(-1), len(kinds))
    by_pair = Ragged.grouped(of_edge.reshape(-1), len(pairs), edges)
    return _one_of_each(by_pair, _one_of_each(by_topics, rng.integers(0, len(kinds), size), rng), rng)


def _key(ends: Ints, count: int) -> Ints:
    low, high = np.sort(ends, axis=0)
    return np.asarray(low * count + high)


def _one_of_each(lists: Ragged, chosen: Ints, rng: np.random.Generator) -> Ints:
    """One value of each of the chosen lists."""
    if not len(chosen):
        return chosen
    starts, counts = lists.starts[chosen], lists.starts[chosen + 1] - lists.starts[chosen]
    return np.asarray(lists.values[starts + rng.integers(0, counts)])


def _first(values: Ints) -> Ints:
    """Each value once, in the order of its first place."""
    _, places = np.unique(values, return_index=True)
    return np.asarray(values[np.sort(places)])


QueryKind = Literal["within", "across"]

SPLIT = 42
"""The seed of the split, always the same: aligners trained with different seeds are measured on the same nodes."""

HELD_OUT = 1_000

TERMS = 2
TERM = re.compile(r"[^\s/,()]+(?=[/,]|$| \()")
"""Of a partition's name, without the documents that are behind its terms; a query says the first `TERMS` of these."""

RUN = (2, 5)
"""How many words in a row are taken from a text, both included."""

NAME = 8
"""Words of its text that a node without a title is called by."""

WORD = re.compile(r"[^\W_][\w'-]*")


@dataclass(frozen=True, slots=True)
class SyntheticQuery:
    """`nodes` are those that the text names: one for `within`, two joined by a bridge edge for `across`. `partitions`,
    rising, are all that they are in: the positives."""

    text: str
    kind: QueryKind
    nodes: tuple[int, ...]
    partitions: tuple[int, ...]


class QuerySplit(NamedTuple):
    """Synthetic queries, divided into those to train with and those to measure with."""

    train: list[SyntheticQuery]
    held_out: list[SyntheticQuery]


def make_queries(
    graph: NodeGraph,
    partitioning: Partitioning,
    cells: Cells,
    titles: Sequence[str],
    texts: Sequence[str],
    size: int,
    seed: int,
) -> QuerySplit:
    """`size` to train on and `HELD_OUT` others; the latter are the same whatever the size and the seed."""
    topics, held = topics_of(cells), held_out_nodes(graph, partitioning, SPLIT)
    learned = sample(graph, partitioning, topics, ~held, size, seed)
    unseen = sample(graph, partitioning, topics, held, HELD_OUT, SPLIT)
    return QuerySplit(
        list(QueryGenerator(titles, texts, partitioning, seed).queries(learned)),
        list(QueryGenerator(titles, texts, partitioning, SPLIT).queries(unseen)),
    )


def write_queries(path: Path, queries: Iterable[SyntheticQuery]) -> None:
    """Write queries to a file of JSON lines."""
    replace_file(path, "".join(as_line(asdict(query)) for query in queries), private=False)


def read_queries(path: Path) -> list[SyntheticQuery]:
    """Raises `ClewError` for a file that is broken."""
    try:
        rows = [json.loads(line) for line in path.read_text("utf-8").split("\n") if line]
        return [SyntheticQuery(r["text"], r["kind"], tuple(r["nodes"]), tuple(r["partitions"])) for r in rows]
    except (ValueError, LookupError, TypeError) as error:
        raise ClewError(f"{path} is damaged", f"delete {path}, and train the aligners again") from error


class QueryGenerator:
    """Fills the templates; `titles` and `texts` are those of all nodes."""

    def __init__(self, titles: Sequence[str], texts: Sequence[str], partitioning: Partitioning, seed: int) -> None:
        self._titles, self._texts, self._partitioning = titles, texts, partitioning
        self._rng = np.random.default_rng(seed)

    def queries(self, sampled: SampledNodes) -> Iterator[SyntheticQuery]:
        within, across = templates("within"), templates("across")
        for node in sampled.within.tolist():
            yield SyntheticQuery(self._filled(within, node, node), "within", (node,), self._partitions(node))
        for ends in sampled.across.T:
            first, second = self._rng.permutation(ends).tolist()
            text = self._filled(across, first, second)
            yield SyntheticQuery(text, "across", (first, second), self._partitions(first, second))

    def _filled(self, choice: Sequence[Template], first: int, second: int) -> str:
        template = choice[int(self._rng.integers(len(choice)))]
        beside = self._partitioning.members.row(int(self._partitioning.of_node[first]))
        fill: dict[str, Callable[[], str]] = {
            "title": lambda: self._name(first),
            "other": lambda: self._name(second),
            "topic": lambda: self._topic(first),
            "theme": lambda: self._topic(second),
            "clue": lambda: self._run(first),
            "near": lambda: self._run(beside[self._rng.integers(len(beside))]),
            "stray": self._stray,
            "aside": self._stray,
        }
        text = template.substitute({name: fill[name]() for name in template.get_identifiers()})
        return " ".join(text.split())

    def _stray(self) -> str:
        return self._run(int(self._rng.integers(len(self._texts))))

    def _name(self, node: int) -> str:
        title = self._titles[node].strip() or " ".join(self._texts[node].split()[:NAME])
        names = [name.strip() for name in title.split(",") if name.strip()]
        return names[self._rng.integers(len(names))] if names else title

    def _topic(self, node: int) -> str:
        name = self._partitioning.names[self._partitioning.of_node[node]]
        return ", ".join(TERM.findall(name)[:TERMS])

    def _run(self, node: int) -> str:
        words = WORD.findall(self._texts[node])
        length = int(self._rng.integers(RUN[0], RUN[1] + 1))
        start = int(self._rng.integers(max(1, len(words) - length + 1)))
        return " ".join(words[start : start + length])

    def _partitions(self, *nodes: int) -> tuple[int, ...]:
        return tuple(sorted({int(self._partitioning.of_node[node]) for node in nodes}))


def templates(name: str) -> list[Template]:
    """Read the templates of this name, which are packaged with Clew, a line each."""
    lines = (Path(__file__).parent / f"{name}.txt").read_text("utf-8").split("\n")
    return [Template(line) for line in lines if line]


# Training ------------------------------------------------------------------------------------------------------------

VALIDATED = 0.1
"""The share of the training queries that decides when to stop."""


def info_nce(logits: Tensor, positives: Tensor) -> Tensor:
    """- log of the softmax's mass on all positives, the mean over the questions (multi-positive InfoNCE; van den Oord
    et al. 2018 for one)."""
    wrong = positives == 0
    return (logits.logsumexp(1) - logits.masked_fill(wrong, float("-inf")).logsumexp(1)).mean()


def binary(logits: Tensor, positives: Tensor) -> Tensor:
    """Binary cross-entropy, summed over the partitions, the mean over the questions."""
    return binary_cross_entropy_with_logits(logits, positives, reduction="sum") / len(logits)


LOSSES: Mapping[Loss, Callable[[Tensor, Tensor], Tensor]] = {"infonce": info_nce, "bce": binary}


@dataclass(frozen=True, slots=True)
class TrainingParameters:
    """Training ends after `epochs`, or when `patience` of them in a row were no better than the best before."""

    model: str = "mlp"  # the kind of network
    loss: Loss = "infonce"  # what is minimised
    epochs: int = 20  # passes over the queries at most
    seed: int = 42  # of all random numbers
    batch: int = 256  # queries of a step
    rate: float = 1e-3  # the learning rate
    decay: float = 1e-4  # of the weights
    patience: int = 3  # epochs without a better one


@dataclass(frozen=True, eq=False)
class TrainingSet:
    """Queries with their vectors, shape (q, d), the words of the partitions, and the hash of the vectors' encoder.
    Word scores are computed batch by batch: those of 100,000 queries together would take 1 GB."""

    queries: Sequence[SyntheticQuery]
    vectors: Vectors
    words: PartitionWords
    encoder: str

    @cached_property
    def weighted(self) -> list[list[tuple[int, float]]]:
        return [self.words.weighted(query.text) for query in self.queries]

    def positives(self, places: Ints) -> Float32s:
        """1 for each partition of a query's nodes, shape (len(places), partitions)."""
        found = np.zeros((len(places), self.words.count), np.float32)
        for row, place in enumerate(places):
            found[row, list(self.queries[place].partitions)] = 1
        return found

    def parted(self, seed: int) -> tuple[Ints, Ints]:
        """Places to learn from and places to validate on; at least one of each where there are two."""
        order = np.random.default_rng(seed).permutation(len(self.queries))
        held = min(len(order) - 1, max(1, round(VALIDATED * len(order))))
        return order[held:], order[:held]


class TrainingResult(NamedTuple):
    """`model` is on the CPU."""

    model: TwoTowers
    record: TrainingRecord


def train(
    queries: TrainingSet, graph: PartitionGraph, parameters: TrainingParameters
) -> Generator[Progress, None, TrainingResult]:
    """On a GPU where there is one. On a CPU the same seed gives the same weights."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    stage = f"{parameters.model}-{parameters.loss}"
    learn, validate = queries.parted(parameters.seed)
    rng, epoch = np.random.default_rng(parameters.seed), 0
    best, best_epoch, weights = np.inf, 0, dict[str, Any]()
    with torch.random.fork_rng():
        torch.manual_seed(parameters.seed)
        model = MODELS[parameters.model](graph).to(device)
        optimiser = torch.optim.AdamW(model.parameters(), lr=parameters.rate, weight_decay=parameters.decay)
        while epoch < parameters.epochs and epoch - best_epoch < parameters.patience:
            yield Progress(stage, epoch, parameters.epochs)
            _learn(model, optimiser, queries, rng.permutation(learn), parameters)
            epoch, loss = epoch + 1, _validated(model, queries, validate, parameters.loss)
            if loss < best:
                best, best_epoch, weights = loss, epoch, copy.deepcopy(model.state_dict())
    yield Progress(stage, parameters.epochs, parameters.epochs)
    model.load_state_dict(weights)
    record = TrainingRecord(
        model=parameters.model,
        loss=parameters.loss,
        seed=parameters.seed,
        epoch=best_epoch,
        epochs=epoch,
        learned=len(learn),
        validated=len(validate),
        validation=best,
        temperature=float(model.temperature.detach()),
        partitions=graph.partitioning.count,
        dimension=queries.vectors.shape[1],
        partitioning=fingerprint_of(graph.partitioning),
        encoder=queries.encoder,
    )
    return TrainingResult(model.to("cpu").eval(), record)


def _learn(
    model: TwoTowers, optimiser: Optimizer, queries: TrainingSet, order: Ints, parameters: TrainingParameters
) -> None:
    model.train()
    for start in range(0, len(order), parameters.batch):
        optimiser.zero_grad()
        loss = _loss(model, queries, order[start : start + parameters.batch], parameters.loss)
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()


def _validated(model: TwoTowers, queries: TrainingSet, places: Ints, loss: Loss) -> float:
    model.eval()
    parts = np.array_split(places, -(-len(places) // 512))
    with torch.no_grad():
        return float(sum(float(_loss(model, queries, part, loss)) * len(part) for part in parts) / len(places))


def _loss(model: TwoTowers, queries: TrainingSet, places: Ints, loss: Loss) -> Tensor:
    scores = np.stack([queries.words.summed(queries.weighted[place]) for place in places])
    arrays = queries.vectors[places], scores, queries.positives(places)
    device = model.centroids.device
    vectors, words, positives = (torch.from_numpy(np.ascontiguousarray(values)).to(device) for values in arrays)
    return LOSSES[loss](model(vectors, words), positives)
