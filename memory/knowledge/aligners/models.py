"""The models that are trained: two towers, whose cosine is added to the word scores of question and partition.

    logit(q, p) = (w0 cos(Q(q), P(p)) + w1 named + w2 fullest + w3 written) / temperature + bias

Q is linear in the bi-encoder and has a hidden layer in all others; P is linear, has a hidden layer (MLP), or two graph
convolutions over the partitions. Both add to their input: Q(x) = x + growth f(x), P(c) likewise, so that all begin near
the centroids. The bias counts for BCE alone: a softmax does not change with it.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import normalize

from clew.memory.datatypes import Float32s, Ints
from clew.memory.errors import required
from clew.memory.nodes import Cells, NodeGraph, Partitioning

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


def partition_graph(graph: NodeGraph, partitioning: Partitioning, cells: Cells) -> PartitionGraph:
    ends, counts = cells.bridge_pairs()
    typed, kinds, relations = _typed(graph, partitioning)
    both = np.concatenate([ends, ends[::-1]], axis=1)
    weights = np.tile(counts, 2).astype(np.float32)
    return PartitionGraph(partitioning, both, weights, typed, kinds, relations)


def _typed(graph: NodeGraph, partitioning: Partitioning) -> tuple[Ints, Ints, int]:
    """The commonest relations of bridge edges have numbers of their own."""
    sources, targets = partitioning.of_node[graph.sources], partitioning.of_node[graph.targets]
    between = sources != targets
    times = np.bincount(graph.kinds[between], minlength=len(graph.relations))
    kind_of = np.argsort(np.argsort(-times, kind="stable")).clip(max=RELATIONS - 1)
    kinds = np.tile(kind_of[graph.kinds[between]], 2)
    starts = np.concatenate([sources[between], targets[between]])
    ends = np.concatenate([targets[between], sources[between]])
    count = partitioning.count
    keys = np.unique((kinds * count + starts) * count + ends)
    return np.stack([keys // count % count, keys % count]), keys // count**2, min(RELATIONS, len(graph.relations))


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


def bi_encoder(graph: PartitionGraph) -> TwoTowers:
    width = graph.partitioning.centroids.shape[1]
    return TwoTowers(graph, nn.Sequential(nn.Linear(width, width)), nn.Linear(width, width))


def mlp(graph: PartitionGraph) -> TwoTowers:
    width = graph.partitioning.centroids.shape[1]
    return TwoTowers(graph, perceptron(width), perceptron(width))


def gcn(graph: PartitionGraph) -> TwoTowers:
    """Kipf and Welling 2017; an edge weighs as many bridge edges as it stands for."""
    return convolutional(graph, graph_layer("GCNConv"), graph.edges, graph.counts)


def sage(graph: PartitionGraph) -> TwoTowers:
    """Hamilton et al. 2017: the mean of the neighbours beside the partition itself."""
    return convolutional(graph, graph_layer("SAGEConv"), graph.edges)


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


def convolutional(graph: PartitionGraph, layer: Layer, *inputs: Ints | Float32s) -> TwoTowers:
    width = graph.partitioning.centroids.shape[1]
    return TwoTowers(graph, perceptron(width), Convolutions(layer, width, *inputs))


def graph_layer(name: str) -> Callable[..., nn.Module]:
    """A layer of torch-geometric. Raises `NotSetUp` without that package."""
    layer: Callable[..., nn.Module] = getattr(required("torch_geometric.nn", "a graph convolution", "train"), name)
    return layer


def perceptron(width: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(width, HIDDEN), nn.ReLU(), nn.Dropout(DROPOUT), nn.Linear(HIDDEN, width))


MODELS: Mapping[str, Callable[[PartitionGraph], TwoTowers]] = {
    "bi": bi_encoder,
    "mlp": mlp,
    "gcn": gcn,
    "sage": sage,
    "gin": gin,
    "rgcn": rgcn,
}
CONVOLUTIONAL = ("gcn", "sage", "gin", "rgcn")
