"""The tool `walk` with late interaction and without, and MaxSim alone over the best 32 of `hybrid`.

python -m tests.benchmarks.late_interaction DATASET LIBRARY

At most 300 questions, evenly spaced, each alone. Every weight has a row; the default is what late interaction has where
it is asked for. The first run encodes the tokens of what is scored, a few passages a second on a busy machine.

Times are of a search without the encoding of the question's vector, each the fastest of three, the ways in turn: of the
walk, and of the walk with tokens in the cache (the question's tokens are encoded, the passages' read); "cold" is the
first time, of a few questions and an empty cache, without the time that the model takes to load.
"""

from contextlib import closing
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from clew.agent.evaluation.dataset import Question, read_dataset
from clew.agent.evaluation.ranking import Ranking, measure, query_of
from clew.agent.models import encoder_for
from clew.agent.settings import read_settings
from clew.memory.datatypes import Ints, Query
from clew.memory.encoding import CachedEncoder
from clew.memory.knowledge.embedding import with_title
from clew.memory.knowledge.library import open_library
from clew.memory.knowledge.question import MatchParameters
from clew.memory.knowledge.walking.late_interaction import LateInteraction, LateParameters, added
from clew.memory.knowledge.walking.walker import Walker, hits_of
from clew.memory.ports import Search
from clew.tools.base import ToolSettings
from clew.tools.hybrid import Hybrid
from clew.tools.walk import Walk
from tests.benchmarks.inputs import paths
from tests.benchmarks.timing import fastest, seconds

MOST, TIMED, COLD = 300, 50, 5
"""Questions that are asked, timed, and timed with an empty cache."""

WEIGHTS = (0.1, 0.25, 0.5, 1.0, 2.0)
MEASURES = {"nDCG@5": "ndcg@5", "R@5": "recall@5", "all@8": "all@8"}
TOP = LateParameters().top


def main() -> None:
    folder, library = paths(__doc__ or "", "dataset", "library")
    dataset, settings = read_dataset(folder), read_settings(library=library)
    asked = dataset.questions[:: max(1, len(dataset.questions) // MOST)][:MOST]
    with closing(encoder_for(settings)) as encoder, open_library(library, encoder) as opened:
        queries = {question.id: query_of(question, "last-turn", encoder) for question in asked}
        rows = Rows(opened.store, LateInteraction(encoder))
        rankings = {id_: rows.of(query) for id_, query in queries.items()}
        print(
            f"{dataset.name}, {len(asked)} questions\n\n| | {' | '.join(MEASURES)} |\n|{'---|' * (len(MEASURES) + 1)}"
        )
        golds = {id_: dataset.golds[id_] for id_ in queries}
        for name in next(iter(rankings.values())):
            figures = measure(golds, {id_: its[name] for id_, its in rankings.items()})
            print(f"| {name} | " + " | ".join(f"{figures[measured]:.3f}" for measured in MEASURES.values()) + " |")
        print_times(opened.store, encoder, list(queries.values())[:TIMED])
        print_size(opened.store, encoder, asked)


class Rows:
    """Of a question a ranking for each row of the table."""

    def __init__(self, store: Search, late: LateInteraction) -> None:
        self._store = store
        self._late = late
        self._hybrid = Hybrid(store)
        self._walker = Walker(store)

    def of(self, query: Query) -> dict[str, Ranking]:
        numbers = self._store.part().layers.chunk_numbers
        near = np.array([numbers[passage.id] for passage in self._hybrid.search(query, TOP).passages], np.int64)
        question = self._walker.question(query)
        alone, _ = added(near, np.zeros(len(near)), self._late.scores(self._store, question, near), 1.0)
        thought = self._walker.think(question, hits_of(self._store, query, MatchParameters()))
        walked = self._walker.walk(thought, self._walker.stitch(thought))
        scores = self._late.scores(self._store, question, walked.nodes[:TOP])
        rows = {"`hybrid`": near, f"MaxSim of its best {TOP}": alone, "`walk`": walked.nodes}
        for weight in WEIGHTS:
            rows[f"`walk`, weight {weight}"], _ = added(walked.nodes, walked.masses, scores, weight)
        return {name: self._ranking(nodes) for name, nodes in rows.items()}

    def _ranking(self, nodes: Ints) -> Ranking:
        layers = self._store.part().layers
        documents = [layers.document_ids[document] for document in layers.chunk_documents[nodes].tolist()]
        return [(document, -float(rank)) for rank, document in enumerate(dict.fromkeys(documents))]


def print_times(store: Search, encoder: CachedEncoder, queries: list[Query]) -> None:
    late = ToolSettings(late=LateInteraction(encoder))
    ways = {"walk": Walk(store), "with tokens in the cache": Walk(store, settings=late)}
    searches = {name: partial(lambda tool, query: tool.search(query), tool) for name, tool in ways.items()}
    for search in searches.values():
        search(queries[0])  # reads the graph
    times = {name: 1000 * float(np.median(taken)) for name, taken in fastest(searches, queries).items()}
    print("\n" + ", ".join(f"{name} {ms:.1f} ms" for name, ms in times.items()), end=", ")
    cold = [cold_seconds(store, encoder, query) for query in queries[:COLD]]
    print(f"cold {1000 * np.median(cold):.0f} ms")


def cold_seconds(store: Search, encoder: CachedEncoder, query: Query) -> float:
    with TemporaryDirectory() as folder, closing(CachedEncoder(encoder.uncached, Path(folder))) as cached:
        walk = Walk(store, settings=ToolSettings(late=LateInteraction(cached)))
        _ = walk.walker
        return seconds(walk.search, query)


def print_size(store: Search, encoder: CachedEncoder, asked: tuple[Question, ...]) -> None:
    """Of a sample of what is in the cache: the bytes of a passage's tokens."""
    found = Hybrid(store).search(query_of(asked[0], "last-turn", encoder), TOP).passages
    chunks = store.chunks([passage.id for passage in found])
    sizes = [tokens.nbytes for tokens in encoder.passage_tokens([with_title(c.title, c.text) for c in chunks])]
    print(f"{np.mean(sizes) / 1024:.0f} KiB a passage ({np.mean(sizes) / 2 / encoder.dimension:.0f} tokens)")


if __name__ == "__main__":
    main()
