"""What the walk over sentences finds by its parameters, one changed at a time.

python -m tests.benchmarks.unit_walks DATASET LIBRARY
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from clew.agent.evaluation.dataset import Dataset, read_dataset
from clew.agent.evaluation.ranking import DEPTH, Ranking, measure
from clew.agent.models import encoder_for
from clew.agent.settings import read_settings
from clew.memory.datatypes import Findings, Query
from clew.memory.knowledge.clues.unit_search import UnitParameters, UnitWalkParameters
from clew.memory.knowledge.library import open_library
from clew.memory.ports import Encoder
from clew.tools.base import Tool, encode_query
from clew.tools.clues import Clues, CluesParameters
from clew.tools.hybrid import Hybrid
from tests.benchmarks.inputs import paths
from tests.memory.knowledge.clues.unit_cases import AS_IN_THE_PAPER, PAPER

MEASURES = ("recall@2", "recall@5", "recall@10", "ndcg@5", "all@8")


def main() -> None:
    folder, library = paths(__doc__ or "", "dataset", "library")
    dataset, encoder = read_dataset(folder), encoder_for(read_settings(library=library))
    store = open_library(library, encoder).store
    print(f"{f'{dataset.name}, {len(dataset.questions)} questions':46}", *(f"{name:>9}" for name in MEASURES))
    print_row("hybrid", dataset, encoder, Hybrid(store))
    for name, parameters in variants():
        print_row(name, dataset, encoder, Clues(store, CluesParameters(units=parameters)))
    triples = Clues(store, CluesParameters(method="triples"))
    print_row("seed 000, over triples", dataset, encoder, triples)
    print_row("default, and 0.2 of the triples' score", dataset, encoder, Both(Clues(store), triples, 0.2))


def variants() -> Iterator[tuple[str, UnitParameters]]:
    yield "the nearest sentences, no walk", UnitParameters(UnitWalkParameters(depth=0), path=1.0)
    yield "as in the paper", AS_IN_THE_PAPER
    yield "as in the paper, filled", replace(AS_IN_THE_PAPER, filled=100)
    yield "paper's walk, half by match", replace(AS_IN_THE_PAPER, path=0.5)
    yield "paper's walk, half by match, filled", UnitParameters(PAPER)
    yield "no walk, half by match", UnitParameters(UnitWalkParameters(depth=0))
    yield "default", UnitParameters()
    for share in (0.25, 0.75, 1.0):
        yield f"  path {share}", UnitParameters(path=share)
    changes: dict[str, list[Any]] = {
        "anchors": [3, 10],
        "beam": [5, 20],
        "depth": [1, 2, 4],
        "per_entity": [1, 5],
        "subtract": [0, 0.5],
        "renormalise": [True],
    }
    for name, values in changes.items():
        for value in values:
            walk: UnitWalkParameters = replace(UnitWalkParameters(), **{name: value})
            yield f"  {name} {value}", UnitParameters(walk)


@dataclass(slots=True)
class Both:
    """To the scores of one tool a share of another's is added."""

    one: Clues
    other: Clues
    share: float
    name: str = "both"
    description: str = ""

    def search(self, query: Query, k: int) -> Findings:
        found = {passage.id: passage for passage in self.one.search(query, k).passages}
        for passage in self.other.search(query, k).passages:
            own = found.get(passage.id, replace(passage, score=0.0))
            found[passage.id] = replace(own, score=own.score + self.share * passage.score)
        return Findings(tuple(sorted(found.values(), key=lambda passage: -passage.score)))


def print_row(name: str, dataset: Dataset, encoder: Encoder, tool: Tool) -> None:
    rankings = {question.id: ranking(question.text, encoder, tool) for question in dataset.questions}
    metrics = measure(dataset.golds, rankings)
    print(f"{name:46}", *(f"{metrics[measure_]:9.3f}" for measure_ in MEASURES), flush=True)


def ranking(question: str, encoder: Encoder, tool: Tool) -> Ranking:
    found = tool.search(encode_query(question, [], encoder), 3 * DEPTH).passages
    documents = dict.fromkeys(passage.document for passage in found)
    return [(document, -float(rank)) for rank, document in enumerate(documents)]


if __name__ == "__main__":
    main()
