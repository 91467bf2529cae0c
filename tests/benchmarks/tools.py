"""All tools side by side: what each finds, what it alone finds, what a search takes; and what all find together.

python -m tests.benchmarks.tools DATASET LIBRARY

Each question is asked alone, of each tool with its default parameters, for ten documents, as `clew evaluate` asks.
Times are of such a search without the encoding of the question, after a first round that loads what a tool indexes:
over the questions the median and the 95th percentile in milliseconds, each the fastest of three, the tools in turn,
and the median as a ratio to an exact cosine search by NumPy in the same run. "processor" is the median of a second
round by the process's own time, which other programs do not lengthen.

"alone" are the relevant documents that a tool has among its first five and no other tool has, and their share of all.
The fused rows add the tools' rankings of ten with equal weights: nothing in them is learned.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from functools import partial
from time import process_time

import numpy as np

from clew.agent.evaluation.dataset import read_dataset
from clew.agent.evaluation.ranking import DEPTH, Ranking, distinct, measure, percentiles, query_of
from clew.agent.models import encoder_for
from clew.agent.settings import read_settings
from clew.memory.datatypes import Passage, Query
from clew.memory.knowledge.disk import current_generation
from clew.memory.knowledge.embedding import CHUNKS, open_vectors
from clew.memory.knowledge.library import open_library
from clew.tools import registry
from clew.tools.base import Tool
from tests.benchmarks.inputs import paths
from tests.benchmarks.latency import EXACT, nearest
from tests.benchmarks.timing import fastest

MEASURES = {"R@2": "recall@2", "R@5": "recall@5", "all@5": "all@5", "all@8": "all@8", "nDCG@5": "ndcg@5"}
TIMES = ("p50 ms", "p95 ms", "ratio", "processor p50 ms")
FIRST = 5
"""Documents of each tool that count as found, alone or in the union."""

RECIPROCAL = 60
"""The constant of reciprocal-rank fusion (Cormack et al. 2009)."""

Golds = Mapping[str, Mapping[str, int]]
Rankings = Mapping[str, Ranking]
"""Of each question."""


def main() -> None:
    folder, library = paths(__doc__ or "", "dataset", "library")
    dataset, settings = read_dataset(folder), read_settings(library=library)
    with closing(encoder_for(settings)) as encoder, open_library(library, encoder) as opened:
        queries = {question.id: query_of(question, "last-turn", encoder) for question in dataset.questions}
        searches = {name: search_by(registry.make(name, opened.store)) for name in registry.TOOLS}
        found = {name: {id_: way(query) for id_, query in queries.items()} for name, way in searches.items()}
        generation = current_generation(library)
        assert generation, "it was opened"
        vectors = np.array(open_vectors(generation, CHUNKS))
        ways: dict[str, Callable[[Query], object]] = {EXACT: partial(nearest, vectors), **searches}
        asked = list(queries.values())
        times, own = fastest(ways, asked), fastest(ways, asked, process_time)
    print(f"{dataset.name}, {len(queries)} questions, {len(vectors)} chunks\n")
    print_tools(dataset.golds, found, {name: timed(times[name], own[name], times[EXACT]) for name in ways})
    print_fused(dataset.golds, found)
    print_union(dataset.golds, found)


def search_by(tool: Tool) -> Callable[[Query], Ranking]:
    def passages(query: Query, k: int) -> Sequence[Passage]:
        return tool.search(query, k).passages

    return lambda query: distinct(partial(passages, query), DEPTH, 3 * DEPTH)


def print_tools(golds: Golds, found: Mapping[str, Rankings], times: Mapping[str, Sequence[str]]) -> None:
    print_row("tool", *MEASURES, *TIMES, "alone")
    print("|---" * (len(MEASURES) + len(TIMES) + 2) + "|")
    all_golds = sum(map(len, golds.values()))
    for name, rankings in found.items():
        alone = sum(map(len, only_by(name, golds, found).values()))
        print_row(f"`{name}`", *scores(golds, rankings), *times[name], f"{alone} ({decimals(alone / all_golds)})")
    print_row(EXACT, *[""] * len(MEASURES), *times[EXACT], "")


def print_fused(golds: Golds, found: Mapping[str, Rankings]) -> None:
    """The rows that belong to the table of the tools."""
    blank = [""] * (len(TIMES) + 1)
    for name, weigh in {
        f"all, by rank (reciprocal, {RECIPROCAL})": by_rank,
        "all, by share of the scores": by_share,
    }.items():
        fused = {id_: fuse([weigh(rankings[id_]) for rankings in found.values()]) for id_ in golds}
        print_row(name, *scores(golds, fused), *blank)


def print_union(golds: Golds, found: Mapping[str, Rankings]) -> None:
    """Recall is the mean over the questions, as R@5 is."""
    union = {id_: set[str]().union(*(first(rankings[id_]) for rankings in found.values())) for id_ in golds}
    held = [len(gold.keys() & union[id_]) / len(gold) for id_, gold in golds.items()]
    size = np.mean([len(documents) for documents in union.values()])
    print(
        f"\nThe first {FIRST} of all tools together are {size:.1f} documents (mean), with {decimals(np.mean(held))} "
        f"of the gold, and all of it for {decimals(np.mean([share == 1 for share in held]))} of the questions."
    )


def only_by(name: str, golds: Golds, found: Mapping[str, Rankings]) -> dict[str, set[str]]:
    """Of each question the relevant documents that this tool has among its first, and no other tool has."""
    others = [rankings for other, rankings in found.items() if other != name]
    return {
        id_: (gold.keys() & first(found[name][id_])).difference(*(first(rankings[id_]) for rankings in others))
        for id_, gold in golds.items()
    }


def first(ranking: Ranking) -> set[str]:
    return {document for document, _ in ranking[:FIRST]}


def by_rank(ranking: Ranking) -> dict[str, float]:
    return {document: 1 / (RECIPROCAL + rank) for rank, (document, _) in enumerate(ranking, 1)}


def by_share(ranking: Ranking) -> dict[str, float]:
    """What a document has above the last of the ranking, as a share of what all have; equal shares where all are equal.

    Scores of two tools do not compare: this makes their sums equal, and no more.
    """
    lowest = min((score for _, score in ranking), default=0.0)
    whole = sum(score - lowest for _, score in ranking)
    return {document: (score - lowest) / whole if whole else 1 / len(ranking) for document, score in ranking}


def fuse(weighed: Sequence[Mapping[str, float]]) -> Ranking:
    """Sums, best first; ties keep the order of the tools."""
    sums: dict[str, float] = defaultdict(float)
    for of_tool in weighed:
        for document, weight in of_tool.items():
            sums[document] += weight
    return sorted(sums.items(), key=lambda pair: -pair[1])


def scores(golds: Golds, rankings: Rankings) -> list[str]:
    measured = measure(golds, rankings)
    return [decimals(measured[name]) for name in MEASURES.values()]


def timed(wall: Sequence[float], own: Sequence[float], exact: Sequence[float]) -> list[str]:
    """The cells of TIMES, from the seconds of each question."""
    ms = percentiles(wall, 50, 95)
    ratio = np.median(wall) / np.median(exact)
    return [short(ms["p50"]), short(ms["p95"]), f"{ratio:.0f}", short(percentiles(own, 50)["p50"])]


def short(ms: float) -> str:
    return f"{ms:.1f}" if ms >= 1 else f"{ms:.2f}"


def decimals(share: float | np.floating) -> str:
    return f"{share:.3f}".removeprefix("0")


def print_row(*cells: str) -> None:
    print("|", " | ".join(cells), "|")


if __name__ == "__main__":
    main()
