"""All tools side by side: what each finds, and what a search takes.

python -m tests.benchmarks.tools DATASET LIBRARY

Each question is asked alone, of each tool with its default parameters, for ten documents, as `clew evaluate` asks.
Times are of such a search without the encoding of the question, after a first round that loads what a tool indexes:
over the questions the median and the 95th percentile in milliseconds, each the fastest of three, the tools in turn.
"processor" is the median of a second round by the process's own time, which other programs do not lengthen.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from functools import partial
from time import process_time

import numpy as np

from clew.agent.evaluation.dataset import read_dataset
from clew.agent.evaluation.ranking import DEPTH, Ranking, distinct, measure, query_of
from clew.agent.models import encoder_for
from clew.agent.settings import read_settings
from clew.memory.datatypes import Query
from clew.memory.knowledge.library import open_library
from clew.tools import registry
from clew.tools.base import Tool
from tests.benchmarks.measuring import fastest, medians, paths, show

MEASURES = {"R@2": "recall@2", "R@5": "recall@5", "R@10": "recall@10", "all@8": "all@8", "nDCG@5": "ndcg@5"}
HEADS = ("tool", *MEASURES, "p50 ms", "p95 ms", "processor p50 ms")


def main() -> None:
    folder, library = paths(__doc__ or "", "dataset", "library")
    dataset, settings = read_dataset(folder), read_settings(library=library)
    with closing(encoder_for(settings)) as encoder, open_library(library, encoder) as opened:
        queries = {question.id: query_of(question, "last-turn", encoder) for question in dataset.questions}
        tools = {name: registry.make(name, opened.store) for name in registry.TOOLS}
        show(f"{dataset.name}, {len(queries)} questions", HEADS, rows(dataset.golds, queries, tools))


def rows(
    golds: Mapping[str, Mapping[str, int]], queries: Mapping[str, Query], tools: Mapping[str, Tool]
) -> Iterator[list[object]]:
    """The cells of `HEADS` for each tool."""
    ways: dict[str, Callable[[Query], Ranking]] = {name: partial(ranking, tool) for name, tool in tools.items()}
    found = {name: {id_: way(query) for id_, query in queries.items()} for name, way in ways.items()}
    asked = list(queries.values())
    times, own = fastest(ways, asked), medians(ways, asked, process_time)
    for name, rankings in found.items():
        figures = measure({id_: golds[id_] for id_ in queries}, rankings)
        spread = (f"{ms:.1f}" for ms in (*np.percentile(times[name], [50, 95]), own[name]))
        yield [name, *(figures[one] for one in MEASURES.values()), *spread]


def ranking(tool: Tool, query: Query) -> Ranking:
    return distinct(lambda k: tool.search(query, k).passages, DEPTH, 3 * DEPTH)


if __name__ == "__main__":
    main()
