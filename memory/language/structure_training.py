"""A Tree-LSTM fitted to a corpus by the corpus itself: a sentence against paraphrases of it.

A paraphrase loses phrases, puts a question word in the place of one, or has roots under other endings and affixes (a
synonym's ending: `bela` and `beleco`). Another order of the words gives another tree only where a rule reads order, so
it is made by reading the sentence anew with two of its phrases exchanged. What it must be told from are the other
sentences of the batch, and for each one that shares a rare root with it. The loss is InfoNCE over cosines.
"""

import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import torch
from torch.nn.functional import cross_entropy

from clew.memory.datatypes import Progress
from clew.memory.errors import BadInput
from clew.memory.knowledge.library import Library, stored_chunks
from clew.memory.knowledge.structure import read_sentences, write_structure
from clew.memory.language.esperanto import Esperanto, check_esperanto
from clew.memory.language.esperanto_words import mined_roots
from clew.memory.language.tree_lstm import NumberedTree, TreeLSTM, TreeLSTMSizes, batched, numbered, seeded
from clew.memory.language.trees import Tree
from clew.memory.text import written_words

LOST = frozenset(("amod", "advmod", "obl", "nmod", "advcl", "acl", "conj", "appos", "det", "nummod", "parataxis"))
ASKED = {"nsubj": "kiu", "obj": "kion", "obl": "kie", "advcl": "kiam"}
ENDINGS = {"NOUN": ("ADJ", "VERB"), "ADJ": ("NOUN", "ADV"), "VERB": ("NOUN",), "ADV": ("ADJ",)}


@dataclass(frozen=True, slots=True)
class StructurePlan:
    """`batch` sentences a step, each once an epoch; `rate` falls to 0 over all steps."""

    epochs: int = 4
    batch: int = 64
    rate: float = 2e-3
    temperature: float = 0.07
    seed: int = 7
    sizes: TreeLSTMSizes = field(default_factory=TreeLSTMSizes)


def paraphrase(tree: Tree, reader: Esperanto, draw: random.Random) -> NumberedTree:
    """Return the tree of another sentence with the same meaning: reordered, a part asked for, or words left out, at
    random."""
    if draw.random() < 0.3:
        tree = _reordered(tree, reader, draw)
    root = tree.root
    words, roles, dropped = list(tree.words), tree.roles, set()
    askable = [place for place, role in enumerate(roles) if role in ASKED and tree.heads[place] == root + 1]
    if askable and draw.random() < 0.6:
        place = draw.choice(askable)
        words[place] = reader.tree([ASKED[roles[place]], "venas", "?"]).words[0]
        dropped |= set(tree.children(place))
    for place, role in enumerate(roles):
        if place != root and role in LOST and draw.random() < 0.35:
            dropped.add(place)
        elif (word := words[place]).upos in ENDINGS and draw.random() < 0.2:
            shorter = word.suffixes and draw.random() < 0.5
            suffixes = word.suffixes[:-1] if shorter else (*word.suffixes, draw.choice(("ec", "ig", "ad", "ul")))
            words[place] = word._replace(upos=draw.choice(ENDINGS[word.upos]), suffixes=suffixes)
    return numbered(replace(tree, words=tuple(words)), frozenset(dropped))


def _reordered(tree: Tree, reader: Esperanto, draw: random.Random) -> Tree:
    """The sentence read anew with a phrase of its root taken to the end."""
    parts = [place for place in tree.children(tree.root) if tree.roles[place] in ("nsubj", "obj", "obl", "advmod")]
    if not parts:
        return tree
    moved, waiting = set(), [draw.choice(parts)]
    while waiting:
        place = waiting.pop()
        moved.add(place)
        waiting += tree.children(place)
    marks = [place for place in range(len(tree.words)) if tree.words[place].upos == "PUNCT"]
    last = {marks[-1]} if marks and marks[-1] == len(tree.words) - 1 else set()
    order = (
        [place for place in range(len(tree.words)) if place not in moved | last] + sorted(moved - last) + sorted(last)
    )
    return reader.tree([tree.words[place].form for place in order])


