"""Synthetic queries, which aligners learn from (seed 004, section 3.4), saved as JSON lines.

Their texts come from the templates of `within.txt` and `across.txt`, one a line, with

$title $other   what the one or two nodes are called: one of the names that commas separate in the title
$topic $theme   the first terms of their partitions' names
$clue           a few words of the (first) node's own text, as in an example of its use
$near           a few words of the text of a node of the same partition
$stray $aside   a few words of any node's text, as noise: an aligner has to learn which words matter
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from string import Template
from typing import Literal, NamedTuple

import numpy as np

from clew.memory.errors import ClewError
from clew.memory.json_lines import as_line, replace_file
from clew.memory.knowledge.aligners.query_sampling import SampledNodes, held_out_nodes, sample, topics_of
from clew.memory.nodes import Cells, NodeGraph, Partitioning

QueryKind = Literal["within", "across"]

SPLIT = 42
"""The seed of the split, always the same: aligners trained with different seeds are measured on the same nodes."""

HELD_OUT = 1_000

TERMS = 2
"""Of a partition's name, that a query says."""

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
        fill: dict[str, Callable[[], str]] = {
            "title": lambda: self._name(first),
            "other": lambda: self._name(second),
            "topic": lambda: self._topic(first),
            "theme": lambda: self._topic(second),
            "clue": lambda: self._run(first),
            "near": lambda: self._run(self._neighbour(first)),
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
        return ", ".join(name.split(", ")[:TERMS])

    def _neighbour(self, node: int) -> int:
        members = self._partitioning.members.row(int(self._partitioning.of_node[node]))
        return members[self._rng.integers(len(members))]

    def _run(self, node: int) -> str:
        words = WORD.findall(self._texts[node])
        length = int(self._rng.integers(RUN[0], RUN[1] + 1))
        start = int(self._rng.integers(max(1, len(words) - length + 1)))
        return " ".join(words[start : start + length])

    def _partitions(self, *nodes: int) -> tuple[int, ...]:
        return tuple(sorted({int(self._partitioning.of_node[node]) for node in nodes}))


def templates(name: str) -> list[Template]:
    lines = (Path(__file__).parent / f"{name}.txt").read_text("utf-8").split("\n")
    return [Template(line) for line in lines if line]
