"""The aligners that are trained: two towers, whose cosine is added to what the question's words say of a partition.

    logit(q, p) = (w0 cos(Q(q), P(p)) + w1 named + w2 fullest + w3 written) / temperature + bias

Q is linear in the bi-encoder and has a hidden layer in all others; P is linear, has a hidden layer (MLP), or two graph
convolutions over the partitions. Both add to the vector that they are given: Q(x) = x + growth f(x), P(c) likewise, so
that all begin near the centroids. The bias counts for BCE alone: a softmax does not see it.
"""

import math
from abc import ABC, abstractmethod

import torch
from torch import Tensor, nn
from torch.nn.functional import normalize

from clew.memory.knowledge.aligning.views import PartitionViews
from clew.memory.knowledge.aligning.words import FIELDS

TEMPERATURE = 0.07
TEMPERATURES = (0.01, 1.0)
"""Where the learned one is kept."""

HIDDEN = 256
DROPOUT = 0.1
GROWTH = 0.3


class Aligner(nn.Module, ABC):
    """A query tower by a partition tower; subclasses say what the two are."""

    def __init__(self, views: PartitionViews) -> None:
        super().__init__()
        self.centroids: Tensor
        self.register_buffer("centroids", torch.from_numpy(views.centroids.copy()))
        self.width = views.centroids.shape[1]
        self.query = self.query_tower()
        self.growths = nn.Parameter(torch.full((2,), GROWTH))
        self.mix = nn.Parameter(torch.tensor([1.0, 1.0, 0.5, 0.25]))
        self.log_temperature = nn.Parameter(torch.tensor(math.log(TEMPERATURE)))
        self.bias = nn.Parameter(torch.tensor(-math.log(max(2, views.count))))

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
        """Of questions with these vectors (q, d) and word scores (q, 3, partitions) the logits, (q, partitions)."""
        meaning = self.mix[0] * self.questions(vectors) @ self.partitions().T
        said = torch.einsum("f,qfp->qp", self.mix[1 : 1 + len(FIELDS)], words)
        return (meaning + said) / self.temperature + self.bias


class BiEncoder(Aligner):
    def __init__(self, views: PartitionViews) -> None:
        super().__init__(views)
        self.tower = nn.Linear(self.width, self.width)

    def query_tower(self) -> nn.Module:
        return nn.Sequential(nn.Linear(self.width, self.width))

    def grown(self) -> Tensor:
        grown: Tensor = self.tower(self.centroids)
        return grown


class Perceptron(Aligner):
    def __init__(self, views: PartitionViews) -> None:
        super().__init__(views)
        self.tower = perceptron(self.width)

    def grown(self) -> Tensor:
        grown: Tensor = self.tower(self.centroids)
        return grown


class Convolutional(Aligner):
    """Two convolutions over the graph of partitions."""

    def __init__(self, views: PartitionViews) -> None:
        super().__init__(views)
        self.edges: Tensor
        self.register_buffer("edges", torch.from_numpy(views.edges.copy()))
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

    def __init__(self, views: PartitionViews) -> None:
        super().__init__(views)
        self.counts: Tensor
        self.register_buffer("counts", torch.from_numpy(views.counts.copy()))

    def convolution(self, inner: int, outer: int) -> nn.Module:
        from torch_geometric.nn import GCNConv

        return GCNConv(inner, outer)  # type: ignore[no-any-return]

    def convolved(self, layer: nn.Module, values: Tensor) -> Tensor:
        found: Tensor = layer(values, self.edges, self.counts)
        return found


class Sage(Convolutional):
    """Hamilton et al. 2017: the mean of the neighbours beside the partition itself."""

    def convolution(self, inner: int, outer: int) -> nn.Module:
        from torch_geometric.nn import SAGEConv

        return SAGEConv(inner, outer)  # type: ignore[no-any-return]


class Gin(Convolutional):
    """Xu et al. 2019: the sum of the neighbours through a perceptron; normalised, as partitions have many."""

    def convolution(self, inner: int, outer: int) -> nn.Module:
        from torch_geometric.nn import GINConv

        inside = nn.Sequential(nn.LayerNorm(inner), nn.Linear(inner, outer), nn.ReLU(), nn.Linear(outer, outer))
        return GINConv(inside, train_eps=True)  # type: ignore[no-any-return]


class Rgcn(Convolutional):
    """Schlichtkrull et al. 2018: each relation has its own weights, made of four bases (seed 004, section 8.2)."""

    def __init__(self, views: PartitionViews) -> None:
        self.relations = max(1, views.relations)
        super().__init__(views)
        self.edges = torch.from_numpy(views.typed.copy())
        self.kinds: Tensor
        self.register_buffer("kinds", torch.from_numpy(views.kinds.copy()))

    def convolution(self, inner: int, outer: int) -> nn.Module:
        from torch_geometric.nn import RGCNConv

        return RGCNConv(inner, outer, self.relations, num_bases=min(4, self.relations))  # type: ignore[no-any-return]

    def convolved(self, layer: nn.Module, values: Tensor) -> Tensor:
        found: Tensor = layer(values, self.edges, self.kinds)
        return found


def perceptron(width: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(width, HIDDEN), nn.ReLU(), nn.Dropout(DROPOUT), nn.Linear(HIDDEN, width))


MODELS: dict[str, type[Aligner]] = {
    "bi": BiEncoder,
    "mlp": Perceptron,
    "gcn": Gcn,
    "sage": Sage,
    "gin": Gin,
    "rgcn": Rgcn,
}