def rivals(trees: Sequence[Tree], reader: Esperanto, draw: random.Random) -> list[int]:
    """For each sentence another that shares one of its rarest roots; itself where there is none."""
    keywords = [reader.keywords(tree) for tree in trees]
    counts = Counter(word for words in keywords for word in words)
    holding = defaultdict(list)
    for number, words in enumerate(keywords):
        for word in words:
            holding[word].append(number)
    found = []
    for number, words in enumerate(keywords):
        shared = sorted((word for word in words if counts[word] > 1), key=lambda word: counts[word])[:3]
        others = [one for word in shared for one in holding[word][:50] if one != number]
        found.append(draw.choice(others) if others else number)
    return found


def train_structure(trees: Sequence[Tree], reader: Esperanto, plan: StructurePlan) -> Iterator[Progress | TreeLSTM]:
    """Progress by epochs and steps, then the network, on the CPU. The same trees and plan give the same network on the
    same machine; a GPU is used where there is one."""
    draw = random.Random(plan.seed)  # noqa: S311 nothing secret
    device = "cuda" if torch.cuda.is_available() else "cpu"
    network = seeded(plan.sizes, plan.seed).to(device)
    steps = plan.epochs * (len(trees) // plan.batch or 1)
    optimizer = torch.optim.AdamW(network.parameters(), plan.rate, weight_decay=1e-4)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, plan.rate, total_steps=steps)
    plain = [numbered(tree) for tree in trees]
    done = 0
    for epoch in range(plan.epochs):
        hard = rivals(trees, reader, draw)
        order = list(range(len(trees)))
        draw.shuffle(order)
        for start in range(0, max(len(order) - plan.batch, 0) + 1, plan.batch):
            chosen = order[start : start + plan.batch]
            asked = [paraphrase(trees[number], reader, draw) for number in chosen]
            held = [plain[number] for number in chosen] + [plain[hard[number]] for number in chosen]
            vectors = network(batched(asked + held, plan.sizes.buckets, device))
            cosines = vectors[: len(asked)] @ vectors[len(asked) :].T / plan.temperature
            same = torch.tensor(
                np.array(chosen)[:, None] == np.array([*chosen, *(hard[n] for n in chosen)])[None], device=device
            )
            same[:, : len(chosen)] = False  # its own stays the one that is sought; elsewhere it is not held against it
            loss = cross_entropy(cosines.masked_fill(same, -1e4), torch.arange(len(asked), device=device))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            if done < steps - 1:
                schedule.step()
            done += 1
        yield Progress(f"epoch {epoch + 1} of {plan.epochs}, loss {loss.item():.3f}", done, steps)
    yield network.to("cpu").eval()


def train_library(
    library: Library, plan: StructurePlan, most: int = 20_000, told: bool = False
) -> Iterator[Progress | Path]:
    """Progress, then the file: a network trained on at most so many sentences of a library, drawn by the plan's seed,
    and the vectors of all of them. Words are read by the library's own roots too. Raises `BadInput` for a library of
    another language, unless a person `told` that it is Esperanto, and for one with too few sentences."""
    if not isinstance(library.path, Path):
        raise BadInput("a network is trained on a library in a folder", "--library FOLDER")
    texts = [chunk.text for chunk in stored_chunks(library.store)]
    if not told:
        check_esperanto(" ".join(texts[:: max(1, len(texts) // 200)]))
    roots = mined_roots(word for text in texts for word in written_words(text))
    reader = Esperanto(known=roots)
    trees = []
    for number, text in enumerate(texts):
        trees.append(read_sentences(reader, text))
        if number % 256 == 0:
            yield Progress("sentences read", number, len(texts))
    yield Progress("sentences read", len(texts), len(texts))
    learned = [tree for of_text in trees for tree in of_text if len(tree.words) > 3]
    if len(learned) < 2:
        raise BadInput(f"{library.path} has too few sentences to learn from")
    if len(learned) > most:
        learned = random.Random(plan.seed).sample(learned, most)  # noqa: S311 nothing secret
    for event in train_structure(learned, reader, replace(plan, batch=min(plan.batch, len(learned)))):
        if isinstance(event, Progress):
            yield event
        else:
            yield write_structure(library.path, event, texts, trees, roots)
