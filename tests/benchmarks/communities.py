"""What the thresholds of equation 4, the levels of equation 5 and the history do to recall, and what a search takes.

python -m tests.benchmarks.communities ../shared/data/hotpotqa LIBRARY [--form last-turn|rewrite]

Times are medians in milliseconds, without the encoding of the question, and as a ratio to `hybrid` in the same run.
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from time import perf_counter

import numpy as np

from clew.agent.evaluation.dataset import Dataset, Question, read_dataset
from clew.agent.evaluation.ranking import FormName, query_of
from clew.agent.models import encoder_for
from clew.agent.settings import read_settings
from clew.memory.datatypes import Query
from clew.memory.knowledge.library import open_library
from clew.tools.base import Tool
from clew.tools.communities import CommunitiesParameters, CommunitySearch
from clew.tools.hybrid import Hybrid
from clew.tools.local import Local, LocalParameters

PASSAGES = 30


def main() -> None:
    form: FormName = "rewrite" if "rewrite" in sys.argv else "last-turn"
    settings = read_settings(library=Path(sys.argv[2]))
    encoder = encoder_for(settings)
    dataset = read_dataset(Path(sys.argv[1]), within_context=False)
    with open_library(settings.library, encoder) as library:
        store = library.store
        asked = [(question, query_of(question, form, encoder)) for question in dataset.questions]
        communities = store.part().communities
        print("communities by level:", [len(communities.at(level)) for level in range(communities.levels)])
        tools: dict[str, Tool] = {"hybrid": Hybrid(store)}
        for tau in (0.35, 0.4, 0.45, 0.5):
            tools[f"local, tau_e {tau}"] = Local(store, LocalParameters(tau_e=tau))
        for weight in (0.0, 0.15, 0.5) if form == "rewrite" else ():
            tools[f"local, history {weight}"] = Local(store, LocalParameters(history=weight))
        for level in range(communities.levels):
            tools[f"communities, level {level}"] = CommunitySearch(store, CommunitiesParameters(level=level))
        print(f"{'':28} {'R@2':>6} {'R@5':>6} {'R@10':>6} {'ms':>7} {'ratio':>6} {'fell back':>10}")
        first = 0.0
        for name, tool in tools.items():
            recalls, ms, fallen = measured(tool, asked, dataset)
            first = first or ms
            print(f"{name:28} {' '.join(f'{r:6.3f}' for r in recalls)} {ms:7.1f} {ms / first:6.2f} {fallen:10}")


def measured(
    tool: Tool, asked: Sequence[tuple[Question, Query]], dataset: Dataset
) -> tuple[Sequence[float], float, int]:
    """Recall at 2, 5 and 10, the median in milliseconds, and for how many questions there was a note."""
    recalls, seconds, notes = [], [], 0
    tool.search(asked[0][1], PASSAGES)
    for question, query in asked:
        started = perf_counter()
        found = tool.search(query, PASSAGES)
        seconds.append(perf_counter() - started)
        notes += bool(found.notes)
        documents = list(dict.fromkeys(passage.document for passage in found.passages))
        gold = set(dataset.golds[question.id])
        recalls.append([len(gold & set(documents[:k])) / len(gold) for k in (2, 5, 10)])
    return np.mean(recalls, axis=0).tolist(), 1000 * median(seconds), notes


if __name__ == "__main__":
    main()
