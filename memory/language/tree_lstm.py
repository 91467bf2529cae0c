"""A child-sum Tree-LSTM over the trees of sentences (Tai et al. 2015, arXiv 1503.00075, equations 2 to 8).

    h~_j = sum_k h_k        i, o, u = sigma(W x_j + U h~_j)        f_jk = sigma(W_f x_j + U_f h_k)
    c_j = i u + sum_k f_jk c_k        h_j = o tanh(c_j)

A word goes in as the sum of vectors of what it is made of: root, affixes, roots before it, part of speech, case,
number, tense and role. These are hashed into one table, so that no root is unknown, and questions and documents share
it. A sentence comes out as a unit vector of `output` numbers, from the state of its root beside the mean of all states.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any
from zlib import crc32

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import normalize

from clew.memory.datatypes import Float32s
from clew.memory.language.trees import Tree, WordForm

FEATURES = ("Case", "Number", "Tense", "Mood", "PronType")


@dataclass(frozen=True, slots=True)
class TreeLSTMSizes:
    """The sizes of a Tree-LSTM; its file has the same."""

    buckets: int = 16384
    embedding: int = 128
    hidden: int = 256
    output: int = 512


@dataclass(frozen=True, slots=True)
class NumberedTree:
    """What the network sees of a tree: for each word the hashes of its features, and the place of its head (-1: root).
    A word stands after all that depend on it."""

    features: tuple[tuple[int, ...], ...]
    heads: tuple[int, ...]


@lru_cache(maxsize=200_000)
def _hashed(word: WordForm, role: str) -> tuple[int, ...]:
    parts = [f"root={word.root.casefold()}", f"root2={word.root.casefold()[::-1]}", f"upos={word.upos}", f"role={role}"]
    parts += [f"affix={part}" for part in (*word.prefixes, *word.suffixes)]
    parts += [f"root={part}" for part in word.compound]
    parts += [f"{name}={word.feature(name)}" for name in FEATURES if f"{name}=" in word.feats]
    return tuple(crc32(part.encode()) for part in parts)


def numbered(tree: Tree, dropped: frozenset[int] = frozenset()) -> NumberedTree:
    """Of a tree without its punctuation and without the words at the places `dropped` and all that depends on them."""
    children: dict[int, list[int]] = {}
    for place, head in enumerate(tree.heads):
        if place not in dropped and (tree.roles[place] != "punct" or not head):
            children.setdefault(head - 1, []).append(place)
    order: list[int] = []
    waiting = children.get(-1, [])[:1]
    while waiting:
        place = waiting.pop()
        order.append(place)
        waiting += children.get(place, [])
    order.reverse()
    at = {place: number for number, place in enumerate(order)}
    features = tuple(_hashed(tree.words[place], tree.roles[place]) for place in order)
    return NumberedTree(features, tuple(at.get(tree.heads[place] - 1, -1) for place in order))


@dataclass(frozen=True, slots=True)
class TreeBatch:
    """Words of several trees, those of equal height together: what depends on a word stands before it. `edges[l]` joins
    words (their numbers) to their heads within level l."""

    bags: Tensor
    offsets: Tensor
    levels: tuple[tuple[int, int], ...]
    edges: tuple[tuple[Tensor, Tensor], ...]
    roots: Tensor
    trees: Tensor


def batched(trees: Sequence[NumberedTree], buckets: int, device: str = "cpu") -> TreeBatch:
    """Put trees together so that all nodes of one height are computed at once; words are hashed into `buckets`."""
    heights: list[int] = []
    features: list[tuple[int, ...]] = []
    heads: list[int] = []
    owner: list[int] = []
    start = 0
    for number, tree in enumerate(trees):
        height = [0] * len(tree.heads)
        for place, head in enumerate(tree.heads):
            if head >= 0:
                height[head] = max(height[head], height[place] + 1)
        heights += height
        features += tree.features
        heads += [head + start if head >= 0 else -1 for head in tree.heads]
        owner += [number] * len(tree.heads)
        start += len(tree.heads)
    order = np.argsort(np.array(heights), kind="stable")
    new = np.empty(len(order), np.int64)
    new[order] = np.arange(len(order))
    bounds = np.searchsorted(np.array(heights)[order], np.arange(max(heights) + 2))
    above = np.array(heads)[order]
    above[above >= 0] = new[above[above >= 0]]
    joined = np.flatnonzero(above >= 0)
    levels, edges = [], []
    for first, last in pairwise(bounds.tolist()):
        here = joined[(above[joined] >= first) & (above[joined] < last)]
        levels.append((first, last))
        edges.append((torch.from_numpy(here).to(device), torch.from_numpy(above[here] - first).to(device)))
    bags = [feature % buckets for place in order for feature in features[place]]
    offsets = np.cumsum([0, *(len(features[place]) for place in order)])[:-1]
    roots = np.flatnonzero(above < 0)
    trees_of = np.array(owner)[order]
    roots = roots[np.argsort(trees_of[roots], kind="stable")]
    on = [torch.tensor(bags), torch.from_numpy(offsets), torch.from_numpy(roots), torch.from_numpy(trees_of)]
    bag, offset, root, tree_of = (one.to(device) for one in on)
    return TreeBatch(bag, offset, tuple(levels), tuple(edges), root, tree_of)


class TreeLSTM(nn.Module):
    """Trees to unit vectors, (trees, output)."""

    def __init__(self, sizes: TreeLSTMSizes) -> None:
        super().__init__()
        self.sizes = sizes
        self.embedding = nn.EmbeddingBag(sizes.buckets, sizes.embedding, mode="sum")
        self.of_word = nn.Linear(sizes.embedding, 4 * sizes.hidden)
        self.of_children = nn.Linear(sizes.hidden, 3 * sizes.hidden, bias=False)
        self.of_child = nn.Linear(sizes.hidden, sizes.hidden, bias=False)
        self.out = nn.Linear(2 * sizes.hidden, sizes.output)
        nn.init.normal_(self.embedding.weight, std=0.3)

    def forward(self, batch: TreeBatch) -> Tensor:
        size = self.sizes.hidden
        words = self.of_word(self.embedding(batch.bags, batch.offsets))
        states: list[Tensor] = []
        cells: list[Tensor] = []
        for (first, last), (children, heads) in zip(batch.levels, batch.edges, strict=True):
            gates, forget = words[first:last].split((3 * size, size), dim=1)
            kept = words.new_zeros(last - first, size)
            if len(children):
                below, held = torch.cat(states)[children], torch.cat(cells)[children]
                summed = words.new_zeros(last - first, size).index_add(0, heads, below)
                gates = gates + self.of_children(summed)
                share = torch.sigmoid(forget[heads] + self.of_child(below))
                kept = kept.index_add(0, heads, share * held)
            taken, shown, new = gates.chunk(3, dim=1)
            cell = torch.sigmoid(taken) * torch.tanh(new) + kept
            cells.append(cell)
            states.append(torch.sigmoid(shown) * torch.tanh(cell))
        every = torch.cat(states)
        count = len(batch.roots)
        mean = every.new_zeros(count, size).index_add(0, batch.trees, every)
        mean = mean / torch.bincount(batch.trees, minlength=count).unsqueeze(1)
        return normalize(self.out(torch.cat((every[batch.roots], mean), dim=1)), dim=1)

    def encode(self, trees: Sequence[NumberedTree], size: int = 256) -> Float32s:
        """Shape (trees, output), float32."""
        found = [np.zeros((0, self.sizes.output), np.float32)]
        device = str(self.out.weight.device)
        with torch.inference_mode():
            for start in range(0, len(trees), size):
                batch = batched(trees[start : start + size], self.sizes.buckets, device)
                found.append(self(batch).cpu().numpy())
        return np.concatenate(found)

    def arrays(self) -> dict[str, Float32s]:
        return {name: value.detach().cpu().numpy() for name, value in self.state_dict().items()}


def loaded(arrays: dict[str, Any], sizes: str) -> TreeLSTM:
    """From what `TreeLSTM.arrays` gave, and its sizes as JSON."""
    network = TreeLSTM(TreeLSTMSizes(**json.loads(sizes)))
    network.load_state_dict({name: torch.from_numpy(np.array(value, np.float32)) for name, value in arrays.items()})
    return network.eval()


def seeded(sizes: TreeLSTMSizes, seed: int) -> TreeLSTM:
    """Make an untrained Tree-LSTM; the same seed gives the same weights."""
    torch.manual_seed(seed)
    return TreeLSTM(sizes)
