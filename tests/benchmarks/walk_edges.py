"""What the walk's edges bring: its ranking beside that of the same candidates by the same scorer without edges.

python -m tests.benchmarks.walk_edges DATASET LIBRARY

"alone" ranks what think weighs (`Thought.masses`), "walk" what the walk has weighed with what lies around each node and
all that it came to. The shipped scorer was fitted on these questions: figures out of fold are those of
`python -m tests.training.walk DATA LIBRARIES --crossval`.
"""

from contextlib import closing

from clew.agent.evaluation.dataset import read_dataset
from clew.agent.evaluation.ranking import Ranking, measure
from clew.agent.models import encoder_for
from clew.agent.settings import read_settings
from clew.memory.datatypes import Floats, Ints, Query
from clew.memory.knowledge.library import open_library
from clew.memory.knowledge.question import MatchParameters
from clew.memory.knowledge.walking.walker import Walker, hits_of
from clew.memory.ports import Search
from clew.tools.base import encode_query
from tests.benchmarks.inputs import paths
from tests.benchmarks.tools import decimals, print_row

MEASURES = {"R@1": "recall@1", "R@5": "recall@5", "R@10": "recall@10", "all@8": "all@8"}


def main() -> None:
    folder, library = paths(__doc__ or "", "dataset", "library")
    dataset, encoder = read_dataset(folder), encoder_for(read_settings(library=library))
    rankings: dict[str, dict[str, Ranking]] = {"alone": {}, "walk": {}}
    with closing(encoder), open_library(library, encoder) as opened:
        walker = Walker(opened.store)
        for question in dataset.questions:
            query = encode_query(question.text, [], encoder)
            for way, ranking in both(walker, opened.store, query).items():
                rankings[way][question.id] = ranking
    found = {way: measure(dataset.golds, its) for way, its in rankings.items()}
    print_row(f"{dataset.name}, {len(dataset.questions)} questions", *MEASURES)
    print("|---" * (len(MEASURES) + 1) + "|")
    for way, figures in found.items():
        print_row(way, *(decimals(figures[name]) for name in MEASURES.values()))
    print_row("difference", *(f"{found['walk'][name] - found['alone'][name]:+.3f}" for name in MEASURES.values()))


def both(walker: Walker, store: Search, query: Query) -> dict[str, Ranking]:
    thought = walker.think(walker.question(query), hits_of(store, query, MatchParameters()))
    walked = walker.walk(thought, walker.stitch(thought))
    return {
        "alone": ranking(store, thought.looked.nodes, thought.masses),
        "walk": ranking(store, walked.nodes, walked.masses),
    }


def ranking(store: Search, nodes: Ints, masses: Floats) -> Ranking:
    """Documents by the mass of their best node."""
    layers = store.part().layers
    best: dict[str, float] = {}
    for document, mass in zip(layers.chunk_documents[nodes].tolist(), masses.tolist(), strict=True):
        id_ = layers.document_ids[document]
        best[id_] = max(mass, best.get(id_, mass))
    return sorted(best.items(), key=lambda pair: -pair[1])


if __name__ == "__main__":
    main()
