"""What paths of clues find: the documents of their triples, in the order of the paths, for a data set with triples.

python -m tests.benchmarks.clue_paths DATASET

`as written` gives w_rel and w_ent to every edge with a clue, `once` for each clue (the default). The first run encodes
all entities and triples; they stay in the cache.
"""

import json
from collections.abc import Iterator
from pathlib import Path

from clew.agent.evaluation.dataset import Dataset, read_dataset
from clew.agent.evaluation.ranking import Ranking, measure
from clew.agent.models import encoder_for
from clew.agent.settings import read_settings
from clew.memory.datatypes import Triple
from clew.memory.knowledge.clues.clue_index import ClueIndex, clue_index, triple_graph
from clew.memory.knowledge.clues.triple_search import ClueParameters, search_paths
from tests.benchmarks.inputs import paths
from tests.memory.knowledge.clues.cases import encoder_index

MEASURES = ("recall@2", "recall@5", "recall@10", "ndcg@5")


def main() -> None:
    (folder,) = paths(__doc__ or "", "dataset")
    dataset = read_dataset(folder)
    graph = triple_graph(triples(folder / "corpus.jsonl"))
    print(f"{len(graph.subjects)} different triples")
    print(f"{f'{dataset.name}, {len(dataset.questions)} questions':38}", *(f"{name:>9}" for name in MEASURES))
    print_rows("TF-IDF", dataset, clue_index(graph))
    encoder = encoder_for(read_settings())
    print_rows("encoder", dataset, encoder_index(graph, encoder))


def triples(corpus: Path) -> Iterator[Triple]:
    for row in map(json.loads, corpus.read_text("utf-8").splitlines()):
        for parts in row.get("triples", []):
            if len(parts) == 3:
                subject, relation, object_ = map(str, parts)
                yield Triple(subject, relation, object_, row["_id"])


def print_rows(name: str, dataset: Dataset, index: ClueIndex) -> None:
    for once in (False, True):
        for topn in (3, 10):
            parameters = ClueParameters(topn=topn, clues_once=once)
            rankings = {question.id: ranking(question.text, index, parameters) for question in dataset.questions}
            metrics = measure(dataset.golds, rankings)
            row = f"{name}, {'once' if once else 'as written'}, {topn} paths"
            print(f"{row:38}", *(f"{metrics[measure_]:9.3f}" for measure_ in MEASURES), flush=True)


def ranking(question: str, index: ClueIndex, parameters: ClueParameters) -> Ranking:
    found = search_paths(question, index, parameters).paths
    documents = dict.fromkeys(
        document for path in found for edge in path.edges for document in index.graph.chunks[edge]
    )
    return [(document, -float(rank)) for rank, document in enumerate(documents)]


if __name__ == "__main__":
    main()
