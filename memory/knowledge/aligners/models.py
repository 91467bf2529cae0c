"""The models that are trained: two towers, whose cosine is added to the word scores of question and partition.

    logit(q, p) = (w0 cos(Q(q), P(p)) + w1 named + w2 fullest + w3 written) / temperature + bias

Q is linear in the bi-encoder and has a hidden layer in all others; P is linear, has a hidden layer (MLP), or two graph
convolutions over the partitions. Both add to their input: Q(x) = x + growth f(x), P(c) likewise, so that all begin near
the centroids. The bias counts for BCE alone: a softmax does not change with it.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import normalize

from clew.memory.datatypes import Float32s, Ints, Vectors
from clew.memory.extras import required
from clew.memory.knowledge.aligners.partition_words import FIELDS
from clew.memory.nodes import Cells, NodeGraph, Partitioning

TEMPERATURE = 0.07
TEMPERATURES = (0.01, 1.0)
"""Where the learned one is kept."""

HIDDEN = 256
DROPOUT = 0.1
GROWTH = 0.3

RELATIONS = 12
"""How many relations have weights of their own; the rarer ones share one."""


@dataclass(frozen=True, eq=False)
class PartitionGraph:
    """The partitions as a graph. `edges` joins those that bridge edges join, both ways, shape (2, e), and `counts` says
    how many do; `typed` is the same by relation, shape (2, t), with `kinds` below `relations`. Each pair (of a
    relation) is there once each way."""

    centroids: Vectors
    edges: Ints
    counts: Float32s
    typed: Ints
    kinds: Ints
    relations: int

    @property
    def count(self) -> int:
        return len(self.centroids)


def partition_graph(graph: NodeGraph, partitioning: Partitioning, cells: Cells) -> PartitionGraph:
    ends, counts = cells.bridge_pairs()
    typed, kinds, relations = _typed(graph, partitioning)
    both = np.concatenate([ends, ends[::-1]], axis=1)
    weights = np.tile(counts, 2).astype(np.float32)
    return PartitionGraph(partitioning.centroids, both, weights, typed, kinds, relations)


def _typed(graph: NodeGraph, partitioning: Partitioning) -> tuple[Ints, Ints, int]:
    """The commonest relations of bridge edges have numbers of their own."""
    sources, targets = partitioning.of_node[graph.sources], partitioning.of_node[graph.targets]
    between = sources != targets
    times = np.bincount(graph.kinds[between], minlength=len(graph.relations))
    kind_of = np.argsort(np.argsort(-times, kind="stable")).clip(max=RELATIONS - 1)
    kinds = np.tile(kind_of[graph.kinds[between]], 2)
    starts, ends = (
        np.concatenate(pair)
        for pair in zip((sources[between], targets[between]), (targets[between], sources[between]), strict=True)
    )
    count = partitioning.count
    keys = np.unique((kinds * count + starts) * count + ends)
    return np.stack([keys // count % count, keys % count]), keys // count**2, min(RELATIONS, len(graph.relations))


class TwoTowers(nn.Module, ABC):
    """A query tower and a partition tower; subclasses define the two."""

    def __init__(self, graph: PartitionGraph) -> None:
        super().__init__()
        self.centroids: Tensor
        self.register_buffer("centroids", torch.from_numpy(graph.centroids.copy()))
        self.width = graph.centroids.shape[1]
        self.query = self.query_tower()
        self.growths = nn.Parameter(torch.full((2,), GROWTH))
        self.mix = nn.Parameter(torch.tensor([1.0, 1.0, 0.5, 0.25]))
        self.log_temperature = nn.Parameter(torch.tensor(math.log(TEMPERATURE)))
        self.bias = nn.Parameter(torch.tensor(-math.log(max(2, graph.count))))

    def query_tower(self) -> nn.Module:
        return perceptron(self.width)

    @abstractmethod
    def grown(self) -> Tensor:
        """What the partition tower adds to the centroids, shape (partitions, d)."""

    @property
    def temperature(self) -> Tensor:
        low, high = (math.log(end) for end in TEMPERATURES)
        return self.log_temperature.clamp(low, high).exp()

    def partitions(self) -> Tensor:
        """Unit rows, shape (partitions, d)."""
        return normalize(self.centroids + self.growths[1] * self.grown(), dim=1)

    def questions(self, vectors: Tensor) -> Tensor:
        """Unit rows, shape (q, d)."""
        grown: Tensor = self.query(vectors)
        return normalize(vectors + self.growths[0] * grown, dim=1)

    def forward(self, vectors: Tensor, words: Tensor) -> Tensor:
        """Logits, shape (q, partitions), of questions with vectors (q, d) and word scores (q, 3, partitions)."""
        meaning = self.mix[0] * self.questions(vectors) @ self.partitions().T
        by_words = torch.einsum("f,qfp->qp", self.mix[1 : 1 + len(FIELDS)], words)
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


class BiEncoder(TwoTowers):
    def __init__(self, graph: PartitionGraph) -> None:
        super().__init__(graph)
        self.tower = nn.Linear(self.width, self.width)

    def query_tower(self) -> nn.Module:
        return nn.Sequential(nn.Linear(self.width, self.width))

    def grown(self) -> Tensor:
        grown: Tensor = self.tower(self.centroids)
        return grown


class Perceptron(TwoTowers):
    def __init__(self, graph: PartitionGraph) -> None:
        super().__init__(graph)
        self.tower = perceptron(self.width)

    def grown(self) -> Tensor:
        grown: Tensor = self.tower(self.centroids)
        return grown


class Convolutional(TwoTowers):
    """Two convolutions over the graph of partitions."""

    def __init__(self, graph: PartitionGraph) -> None:
        super().__init__(graph)
        self.edges: Tensor
        self.register_buffer("edges", torch.from_numpy(graph.edges.copy()))
        self.first, self.second = self.convolution(self.width, HIDDEN), self.convolution(HIDDEN, self.width)
        self.between = nn.Sequential(nn.ReLU(), nn.Dropout(DROPOUT))

    @abstractmethod
    def convolution(self, inner: int, outer: int) -> nn.Module: ...

    def convolved(self, layer: nn.Module, values: Tensor) -> Tensor:
        found: Tensor = layer(values, self.edges)
        return found

    def grown(self) -> Tensor:
        return self.convolved(self.second, self.between(self.convolved(self.first, self.centroids)))


class Gcn(Convolutional):
    """Kipf and Welling 2017; an edge weighs as many bridge edges as it stands for."""

    def __init__(self, graph: PartitionGraph) -> None:
        super().__init__(graph)
        self.counts: Tensor
        self.register_buffer("counts", torch.from_numpy(graph.counts.copy()))

    def convolution(self, inner: int, outer: int) -> nn.Module:
        return graph_layer("GCNConv")(inner, outer)

    def convolved(self, layer: nn.Module, values: Tensor) -> Tensor:
        found: Tensor = layer(values, self.edges, self.counts)
        return found


class Sage(Convolutional):
    """Hamilton et al. 2017: the mean of the neighbours beside the partition itself."""

    def convolution(self, inner: int, outer: int) -> nn.Module:
        return graph_layer("SAGEConv")(inner, outer)


class Gin(Convolutional):
    """Xu et al. 2019: the sum of the neighbours through a perceptron; normalised, as partitions have many."""

    def convolution(self, inner: int, outer: int) -> nn.Module:
        inside = nn.Sequential(nn.LayerNorm(inner), nn.Linear(inner, outer), nn.ReLU(), nn.Linear(outer, outer))
        return graph_layer("GINConv")(inside, train_eps=True)


class Rgcn(Convolutional):
    """Schlichtkrull et al. 2018: each relation has its own weights, made of four bases (seed 004, section 8.2)."""

    def __init__(self, graph: PartitionGraph) -> None:
        self.relations = max(1, graph.relations)
        super().__init__(graph)
        self.edges = torch.from_numpy(graph.typed.copy())
        self.kinds: Tensor
        self.register_buffer("kinds", torch.from_numpy(graph.kinds.copy()))

    def convolution(self, inner: int, outer: int) -> nn.Module:
        return graph_layer("RGCNConv")(inner, outer, self.relations, num_bases=min(4, self.relations))

    def convolved(self, layer: nn.Module, values: Tensor) -> Tensor:
        found: Tensor = layer(values, self.edges, self.kinds)
        return found


def graph_layer(name: str) -> Callable[..., nn.Module]:
    """A layer of torch-geometric. Raises `NotSetUp` without that package."""
    layer: Callable[..., nn.Module] = getattr(required("torch_geometric.nn", "a graph convolution", "train"), name)
    return layer


def perceptron(width: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(width, HIDDEN), nn.ReLU(), nn.Dropout(DROPOUT), nn.Linear(HIDDEN, width))


MODELS: dict[str, type[TwoTowers]] = {
    "bi": BiEncoder,
    "mlp": Perceptron,
    "gcn": Gcn,
    "sage": Sage,
    "gin": Gin,
    "rgcn": Rgcn,
}
