"""Keyword engines and ways to add them to vectors: a table for a data set and its library, all in one run.

python -m tests.benchmarks.keyword_engines DATASET LIBRARY

Where the questions have a history, a second table has them rewritten. Times are medians over questions, each the
fastest of three, the searches in turn.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from functools import partial

import numpy as np

from clew.agent.evaluation.dataset import Dataset, read_dataset
from clew.agent.evaluation.ranking import DEPTH, FormName, Ranking, measure, query_of
from clew.agent.models import encoder_for
from clew.agent.settings import read_settings
from clew.memory.datatypes import Query
from clew.memory.knowledge.disk import current_generation
from clew.memory.knowledge.library import open_library
from clew.memory.knowledge.question import MatchParameters
from clew.memory.knowledge.store import EmbeddedStore
from clew.tools.hybrid import TWO_STAGE, Hybrid, HybridParameters
from tests.benchmarks.fts5 import Fts5Store
from tests.benchmarks.inputs import paths
from tests.benchmarks.timing import medians

Search = Callable[[Query], Sequence[str]]
"""The documents of the best chunks, best first, perhaps with repetitions."""

CHUNKS = 3 * DEPTH
TOP = 100
TIMED = 200
KEYWORDS = MatchParameters(cosine=0, keyword=1, title=0)
VECTORS = MatchParameters(cosine=1, keyword=0, title=0)


def main() -> None:
    path, library = paths(__doc__ or "", "dataset", "library")
    dataset, settings = read_dataset(path), read_settings(library=library)
    encoder = encoder_for(settings)
    opened = open_library(library, encoder)
    generation = current_generation(library)
    assert generation, "it was opened"
    forms: list[FormName] = ["last-turn"]
    if any(question.history for question in dataset.questions):
        forms.append("rewrite")
    bm25s = opened.store
    assert isinstance(bm25s, EmbeddedStore)
    with closing(bm25s), closing(Fts5Store(generation, opened.manifest.keywords)) as fts5:
        for form in forms:
            queries = {question.id: query_of(question, form, encoder) for question in dataset.questions}
            print_table(dataset, form, queries, ways(bm25s, fts5))
        print_times(
            {
                "bm25s": lambda text: bm25s.keyword_search([text], TOP),
                "FTS5": lambda text: fts5.keyword_search([text], TOP),
            },
            [question.text for question in dataset.questions[:TIMED]],
        )


def ways(bm25s: EmbeddedStore, fts5: EmbeddedStore) -> Mapping[str, Search]:
    return {
        "bm25s": hybrid(bm25s, KEYWORDS),
        "FTS5": hybrid(fts5, KEYWORDS),
        "vectors": hybrid(bm25s, VECTORS),
        "two stages: bm25s, then vectors": hybrid(bm25s, TWO_STAGE),
        "by rank: bm25s and vectors": partial(by_rank, bm25s),
        "by rank: FTS5 and vectors": partial(by_rank, fts5),
        "by score: bm25s and vectors (default)": hybrid(bm25s, MatchParameters()),
        "by score: FTS5 and vectors": hybrid(fts5, MatchParameters()),
    }


def hybrid(store: EmbeddedStore, parameters: MatchParameters) -> Search:
    tool = Hybrid(store, HybridParameters(parameters))
    return lambda query: [passage.document for passage in tool.search(query, CHUNKS).passages]


def by_rank(store: EmbeddedStore, query: Query, constant: int = 60) -> Sequence[str]:
    """Reciprocal-rank fusion (Cormack et al. 2009) of both searches of every form, a form's with its weight."""
    keyword = store.keyword_search([form.text for form in query.forms], TOP)
    vector = store.vector_search(np.stack([form.vector for form in query.forms]), TOP)
    scores: dict[str, float] = defaultdict(float)
    for form, *both in zip(query.forms, keyword, vector, strict=True):
        for hits in both:
            for rank, hit in enumerate(hits, 1):
                scores[hit.chunk] += form.weight / (constant + rank)
    best = sorted(scores, key=lambda chunk: -scores[chunk])[:CHUNKS]
    return [chunk.document for chunk in store.chunks(best)]


def ranking(documents: Sequence[str]) -> Ranking:
    return [(document, -float(rank)) for rank, document in enumerate(dict.fromkeys(documents))]


def print_table(dataset: Dataset, form: str, queries: Mapping[str, Query], searches: Mapping[str, Search]) -> None:
    names = ("recall@2", "recall@5", "recall@10", "ndcg@5", "all@8")
    print(f"\n{f'{dataset.name}, {form}, {len(queries)} questions':38}", *(f"{name:>9}" for name in names))
    for name, search in searches.items():
        metrics = measure(dataset.golds, {key: ranking(search(query)) for key, query in queries.items()})
        print(f"{name:38}", *(f"{metrics[name]:9.3f}" for name in names), flush=True)


def print_times(searches: Mapping[str, Callable[[str], object]], texts: Sequence[str]) -> None:
    times = medians(searches, texts)
    print(f"\n{f'one keyword search, {TOP} chunks':38} {'ms':>9} {'ratio':>9}")
    for name, seconds in times.items():
        print(f"{name:38} {seconds * 1000:9.2f} {seconds / times['bm25s']:9.2f}")


if __name__ == "__main__":
    main()
