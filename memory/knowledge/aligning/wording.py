"""The words of synthetic queries: templates of `within.txt` and `across.txt`, a line each.

$title $other   what the one or two nodes are called: one of the names that commas part in the title
$topic $theme   the most telling terms of their partitions
$clue           a few words of the (first) node's own text, as an example of its use would have
$near           a few words of the text of a node of the same partition
$stray $aside   a few words of any node's text, that mean nothing here: which words matter has to be learned
"""

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from string import Template

import numpy as np

from clew.memory.knowledge.aligning.queries import SyntheticQuery
from clew.memory.knowledge.aligning.sampling import Drawn
from clew.memory.nodes import Partitioning

TERMS = 2
"""Of a partition's name, that a query says."""

RUN = (2, 5)
"""How many words in a row are taken from a text, both included."""

NAME = 8
"""Words of its text that a node without a title is called by."""

WORD = re.compile(r"[^\W_][\w'-]*")


class Wording:
    """Makes the texts; `titles` and `texts` are those of all nodes."""

    def __init__(self, titles: Sequence[str], texts: Sequence[str], partitioning: Partitioning, seed: int) -> None:
        self._titles, self._texts, self._partitioning = titles, texts, partitioning
        self._rng = np.random.default_rng(seed)

    def queries(self, drawn: Drawn) -> Iterator[SyntheticQuery]:
        within, across = templates("within"), templates("across")
        for node in drawn.within.tolist():
            yield SyntheticQuery(self._worded(within, node, node), "within", (node,), self._partitions(node))
        for ends in drawn.across.T:
            first, second = self._rng.permutation(ends).tolist()
            text = self._worded(across, first, second)
            yield SyntheticQuery(text, "across", (first, second), self._partitions(first, second))

    def _worded(self, choice: Sequence[Template], first: int, second: int) -> str:
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
